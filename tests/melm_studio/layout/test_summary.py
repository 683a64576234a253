"""What is known of a data set, in words and figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from melm_studio.layout.summary import data_summary
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.summary import summarize
from tests.melm_studio.layout.trees import parts, texts
from tests.melm_studio.worker.helpers import blobs

SWATCHES = [(f"var(--class-{code})", "circle") for code in range(3)]


def shown(data: LabeledData, **changes):
    return data_summary(data, replace(summarize(data), **changes), SWATCHES)


def test_the_summary_names_and_measures_the_data():
    assert texts(shown(blobs(90)))[:2] == ["blobs", "90 rows, 5 features, 3 classes"]


def test_thousands_stand_apart():
    found = texts(shown(blobs(12_345)))
    assert found[1].startswith("12,345 rows")
    assert "4,115" in found


def test_density_and_directions_are_explained_to_pointer_and_keyboard():
    summary = shown(blobs(), density=0.5358, n_directions=4)
    terms = [p for p in parts(summary) if p.get("className") == "explained"]
    tips = [p["label"] for p in parts(summary) if "events" in p]
    assert [p["tabIndex"] for p in terms] == [0, 0]
    assert [tip.count(". ") for tip in tips] == [0, 0]
    assert tips[0] == "Share of table cells that are not zero."
    assert tips[1].startswith("Number of principal components that hold 95 % of the variance")
    terms = ["filled cells", "54 %", "components for 95 % of variance", "4"]
    assert texts(summary)[2:6] == terms


def test_a_count_in_a_sample_says_so():
    summary = shown(blobs(90), n_directions=4, n_rows_used=60)
    tips = [p["label"] for p in parts(summary) if "events" in p]
    assert tips[1].endswith(" Computed on a sample of 60 rows.")
    assert texts(summary)[5] == "≈ 4"


def test_the_legend_has_every_class_with_its_figures_and_its_look():
    data = replace(blobs(9), y=np.array([0, 0, 0, 0, 0, 1, 1, 2, 2]))
    swatches = [("red", "circle"), ("green", "circle"), ("red", "square")]
    summary = data_summary(data, replace(summarize(data), class_directions=(4, 1, 1)), swatches)
    looks = [p for p in parts(summary) if "swatch" in str(p.get("className"))]
    assert [(p["style"]["backgroundColor"], p["className"].split()[1]) for p in looks] == [
        ("red", "circle"),
        ("green", "circle"),
        ("red", "square"),
    ]
    found = texts(summary)
    head = found.index("rows")
    assert found[head : head + 2] == ["rows", "PCs"]
    assert found[head + 2 : head + 11] == ["0", "5", "4", "1", "2", "1", "2", "2", "1"]


def test_the_summary_tells_every_step_in_its_order():
    steps = ("Read as tab-separated.", "<b>x</b> is constant and left out.")
    assert texts(shown(replace(blobs(), steps=steps)))[-2:] == list(steps)

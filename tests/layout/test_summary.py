"""What is known of a data set, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from layout.summary import data_summary
from tests.layout.trees import parts, texts
from tests.worker.helpers import blobs

SWATCHES = [(f"var(--class-{code})", "circle") for code in range(3)]


def test_the_summary_names_and_measures_the_data():
    assert texts(data_summary(blobs(90), SWATCHES))[:2] == [
        "blobs",
        "90 rows, 5 features, 3 classes",
    ]


def test_thousands_stand_apart():
    shown = texts(data_summary(blobs(12_345), SWATCHES))
    assert shown[1].startswith("12\u202f345 rows")
    assert "4\u202f115" in shown


def test_the_legend_has_every_class_with_its_rows_and_its_look():
    data = replace(blobs(9), y=np.array([0, 0, 0, 0, 0, 1, 1, 2, 2]))
    summary = data_summary(data, [("red", "circle"), ("green", "circle"), ("red", "square")])
    swatches = [p for p in parts(summary) if "swatch" in str(p.get("className"))]
    assert [(p["style"]["backgroundColor"], p["className"].split()[1]) for p in swatches] == [
        ("red", "circle"),
        ("green", "circle"),
        ("red", "square"),
    ]
    legend = texts(summary)
    assert legend[2:8] == ["0", "5", "1", "2", "2", "2"]


def test_the_summary_tells_every_step_in_its_order():
    steps = ("Read as tab-separated.", "<b>x</b> is constant and left out.")
    assert texts(data_summary(replace(blobs(), steps=steps), SWATCHES))[-2:] == list(steps)

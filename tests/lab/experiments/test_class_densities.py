"""The evidence for the class densities, from cells that are stored instead of computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lab.experiments.class_densities import DATA_SETS, METHODS, cell, cells, sections
from lab.experiments.records import Record, Settings
from melm_core.evaluation import Refits, Study

VERSIONS = {"python": "3"}


def record(name, seed, method, *, gain, loss):
    """Of a cell whose class densities are better by a gain and a loss."""
    values = {
        "search": {"accuracy": 0.9, "balanced": 0.8, "loss": 0.5, "as it is": 2.0},
        "fitted": {"accuracy": 0.9, "balanced": 0.8, "loss": 0.5, "as it is": 1.0},
        "class": {"accuracy": 0.9, "balanced": 0.8 + gain, "loss": 0.5 - loss, "as it is": 0.6},
        "wide": {"accuracy": 0.9, "balanced": 0.8, "loss": 0.4, "as it is": 0.5},
        "linear": {"accuracy": 0.9, "balanced": 0.7, "loss": 0.6, "as it is": 0.7},
    }
    parameters = {"name": name, "seed": seed, "method": method}
    return Record("class-densities", parameters, "", values, 1.0, "abc", VERSIONS)


@pytest.fixture
def made():
    records = [
        record(name, seed, method, gain=0.02 * (name == "iris"), loss=0.01 + 0.03 * seed)
        for name in ("iris", "wine")
        for seed in range(3)
        for method in ("lda", "pca")
    ]
    return sections([*records, None])


def by_place(section):
    return {(entry.row, entry.column): entry for entry in section.entries}


def test_rules_are_compared_by_method_over_data_sets(made):
    accuracy, balanced, loss, as_it_is = map(by_place, made[:4])
    assert balanced["LDA", "class densities"].value == pytest.approx(0.81)
    less = balanced["LDA", "class densities less densities of the search"]
    assert less.value == pytest.approx(0.01)
    assert less.standard_error == pytest.approx(0.01)  # of 0 and .02
    less = loss["PCA", "class densities less densities of the search"]
    assert less.value == pytest.approx(-0.04)
    assert less.standard_error == pytest.approx(0.0)
    less = as_it_is["LDA", "class densities as fitted less densities of the search"]
    assert less.value == pytest.approx(-1.0)
    assert accuracy["LDA", "class densities less linear rule"].ours == "0.0000 ± 0.0000"


def test_a_data_set_that_moves_is_named_and_no_other(made):
    moved = made[0].notes[-1]
    assert "LDA on iris +0.020, PCA on iris +0.020" in moved
    assert "wine" not in moved
    by_set = by_place(made[-1])
    assert by_set["iris", "LDA, balanced accuracy"].value == pytest.approx(0.02)
    assert by_set["wine", "PCA, log loss"].value == pytest.approx(-0.04)


def test_nine_sets_or_more_have_three_seeds_and_six_methods():
    assert len(DATA_SETS) >= 9
    assert len(cells(Settings())) == 3 * len(DATA_SETS) * len(METHODS)


def test_a_cell_has_the_share_of_the_refits():
    found = cell(Path(), name="iris", seed=2, method="lda")
    X, y = load_iris(return_X_y=True)
    study = Study("lda", X, y, groups=np.arange(150), random_state=2)
    share = Refits.of(study).share.balanced_accuracy
    assert found["class"]["balanced"] == pytest.approx(share)
    assert all(0.0 < own["loss"] < 0.2 for own in found.values())
    assert len({own["as it is"] for own in found.values()}) == len(found)

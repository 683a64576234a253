"""The stored rounds of folds beside those that the rotations paper prints."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_breast_cancer

from lab.experiments.page import RESULTS
from lab.experiments.report import read
from lab.experiments.tables.rotations_tables import BREAST_CANCER, classifier, held_out_accuracy


def entries(ends_in=""):
    (section,) = read(RESULTS / "rotations-rounds.json").sections
    return [entry for entry in section.entries if entry.column.endswith(ends_in)]


@pytest.mark.parametrize("folds", ["10 folds", "5 folds"])
def test_held_out_accuracies_are_those_of_the_paper(folds):
    found = entries(folds)
    assert len(found) == 11
    for entry in found:
        # Means over 20 rounds of other folds: two standard errors of their difference are 0.1 to
        # 0.7 of a point. Steps and stops of the paper's rotations are not printed.
        assert abs(entry.difference) < 0.7, entry


def test_accuracies_vary_between_rounds_about_as_in_the_paper():
    for entry in entries("deviation"):
        # A standard deviation of 20 rounds is known to about a sixth of itself.
        assert entry.paper / 3 < entry.value < 2 * entry.paper, entry


def test_a_stored_benchmark_is_what_is_computed_today():
    X, y = load_breast_cancer(return_X_y=True)
    model = classifier(BREAST_CANCER, method="LDA", n_components=None, priors="uniform", max_iter=0)
    mean = sum(held_out_accuracy(model, X, y, n_folds=5, seed=seed) for seed in range(3)) / 3
    stored = next(e for e in entries("5 folds") if e.row == "LDA")
    # Three rounds of 20, each with a deviation of a third of a point.
    assert 100 * mean == pytest.approx(stored.value, abs=0.6)

from __future__ import annotations

import re

import numpy as np
import pytest

from lab.experiments.curves import CURVED, ENTRANTS, NOISE, STRAIGHT, cell, noise_cell, report
from lab.experiments.held_out import Fold
from lab.experiments.records import DEFAULT_DATA, ROOT, Settings
from lab.experiments.report import as_markdown, read

DOCUMENT = ROOT / "docs" / "curved-features.md"
RESULTS = ROOT / "docs" / "results" / "curves.json"


@pytest.fixture
def ring():
    rng = np.random.default_rng(0)
    X, X_test = rng.standard_normal((2, 300, 3))
    return Fold(X, (abs(X[:, 0]) > 0.7) * 1, X_test, (abs(X_test[:, 0]) > 0.7) * 1)


def test_bent_features_tell_what_straight_ones_do_not(ring):
    accuracies = {
        kind: fit(features(ring, 0), 0)
        for kind in (STRAIGHT, CURVED)
        for features, fit in (ENTRANTS[f"LDA, regularized, {kind}"],)
    }
    assert accuracies[CURVED] > accuracies[STRAIGHT] + 0.15


def test_auto_bends_what_gains_by_it(ring):
    features, _ = ENTRANTS["LDA, regularized, auto"]
    assert features(ring, 0).X.shape == (300, 15)


def test_orthonormal_columns_are_uncorrelated_within_a_feature(ring):
    features, _ = ENTRANTS["LDA, regularized, orthonormal curves"]
    own = features(ring, 0).X[:, :4]
    np.testing.assert_allclose(own.T @ own / len(own), np.eye(4), atol=1e-9)


def test_a_cell_has_a_number_for_each_fold(tmp_path):
    found = cell(tmp_path, name="iris", repeat=0, entrant="PLS, curved")
    assert len(found["folds"]) == 5
    assert min(found["folds"]) > 0.8


def test_a_cell_of_noise_counts_tables_whose_features_stay_straight(tmp_path):
    found = noise_cell(tmp_path, shape=(40, 3, 2), n_tables=4)
    assert found["of"] == 4
    assert found["n_straight"] >= 3


@pytest.mark.slow
@pytest.mark.skipif(not DEFAULT_DATA.is_dir(), reason="The data are not in ../shared/data.")
def test_a_quick_run_fills_every_cell(tmp_path):
    made = report(Settings(results=tmp_path, quick=True))
    assert made.provenance.n_missing == 0
    assert all(entry.value is not None for s in made.sections for entry in s.entries)


def test_the_document_has_means_of_the_page_that_has_all_results():
    page = RESULTS.with_suffix(".md").read_text()
    assert page == as_markdown(read(RESULTS))
    means = re.findall(r"\b0\.\d{3}\b", DOCUMENT.read_text().split("## The evidence")[1])
    assert len(means) > 4
    assert [mean for mean in means if f"| {mean} |" not in page] == []


def test_features_of_noise_stay_straight_in_the_results():
    noise = read(RESULTS).sections[3].entries
    of_shape = {entry.row: entry.value for entry in noise if entry.column == "straight"}
    assert len(of_shape) == len(NOISE)
    assert min(of_shape.values()) >= 95

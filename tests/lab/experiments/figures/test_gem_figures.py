"""Eigenvectors of pairs of digits, as the GEM paper draws them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from sklearn.datasets import load_digits

from lab.experiments.figures.gem_figures import PAIRS, eigenvectors, report
from lab.experiments.records import Settings

GAMMA = 0.5


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / X.max(), y


@pytest.mark.parametrize("pair", PAIRS)
def test_eigenvectors_are_those_of_the_second_moments(digits, pair):
    X, y = digits
    values, vectors = eigenvectors(X, y, pair, GAMMA)
    signal, noise = (X[y == digit].T @ X[y == digit] / np.sum(y == digit) for digit in pair)
    noise += GAMMA * np.trace(noise) / len(noise) * np.eye(len(noise))
    expected = scipy.linalg.eigh(signal, noise, eigvals_only=True)[::-1][:5]
    np.testing.assert_allclose(values, expected, rtol=1e-8)
    # Large on the first class by as much as the eigenvalue says, at most 1 on the second.
    squares = [np.mean((X[y == digit] @ vectors.T) ** 2, axis=0) for digit in pair]
    np.testing.assert_allclose(squares[0], values, rtol=1e-8)
    assert (squares[1] <= 1).all()
    assert (np.mean(X[y == pair[0]] @ vectors.T, axis=0) >= 0).all()


def test_a_quick_report_has_both_pictures_and_both_kinds_of_rows(tmp_path):
    made = report(Settings(data=tmp_path, results=tmp_path, quick=True))
    first, second, omitted = made.sections
    assert first.picture.count("<image ") == 25
    assert second.picture.count("<path ") == 11
    assert second.columns == ["training rows", "held-out rows"]
    assert all(entry.value is not None for entry in second.entries)
    assert "MNIST is not in the data folder" in omitted.notes[0]


@pytest.mark.slow
def test_the_detector_of_threes_is_large_on_held_out_threes(tmp_path):
    made = report(Settings(data=tmp_path, results=tmp_path, quick=True))
    values = {(e.row, e.column): e.value for e in made.sections[1].entries}
    assert values["class 3", "held-out rows"] > 10 * values["class 2", "held-out rows"]

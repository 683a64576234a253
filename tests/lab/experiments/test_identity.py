from __future__ import annotations

import numpy as np
import pytest

from lab.experiments.identity import cross_validated_identity

STREAM = np.random.default_rng(0)
Y = np.repeat([0, 1], 40)
APART = STREAM.normal(size=(80, 20)) + 3.0 * Y[:, None]


def test_classes_that_are_apart_are_told_apart_by_all_three():
    scores = cross_validated_identity(APART, Y, random_state=0).classifiers
    assert min(score.balanced_accuracy for score in scores.values()) > 0.95


def test_the_units_of_the_features_do_not_matter():
    X = STREAM.normal(size=(80, 5)) + 0.5 * Y[:, None]
    one = cross_validated_identity(X, Y, random_state=0)
    other = cross_validated_identity(X * (1, 10, 100, 1e-3, 7) + 5, Y, random_state=0)
    np.testing.assert_allclose(one.fold_confusions, other.fold_confusions)


def test_constant_features_are_left_out():
    X = np.column_stack([APART, np.ones(80)])
    one = cross_validated_identity(APART, Y, random_state=0)
    other = cross_validated_identity(X, Y, random_state=0)
    assert one.mean.balanced_accuracy == pytest.approx(other.mean.balanced_accuracy)

"""The rivals maximize what their papers say."""

from __future__ import annotations

import numpy as np
from scipy.optimize import check_grad

from lab.experiments.questions.rivals import augmented_moments, negative_distance, sqfa, ulca
from melm_core.linalg import principal_angles


def plane_of(projection, n_features):
    """Orthonormal rows of a linear map."""
    return np.linalg.qr(projection(np.eye(n_features)))[0].T


def test_the_gradient_of_the_distance_is_that_of_finite_differences():
    stream = np.random.default_rng(0)
    moments = [augmented_moments(stream.normal(size=(30, 5)) + code) for code in range(3)]

    def part(number):
        return lambda plane: negative_distance(plane.reshape(2, 5), moments)[number]

    assert check_grad(part(0), part(1), stream.normal(size=10)) < 1e-5


def test_sqfa_finds_classes_that_differ_in_their_spread_alone():
    stream = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = stream.normal(size=(600, 6))
    X[:, [1, 4]] *= np.where(y == 1, 4.0, 1.0)[:, None]
    found = plane_of(sqfa(X, y), 6)
    assert principal_angles(found, np.eye(6)[[1, 4]]).max() < 0.2


def test_ulca_finds_the_features_in_which_the_means_differ():
    stream = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = stream.normal(size=(300, 6))
    X[:, 2] += 5.0 * (y == 1)
    X[:, 5] += 5.0 * (y == 2)
    found = plane_of(ulca(np.zeros, np.ones)(X, y), 6)
    assert principal_angles(found, np.eye(6)[[2, 5]]).max() < 0.2

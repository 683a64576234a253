from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from lab.experiments.posterior import NCA, POSTERIOR, cell, log_posterior, posterior_plane
from melm_core.density import kernel_classes


@pytest.fixture
def table():
    stream = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], (14, 9, 21))
    return stream.standard_normal((len(y), 5)) + 1.2 * np.eye(5)[y], y


def test_the_gradient_is_that_of_finite_differences(table):
    objective = log_posterior(kernel_classes(*table, n_components=2, gamma=1.5))
    plane = np.random.default_rng(1).standard_normal((2, 5))
    expected = approx_fprime(plane.ravel(), lambda v: objective(v.reshape(2, 5))[0], 1e-7)
    np.testing.assert_allclose(objective(plane)[1].ravel(), expected, atol=1e-6)


def test_the_value_is_that_of_densities_without_the_row_itself(table):
    X, y = table
    classes, plane = kernel_classes(X, y, n_components=2), np.eye(5)[:2]
    means = []
    for a in range(3):
        logs = []
        for i in np.flatnonzero(y == a):
            densities = []
            for b in range(3):
                others = X[(y == b) & (np.arange(len(y)) != i)] @ plane.T
                kernel = multivariate_normal(
                    X[i] @ plane.T, plane @ classes.covariances[b] @ plane.T
                )
                densities.append(kernel.pdf(others).mean())
            logs.append(np.log(densities[a] / sum(densities)))
        means.append(np.mean(logs))
    assert log_posterior(classes)(plane)[0] == pytest.approx(np.mean(means), rel=1e-9)


def test_only_the_span_of_the_components_matters(table):
    objective = log_posterior(kernel_classes(*table, n_components=2))
    plane = np.eye(5)[:2] + 0.3
    turned = np.array([[2.0, 0.5], [-1.0, 1.0]]) @ plane
    assert objective(turned)[0] == pytest.approx(objective(plane)[0], rel=1e-9)
    np.testing.assert_allclose(objective(plane)[1] @ plane.T, 0.0, atol=1e-9)


def test_the_search_finds_the_features_that_tell_the_classes(table):
    plane = np.linalg.qr(posterior_plane(1.5, 0, *table))[0]
    # The means span the plane of differences of the first three axes.
    between = np.array([[1.0, -1, 0, 0, 0], [1, 1, -2, 0, 0]]) / np.sqrt([[2.0], [6.0]])
    assert np.linalg.svd(between @ plane)[1].min() > 0.6


def test_rows_of_one_place_and_far_classes_give_numbers():
    X = np.vstack([np.zeros((4, 3)), 1e4 + np.eye(3), np.arange(9.0).reshape(3, 3)])
    y = np.repeat([0, 1], (4, 6))
    X[:4] += 1e-3 * np.random.default_rng(0).standard_normal((4, 3))
    value, gradient = log_posterior(kernel_classes(X, y, n_components=2))(np.eye(3)[:2])
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize(("entrant", "gamma"), [(POSTERIOR, 2.0), (NCA, None)])
def test_a_cell_has_a_number_for_each_fold(tmp_path, entrant, gamma):
    found = cell(tmp_path, name="iris", repeat=0, entrant=entrant, gamma=gamma)
    assert len(found["folds"]) == 5
    assert min(found["folds"]) > 0.8

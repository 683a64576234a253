"""Transforms without finufft agree with their definition, and what is computed with them too."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from sklearn.datasets import load_wine

from melm_core.density import whitened_kernel_classes
from melm_core.density.engines import nufft, separable, spreading
from melm_core.melm import divergence_and_gradient

RNG = np.random.default_rng(0)


def waves(angles, n_modes):
    """exp(i kappa z) of each row and mode, by the definition."""
    along = [
        np.exp(1j * np.outer(angle, np.arange(-(n // 2), n // 2 + 1)))
        for angle, n in zip(angles, n_modes, strict=True)
    ]
    return reduce(lambda a, b: np.einsum("n...,nm->n...m", a, b), along)


def problem(k):
    angles = RNG.uniform(-np.pi, np.pi, size=(k, 700))
    angles[:, :2] = [-np.pi, np.pi]  # both edges of the box are one
    return list(angles), RNG.normal(size=700)


@pytest.mark.parametrize("is_separable", [False, True])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-9, 1e-4])
@pytest.mark.parametrize("n_modes", [[1], [101], [1, 1], [9, 31], [121, 3], [7, 15, 11]])
def test_series_and_values_are_exact_to_the_tolerance(
    n_modes, tolerance, is_separable, monkeypatch
):
    monkeypatch.setattr(separable, "is_faster", lambda *_: is_separable and len(n_modes) == 2)
    angles, weights = problem(len(n_modes))
    by_definition = waves(angles, n_modes)
    exact = np.tensordot(weights, by_definition, axes=1)
    found = spreading.series(angles, weights, n_modes, tolerance)
    assert np.abs(found - exact).max() < 10 * tolerance * np.abs(weights).sum()
    stacked = RNG.normal(size=(2, *n_modes)) + 1j * RNG.normal(size=(2, *n_modes))
    axes = range(1, len(n_modes) + 1)
    values = np.tensordot(stacked, by_definition, axes=(axes, axes)).real
    at_points = spreading.values(angles, stacked, tolerance)
    assert np.abs(at_points - values).max() < 10 * tolerance * np.abs(stacked).sum()


def test_rows_are_spread_in_blocks_as_if_at_once(monkeypatch):
    monkeypatch.setattr(separable, "is_faster", lambda *_: False)
    angles, weights = problem(2)
    at_once = spreading.series(angles, weights, [21, 21], 1e-12)
    monkeypatch.setattr(spreading, "_BLOCK_NUMBERS", 1_000)
    in_blocks = spreading.series(angles, weights, [21, 21], 1e-12)
    np.testing.assert_allclose(in_blocks, at_once, rtol=0, atol=1e-12 * np.abs(weights).sum())


def test_a_series_of_no_rows_is_zero():
    np.testing.assert_array_equal(spreading.series([np.empty(0)], np.empty(0), [5], 1e-9), 0)


@pytest.mark.parametrize(
    ("n_rows", "n_modes", "expected"),
    [(3, [71, 71], True), (20_000, [201, 201], False), (3, [71], False), (3, [5, 5, 5], False)],
)
def test_few_modes_of_few_rows_in_a_plane_are_not_spread(n_rows, n_modes, expected, monkeypatch):
    taken = []
    monkeypatch.setattr(separable, "series", lambda *_: taken.append(n_rows))
    spreading.series([np.zeros(n_rows)] * len(n_modes), np.ones(n_rows), n_modes, 1e-12)
    assert bool(taken) == expected


@pytest.mark.parametrize("k", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_divergence_and_its_gradient_are_the_same_without_finufft(k, monkeypatch):
    X, y = load_wine(return_X_y=True)
    classes, _ = whitened_kernel_classes(X, y, n_components=k)
    components = np.linalg.qr(RNG.normal(size=(X.shape[1], k)))[0].T
    with_it = divergence_and_gradient(classes, components, engine="nufft")
    monkeypatch.setattr(nufft, "finufft", None)
    without = divergence_and_gradient(classes, components, engine="nufft")
    assert without[0] == pytest.approx(with_it[0], rel=1e-8)
    np.testing.assert_allclose(without[1], with_it[1], atol=1e-8 * np.abs(with_it[1]).max())

"""Standardized differences agree with their definition, also where nothing varies."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.diagnostics import standardized_differences


def test_the_difference_is_cohens_d() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    chosen = np.arange(40) < 15
    some, others = X[chosen], X[~chosen]
    pooled = np.sqrt((14 * some.var(axis=0, ddof=1) + 24 * others.var(axis=0, ddof=1)) / 38)
    expected = (some.mean(axis=0) - others.mean(axis=0)) / pooled
    assert standardized_differences(X, chosen) == pytest.approx(expected)


def test_features_that_vary_only_between_the_rows_differ_without_bound() -> None:
    X = np.array([[1.0, 3.0, 0.1], [1.0, 4.0, 0.1], [1.0, 4.0, 0.1]])
    differences = standardized_differences(X, np.array([True, False, False]))
    assert differences.tolist() == [0.0, -np.inf, 0.0]

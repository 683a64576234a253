from __future__ import annotations

import numpy as np
import pytest

from melm_core import BaggedMELM
from melm_core.linalg import principal_angles
from melm_core.melm.bagging import bootstrap_rows, mean_plane
from melm_core.melm.objective import cauchy_schwarz_divergence
from tests.melm_core.helpers import assert_orthonormal, classes, plane


def test_draws_keep_the_size_of_every_class_and_whole_groups():
    y = np.repeat([0, 1], [30, 12])
    groups = np.arange(42) // 3
    for rows, _ in bootstrap_rows(y, 5, 0, groups):
        assert np.bincount(y[rows]).tolist() == [30, 12]
        counts = np.bincount(rows, minlength=42).reshape(-1, 3)
        assert (counts == counts[:, :1]).all()


def test_the_mean_of_one_plane_is_that_plane():
    V = plane(2, 6)
    mean = mean_plane([V, V], np.arange(1.0, 7.0))
    assert_orthonormal(mean)
    assert principal_angles(mean, V).max() < 1e-7


def test_the_mean_plane_does_not_depend_on_units():
    planes, widths = [plane(2, 6, seed) for seed in range(3)], np.arange(1.0, 7.0)
    units = np.array([1e-3, 1.0, 1.0, 10.0, 1.0, 1e3])
    one = mean_plane(planes, widths)
    other = mean_plane([V / units for V in planes], widths * units)
    assert principal_angles(one / units, other).max() < 1e-6


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bagged_fit_is_the_same_for_the_same_seed(n_jobs):
    X, y = classes(2, 5)
    one = BaggedMELM(n_bootstrap=3, n_init=2, random_state=3).fit(X, y)
    again = BaggedMELM(n_bootstrap=3, n_init=2, random_state=3)
    again.set_search(n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(one.components_, again.components_)


def test_the_divergence_of_a_bagged_plane_is_that_of_all_rows():
    X, y = classes(2, 5)
    melm = BaggedMELM(n_bootstrap=3, n_init=2, random_state=0).fit(X, y)
    value = cauchy_schwarz_divergence(X, y, melm.components_, shrinkage="ledoit-wolf")
    assert melm.divergence_ == pytest.approx(value, rel=1e-8)
    assert len(melm.start_results_) == 3
    assert melm.predict(X).shape == y.shape


def test_a_bagged_fit_reports_its_resamples_and_stops():
    X, y = classes(2, 5)
    steps = []
    BaggedMELM(n_bootstrap=2, n_init=2, random_state=0, callback=steps.append).fit(X, y)
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert steps[-1].stage.startswith("resample 2 of 2: ")
    stopped = BaggedMELM(n_bootstrap=9, random_state=0, callback=lambda _: True).fit(X, y)
    assert len(stopped.start_results_) == 1

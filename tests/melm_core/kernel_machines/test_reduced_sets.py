from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import crescents
from melm_core.kernel_machines.approximation import reduced_set
from melm_core.kernel_machines.machine import KernelMachine
from tests.melm_core.helpers import invertible


def machine(whitener=None):
    X, y = crescents(0, n_rows_per_class=40)
    return KernelMachine(X, np.where(y == 1, 1.0, -1.0), 0.35, 0.2, whitener)


def error(reduced, original):
    X, _ = crescents(1, n_rows_per_class=40)
    wanted = original.decision_function(X)
    return np.linalg.norm(reduced.decision_function(X) - wanted) / np.linalg.norm(wanted)


@pytest.mark.parametrize("whitener", [None, invertible(2)], ids=["round", "stretched"])
def test_more_centers_follow_the_machine_closer(whitener):
    original = machine(whitener)
    errors = [error(reduced_set(original, n), original) for n in (4, 12, 36)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.05


def test_the_kernel_and_the_intercept_stay():
    original = machine(invertible(2))
    reduced = reduced_set(original, 5)
    assert len(reduced.centers) == len(reduced.weights) == 5
    assert (reduced.bandwidth, reduced.intercept) == (0.35, 0.2)
    np.testing.assert_array_equal(reduced.whitener, original.whitener)


def test_no_weights_on_the_same_centers_are_closer():
    original = machine()
    reduced = reduced_set(original, 6)
    rng = np.random.default_rng(0)
    wanted = original.decision_function(original.centers)

    def missed(weights):
        other = KernelMachine(reduced.centers, weights, 0.35, 0.2)
        return np.linalg.norm(other.decision_function(original.centers) - wanted)

    best = missed(reduced.weights)
    assert all(best < missed(reduced.weights + 0.1 * rng.normal(size=6)) for _ in range(20))


def test_repeated_centers_count_once():
    original = KernelMachine([[0.0], [0.0], [3.0]], [1.0, 1.0, -1.0], 0.5)
    reduced = reduced_set(original, 3)
    np.testing.assert_allclose(np.sort(reduced.centers[:, 0]), [0, 3])
    X = np.linspace(-1, 4, 9)[:, None]
    np.testing.assert_allclose(reduced.decision_function(X), original.decision_function(X))


def test_kernels_of_their_own_widths_keep_them_where_nothing_is_merged():
    original = KernelMachine([[0.0], [1.0], [3.0]], [1.0, 0.5, -1.0], [0.5, 0.2, 2.0])
    reduced = reduced_set(original, 3)
    X = np.linspace(-1, 4, 9)[:, None]
    wanted = original.decision_function(X)
    np.testing.assert_allclose(reduced.decision_function(X), wanted, atol=1e-12)
    merged = reduced_set(original, 2)
    np.testing.assert_allclose(np.sort(merged.bandwidth), [np.sqrt(0.145), 2.0])


@pytest.mark.parametrize("n_centers", [0, -1, 2.5])
def test_impossible_numbers_of_centers_are_refused(n_centers):
    with pytest.raises(ValueError, match="n_centers="):
        reduced_set(machine(), n_centers)

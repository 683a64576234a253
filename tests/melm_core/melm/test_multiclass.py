from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines.direct_sums import DirectPotentials
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.multiclass import (
    AGGREGATES,
    SOFTNESS,
    mean_over_pairs,
    one_vs_rest,
    pair_divergences,
    soft_minimum,
)
from melm_core.melm.objective import divergence_and_gradient, divergence_terms
from tests.melm_core.helpers import assert_gradient, classes, finite_differences, plane

NAMES = tuple(AGGREGATES)


def potentials(n_classes: int, k: int = 2):
    """Return the logarithms of the potentials of overlapping classes, and their sizes."""
    X, y = classes(n_classes, k)
    projected = kernel_classes(X, y, n_components=k)
    logs = DirectPotentials(projected.rows, projected.covariances).log_values
    return logs, projected.counts


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, k=1).T


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_the_derivatives_by_the_logarithms(name, n_classes):
    logs, counts = potentials(n_classes)
    _, weights = AGGREGATES[name](logs, counts)
    numeric = finite_differences(lambda upper: AGGREGATES[name](symmetric(upper), counts)[0], logs)
    assert_gradient(weights, np.triu(numeric))


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_agrees_with_finite_differences(name):
    X, y = classes(3, 4)
    prepared = kernel_classes(X, y, n_components=2)

    def value(components):
        return divergence_and_gradient(prepared, components, multiclass=name)[0]

    _, gradient = divergence_and_gradient(prepared, plane(2, 4), multiclass=name)
    assert_gradient(gradient, finite_differences(value, plane(2, 4)))


@pytest.mark.parametrize("name", NAMES)
def test_for_two_classes_every_aggregate_is_the_divergence(name):
    logs, counts = potentials(2)
    value, weights = AGGREGATES[name](logs, counts)
    assert value == pytest.approx(logs[0, 0] + logs[1, 1] - 2 * logs[0, 1], rel=1e-12)
    np.testing.assert_allclose(weights, [[1, -2], [0, 1]], atol=1e-12)


def test_the_soft_minimum_lies_between_the_smallest_pair_and_the_mean():
    logs, counts = potentials(4)
    soft, mean = soft_minimum(logs, counts)[0], mean_over_pairs(logs, counts)[0]
    assert soft < mean
    smallest = pair_divergences(logs).min()
    assert smallest <= soft <= smallest + SOFTNESS * np.log(6)


def test_equal_pairs_have_their_divergence_as_soft_minimum():
    logs = np.full((3, 3), -4.0) + 3.0 * np.eye(3)
    assert soft_minimum(logs, np.array([5, 6, 7]))[0] == pytest.approx(6.0, rel=1e-12)


def test_one_vs_rest_is_the_divergence_of_a_class_from_the_mixture_of_the_others():
    logs, counts = potentials(3)
    potential = np.exp(logs)
    expected = []
    for code in range(3):
        rest = [other for other in range(3) if other != code]
        shares = counts[rest] / counts[rest].sum()
        within = shares @ potential[np.ix_(rest, rest)] @ shares
        across = shares @ potential[rest, code]
        expected.append(np.log(potential[code, code] * within / across**2))
    assert one_vs_rest(logs, counts)[0] == pytest.approx(np.mean(expected), rel=1e-12)


@pytest.mark.parametrize("order", [[1, 2, 0, 3], [3, 2, 1, 0]])
@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_classes_does_not_matter(name, order):
    logs, counts = potentials(4)
    value, weights = AGGREGATES[name](logs, counts)
    again, turned = AGGREGATES[name](logs[np.ix_(order, order)], counts[order])
    assert again == pytest.approx(value, rel=1e-12)
    both_ways = (weights + weights.T)[np.ix_(order, order)]
    np.testing.assert_allclose(turned + turned.T, both_ways, atol=1e-12)


def test_the_terms_of_the_mean_differ_by_the_divergence():
    X, y = classes(4, 5)
    prepared = kernel_classes(X, y, n_components=2)
    value, _ = divergence_and_gradient(prepared, plane(2, 5), multiclass="mean")
    terms = divergence_terms(prepared, plane(2, 5), multiclass="mean")
    assert terms.divergence == pytest.approx(value, rel=1e-10)

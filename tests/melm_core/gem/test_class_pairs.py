from __future__ import annotations

import numpy as np
import pytest

from melm_core.gem.eigenvectors import all_pairs, hypercube_pairs


def drawn(n_classes, seed):
    return hypercube_pairs(n_classes, np.random.default_rng(seed))


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_all_pairs_are_ordered_distinct_and_without_a_class_against_itself(n_classes):
    pairs = all_pairs(n_classes)
    assert len(np.unique(pairs, axis=0)) == len(pairs) == n_classes * (n_classes - 1)
    assert (pairs[:, 0] != pairs[:, 1]).all()


@pytest.mark.parametrize("n_classes", [2, 3, 5, 10, 17])
def test_hypercube_pairs_come_in_both_orders(n_classes):
    pairs = {tuple(pair) for pair in drawn(n_classes, 0)}
    assert pairs == {(j, i) for i, j in pairs}


@pytest.mark.parametrize("n_dimensions", [1, 2, 3, 4, 6])
def test_a_full_hypercube_has_exactly_its_edges_twice(n_dimensions):
    n_classes = 2**n_dimensions
    pairs = drawn(n_classes, 0)
    assert len(pairs) == n_classes * n_dimensions
    assert (np.bincount(pairs[:, 0]) == n_dimensions).all()


@pytest.mark.parametrize("n_classes", [3, 5, 6, 9, 10, 12, 17])
def test_the_classes_sit_on_vertices_one_step_from_their_partners(n_classes):
    # Neighbors on a hypercube differ in the parity of their bits: the pairs are bipartite.
    adjacency = np.zeros((n_classes, n_classes))
    pairs = drawn(n_classes, 1)
    adjacency[pairs[:, 0], pairs[:, 1]] = 1
    odd_walks = np.linalg.matrix_power(adjacency, 2 * n_classes + 1)
    assert np.trace(odd_walks) == 0
    assert adjacency.sum(axis=1).max() <= np.ceil(np.log2(n_classes))


@pytest.mark.parametrize("n_classes", [5, 9, 10])
def test_no_class_is_isolated_in_a_thousand_draws(n_classes):
    for seed in range(1_000):
        assert len(np.unique(drawn(n_classes, seed)[:, 0])) == n_classes


def test_ten_classes_take_about_a_quarter_of_all_pairs():
    counts = [len(drawn(10, seed)) for seed in range(1_000)]
    # 24 on average over all labelings; those drawn again are among the poorer.
    assert 24 <= np.mean(counts) < 26


def test_the_stream_decides_the_labeling():
    np.testing.assert_array_equal(drawn(10, 3), drawn(10, 3))
    assert any(not np.array_equal(drawn(10, 3), drawn(10, seed)) for seed in range(4, 8))

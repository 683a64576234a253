"""The optima at every kernel width, and which continue which."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from melm_core import MELM
from melm_core.datasets import pure_noise
from melm_core.linalg.planes import principal_angles
from melm_core.melm import plane_tree
from melm_core.melm.tree import SAME_ANGLE, PlaneTree, TreeNode

GAMMAS = (4.0, 1.0, 0.25)
LINES = {"n_components": 1}
COARSE, FINE = np.eye(1, 4), np.eye(1, 4, 1)


def two_scales(seed: int = 0):
    """Classes with different means along the first axis, and interleaved modes along the second.

    Along the second, the classes have the same mean and variance.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 80)
    X = rng.normal(size=(160, 4))
    X[:, 0] += 2.0 * y
    odd = rng.choice([-1.0, 1.0], size=160)
    even = rng.choice([-2.0, 0.0, 2.0], p=[0.125, 0.75, 0.125], size=160)
    X[:, 1] = np.where(y == 1, odd, even) + 0.1 * rng.normal(size=160)
    return X, y


@pytest.fixture(scope="module")
def tree():
    X, y = two_scales()
    return plane_tree(
        X, y, gammas=GAMMAS, n_init=4, n_shuffles=1, parameters=LINES, held_out=two_scales(1)
    )


def angle(node, line) -> float:
    return float(principal_angles(node.components, line)[-1])


@pytest.mark.slow
def test_structure_at_two_scales_is_two_branches(tree):
    smooth = [node for node in tree.nodes if node.width == 0]
    local = [node for node in tree.nodes if node.width == len(GAMMAS) - 1]
    assert min(angle(node, COARSE) for node in smooth) < 0.4
    assert min(angle(node, FINE) for node in smooth) > 0.4  # wide kernels do not see the modes
    assert min(angle(node, FINE) for node in local) < 0.2
    fine = min(local, key=lambda node: angle(node, FINE))
    assert fine.divergence == max(node.divergence for node in local)
    assert fine.held_out_accuracy > 0.95


def test_every_node_is_an_optimum_and_differs_from_the_others_of_its_width(tree):
    X, y = two_scales()
    for node in tree.nodes:
        melm = MELM(gamma=GAMMAS[node.width]).set_search(init=node.components[None])
        again = melm.set_params(**LINES).fit(X, y)
        assert angle(node, again.components_) < SAME_ANGLE
        assert again.divergence_ == pytest.approx(node.divergence, rel=1e-3)
        alike = [n for n in tree.nodes if n.width == node.width and n is not node]
        assert all(angle(node, other.components) > SAME_ANGLE for other in alike)


def branch_of(tree, node: int) -> tuple[int, ...]:
    return next(branch for branch in tree.branches if node in branch)


def test_structure_at_two_scales_is_two_branches_that_stand_out(tree):
    n_last = len(GAMMAS) - 1
    first = next(i for i, node in enumerate(tree.nodes) if node.width == 0)
    fine = next(i for i, node in enumerate(tree.nodes) if node.width == n_last)
    assert branch_of(tree, first) != branch_of(tree, fine)
    found = {branch_of(tree, nodes[0]) for nodes in tree.standing_out(octaves=0.0)}
    assert {branch_of(tree, first), branch_of(tree, fine)} <= found
    assert tree.standing_out(octaves=20.0) == ()


def test_planes_that_show_nearly_the_same_stand_out_once(tree):
    every = tree.standing_out(octaves=0.0, angle=0.0)
    assert len(tree.standing_out(octaves=0.0, angle=np.pi / 2)) == 1
    different = tree.standing_out(octaves=0.0)
    assert set(different) <= set(every)
    for branch, other in combinations(different, 2):
        angles = [angle(tree.nodes[i], tree.nodes[j].components) for i in branch for j in other]
        assert min(angles) > np.pi / 4


def test_every_node_is_in_one_branch_whose_nodes_lead_to_each_other(tree):
    assert sorted(i for branch in tree.branches for i in branch) == list(range(len(tree.nodes)))
    for branch in tree.branches:
        for wider, narrower in pairwise(branch):
            assert (tree.narrowing[wider], tree.widening[narrower]) == (narrower, wider)
    for first, joined in tree.merges:
        assert tree.nodes[joined].width == tree.nodes[first].width - 1
        assert tree.narrowing[joined] != first
    assert tree.births == tuple(branch[0] for branch in tree.branches)
    assert tree.ends == tuple(branch[-1] for branch in tree.branches)


def test_every_node_is_followed_both_ways(tree):
    widths = np.array([node.width for node in tree.nodes])
    assert (tree.narrowing[widths < len(GAMMAS) - 1] >= 0).all()
    assert (tree.widening[widths > 0] >= 0).all()


def test_nodes_are_ordered_and_edges_lead_to_the_next_narrower_kernel(tree):
    order = [(node.width, -node.divergence) for node in tree.nodes]
    assert order == sorted(order)
    assert len(tree.edges) > 0
    for wider, narrower in tree.edges:
        assert tree.nodes[narrower].width == tree.nodes[wider].width + 1
    assert set(tree.births) >= {i for i, node in enumerate(tree.nodes) if node.width == 0}
    assert tree.counts.sum() == len(tree.nodes)


def test_shuffled_labels_reach_less(tree):
    assert (tree.noise < 0.7 * tree.best_divergences).all()
    assert (tree.contrast > 1 / 0.7).all()
    assert (np.abs(tree.noise_accuracy - 0.5) < 0.2).all()  # two classes are guessed by halves


@pytest.mark.slow
def test_the_same_seed_gives_the_same_tree_and_a_callback_sees_it_grow_and_stops_it():
    X, y = two_scales()
    options = {"gammas": GAMMAS, "n_init": 2, "n_shuffles": 1, "parameters": LINES}
    seen = []
    first = plane_tree(X, y, **options, callback=seen.append)
    again = plane_tree(X, y, **options)
    np.testing.assert_array_equal(first.edges, again.edges)
    np.testing.assert_array_equal(first.best_divergences, again.best_divergences)
    assert len(seen) == 3 + 2 + 2 + 3 + 3  # down, back, down again, compared, shuffled
    assert np.isfinite(seen[0].best_divergences).tolist() == [True, False, False]
    stopped = plane_tree(X, y, **options, callback=lambda tree: tree.counts[1] > 0)
    assert (stopped.counts[2], np.isnan(stopped.noise).all()) == (0, True)


def test_no_width_has_more_planes_than_asked_for():
    X, y = two_scales()
    capped = plane_tree(X, y, gammas=GAMMAS, n_init=4, n_shuffles=0, max_planes=1, parameters=LINES)
    assert (capped.counts == 1).all()


def drift(seed: int = 0):
    """Two batches that differ along the first axis, which also tells two classes apart."""
    X, y = two_scales(seed)
    batch = np.tile([0, 1], len(y) // 2)
    X[:, 0] += 3.0 * batch
    X[:, 2] += 1.5 * y
    return X, y, batch


@pytest.mark.slow
def test_the_planes_of_a_blind_tree_are_blind():
    X, y, batch = drift()
    options = {"gammas": (4.0, 2.0), "n_init": 2, "n_shuffles": 1}
    seeing = plane_tree(X, y, **options, parameters=LINES)
    weight = LINES | {"nuisance_weight": 4.0}
    blind = plane_tree(X, y, **options, parameters=weight, nuisance=batch)
    assert angle(blind.nodes[0], COARSE) > angle(seeing.nodes[0], COARSE) + 0.3
    melm = MELM(gamma=4.0).set_search(init=blind.nodes[0].components[None])
    again = melm.set_params(**weight).fit(X, y, nuisance=batch)
    node = blind.nodes[0]
    assert again.divergence_ == pytest.approx(node.divergence, rel=1e-3)
    assert again.nuisance_divergence_ == pytest.approx(node.nuisance_divergence, rel=1e-2, abs=1e-4)
    for width in (0, 1):
        values = [
            n.divergence - 4.0 * n.nuisance_divergence for n in blind.nodes if n.width == width
        ]
        assert values == sorted(values, reverse=True)
    assert (blind.noise < blind.best_divergences).all()


def test_a_nuisance_that_nothing_can_tell_from_the_class_is_refused():
    X, y, _ = drift()
    with pytest.raises(ValueError, match="nothing can tell"):
        plane_tree(X, y, gammas=(4.0, 2.0), n_init=1, n_shuffles=0, nuisance=y)


@pytest.mark.slow
def test_labels_are_shuffled_between_groups_as_a_whole():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(16), 10)
    y = groups % 2
    X = rng.normal(size=(160, 4)) + 3.0 * rng.normal(size=(16, 4))[groups]  # no effect of the class
    options = {"gammas": (4.0, 2.0), "n_init": 1, "n_shuffles": 3, "parameters": LINES}
    by_rows = plane_tree(X, y, **options)
    by_groups = plane_tree(X, y, **options, groups=groups)
    np.testing.assert_array_equal(by_rows.best_divergences, by_groups.best_divergences)
    assert (by_rows.noise.max(axis=0) < by_rows.best_divergences).all()
    assert (by_groups.noise.mean(axis=0) > 2.0 * by_rows.noise.mean(axis=0)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gammas": (1.0,)}, "two or more different kernel widths"),
        ({"gammas": (1.0, -2.0)}, "gammas"),
        ({"n_init": 0}, "n_init"),
        ({"held_out": (np.zeros((2, 4)), [0, 7])}, "no training row has"),
    ],
)
def test_what_makes_no_tree_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plane_tree(*two_scales(), **options)


def tree_of(found, noise, compared):
    """A tree of one plane at each of two widths."""
    nodes = tuple(TreeNode(width, np.eye(1, 2), value, 0.5) for width, value in enumerate(found))
    return PlaneTree(
        gammas=np.array([2.0, 1.0]),
        nodes=nodes,
        narrowing=np.array([1, -1]),
        widening=np.array([-1, 0]),
        noise=np.array(noise),
        noise_accuracy=np.array(noise),
        compared=np.array(compared),
    )


def test_a_shuffle_that_is_far_above_the_others_at_one_width_lifts_the_band_at_all():
    calm, wild = [[1.0, 4.0]] * 18, [[1.0, 8.0]]
    assert tree_of([1.9, 7.6], calm + wild, [1.9, 7.6]).standing_out() == ()
    assert tree_of([1.9, 7.6], [*calm, [1.0, 4.1]], [1.9, 7.6]).standing_out() == ((0, 1),)


def test_what_a_longer_search_finds_is_no_reason_to_stand_out():
    noise = [[1.0, 4.0]] * 18 + [[1.1, 4.4]]
    assert tree_of([2.0, 8.0], noise, [1.05, 4.2]).standing_out() == ()
    assert tree_of([2.0, 8.0], noise, [1.9, 7.6]).standing_out() == ((0, 1),)


@pytest.mark.slow
def test_noise_stands_out_in_few_tables():
    n_standing = 0
    for seed in range(20):
        X, y = pure_noise(40, 4, 2, seed)
        tree = plane_tree(X, y, gammas=(4.0, 2.0, 1.0), n_init=2, random_state=seed)
        n_standing += bool(tree.standing_out())
    assert n_standing <= 3  # of 20, with at most 5 % expected: more in 1.6 % of such tests

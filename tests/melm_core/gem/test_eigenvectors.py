from __future__ import annotations

import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.datasets import load_digits

from melm_core.gem import GEM, eigenvectors, estimator
from melm_core.gem.eigenvectors import all_pairs, generalized_eigenvectors, hypercube_pairs
from melm_core.linalg.informed_planes import independent_rows
from tests.melm_core.helpers import assert_orthonormal, classes, invertible, plane

X, Y = classes(3, 5)
PAIRS = list(permutations(range(3), 2))
GAMMAS = [0.0, 0.05, 1.0]


def moment(X, y, label):
    rows = X[y == label]
    return rows.T @ rows / len(rows)


def regularized(X, y, label, gamma):
    square = moment(X, y, label)
    return square + gamma * np.trace(square) / len(square) * np.eye(len(square))


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("pair", PAIRS)
def test_eigenvalues_and_projections_agree_with_scipy(pair, gamma):
    eigenvalues, vectors = generalized_eigenvectors(X, Y, pair, gamma=gamma)
    expected, columns = eigh(moment(X, Y, pair[0]), regularized(X, Y, pair[1], gamma))
    np.testing.assert_allclose(eigenvalues, expected[::-1], rtol=1e-8)
    theirs = np.abs(X @ columns[:, ::-1])
    np.testing.assert_allclose(np.abs(X @ vectors), theirs, rtol=1e-8, atol=1e-8 * theirs.max())


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("pair", PAIRS)
def test_the_numerator_class_is_diagonal_and_the_regularized_denominator_the_identity(pair, gamma):
    eigenvalues, vectors = generalized_eigenvectors(X, Y, pair, gamma=gamma)
    above = vectors.T @ moment(X, Y, pair[0]) @ vectors
    below = vectors.T @ regularized(X, Y, pair[1], gamma) @ vectors
    np.testing.assert_allclose(above, np.diag(eigenvalues), atol=1e-8 * eigenvalues[0])
    np.testing.assert_allclose(below, np.eye(5), atol=1e-8)


def test_the_denominator_class_is_the_identity_at_gamma_zero_only():
    for gamma, is_identity in ((0.0, True), (0.1, False)):
        _, vectors = generalized_eigenvectors(X, Y, (0, 1), gamma=gamma)
        below = vectors.T @ moment(X, Y, 1) @ vectors
        assert np.allclose(below, np.eye(5), atol=1e-8) is is_identity


@pytest.mark.parametrize("pair", PAIRS)
def test_the_pair_turned_round_has_reciprocal_eigenvalues_at_gamma_zero(pair):
    forth, _ = generalized_eigenvectors(X, Y, pair, gamma=0.0)
    back, _ = generalized_eigenvectors(X, Y, pair[::-1], gamma=0.0)
    np.testing.assert_allclose(forth * back[::-1], 1.0, rtol=1e-10)


def test_an_invertible_map_changes_nothing_at_gamma_zero():
    mapped = X @ invertible(5)
    eigenvalues, vectors = generalized_eigenvectors(X, Y, (0, 1), gamma=0.0)
    same, images = generalized_eigenvectors(mapped, Y, (0, 1), gamma=0.0)
    np.testing.assert_allclose(same, eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(mapped @ images, X @ vectors, atol=1e-9)


def test_features_in_any_units_are_no_singular_moment_at_gamma_zero():
    units = 10.0 ** np.array([-9, 9, 0, -5, 4])
    eigenvalues, _ = generalized_eigenvectors(X, Y, (0, 1), gamma=0.0)
    same, _ = generalized_eigenvectors(X * units, Y, (0, 1), gamma=0.0)
    np.testing.assert_allclose(same, eigenvalues, rtol=1e-9)


def test_with_gamma_an_orthogonal_map_and_a_common_scale_change_nothing():
    turn = 37.0 * plane(5, 5)
    eigenvalues, vectors = generalized_eigenvectors(X, Y, (0, 1), gamma=0.3)
    same, images = generalized_eigenvectors(X @ turn, Y, (0, 1), gamma=0.3)
    np.testing.assert_allclose(same, eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(X @ turn @ images, X @ vectors, atol=1e-9)


def test_with_gamma_the_units_of_single_features_matter():
    eigenvalues, _ = generalized_eigenvectors(X, Y, (0, 1), gamma=0.3)
    others, _ = generalized_eigenvectors(X * [100, 1, 1, 1, 1], Y, (0, 1), gamma=0.3)
    assert np.abs(others / eigenvalues - 1.0).max() > 0.1


@pytest.mark.parametrize("pair", PAIRS)
def test_the_numerator_class_has_a_mean_projection_at_or_above_zero(pair):
    _, vectors = generalized_eigenvectors(X, Y, pair, gamma=0.05)
    assert ((X[pair[0] == Y] @ vectors).mean(axis=0) >= 0).all()


@pytest.mark.parametrize("n_directions", [1, 3, 5, 9])
def test_fewer_directions_are_the_first_of_all(n_directions):
    eigenvalues, vectors = generalized_eigenvectors(X, Y, (0, 1), gamma=0.05)
    few, columns = generalized_eigenvectors(X, Y, (0, 1), gamma=0.05, n_directions=n_directions)
    assert columns.shape == (5, min(n_directions, 5))
    np.testing.assert_allclose(few, eigenvalues[:n_directions], rtol=1e-10)
    np.testing.assert_allclose(columns, vectors[:, :n_directions], atol=1e-8)


def test_more_features_than_rows_have_finite_directions():
    rng = np.random.default_rng(0)
    wide, y = rng.normal(size=(12, 40)), np.arange(12) % 2
    eigenvalues, vectors = generalized_eigenvectors(wide, y, (0, 1), gamma=0.05)
    assert np.isfinite(vectors).all()
    assert (eigenvalues >= 0).all()
    assert np.count_nonzero(eigenvalues > 1e-8 * eigenvalues[0]) == 6


def test_the_partial_eigensolver_agrees_with_the_full_one(monkeypatch):
    digits, y = load_digits(return_X_y=True)
    full = generalized_eigenvectors(digits, y, (3, 8), gamma=0.05, n_directions=5)
    monkeypatch.setattr(eigenvectors, "LANCZOS_FEATURES", 50)
    monkeypatch.setattr(eigenvectors, "_by_factorization", None)
    partial = generalized_eigenvectors(digits, y, (3, 8), gamma=0.05, n_directions=5)
    np.testing.assert_allclose(partial[0], full[0], rtol=1e-10)
    np.testing.assert_allclose(partial[1], full[1], atol=1e-8 * np.abs(full[1]).max())


def test_a_partial_eigensolver_that_does_not_converge_gives_way_to_the_full_one(monkeypatch):
    def give_up(*_, **__):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    digits, y = load_digits(return_X_y=True)
    full = generalized_eigenvectors(digits, y, (3, 8), gamma=0.05, n_directions=5)
    monkeypatch.setattr(eigenvectors, "LANCZOS_FEATURES", 50)
    monkeypatch.setattr(eigenvectors, "eigsh", give_up)
    same = generalized_eigenvectors(digits, y, (3, 8), gamma=0.05, n_directions=5)
    np.testing.assert_array_equal(same[1], full[1])


def test_independent_rows_skip_what_earlier_ones_span():
    rows = np.array([[1.0, 1, 0, 0], [2, 2, 0, 0], [0, 1, 0, 0], [5, 3, 0, 0], [0, 0, 1e-9, 0]])
    frame, kept = independent_rows(rows, 4)
    assert kept == [0, 2, 4]
    assert_orthonormal(frame)
    assert np.linalg.matrix_rank(np.vstack([frame[:2], rows[:4]])) == 2


SINGULAR = np.column_stack([X, X[:, 0] - X[:, 2]])
ZERO_CLASS = np.where(Y[:, None] == 1, 0.0, X)
NAMES = np.array(["ant", "bee", "wasp"])[Y]


@pytest.mark.parametrize(
    ("X", "y", "pair", "parameters", "message"),
    [
        (X, Y, (0, 1), {"gamma": -0.1}, "gamma=-0.1 must be a finite number of at least 0"),
        (X, Y, (0, 1), {"gamma": np.nan}, "gamma=nan must be a finite number"),
        (X, Y, (0, 1), {"gamma": "1"}, "gamma='1' must be a finite number"),
        (X, Y, (0, 1), {"n_directions": 0}, "n_directions=0 must be a whole number of at least 1"),
        (X, Y, (0, 7), {}, "Class 7 has no rows; choose one of the labels 0, 1, 2"),
        (X, Y, (1, 1), {}, r"pair=\(1, 1\) must name two different classes"),
        (X, Y, (0, 1, 2), {}, "must name two different classes"),
        (X, Y[1:], (0, 1), {}, "inconsistent numbers of samples"),
        (np.where(X > 0, np.nan, X), Y, (0, 1), {}, "contains NaN"),
        (
            SINGULAR,
            NAMES,
            ("ant", "bee"),
            {"gamma": 0},
            "class 'bee' is singular even with gamma=0",
        ),
        (SINGULAR, Y, (0, 1), {"gamma": 1e-18}, "class 1 is singular even with gamma=1e-18"),
        (
            X * [1, 1, 0, 1, 1],
            Y,
            (0, 1),
            {"gamma": 0.0},
            r"class 1 is singular even with gamma=0.0",
        ),
        (X[:30], Y[:30], (0, 1), {"gamma": 0.0}, None),
        (X[:26], Y[:26], (0, 1), {"gamma": 0.0}, "class 1 is singular"),
        (ZERO_CLASS, NAMES, ("ant", "bee"), {}, "All rows of class 'bee' are zero"),
    ],
)
def test_what_cannot_be_solved_is_refused_by_value_and_rule(X, y, pair, parameters, message):
    arguments = {"gamma": 0.05} | parameters
    if message is None:
        assert np.isfinite(generalized_eigenvectors(X, y, pair, **arguments)[1]).all()
        return
    with pytest.raises(ValueError, match=message):
        generalized_eigenvectors(X, y, pair, **arguments)


def test_sparse_rows_are_refused():
    with pytest.raises(TypeError, match="Sparse data was passed"):
        generalized_eigenvectors(csr_array(X), Y, (0, 1), gamma=0.05)


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


@pytest.fixture
def table():
    """Fewer rows than features in each of three classes, along a few strong directions."""
    stream = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    scales = np.geomspace(5.0, 0.1, 50)
    X = np.vstack([stream.normal(size=(30, 50)) * np.roll(scales, 7 * k) + 0.5 for k in range(3)])
    return X, y


@pytest.fixture
def randomized(monkeypatch):
    """Take fifty features for too many."""

    def set_wide():
        monkeypatch.setattr(eigenvectors, "WIDE_FEATURES", 20)
        monkeypatch.setattr(estimator, "WIDE_FEATURES", 20)

    return set_wide


@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_the_leading_eigenvectors_are_those_of_the_moments(table, randomized, gamma):
    X, y = table
    values, vectors = generalized_eigenvectors(X, y, (1, 2), gamma=gamma, n_directions=4)
    randomized()
    found, directions = generalized_eigenvectors(X, y, (1, 2), gamma=gamma, n_directions=4)
    np.testing.assert_allclose(found, values, rtol=1e-8)
    np.testing.assert_allclose(directions, vectors, atol=1e-6 * np.abs(vectors).max())


@pytest.mark.parametrize("denominator", ["second_moment", "covariance"])
@pytest.mark.parametrize("weights", [None, np.tile([1.0, 2.0, 0.0], 30)])
def test_gem_has_the_directions_of_the_moments(table, randomized, denominator, weights):
    X, y = table
    gem = GEM(gamma=0.1, n_directions=3, denominator=denominator)
    expected = gem.fit(X, y, sample_weight=weights).transform(X)
    pairs, offsets = gem.pairs_, gem.offsets_
    randomized()
    found = gem.fit(X, y, sample_weight=weights).transform(X)
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_array_equal(gem.pairs_, pairs)
    np.testing.assert_allclose(gem.offsets_, offsets, atol=1e-8)


def test_a_fit_of_wide_rows_takes_no_more_memory_than_some_copies_of_them():
    stream = np.random.default_rng(0)
    X = stream.normal(size=(60, 12_000))
    tracemalloc.start()
    try:
        GEM(n_directions=2).fit(X, np.repeat([0, 1], 30))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * X.nbytes  # a second moment alone would be 200 times as large


def test_without_regularization_it_is_refused(table, randomized):
    randomized()
    with pytest.raises(ValueError, match=r"gamma=0 must be above 0 .* Choose one such as 0\.05"):
        GEM(gamma=0).fit(*table)


def test_a_class_of_zeros_is_refused(table, randomized):
    X, y = table
    randomized()
    with pytest.raises(ValueError, match="All rows of class 2 are zero"):
        GEM().fit(np.where(y[:, None] == 2, 0.0, X), y)

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.datasets import load_digits

from melm_core.gem import eigenvectors
from melm_core.gem.eigenvectors import generalized_eigenvectors
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

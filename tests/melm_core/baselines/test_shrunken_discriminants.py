"""Regularized LDA is at least level with scikit-learn's, on rows that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import balanced_accuracy_score

from melm_core import DiscriminantPlane
from melm_core.baselines import shrunken_discriminants as room
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes


def planted(n_rows: int, n_features: int, seed: int, shift: float = 2.0, n_informative: int = 2):
    """Two classes that differ in the first features, and 400 more rows of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows + 400) % 2
    X = rng.standard_normal((len(y), n_features))
    X[:, :n_informative] += shift * y[:, None]
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def lognormal(seed: int):
    """Three classes of 120 rows that differ in all of 20 skewed features."""
    rng = np.random.default_rng(seed)
    y = np.arange(520) % 3
    X = rng.standard_normal((3, 20))[y] * 0.5 + rng.standard_normal((520, 20))
    X = np.exp(X)
    return X[:120], y[:120], X[120:], y[120:]


def plane(X, y):
    return DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, y).components_.T


def eigen_solver(X, y):
    lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
    return lda.scalings_[:, : min(2, int(y.max()))]


def held_out(axes, X, y, X_new, y_new):
    rule = LinearDiscriminantAnalysis().fit(X @ axes, y)
    return balanced_accuracy_score(y_new, rule.predict(X_new @ axes))


def medians(tables):
    tables = list(tables)
    return [
        float(np.median([held_out(method(X, y), X, y, *rest) for X, y, *rest in tables]))
        for method in (plane, eigen_solver)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("n_rows", "n_features"), [(30, 60), (80, 60), (60, 300)])
def test_two_planted_features_are_found_as_well_as_by_scikit_learn(n_rows, n_features):
    n_seeds = 9 if n_features > 100 else 25
    ours, theirs = medians(planted(n_rows, n_features, seed) for seed in range(n_seeds))
    assert ours > 0.83
    assert ours > theirs - 0.02  # Level: the standard error of these medians.


def test_many_features_that_differ_slightly_are_found_better_than_by_scikit_learn():
    ours, theirs = medians(planted(60, 120, seed, 0.25, 120) for seed in range(9))
    assert ours > theirs + 0.05


def test_skewed_features_are_told_apart_better_than_by_scikit_learn():
    ours, theirs = medians(lognormal(seed) for seed in range(9))
    assert ours > theirs + 0.05


def test_with_many_rows_the_plane_is_that_of_fisher():
    X, y = classes(3, 5)
    X, y = np.repeat(X, 2_000, axis=0), np.repeat(y, 2_000)
    angles = principal_angles(plane(X, y).T, DiscriminantPlane().fit(X, y).components_)
    assert angles.max() < 1e-2


def test_the_projection_does_not_depend_on_the_units_of_the_features():
    X, y, *_ = planted(30, 60, 0)
    units = np.logspace(-3, 3, 60)
    one, other = (room.shrunken_discriminants(rows, y, 2) for rows in (X, X * units))
    cosine = np.corrcoef(X @ one.directions[0], X * units @ other.directions[0])[0, 1]
    assert abs(cosine) == pytest.approx(1.0, abs=1e-9)
    assert other.within == pytest.approx(one.within)
    assert other.between == pytest.approx(one.between)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_lanczos_iterations_find_the_directions_of_whole_matrices(n_classes, monkeypatch):
    rng = np.random.default_rng(1)
    y = np.arange(32) % n_classes
    X = rng.standard_normal((32, 90)) @ rng.standard_normal((90, 90))
    X += 8.0 * rng.standard_normal((n_classes, 90))[y]
    weights = rng.integers(1, 4, 32).astype(float)
    whole = room.shrunken_discriminants(X, y, 2, weights).directions
    monkeypatch.setattr(room, "_FEW_FEATURES", 0)
    found = room.shrunken_discriminants(X, y, 2, weights).directions
    assert len(found) == len(whole) == min(2, n_classes - 1)
    for one, other in zip(found, whole, strict=True):
        assert principal_angles(one[None], other[None]).max() < 1e-6


def test_two_rows_of_a_class_are_not_taken_for_certain():
    X = np.random.default_rng(0).standard_normal((4, 30))
    fitted = DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, [0, 0, 1, 1])
    assert fitted.within_shrinkage_.min() > 0.5
    assert_orthonormal(fitted.components_)


def test_classes_without_any_spread_have_the_plane_of_their_means():
    y = np.arange(30) % 3
    X = np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 0.0], [1.0, 2.0, 0.0]])[y]
    fitted = DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, y)
    assert fitted.n_discriminants_ == 2
    assert principal_angles(fitted.components_, np.eye(3)[:2]).max() < 1e-10


def test_the_plain_plane_is_not_shrunk():
    fitted = DiscriminantPlane().fit(*classes(3, 5))
    assert fitted.between_shrinkage_ == 0.0
    assert not fitted.within_shrinkage_.any()


def test_auto_means_what_it_does_in_scikit_learn():
    stream = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 15)
    X = stream.normal(size=(45, 30)) + 2 * np.eye(3)[y] @ stream.normal(size=(3, 30))
    auto, plain = (DiscriminantPlane(shrinkage=each).fit(X, y) for each in ("auto", 0.0))
    named = DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, y)
    np.testing.assert_array_equal(auto.components_, named.components_)
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y).scalings_.T[:2]
    ours, other = (subspace_angles(theirs.T, one.components_.T).max() for one in (auto, plain))
    assert ours < 0.5 * other

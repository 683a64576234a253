"""Directions for a continuous or vector target, and for very many classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from melm_core import GEM, ClassSecondMoments
from melm_core.gem.contraction import contractions, quantile_bins

AXES = np.array([[1.0, -1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 0.0, 1.0]])  # orthogonal


def table(seed, n_rows=600):
    X = np.random.default_rng(seed).normal(size=(n_rows, 5))
    return X, X @ AXES.T


def features(**parameters):
    return GEM(n_directions=1, alphas=(1, 2, 3), contract="target", **parameters)


def test_the_size_of_a_projection_is_predicted_held_out_where_a_line_sees_nothing():
    (X, u), (new, v) = table(0), table(1)
    model = make_pipeline(features(), Ridge()).fit(X, np.abs(u[:, 0]))
    assert model.score(new, np.abs(v[:, 0])) > 0.95
    assert Ridge().fit(X, np.abs(u[:, 0])).score(new, np.abs(v[:, 0])) < 0.05


def test_the_first_direction_of_a_target_is_that_of_the_projection():
    X, u = table(0)
    found = GEM(n_directions=1, contract="target").fit(X, np.abs(u[:, 0]))
    first = found.directions_[found.eigenvalues_.argmax()]
    cosine = first @ AXES[0] / np.linalg.norm(first) / np.linalg.norm(AXES[0])
    assert abs(cosine) > 0.98


def test_each_column_of_a_vector_target_is_predicted_held_out():
    (X, u), (new, v) = table(0), table(1)
    model = make_pipeline(features(), Ridge()).fit(X, np.abs(u) * [1.0, 1000.0])
    predicted = model.predict(new) / [1.0, 1000.0]
    errors = np.square(predicted - np.abs(v)).mean(axis=0) / np.abs(v).var(axis=0)
    assert (errors < 0.5).all()


def test_the_units_of_the_target_do_not_matter():
    X, u = table(0)
    one, other = (
        GEM(contract="target").fit(X, np.abs(u) * unit).transform(X)
        for unit in ([1.0, 1.0], [5.0, 1e4])
    )
    np.testing.assert_allclose(one, other, atol=1e-8)


def test_the_bins_have_equally_many_rows():
    edges, bins = quantile_bins(np.random.default_rng(0).permutation(100).astype(float), 4)
    assert len(edges) == 3
    assert np.abs(np.bincount(bins) - 25).max() <= 1


@pytest.mark.parametrize("values", [[0, 0, 0, 0, 0, 1, 2], [0, 1, 1, 1, 1, 1, 1], [0, 1]])
def test_equal_values_share_a_bin_and_no_bin_is_empty(values):
    edges, bins = quantile_bins(np.array(values, dtype=float), 4)
    assert len(np.unique(bins)) == len(edges) + 1 >= 2
    for value in set(values):
        assert len(set(bins[np.array(values) == value])) == 1


def test_columns_that_repeat_others_or_are_constant_add_no_contraction():
    _, u = table(0)
    targets = np.column_stack([u[:, 0], 2.0 * u[:, 0], np.full(len(u), 0.1)])
    found = contractions(targets, 3)
    assert found.shape == (1, 3)
    assert found[0, 2] == 0


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"n_bins": 1}, [0.0, 1.0, 2.0], "n_bins=1"),
        ({"n_contractions": 0}, [0.0, 1.0, 2.0], "n_contractions=0"),
        ({}, [0.1, 0.1, 0.1], "The target y is constant"),
        ({"contract": "rows"}, [0.0, 1.0, 2.0], "contract='rows' must be one of"),
    ],
)
def test_what_cannot_be_fitted_is_refused(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        GEM(**{"contract": "target"} | parameters).fit(np.eye(3), y)


def of_classes(**parameters):
    return GEM(contract="classes", **parameters)


def many(seed, n_classes=200, n_rows=8):
    """Classes on a line of means, whose spread along another axis depends on where they are."""
    stream = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n_rows)
    share = y / n_classes
    X = stream.normal(size=(len(y), 6))
    X[:, 1] *= 0.2 + 4.0 * share
    X[:, 0] += 40.0 * share
    return X, y


def test_the_number_of_eigenvalue_problems_does_not_depend_on_the_number_of_classes():
    for n_classes in (10, 200):
        gem = of_classes(n_bins=4, n_contractions=1, theta=1e-9).fit(*many(0, n_classes))
        assert len(np.unique(gem.pairs_, axis=0)) == 4 * 3


def test_classes_stay_whole_and_neighbors_share_a_bin():
    X, y = many(0)
    gem = of_classes(n_contractions=1).fit(X, y)
    assert gem.contractions_.shape == (1, 200)
    bins = np.searchsorted(gem.edges_[0], gem.contractions_[0], side="right")
    steps = np.diff(bins)
    # The means lie on a line up to their errors, so bins follow each other along it.
    assert np.abs(np.corrcoef(bins, np.arange(200))[0, 1]) > 0.95
    assert (steps != 0).sum() < 40


def test_one_contraction_of_two_classes_is_gem_of_their_pair():
    X, y = many(0, n_classes=2, n_rows=100)
    own = GEM().fit(X, y)
    gem = of_classes(n_bins=2).fit(X, y)
    np.testing.assert_allclose(np.sort(gem.eigenvalues_), np.sort(own.eigenvalues_))


def test_a_single_class_is_refused():
    with pytest.raises(ValueError, match="only one class"):
        of_classes().fit(np.eye(3), [1, 1, 1])


def test_the_directions_of_each_number_are_those_of_its_bins():
    X, u = table(0)
    found = GEM(contract="target").fit(X, np.abs(u))
    assert set(found.numbers_.tolist()) == {0, 1}
    contracted = found.contractions_ @ np.abs(u).T
    for number, (edges, numbers) in enumerate(zip(found.edges_, contracted, strict=True)):
        bins = np.searchsorted(edges, numbers, side="right")
        own = GEM().fit(X, bins)
        np.testing.assert_allclose(found.directions_[found.numbers_ == number], own.directions_)


def test_moments_cannot_be_contracted():
    X, y = many(0)
    with pytest.raises(ValueError, match="needs the rows in memory, to cut them into bins"):
        of_classes().fit_moments(ClassSecondMoments().fit(X, y))

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core import TSNEProjection
from tests.melm_core.helpers import classes

# Quick, and as deterministic as any other.
TSNE = TSNEProjection(max_iter=250, max_rows=60)


@pytest.fixture(scope="module")
def fitted():
    X, _ = classes(3, 4)
    return X, clone(TSNE).fit(X)


@pytest.mark.slow
@parametrize_with_checks([TSNE])
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)


def test_embedded_rows_keep_their_coordinates(fitted):
    X, found = fitted
    assert len(found.embedding_) == 60 < len(X)
    np.testing.assert_array_equal(found.transform(X[found.sample_indices_]), found.embedding_)


def test_another_row_lies_between_the_embedded_rows_nearest_to_it(fitted):
    X, found = fitted
    rows = X[found.sample_indices_]
    new = np.array([[0.1, 0.2, -0.3, 0.0]])
    distances = np.linalg.norm(rows - new, axis=1)
    nearest = np.argsort(distances)[:5]
    weights = 1 / distances[nearest]
    expected = weights @ found.embedding_[nearest] / weights.sum()
    np.testing.assert_allclose(found.transform(new)[0], expected, atol=1e-9)


def test_classes_far_apart_are_embedded_apart():
    X, y = classes(2, 3)
    X = X + 20 * y[:, None]
    found = clone(TSNE).fit(X)
    Z, codes = found.embedding_, y[found.sample_indices_]
    distances = np.linalg.norm(Z[:, None] - Z, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (codes[distances.argmin(axis=1)] == codes).all()


def test_kept_coordinates_restore_the_fit(fitted):
    X, found = fitted
    restored = clone(TSNE).restore(X, found.embedding_)
    np.testing.assert_array_equal(restored.transform(X), found.transform(X))


def test_coordinates_of_other_rows_are_refused(fitted):
    X, found = fitted
    with pytest.raises(ValueError, match=r"shape \(60, 2\) does not belong to these rows"):
        clone(TSNE).restore(X[:20], found.embedding_)
    with pytest.raises(ValueError, match="finite numbers"):
        clone(TSNE).restore(X, np.full((60, 2), np.nan))


@pytest.mark.parametrize(
    "X",
    [np.full((12, 3), 0.1), np.arange(12.0)[:, None], np.eye(3)[:2], np.eye(3)[[0, 1] * 9]],
    ids=["constant", "one feature", "two rows", "repeated rows"],
)
def test_awkward_rows_have_finite_coordinates(X):
    assert np.isfinite(clone(TSNE).fit_transform(X)).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 4}, "n_components=4 exceeds the 3 that t-SNE can have"),
        ({"n_components": 0}, "n_components=0 must be a whole number"),
        ({"perplexity": 0}, "perplexity=0 must be a finite number above 0"),
        ({"max_iter": 100}, "max_iter=100 must be a whole number"),
        ({"max_rows": 3}, "max_rows=3 must be a whole number"),
    ],
)
def test_a_parameter_out_of_bounds_is_named_with_its_rule(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(TSNE).set_params(**parameters).fit(np.eye(5))

from __future__ import annotations

import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core.base.errors import UserError
from melm_core.datasets import pure_noise
from melm_core.evaluation import Refits, Study
from melm_core.methods import METHODS
from melm_core.methods.wrappers.neighbor_embedding import (
    SupervisedUMAPProjection,
    TSNEProjection,
    UMAPProjection,
)
from tests.melm_core.helpers import classes

AWKWARD = {
    "constant": np.full((12, 3), 0.1),
    "one feature": np.arange(12.0)[:, None],
    "two rows": np.eye(3)[:2],
    "repeated rows": np.eye(3)[[0, 1] * 9],
}
# Quick, and as deterministic as any other.
TSNE = TSNEProjection(max_iter=250, max_rows=60)


@pytest.fixture(scope="module")
def fitted():
    X, _ = classes(3, 4)
    return X, clone(TSNE).fit(X)


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


@pytest.mark.parametrize("X", AWKWARD.values(), ids=AWKWARD)
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


needs_umap = pytest.mark.skipif(not METHODS["umap"].is_installed, reason="umap is not installed")
compiles = pytest.mark.timeout(600)  # umap-learn does, in the first of them


@pytest.mark.slow
@compiles
@needs_umap
@parametrize_with_checks(
    [each(n_neighbors=5, max_rows=60) for each in (UMAPProjection, SupervisedUMAPProjection)]
)
def test_scikit_learn_estimator_check_of_umap(estimator, check):
    check(estimator)


@pytest.mark.slow
@compiles
@needs_umap
def test_umap_embeds_as_umap_learn_does():
    X, _ = classes(3, 4)
    expected = import_module("umap").UMAP(random_state=0, n_jobs=1).fit_transform(X)
    np.testing.assert_array_equal(UMAPProjection().fit_transform(X), expected.astype(np.float64))


@pytest.mark.slow
@compiles
@needs_umap
@pytest.mark.parametrize("X", AWKWARD.values(), ids=AWKWARD)
def test_umap_gives_awkward_rows_finite_coordinates_or_says_why_not(X):
    if len(X) == 2:
        with pytest.raises(UserError, match="UMAP needs at least 3 rows, and there are 2"):
            UMAPProjection().fit(X)
        return
    assert np.isfinite(UMAPProjection().fit_transform(X)).all()


@pytest.mark.slow
@compiles
@needs_umap
def test_umap_with_labels_embeds_as_umap_learn_does():
    X, y = classes(3, 4)
    expected = import_module("umap").UMAP(random_state=0, n_jobs=1).fit_transform(X, y)
    found = SupervisedUMAPProjection().fit(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_array_equal(found.embedding_, expected.astype(np.float64))


@pytest.mark.slow
@compiles
@needs_umap
def test_umap_with_labels_separates_noise_it_was_fitted_to_and_no_held_out_rows():
    found = Refits.of(Study("supervised_umap", *pure_noise(200, 50, 2, 0)))
    assert found.train_share.balanced_accuracy > 0.9
    assert found.share.balanced_accuracy < 0.6


@pytest.mark.parametrize(
    ("y", "sentence"),
    [(None, "requires y to be passed"), ([0, 1], "inconsistent numbers of samples")],
)
def test_umap_with_labels_refuses_to_be_fitted_without_them(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        SupervisedUMAPProjection().fit(np.eye(5), y)


def test_without_its_package_umap_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(UserError, match=r'pip install "melm-core\[umap\]"'):
        UMAPProjection().fit(np.eye(5))


def test_without_its_package_umap_still_places_rows_by_kept_coordinates(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    X, kept = np.eye(5), np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(UMAPProjection().restore(X, kept).transform(X[2:]), kept[2:])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 1}, "n_neighbors=1 must be a whole number"),
        ({"min_dist": 1.5}, "min_dist=1.5 must be a number from 0 to 1"),
        ({"min_dist": "0"}, "min_dist='0' must be a number from 0 to 1"),
        ({"min_dist": float("nan")}, "min_dist=nan must be a number from 0 to 1"),
    ],
)
def test_a_parameter_of_umap_out_of_bounds_is_named_with_its_rule(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        UMAPProjection(**parameters).fit(np.eye(5))

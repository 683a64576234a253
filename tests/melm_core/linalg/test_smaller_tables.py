"""Few weighted rows have the moments of all rows, and give the same planes."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core import GEM, METHODS, ClassSecondMoments, DiscriminantPlane
from melm_core.base import UserError
from melm_core.base.block_sources import ArrayBlocks
from melm_core.base.row_blocks import class_rows
from melm_core.density.covariances import regularized_covariances
from melm_core.linalg import equivalent_rows
from melm_core.linalg.class_moments import class_means, rows_by_class
from melm_core.methods.wrappers.decompositions import PrincipalComponentsPlane

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
import pandas as pd  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

STREAM = np.random.default_rng(0)
LABELS = np.array(["ash", "elm", "oak"])
Y = STREAM.integers(0, 3, 300)
MIXED = STREAM.standard_normal((300, 5)) @ STREAM.standard_normal((5, 5))
# Of different units, skewed, far from the origin; the last feature tells a class by a constant.
X = np.column_stack([(MIXED + 2.0 * np.eye(5)[Y]) ** 2 * [1, 10, 0.1, 3, 1] + 50.0, Y == 2])
BY_MOMENTS = (
    "pca",
    "lda",
    "rlda",
    "cpca",
    "2epca",
    "ppca",
    "gem",
    "plsda",
    "oplsda",
    "vca",
    "sir",
    "opca",
)


def arrays(size, order=slice(None)):
    return da.from_array(X[order], chunks=(size, 4)), da.from_array(LABELS[Y[order]], chunks=size)


@pytest.mark.parametrize("size", [7, 120, 300])
def test_the_moments_are_those_of_all_rows(size):
    rows = equivalent_rows(class_rows(ArrayBlocks(X, Y, size)))
    assert np.allclose(np.bincount(rows.y, rows.weights), np.bincount(Y), rtol=1e-13)
    means = class_means(rows.X, rows.y, rows.weights) + rows.mean
    assert np.allclose(means, class_means(X, Y), rtol=1e-13)
    of_class = [rows.weights[rows.y == code] for code in range(3)]
    for shrinkage in (0.0, "ledoit-wolf"):
        found = regularized_covariances(rows_by_class(rows.X, rows.y), shrinkage, None, of_class)
        exact = regularized_covariances(rows_by_class(X, Y), shrinkage)
        scale = np.sqrt(np.einsum("cii,cjj->cij", exact, exact))
        assert np.all(np.abs(found - exact) <= 1e-12 * np.maximum(scale, scale.max() * 1e-12))


def test_a_feature_that_is_constant_in_a_class_stays_constant():
    rows = equivalent_rows(rows_by_class(X, Y))
    assert np.ptp(rows.X[rows.y == 2, 5]) == 0.0


@pytest.mark.parametrize("key", BY_MOMENTS)
def test_a_method_finds_the_same_plane_in_blocks_of_any_size_and_order(key):
    exact = METHODS[key].estimator({"n_components": 2}).fit(X, LABELS[Y])
    for size, order in ((60, slice(None)), (113, STREAM.permutation(300))):
        found = METHODS[key].estimator({"n_components": 2}).fit(*arrays(size, order))
        cosines = np.linalg.svd(found.components_ @ exact.components_.T)[1]
        assert cosines.min() > 1 - 1e-12
        assert np.abs(found.mean_ - exact.mean_).max() < 1e-12 * np.abs(X).max()


def test_principal_components_keep_their_order_signs_and_variances():
    exact = PrincipalComponentsPlane(3).fit(X)
    found = PrincipalComponentsPlane(3).fit(arrays(77)[0])
    for name in ("components_", "explained_variance_", "singular_values_", "noise_variance_"):
        assert np.allclose(getattr(found, name), getattr(exact, name), rtol=1e-10)
    assert found.n_samples_ == 300
    points = found.transform(arrays(77)[0])
    assert np.allclose(points.compute(), exact.transform(X), atol=1e-8)


def test_principal_components_of_a_frame_know_its_columns():
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcdef")), npartitions=3)
    found = PrincipalComponentsPlane(2).fit(frame)
    assert list(found.feature_names_in_) == list("abcdef")
    assert found.fit_transform(frame).compute().shape == (300, 2)


def test_second_moments_and_gem_are_those_in_memory():
    exact, found = ClassSecondMoments().fit(X, LABELS[Y]), ClassSecondMoments().fit(*arrays(77))
    assert np.array_equal(found.classes_, exact.classes_)
    assert np.array_equal(found.counts_, exact.counts_)
    assert np.allclose(found.moments_, exact.moments_, rtol=1e-12)
    gem, lazy = GEM().fit(X, LABELS[Y]), GEM().fit(*arrays(77))
    assert np.allclose(lazy.eigenvalues_, gem.eigenvalues_, rtol=1e-8)
    assert lazy.transform(arrays(77)[0]).compute().shape == gem.transform(X).shape


@pytest.mark.parametrize("key", ["nca", "rotations", "hlda"])
def test_a_method_of_single_rows_says_that_it_needs_them_in_memory(key):
    with pytest.raises(UserError, match="needs the rows in memory"):
        METHODS[key].estimator({"n_components": 2}).fit(*arrays(100))


def test_weights_are_for_rows_in_memory():
    for estimator in (DiscriminantPlane(), GEM(), ClassSecondMoments()):
        with pytest.raises(UserError, match="in memory"):
            estimator.fit(*arrays(100), sample_weight=np.ones(300))

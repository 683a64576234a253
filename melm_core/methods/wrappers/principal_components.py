"""Principal components, also of tables larger than memory and of a Gaussian kernel."""

from __future__ import annotations

from functools import reduce
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import PCA

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import DaskBlocks, describe
from melm_core.base.estimator import check_integer, rows_as_fitted
from melm_core.base.row_blocks import added, class_rows, is_lazy, lazy_array, reduce_rows
from melm_core.base.validated_data import validate_data
from melm_core.baselines.kernel_fisher import Bandwidth, sampled_space
from melm_core.density import gaussian_sums
from melm_core.linalg.class_moments import Moments
from melm_core.linalg.smaller_tables import offsets_of


class PrincipalComponentsPlane(PCA):
    """The plane of maximum variance, by scikit-learn's PCA.

    A Dask collection larger than memory is fitted in two passes: PCA depends on the mean and the
    covariance of the rows alone, so it is fitted to few rows with the same ones.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by descending variance.
    mean_ : ndarray of shape (n_features,)
        And all other attributes of `sklearn.decomposition.PCA`.

    References
    ----------
    H. Hotelling: Analysis of a Complex of Statistical Variables into Principal Components, 1933.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.principal_components import PrincipalComponentsPlane
    >>> X, _ = load_iris(return_X_y=True)
    >>> PrincipalComponentsPlane().fit(X).explained_variance_ratio_.round(2)
    array([0.92, 0.05])
    """

    def __init__(self, n_components: int = 2) -> None:
        # Other solvers lose the variances of data far from the origin.
        super().__init__(n_components, svd_solver="full")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        if not is_lazy(X):
            fitted: Self = super().fit(X)
            return fitted
        table = X if hasattr(X, "map_reduce") else DaskBlocks(X)
        moments = reduce(added, reduce_rows(Moments.of, added, class_rows(table)))
        covariance = moments.products / moments.count
        super().fit(offsets_of(covariance, np.sqrt(np.diag(covariance))))
        self._count(moments.count)
        self.mean_ = moments.mean
        describe(self, table, X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and the coordinates of the rows; a Dask array of a Dask collection."""
        return self.fit(X).transform(X) if is_lazy(X) else super().fit_transform(X)

    def transform(self, X: Any) -> FloatArray:
        """Coordinates in the plane, shape (n_samples, n_components).

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            Of a Dask collection they are a Dask array, not computed yet.
        """
        if not is_lazy(X):
            return np.asarray(super().transform(X))
        coordinates: FloatArray = (
            lazy_array(X, self.n_features_in_) - self.mean_
        ) @ self.components_.T
        return coordinates

    def _count(self, n_samples: int) -> None:
        """Variances of so many rows, in place of those of the rows that stand for them."""
        fitted = vars(self)
        n_fitted = fitted["n_samples_"]
        factor = (n_fitted - 1) / n_fitted * n_samples / (n_samples - 1)
        for name in ("explained_variance_", "noise_variance_"):
            setattr(self, name, fitted[name] * factor)
        self.n_samples_ = n_samples
        self.singular_values_ = np.sqrt(fitted["explained_variance_"] * (n_samples - 1))


class KernelPCAProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The leading principal components in the feature space of a Gaussian kernel.

    If feature space has fewer than n_components directions, as for constant
    data, the last coordinates are zero. The labels are ignored.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    bandwidth : float or "median", default="median"
        sigma of exp(-|x - c|^2 / (2 sigma^2)), in units of the data; "median"
        is the median distance between two rows.
    bandwidth_scale : float, default=1.0
        Factor applied to `bandwidth`.
    max_rows : int, default=1500
        Larger data are represented by this many evenly spaced rows, because
        the time is cubic in the number of rows.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the training rows or their sample.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`.
    variances_ : ndarray of shape (n_components,)
        Variances of the coordinates, descending.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Indices of the training rows that are centers.

    References
    ----------
    B. Schölkopf, A. Smola, K.-R. Müller: Nonlinear Component Analysis as a
    Kernel Eigenvalue Problem, Neural Computation 10, 1998.

    Examples
    --------
    >>> from melm_core.methods.wrappers.principal_components import KernelPCAProjection
    >>> from melm_core.datasets import crescents
    >>> X, _ = crescents(0)
    >>> KernelPCAProjection(n_components=3).fit_transform(X).shape
    (300, 3)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        bandwidth: Bandwidth = "median",
        bandwidth_scale: float = 1.0,
        max_rows: int = 1_500,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.bandwidth_scale = bandwidth_scale
        self.max_rows = max_rows

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_integer("n_components", self.n_components, minimum=1)
        one_class = np.zeros(len(X), dtype=np.int64)
        space, self.sample_indices_ = sampled_space(
            X,
            one_class,
            bandwidth=self.bandwidth,
            bandwidth_scale=self.bandwidth_scale,
            max_rows=self.max_rows,
        )
        variances = space.variances[: self.n_components]
        self.variances_ = np.pad(variances, (0, self.n_components - len(variances)))
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self.dual_coef_, self.intercept_ = space.coordinates_along(
            np.eye(len(variances), len(space.variances)), self.n_components
        )
        return self

    def transform(self, X: Any) -> FloatArray:
        """Coordinates in feature space, shape (n_samples, n_components)."""
        X = rows_as_fitted(self, X)
        sums: FloatArray = gaussian_sums(X, self.X_fit_, self.bandwidth_, self.dual_coef_.T)
        return sums + self.intercept_

    @property
    def _n_features_out(self) -> int:
        return self.n_components

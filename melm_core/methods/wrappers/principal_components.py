"""Principal components (PCA), also of tables larger than memory."""

from __future__ import annotations

from functools import reduce
from typing import Any, Self

import numpy as np
from sklearn.decomposition import PCA

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import DaskBlocks, describe
from melm_core.base.partitions import lazy_array
from melm_core.base.row_blocks import added, class_rows, is_lazy, reduce_rows
from melm_core.linalg.class_moments import Moments
from melm_core.linalg.equivalent_rows import offsets_of


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

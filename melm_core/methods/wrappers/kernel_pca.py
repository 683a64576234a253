"""Kernel principal components, of samples of many rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import check_integer, rows_as_fitted
from melm_core.base.validated_data import validate_data
from melm_core.baselines.kernel_space import Bandwidth, sampled_space
from melm_core.density import gaussian_sums


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
    >>> from melm_core.methods.wrappers.kernel_pca import KernelPCAProjection
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

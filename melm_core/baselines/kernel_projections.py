"""Nonlinear projections for comparison: kernel PCA and kernel Fisher discriminants."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive, validate_labeled
from melm_core.baselines.kernel_fisher import kernel_discriminants
from melm_core.baselines.kernel_space import Bandwidth, KernelSpace, sampled_space
from melm_core.density import gaussian_sums
from melm_core.linalg.completion import independent_rows


class _KernelProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An orthogonal projection in the feature space of a Gaussian kernel."""

    n_components: int
    X_fit_: FloatArray
    bandwidth_: float
    dual_coef_: FloatArray
    intercept_: FloatArray

    def transform(self, X: Any) -> FloatArray:
        """Coordinates in feature space, shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        sums = gaussian_sums(X, self.X_fit_, self.bandwidth_, self.dual_coef_.T)
        return sums + self.intercept_

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def _keep(self, space: KernelSpace, directions: FloatArray) -> None:
        """Store directions of feature space, shape (at most n_components, rank)."""
        weights, intercepts = space.functions(_oriented(directions, space.coordinates))
        missing = self.n_components - len(directions)
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self.dual_coef_ = np.pad(weights, ((0, missing), (0, 0)))
        self.intercept_ = np.pad(intercepts, (0, missing))


class KernelPCAProjection(_KernelProjection):
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
    >>> from melm_core import KernelPCAProjection
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
        found = space.variances[: self.n_components]
        self.variances_ = np.pad(found, (0, self.n_components - len(found)))
        self._keep(space, np.eye(len(found), len(space.variances)))
        return self


class KernelFisherProjection(_KernelProjection):
    """Fisher's discriminants in the feature space of a Gaussian kernel, completed.

    C classes have at most C - 1 discriminants. For two classes, the second
    axis is the first kernel principal component of the residuals. The axes are
    orthonormal in feature space. If that has fewer than n_components
    directions, as for constant data, the last coordinates are zero.
    `KernelFisherDiscriminant` is the corresponding classifier.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    bandwidth : float or "median", default="median"
        sigma of exp(-|x - c|^2 / (2 sigma^2)), in units of the data; "median"
        is the median distance between two rows.
    bandwidth_scale : float, default=1.0
        Factor applied to `bandwidth`.
    regularization : float, default=1e-3
        Multiple of the identity added to the within-class covariance, as a
        share of the total variance in feature space.
    max_rows : int, default=1500
        Larger data are represented by a stratified sample of this many rows,
        because the time is cubic in the number of rows.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the training rows or their sample.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`.
    n_discriminants_ : int
        Number of coordinates that are discriminants.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Indices of the training rows that are centers.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    As for `KernelFisherDiscriminant`.

    Examples
    --------
    >>> from melm_core import KernelFisherProjection
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> KernelFisherProjection().fit(X, y).n_discriminants_
    1
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        n_components: int = 2,
        *,
        bandwidth: Bandwidth = "median",
        bandwidth_scale: float = 1.0,
        regularization: float = 1e-3,
        max_rows: int = 1_500,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.bandwidth_scale = bandwidth_scale
        self.regularization = regularization
        self.max_rows = max_rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the discriminants and complete them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X, codes = validate_labeled(self, X, y)
        check_integer("n_components", self.n_components, minimum=1)
        check_positive("regularization", self.regularization)
        space, self.sample_indices_ = sampled_space(
            X,
            codes,
            bandwidth=self.bandwidth,
            bandwidth_scale=self.bandwidth_scale,
            max_rows=self.max_rows,
        )
        discriminants = self._discriminants(space, codes[self.sample_indices_])
        self.n_discriminants_ = len(discriminants)
        self._keep(space, _completed(discriminants, space.variances, self.n_components))
        return self

    def _discriminants(self, space: KernelSpace, codes: IntArray) -> FloatArray:
        found = kernel_discriminants(space, codes, self.n_components, self.regularization)
        rows, _ = independent_rows(found, self.n_components)
        return rows


def _completed(found: FloatArray, variances: FloatArray, n_components: int) -> FloatArray:
    """Complete orthonormal rows by principal components of the residuals.

    Parameters
    ----------
    found : ndarray of shape (n_found, rank)
    variances : ndarray of shape (rank,)
        Variances of the coordinates, which are uncorrelated.

    Returns
    -------
    ndarray of shape (min(n_components, rank), rank)
    """
    rank = len(variances)
    missing = min(n_components, rank) - len(found)
    if missing <= 0:
        return found
    left = np.eye(rank) - found.T @ found
    _, axes = eigh((left * variances) @ left, subset_by_index=(rank - missing, rank - 1))
    return np.vstack([found, axes.T[::-1]])


def _oriented(directions: FloatArray, coordinates: FloatArray) -> FloatArray:
    """The directions, with signs that make the coordinate of largest magnitude positive."""
    values = coordinates @ directions.T  # (n_centers, n_directions)
    furthest = np.take_along_axis(values, np.abs(values).argmax(axis=0)[None], axis=0)[0]
    return np.where(furthest < 0, -1.0, 1.0)[:, None] * directions

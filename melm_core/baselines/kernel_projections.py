"""Nonlinear references: pictures that no linear projection of the data can give."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive, validate_labelled
from melm_core.baselines.kernel_fisher import kernel_discriminants
from melm_core.baselines.kernel_space import Bandwidth, KernelSpace, sampled_space
from melm_core.density.gaussian_sums import gaussian_sums
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
        """Take over directions of feature space, shape (at most n_components, rank)."""
        weights, intercepts = space.functions(_towards_furthest(directions, space.coordinates))
        missing = self.n_components - len(directions)
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self.dual_coef_ = np.pad(weights, ((0, missing), (0, 0)))
        self.intercept_ = np.pad(intercepts, (0, missing))


class KernelPCAProjection(_KernelProjection):
    """The leading principal components in the feature space of a Gaussian kernel.

    Never looks at the labels. Where feature space has fewer directions than
    n_components, as for data that are constant, the last coordinates are zero.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    bandwidth : float or "median", default="median"
        sigma of exp(-|x - c|^2 / (2 sigma^2)), in units of the data; "median"
        is the median distance between two rows.
    bandwidth_scale : float, default=1.0
        Multiplies `bandwidth`.
    max_rows : int, default=1500
        Time grows with the third power of the number of rows; more rows than
        this are represented by that many, evenly spaced among them.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the rows it was fitted on.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`.
    variances_ : ndarray of shape (n_components,)
        Of the coordinates, descending.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Which rows it was fitted on: all of them up to `max_rows`.

    References
    ----------
    B. Schölkopf, A. Smola, K.-R. Müller: Nonlinear Component Analysis as a
    Kernel Eigenvalue Problem, Neural Computation 10, 1998.
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
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
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

    C classes have C - 1 discriminants at most: for two classes the second axis
    is the leading kernel principal component of what the discriminant leaves.
    The axes are orthonormal in feature space. Where that has fewer directions
    than n_components, as for data that are constant, the last coordinates are
    zero. `KernelFisherDiscriminant` is the classifier.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    bandwidth : float or "median", default="median"
        sigma of exp(-|x - c|^2 / (2 sigma^2)), in units of the data; "median"
        is the median distance between two rows.
    bandwidth_scale : float, default=1.0
        Multiplies `bandwidth`.
    regularization : float, default=1e-3
        What is added to the covariance within the classes, as a share of the
        total variance in feature space.
    max_rows : int, default=1500
        Time grows with the third power of the number of rows; more rows than
        this are represented by a stratified sample.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the rows it was fitted on.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`.
    n_discriminants_ : int
        Coordinates that are discriminants; the others complete them.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Which rows it was fitted on: all of them up to `max_rows`.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    As for `KernelFisherDiscriminant`.
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
        """Find the discriminants and what completes them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, codes = validate_labelled(self, X, y)
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
    """Add principal directions of what the orthonormal rows leave, up to n_components or the rank.

    Parameters
    ----------
    found : ndarray of shape (n_found, rank)
    variances : ndarray of shape (rank,)
        Of the coordinates, which are uncorrelated.
    """
    rank = len(variances)
    missing = min(n_components, rank) - len(found)
    if missing <= 0:
        return found
    left = np.eye(rank) - found.T @ found
    _, axes = eigh((left * variances) @ left, subset_by_index=(rank - missing, rank - 1))
    return np.vstack([found, axes.T[::-1]])


def _towards_furthest(directions: FloatArray, coordinates: FloatArray) -> FloatArray:
    """Each direction with the sign that makes the largest coordinate positive."""
    values = coordinates @ directions.T  # (n_centers, n_directions)
    furthest = np.take_along_axis(values, np.abs(values).argmax(axis=0)[None], axis=0)[0]
    return np.where(furthest < 0, -1.0, 1.0)[:, None] * directions

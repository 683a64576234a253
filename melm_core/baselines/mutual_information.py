"""Kernel projections by the mutual information with the classes.

The experiments of U. Ozertem and D. Erdogmus (Maximum Entropy Approximation for
Kernel Machines, section 4) approximate "spectral feature projections that
maximize Shannon mutual information with class labels" (its reference 8), whose
text is not public. The derivation here keeps to its abstract: kernel density
estimates, a projection in the feature space of the kernel, an analytical solution.

In that space a kernel density is linear: p_c(x) = m_c'phi(x) with m_c the mean
of the rows of class c, and p(x) = m'phi(x) with the mean of all rows. The
mutual information of rows and classes, estimated over the rows, is

    I = mean_i log(p_{c_i}(x_i) / p(x_i)).

If phi is first mapped by a projection P, its change about P = 1 is tr(M P) with

    M = mean_i [ sym(phi_i m_{c_i}') / p_{c_i}(x_i) - sym(phi_i m') / p(x_i) ],

so that the best projection to first order is onto the eigenvectors of M with
the largest eigenvalues. M has the trace 0 and at most the rank 2 n_classes + 1:
its eigenvectors are found in the span of few vectors.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive, rows_as_fitted, validate_labeled
from melm_core.base.sampling import stratified_sample
from melm_core.baselines.kernel_fisher import Bandwidth, chosen_bandwidth, gaussian_kernel
from melm_core.density import gaussian_sums

# Directions of the span shorter than this fraction of the longest are rounding errors.
NULL_LENGTH = 1e-12


class MutualInformationProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The directions in the feature space of a Gaussian kernel that inform most of the class.

    Leaving out a direction loses its `gains_` of the mutual information
    between rows and classes, to first order in the share that is left out.
    Coordinates beyond those of the feature space are zero.

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
        Larger data are represented by a stratified sample of this many rows,
        because the time is quadratic in the number of rows.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the training rows or their sample.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`; the mean of the class means is at
        the origin, and the last class on the positive side of it.
    gains_ : ndarray of shape (n_components,)
        Eigenvalues of M, descending, in nats.
    information_ : float
        The estimate of the mutual information in the whole feature space, in nats.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Indices of the training rows that are centers.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    U. Ozertem, D. Erdogmus, R. Jenssen: Spectral Feature Projections That
    Maximize Shannon Mutual Information with Class Labels, Pattern Recognition 39, 2006.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from melm_core import MutualInformationProjection
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> projection = MutualInformationProjection(bandwidth=0.35).fit(X, y)
    >>> bool(roc_auc_score(y, projection.transform(X)[:, 0]) > 0.95)
    True
    """

    classes_: npt.NDArray[Any]

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

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions.

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
        check_integer("max_rows", self.max_rows, minimum=4)
        check_positive("bandwidth_scale", self.bandwidth_scale)
        n_classes = len(self.classes_)
        self.sample_indices_ = stratified_sample(codes, self.max_rows / len(codes), n_classes)
        self.X_fit_, sampled = X[self.sample_indices_], codes[self.sample_indices_]
        self.bandwidth_ = self.bandwidth_scale * chosen_bandwidth(self.bandwidth, self.X_fit_)
        kernel = gaussian_kernel(self.X_fit_, self.X_fit_, self.bandwidth_)
        self.information_, gains, weights = _informative_directions(kernel, sampled, n_classes)
        n_directions = min(self.n_components, len(gains))
        missing = self.n_components - n_directions
        means = np.eye(n_classes)[sampled].T @ kernel @ weights[:n_directions].T
        means /= np.bincount(sampled, minlength=n_classes)[:, None]  # (n_classes, n_directions)
        origin = means.mean(axis=0)
        signs = np.where(means[-1] < origin, -1.0, 1.0)
        self.gains_ = np.pad(gains[:n_directions], (0, missing))
        self.dual_coef_ = np.pad(signs[:, None] * weights[:n_directions], ((0, missing), (0, 0)))
        self.intercept_ = np.pad(-signs * origin, (0, missing))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Compute coordinates in feature space, shape (n_samples, n_components)."""
        X = rows_as_fitted(self, X)
        sums = gaussian_sums(X, self.X_fit_, self.bandwidth_, self.dual_coef_.T)
        coordinates: FloatArray = sums + self.intercept_
        return coordinates

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _informative_directions(
    kernel: FloatArray, y: IntArray, n_classes: int
) -> tuple[float, FloatArray, FloatArray]:
    """Return the mutual information, and eigenvalues and eigenvectors of M, descending.

    Parameters
    ----------
    kernel : ndarray of shape (n_centers, n_centers)
        Inner products of the rows in feature space.
    y : ndarray of shape (n_centers,)
        Class codes.
    n_classes : int

    Returns
    -------
    information : float
    gains : ndarray of shape (n_found,)
    weights : ndarray of shape (n_found, n_centers)
        Each eigenvector, of unit length in feature space, is this sum of the rows.
    """
    n_rows = len(y)
    memberships = np.vstack([np.eye(n_classes)[y].T, np.ones(n_rows)])  # the last row is "all"
    means = memberships / memberships.sum(axis=1, keepdims=True)
    densities = means @ kernel  # of each class, and of all, at the rows
    # M is the sum of signs_c sym(pulls_c means_c'), in coefficients of the rows.
    pulls = memberships / densities / n_rows
    signs = np.append(np.ones(n_classes), -1.0)
    spanning = np.vstack([means, pulls])
    swapped = np.kron([[0.0, 0.5], [0.5, 0.0]], np.diag(signs))
    lengths, axes = np.linalg.eigh(spanning @ kernel @ spanning.T)
    positive = lengths > NULL_LENGTH * lengths[-1]
    root = axes[:, positive] * np.sqrt(lengths[positive])
    gains, turned = np.linalg.eigh(root.T @ swapped @ root)
    weights = (turned.T / np.sqrt(lengths[positive])) @ axes[:, positive].T @ spanning
    information = float(np.mean(np.log(densities[y, np.arange(n_rows)] / densities[-1])))
    return information, gains[::-1], weights[::-1]

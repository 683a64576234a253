"""Kernel Fisher discriminant with a Gaussian kernel (Mika and others, 1999), and its feature space.

The feature space of the kernel is spanned by the training rows. A direction of it, with an origin,
is a function f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 sigma^2)) + b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive, rows_as_fitted, validate_labeled
from melm_core.base.sampling import stratified_sample
from melm_core.density import gaussian_sums
from melm_core.linalg.class_moments import class_means
from melm_core.linalg.informed_planes import independent_rows

Bandwidth = float | Literal["median"]

# Directions of feature space with less than this fraction of the largest variance are rounding
# errors.
NULL_SHARE = 1e-12

# Absolute bound, for a kernel that is 1 everywhere up to rounding.
NULL_VARIANCE = 1e-14
# Discriminants with a smaller share of variance between the classes are rounding errors.
NULL_DISCRIMINANT = 1e-12


@dataclass(frozen=True, eq=False)
class KernelSpace:
    """The training rows in the principal coordinates of feature space.

    Attributes
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
        sigma.
    variances : ndarray of shape (rank,)
        Variances along the principal directions, descending and positive.
    coordinates : ndarray of shape (n_centers, rank)
        Centered rows; their distances are those in feature space.
    kernel_means : ndarray of shape (n_centers,)
        Mean over the rows of the kernel around each center.
    """

    centers: FloatArray
    bandwidth: float
    variances: FloatArray
    coordinates: FloatArray
    kernel_means: FloatArray

    def functions(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Express the coordinates along directions as sums of kernels.

        Parameters
        ----------
        directions : ndarray of shape (n_directions, rank)

        Returns
        -------
        weights : ndarray of shape (n_directions, n_centers)
            Each row sums to zero.
        intercepts : ndarray of shape (n_directions,)
            Coordinates are `gaussian_sums(X, ..., weights.T) + intercepts`.
        """
        moments = self.variances * len(self.centers)
        weights = (directions / moments) @ self.coordinates.T
        return weights, -weights @ self.kernel_means

    def coordinates_along(
        self, directions: FloatArray, n_components: int
    ) -> tuple[FloatArray, FloatArray]:
        """Compute `functions`, turned to a positive largest coordinate and padded with zeros.

        Parameters
        ----------
        directions : ndarray of shape (n_directions, rank)
        n_components : int
            At least n_directions.

        Returns
        -------
        weights : ndarray of shape (n_components, n_centers)
        intercepts : ndarray of shape (n_components,)
        """
        values = self.coordinates @ directions.T  # (n_centers, n_directions)
        furthest = np.take_along_axis(values, np.abs(values).argmax(axis=0)[None], axis=0)[0]
        weights, intercepts = self.functions(
            np.where(furthest < 0, -1.0, 1.0)[:, None] * directions
        )
        missing = n_components - len(directions)
        return np.pad(weights, ((0, missing), (0, 0))), np.pad(intercepts, (0, missing))


def sampled_space(
    X: FloatArray,
    y: IntArray,
    *,
    bandwidth: Bandwidth,
    bandwidth_scale: float,
    max_rows: int,
) -> tuple[KernelSpace, IntArray]:
    """Return the feature space spanned by the rows, or by a stratified sample of them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes.
    bandwidth : float or "median"
    bandwidth_scale : float
    max_rows : int

    Returns
    -------
    space : KernelSpace
    indices : ndarray of shape (n_centers,)
        Indices of the rows that span it.
    """
    check_integer("max_rows", max_rows, minimum=4)
    indices = stratified_sample(y, max_rows / len(y), int(y.max()) + 1)
    check_positive("bandwidth_scale", bandwidth_scale)
    sigma = bandwidth_scale * chosen_bandwidth(bandwidth, X[indices])
    return kernel_space(X[indices], sigma), indices


def kernel_space(centers: FloatArray, bandwidth: float) -> KernelSpace:
    """Compute principal coordinates of the rows in feature space from the centered kernel.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
    """
    kernel = gaussian_kernel(centers, centers, bandwidth)  # (n_centers, n_centers)
    means = kernel.mean(axis=0)
    moments, axes = np.linalg.eigh(kernel - means - means[:, None] + means.mean())
    floor = max(NULL_SHARE * moments[-1], NULL_VARIANCE * len(centers))
    positive = np.flatnonzero(moments > floor)[::-1]
    coordinates = axes[:, positive] * np.sqrt(moments[positive])
    return KernelSpace(centers, bandwidth, moments[positive] / len(centers), coordinates, means)


def gaussian_kernel(X: FloatArray, centers: FloatArray, bandwidth: float) -> FloatArray:
    """exp(-|x - c|^2 / (2 sigma^2)), shape (n_samples, n_centers)."""
    origin = centers.mean(axis=0)  # keeps the precision of large coordinates
    values: FloatArray = rbf_kernel(
        (X - origin) / bandwidth, (centers - origin) / bandwidth, gamma=0.5
    )
    return values


def chosen_bandwidth(bandwidth: Bandwidth, centers: FloatArray) -> float:
    """Return the given bandwidth, or the median distance between distinct rows.

    The median is 1 if all rows are equal.

    Raises
    ------
    ValueError
        If it is neither a finite number above 0 nor "median".
    """
    if bandwidth != "median":
        check_positive("bandwidth", bandwidth)
        return float(bandwidth)
    distances = pdist(centers)
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0


class KernelFisherDiscriminant(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """Fisher's linear discriminants in the feature space of a Gaussian kernel.

    A multiple of the identity is added to the covariance within the classes.
    As functions of x the discriminants are
    f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 sigma^2)) + b. Their unit is the
    regularized standard deviation within the classes, and their origin is the
    mean of the class means. A row is assigned to the class with the nearest
    mean, which assumes equal priors.

    `transform` projects orthogonally, in feature space, onto the span of the discriminants. C
    classes have at most C - 1 of them; further axes are the kernel principal components of the
    residuals. If feature space has fewer than n_components directions, as for constant data, the
    last coordinates are zero.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, which may exceed the number of features. The classifier does not
        depend on it.
    bandwidth : float or "median", default="median"
        sigma, in units of the data; "median" is the median distance between
        two rows.
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
        Centers c_i: the training rows or their sample.
    dual_coef_ : ndarray of shape (n_classes - 1, n_centers)
        Weights w_i of each discriminant; zeros for discriminants that do not exist.
    intercept_ : ndarray of shape (n_classes - 1,)
        b. For two classes, the decision threshold is f(x) = 0.
    bandwidth_ : float
        sigma.
    class_means_ : ndarray of shape (n_classes, n_classes - 1)
        Mean of the discriminants in each class.
    n_discriminants_ : int
        Number of rows of `dual_coef_` that are not zero.
    axes_ : ndarray of shape (n_components, n_centers)
        Weights of the kernels in each coordinate of `transform`: orthonormal functions.
    origin_ : ndarray of shape (n_components,)
        What is added to these sums, so that the mean of the centers is at the origin.
    sample_indices_ : ndarray of shape (n_centers,)
        Indices of the training rows that are centers.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    S. Mika, G. Rätsch, J. Weston, B. Schölkopf, K.-R. Müller: Fisher
    Discriminant Analysis with Kernels, Neural Networks for Signal Processing
    IX, 1999.
    G. Baudat, F. Anouar: Generalized Discriminant Analysis Using a Kernel
    Approach, Neural Computation 12, 2000.

    Examples
    --------
    >>> from melm_core import KernelFisherDiscriminant
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> model = KernelFisherDiscriminant(bandwidth=0.5).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.n_discriminants_, model.transform(X).shape
    (1, (300, 2))
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

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the discriminants, and the axes that begin with their span.

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
        sampled = codes[self.sample_indices_]
        directions = kernel_discriminants(space, sampled, self.regularization)
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self._keep_discriminants(space, sampled, directions)
        axes, _ = independent_rows(directions, self.n_components)
        self.axes_, self.origin_ = space.coordinates_along(
            _completed(axes, space.variances, self.n_components), self.n_components
        )
        return self

    def transform(self, X: Any) -> FloatArray:
        """Compute coordinates in feature space, shape (n_samples, n_components)."""
        check_is_fitted(self)
        coordinates: FloatArray = self._kernel_sums(X, self.axes_) + self.origin_
        return coordinates

    def discriminants(self, X: Any) -> FloatArray:
        """Compute values of the discriminants, shape (n_samples, n_classes - 1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        values: FloatArray = self._kernel_sums(X, self.dual_coef_) + self.intercept_
        return values

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, the discriminant f(x), positive for `classes_[1]`.
            For more, minus half the squared distance to each class mean.
        """
        values = self.discriminants(X)
        if len(self.classes_) == 2:
            line: FloatArray = values[:, 0]
            return line
        offsets = values[:, None, :] - self.class_means_  # (n_samples, n_classes, n_classes - 1)
        scores: FloatArray = -0.5 * np.square(offsets).sum(axis=2)
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class with the nearest mean, shape (n_samples,)."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def _kernel_sums(self, X: Any, weights: FloatArray) -> FloatArray:
        X = rows_as_fitted(self, X)
        sums: FloatArray = gaussian_sums(X, self.X_fit_, self.bandwidth_, weights.T)
        return sums

    def _keep_discriminants(self, space: KernelSpace, y: IntArray, directions: FloatArray) -> None:
        means = class_means(space.coordinates, y) @ directions.T  # (n_classes, n_discriminants)
        # The mean of the last class is on the positive side of every discriminant.
        signs = np.where(means[-1] < means.mean(axis=0), -1.0, 1.0)
        weights, intercepts = space.functions(signs[:, None] * directions)
        origin = means.mean(axis=0)
        missing = len(self.classes_) - 1 - len(directions)
        self.n_discriminants_ = len(directions)
        self.dual_coef_ = np.pad(weights, ((0, missing), (0, 0)))
        self.intercept_ = np.pad(intercepts - signs * origin, (0, missing))
        self.class_means_ = np.pad(signs * (means - origin), ((0, 0), (0, missing)))


def kernel_discriminants(space: KernelSpace, y: IntArray, regularization: float) -> FloatArray:
    """Compute Fisher's discriminants in feature space, of unit within-class variance.

    Let B = O'O be the between-class covariance and D the total covariance plus
    the ridge, which is diagonal in principal coordinates. The eigenproblem
    B w = r (D - B) w reduces to one of size n_classes: the eigenvectors v of
    O D^-1 O' give w = D^-1 O'v.

    Parameters
    ----------
    space : KernelSpace
    y : ndarray of shape (n_centers,)
        Class codes of the centers.
    regularization : float
        Ridge, as a share of the total variance.

    Returns
    -------
    ndarray of shape (n_discriminants, rank)
        By descending separation; fewer than n_classes - 1 if the classes do not
        differ along more directions.
    """
    shares = np.bincount(y) / len(y)
    offsets = np.sqrt(shares)[:, None] * class_means(space.coordinates, y)  # O
    ridged = space.variances + regularization * space.variances.sum()
    explained, axes = np.linalg.eigh((offsets / ridged) @ offsets.T)
    leading = np.flatnonzero(explained > NULL_DISCRIMINANT)[::-1][: len(shares) - 1]
    # For an eigenvalue g, the within-class variance of D^-1 O'v is g (1 - g).
    widths = np.sqrt(explained[leading] * np.maximum(1.0 - explained[leading], NULL_DISCRIMINANT))
    directions: FloatArray = (axes.T[leading] @ offsets) / ridged / widths[:, None]
    return directions


def _completed(directions: FloatArray, variances: FloatArray, n_components: int) -> FloatArray:
    """Complete orthonormal rows by principal components of the residuals.

    Parameters
    ----------
    directions : ndarray of shape (n_directions, rank)
    variances : ndarray of shape (rank,)
        Variances of the coordinates, which are uncorrelated.

    Returns
    -------
    ndarray of shape (min(n_components, rank), rank)
    """
    rank = len(variances)
    missing = min(n_components, rank) - len(directions)
    if missing <= 0:
        return directions
    left = np.eye(rank) - directions.T @ directions
    _, axes = eigh((left * variances) @ left, subset_by_index=(rank - missing, rank - 1))
    return np.vstack([directions, axes.T[::-1]])

"""Linear discriminants for classes of different covariances (heteroscedastic LDA)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    WeightedPlaneEstimator,
    check_shrinkage,
)
from melm_core.density.covariances import Shrinkage, regularized_covariances, within_class_whitening
from melm_core.linalg.class_moments import (
    class_means,
    class_totals,
    rows_by_class,
    weights_by_class,
)
from melm_core.linalg.informed_planes import plane_through

# Relative variances below this, which have no finite logarithm, count as this.
_LEAST_VARIANCE = 1e-6


class ChernoffDiscriminantPlane(WeightedPlaneEstimator):
    """The plane of the Chernoff criterion: LDA that also sees differences of covariance.

    In coordinates whitened within the classes, the leading eigenvectors of the sum
    over pairs of classes i, j of

        p_i p_j (S^(-1/2) d d' S^(-1/2) + (log S - a log S_i - b log S_j) / (a b)),

    with a = p_i / (p_i + p_j), b = 1 - a, S = a S_i + b S_j and d the difference of the
    means: the directed distance matrices of the Chernoff distance. For equal
    covariances this is LDA; where the means are equal, the plane is that in which
    the covariances differ.

    Parameters
    ----------
    n_components : int, default=2
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf", default="ledoit-wolf"
        Regularization of the class covariances, whose logarithms are sensitive to
        directions that few rows vary along.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. Loog, R. P. W. Duin: Linear Dimensionality Reduction via a Heteroscedastic
    Extension of LDA: The Chernoff Criterion, IEEE Transactions on Pattern Analysis
    and Machine Intelligence 26, 2004, equation (11).

    Examples
    --------
    Two classes with the same mean, one of which varies more along the last feature:

    >>> import numpy as np
    >>> from melm_core import ChernoffDiscriminantPlane
    >>> X = np.random.default_rng(0).standard_normal((400, 5))
    >>> y = np.arange(400) % 2
    >>> X[y == 1, 4] *= 5
    >>> plane = ChernoffDiscriminantPlane(1).fit(X, y)
    >>> int(np.abs(plane.components_[0]).argmax())
    4
    """

    def __init__(self, n_components: int = 2, *, shrinkage: Shrinkage = "ledoit-wolf") -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = X - self.mean_
        whitener = within_class_whitening(centered, y, shrinkage=self.shrinkage, weights=weights)
        criterion = chernoff_criterion(centered @ whitener, y, self.shrinkage, weights)
        directions = np.linalg.eigh(criterion)[1][:, ::-1].T @ whitener.T
        self.components_, _ = plane_through(directions, centered, self.n_components, weights)


def chernoff_criterion(
    X: FloatArray, y: IntArray, shrinkage: Shrinkage, weights: FloatArray | None = None
) -> FloatArray:
    """Compute the matrix whose leading eigenvectors maximize the Chernoff criterion.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    y : ndarray of shape (n_samples,)
        Class codes.
    shrinkage : float, "auto" or "ledoit-wolf"
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    if X.shape[1] == 0:
        return np.zeros((0, 0))
    totals = class_totals(y, weights)
    shares = totals / totals.sum()
    means = class_means(X, y, weights)
    covariances = regularized_covariances(
        rows_by_class(X, y), shrinkage, weights=weights_by_class(weights, y)
    )
    criterion = np.zeros((X.shape[1], X.shape[1]))
    for i, j in combinations(range(len(shares)), 2):
        share = shares[i] / (shares[i] + shares[j])
        distance = _directed_distance(means[i] - means[j], covariances[i], covariances[j], share)
        criterion += shares[i] * shares[j] * distance
    return criterion


def _directed_distance(
    difference: FloatArray, of_one: FloatArray, of_other: FloatArray, share: float
) -> FloatArray:
    """Compute the directed distance matrix of two Gaussians; its trace is the Chernoff distance."""
    both = share * of_one + (1.0 - share) * of_other
    offset = _function(both, lambda variances: variances**-0.5) @ difference
    logarithms = _log(both) - share * _log(of_one) - (1.0 - share) * _log(of_other)
    distance: FloatArray = np.outer(offset, offset) + logarithms / (share * (1.0 - share))
    return distance


def _log(covariance: FloatArray) -> FloatArray:
    return _function(covariance, np.log)


def _function(covariance: FloatArray, function: Any) -> FloatArray:
    """Apply a function to the eigenvalues of a symmetric matrix."""
    variances, directions = np.linalg.eigh(covariance)
    values = function(np.maximum(variances, _LEAST_VARIANCE))
    matrix: FloatArray = (directions * values) @ directions.T
    return matrix

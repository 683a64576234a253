"""Linear discriminants: Fisher's (LDA), and those of classes of different covariances."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    SHRINKAGES,
    WeightedPlaneEstimator,
    check_shrinkage,
)
from melm_core.baselines.shrunken_discriminants import shrunken_discriminants
from melm_core.density.covariances import Shrinkage, regularized_covariances, within_class_whitening
from melm_core.linalg.class_moments import (
    class_means,
    class_totals,
    rows_by_class,
    weights_by_class,
)
from melm_core.linalg.informed_planes import complete, fisher_discriminants, plane_through
from melm_core.linalg.planes import orthonormalize
from melm_core.linalg.smaller_tables import MomentPlaneEstimator

# Relative variances below this, which have no finite logarithm, count as this.
_LEAST_VARIANCE = 1e-6


class DiscriminantPlane(MomentPlaneEstimator):
    """Fisher's linear discriminants, completed to a plane if there are too few.

    C classes have at most C - 1 discriminants. For two classes, the second
    axis is the first principal component of the residuals.

    Parameters
    ----------
    n_components : int, default=2
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf", default=0
        "auto" and "ledoit-wolf" shrink the covariances of the features, within the classes and
        between their means, and leave the variances as they are (regularized LDA), as "auto" of
        scikit-learn's LDA does. It helps where there are few rows for the features. A number,
        which `MELM` has too, mixes the pooled covariance into those of the classes; that leaves
        the pooled one, and this plane, as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, the discriminants first.
    n_discriminants_ : int
        Number of rows that are discriminants.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)
    within_shrinkage_ : ndarray of shape (n_classes,)
        Share s_c by which the rule reduced the covariances within each class; 0 otherwise.
    between_shrinkage_ : float
        Share t by which it reduced those of the class means; 0 otherwise.

    Notes
    -----
    Fisher's discriminants maximize v'Bv / v'Wv, the variance of the class means over the variance
    within the classes (Rao, 1948). Regularized, with the covariances W_c of the classes,

        W = sum_c N_c / N ((1 - s_c) W_c + s_c diag(W_c)),    B becomes (1 - t) B + t diag(B).

    `melm_core.baselines.shrunken_discriminants` has the rules for s_c and t. Scikit-learn's
    ``LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")`` shrinks W in much the same way
    and takes for B the shrunken total covariance less W, which implies a similar t.

    - In the training rows the classes of a wide table lie apart in this plane, whether or not they
      differ. Judge it by held-out rows.
    - t near 1 means that the rows do not determine how features act together. The
      discriminants then follow the features that differ most by themselves, one or a few. A
      large loading says "among the strongest here", not "the others are irrelevant": other rows
      may put another feature of the same strength first.
    - Classes that differ slightly in many features at once lose by a large t,
      features that separate only in combination by a large s_c; compare with `shrinkage=0`
      and with `PLSDiscriminantPlane`.
    - The regularized plane follows the scale of each feature, but not rotations of the features.

    References
    ----------
    R. A. Fisher: The Use of Multiple Measurements in Taxonomic Problems, 1936.
    C. R. Rao: The Utilization of Multiple Measurements in Problems of
    Biological Classification, 1948.
    J. H. Friedman: Regularized Discriminant Analysis, Journal of the American Statistical
    Association 84, 1989.
    J. Schäfer, K. Strimmer: A Shrinkage Approach to Large-Scale Covariance Matrix Estimation,
    Statistical Applications in Genetics and Molecular Biology 4, 2005, article 32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = DiscriminantPlane().fit(X, y)
    >>> plane.n_discriminants_
    2

    Two of 60 features differ between two classes of 15 rows:

    >>> import numpy as np
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).standard_normal((30, 60))
    >>> X[:, [3, 8]] += 3.0 * y[:, None]
    >>> plane = DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, y)
    >>> np.sort(np.abs(plane.components_[0]).argsort()[-2:]), plane.between_shrinkage_ > 0.9
    (array([3, 8]), True)
    """

    def __init__(self, n_components: int = 2, *, shrinkage: Shrinkage = 0.0) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = X - self.mean_
        if self.shrinkage in SHRINKAGES:
            shrunken = shrunken_discriminants(centered, y, self.n_components, weights)
            directions = shrunken.directions
            self.within_shrinkage_, self.between_shrinkage_ = shrunken.within, shrunken.between
        else:
            whitener = within_class_whitening(centered, y, weights=weights)
            white = centered @ whitener
            moments = class_means(white, y, weights), class_totals(y, weights)
            directions = fisher_discriminants(*moments, self.n_components) @ whitener.T
            self.within_shrinkage_, self.between_shrinkage_ = np.zeros(int(y.max()) + 1), 0.0
        self.n_discriminants_ = len(directions)
        if len(directions):
            directions = orthonormalize(directions)
        self.components_ = complete(directions, centered, self.n_components, weights)


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

"""Discriminant analysis by partial least squares (PLS-DA), also by orthogonal ones (OPLS-DA)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, rows_as_fitted
from melm_core.base.sample_weights import mean_of
from melm_core.linalg.informed_planes import plane_through
from melm_core.linalg.smaller_tables import MomentPlaneEstimator, row_space

# A covariance below this, relative to the features and the indicators, is rounding.
_NULL = 1e-12

# What is shorter than this, relative to the data, is taken for rounding.
_NULL_LENGTH = 1e-10


class IndicatorRegression(MomentPlaneEstimator):
    """A plane whose scores also predict the indicators of the classes, by a linear map."""

    regression_: FloatArray
    target_means_: FloatArray

    def predict_indicators(self, X: Any) -> FloatArray:
        """Return the predicted indicators of the classes, shape (n_samples, n_targets).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Raises
        ------
        NotFittedError
        ValueError
            If there are other features, by number or by name, or a value is missing.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from melm_core import PLSDiscriminantPlane
        >>> X, y = load_iris(return_X_y=True)
        >>> predicted = PLSDiscriminantPlane().fit(X, y).predict_indicators(X)
        >>> bool(np.mean(predicted.argmax(axis=1) == y) > 0.8)
        True
        """
        X = rows_as_fitted(self, X)
        predicted: FloatArray = (X - self.mean_) @ self.regression_.T + self.target_means_
        return predicted


class PLSDiscriminantPlane(IndicatorRegression):
    """The plane of the first components of PLS-DA, on the class indicators.

    Component a is the direction of unit length, in what the components before it
    leave of the features, that has the largest covariance with the indicators of
    the classes. The features are centered and not scaled. The plane is that of
    the scores (score plot); where the components end early, because the
    indicators are explained without rest, principal components of the residuals
    complete it. No covariance is inverted, so none is regularized: few components
    are the regularization.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the same plane as `rotations_`.
    rotations_ : ndarray of shape (n_found, n_features)
        The scores are (X - mean_) rotations_'.
    weights_ : ndarray of shape (n_found, n_features)
        Rows of unit length.
    r2x_ : ndarray of shape (n_found,)
        Share of the variance of the features that each component explains.
    r2y_ : ndarray of shape (n_found,)
        Share of the variance of the indicators that each component explains.
    regression_ : ndarray of shape (n_targets, n_features)
        The indicators are predicted as X - mean_, times its transpose, plus `target_means_`.
    target_means_ : ndarray of shape (n_targets,)
        Mean of each indicator: one for each class, a single one for two classes.
    vip_ : ndarray of shape (n_features,)
        Variable importance in the projection; the mean of its squares is 1.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    M. Barker, W. Rayens: Partial least squares for discrimination, Journal of
    Chemometrics 17, 2003.
    S. Wold, E. Johansson, M. Cocchi: PLS, in 3D QSAR in Drug Design, 1993 (VIP).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import PLSDiscriminantPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = PLSDiscriminantPlane().fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    >>> plane.vip_.round(2).tolist()
    [0.68, 0.73, 1.59, 0.7]
    """

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        scales = row_scales(weights, len(X))
        centered = (X - self.mean_) * scales
        space = row_space(centered, self.n_components)
        targets = class_indicators(y, weights) * scales
        fit = _components(space.rows, targets, self.n_components)
        scores = space.rows @ fit.rotations.T
        self.weights_ = space.lift(fit.weights)
        self.rotations_ = space.lift(fit.rotations)
        self.r2x_ = explained_shares(scores, centered)
        self.r2y_ = explained_shares(scores, targets)
        self.regression_ = regression(scores, targets) @ self.rotations_
        self.target_means_ = mean_of(indicators(y), weights)
        self.vip_ = variable_importance(self.weights_, self.r2y_)
        self.components_, _ = plane_through(self.rotations_, centered, self.n_components)


class OPLSDiscriminantPlane(IndicatorRegression):
    """The plane of the predictive components of OPLS-DA, and of orthogonal ones beside them.

    Components of the features that do not vary with the class indicators are
    removed first; the predictive components are those of PLS-DA in the rest. C
    classes have at most C - 1 predictive components. For two classes the plane
    is that of the usual score plot: the predictive score along one axis, the
    first orthogonal score along the other; with one orthogonal component it is
    the plane of PLS-DA. For three and more classes it is another plane.

    Parameters
    ----------
    n_components : int, default=2
    n_orthogonal : int, default=1
        Orthogonal components to remove; more where the plane needs them as axes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the same plane as the rotations used.
    predictive_rotations_ : ndarray of shape (n_predictive, n_features)
        The predictive scores are (X - mean_) predictive_rotations_'.
    orthogonal_rotations_ : ndarray of shape (n_orthogonal_found, n_features)
        The same for the orthogonal scores, which the class means do not vary along.
    r2x_predictive_, r2x_orthogonal_ : ndarray
        Share of the variance of the features that each component explains.
    r2y_ : ndarray of shape (n_predictive,)
        Share of the variance of the indicators that each predictive component explains.
    regression_ : ndarray of shape (n_targets, n_features)
        The indicators are predicted as X - mean_, times its transpose, plus `target_means_`.
    target_means_ : ndarray of shape (n_targets,)
        Mean of each indicator: one for each class, a single one for two classes.
    s_plot_ : ndarray of shape (2, n_features)
        Covariance and correlation of each feature with the first predictive score.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    J. Trygg, S. Wold: Orthogonal projections to latent structures (O-PLS), Journal
    of Chemometrics 16, 2002.
    M. Bylesjö and others: OPLS discriminant analysis, Journal of Chemometrics 20, 2006.
    S. Wiklund and others: Visualization of GC/TOF-MS-based metabolomics data,
    Analytical Chemistry 80, 2008 (S-plot).

    Examples
    --------
    >>> from melm_core import OPLSDiscriminantPlane
    >>> from melm_core.datasets import two_gaussians
    >>> X, y = two_gaussians(0)
    >>> plane = OPLSDiscriminantPlane().fit(X, y)
    >>> len(plane.predictive_rotations_), len(plane.orthogonal_rotations_)
    (1, 1)
    """

    def __init__(self, n_components: int = 2, *, n_orthogonal: int = 1) -> None:
        self.n_components = n_components
        self.n_orthogonal = n_orthogonal

    def _check_parameters(self) -> None:
        check_integer("n_orthogonal", self.n_orthogonal, minimum=0)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        scales = row_scales(weights, len(X))
        centered = (X - self.mean_) * scales
        space = row_space(centered, self.n_components)
        targets = class_indicators(y, weights) * scales
        correction = _corrected(space.rows, targets, self.n_components, self.n_orthogonal)
        scores = space.rows @ correction.predictive.T
        orthogonal_scores = space.rows @ correction.orthogonal.T
        self.predictive_rotations_ = space.lift(correction.predictive)
        self.orthogonal_rotations_ = space.lift(correction.orthogonal)
        self.r2x_predictive_ = explained_shares(scores, centered)
        self.r2x_orthogonal_ = explained_shares(orthogonal_scores, centered)
        self.r2y_ = explained_shares(scores, targets)
        self.regression_ = regression(scores, targets) @ self.predictive_rotations_
        self.target_means_ = mean_of(indicators(y), weights)
        self.s_plot_ = s_plot(centered, scores[:, 0])
        directions = np.vstack([self.predictive_rotations_, self.orthogonal_rotations_])
        self.components_, _ = plane_through(directions, centered, self.n_components)


def row_scales(weights: FloatArray | None, n_samples: int) -> FloatArray:
    """Compute factors of centered rows with which sums of their products are weighted.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,) or None
    n_samples : int

    Returns
    -------
    ndarray of shape (n_samples, 1)
        Roots of the weights relative to their mean.
    """
    if weights is None:
        return np.ones((n_samples, 1))
    scales: FloatArray = np.sqrt(weights / weights.mean())[:, None]
    return scales


def class_indicators(y: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Return a column for each class, 1 for its rows and 0 for others, less its mean.

    The last column, which follows from the others, is left out for two classes.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    values = indicators(y)
    centered: FloatArray = values - mean_of(values, weights)
    return centered


def indicators(y: IntArray, n_classes: int | None = None) -> FloatArray:
    """Return a column for each class, 1 for its rows; the first alone of two classes.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    n_classes : int, optional
        By default as many as the codes name.
    """
    n = int(y.max()) + 1 if n_classes is None else n_classes
    values: FloatArray = np.eye(n)[y][:, : n if n > 2 else 1]
    return values


def regression(scores: FloatArray, targets: FloatArray) -> FloatArray:
    """Coefficients of the targets on the scores by least squares, shape (n_targets, n_scores).

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_scores)
    targets : ndarray of shape (n_samples, n_targets)
        Both centered.
    """
    coefficients: FloatArray = np.linalg.lstsq(scores, targets, rcond=None)[0].T.astype(np.float64)
    return coefficients


def explained_shares(scores: FloatArray, variables: FloatArray) -> FloatArray:
    """Compute the share of the sum of squares that each score explains beyond earlier ones.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_components)
    variables : ndarray of shape (n_samples, n_variables)
        Centered.
    """
    orthonormal, _ = np.linalg.qr(scores)
    explained: FloatArray = np.square(orthonormal.T @ variables).sum(axis=1)
    return explained / max(float(np.square(variables).sum()), np.finfo(np.float64).tiny)


def variable_importance(weights: FloatArray, explained: FloatArray) -> FloatArray:
    """Variable importance in the projection (VIP).

    Parameters
    ----------
    weights : ndarray of shape (n_components, n_features)
        Rows of unit length.
    explained : ndarray of shape (n_components,)
        Variance of the target that each component explains.

    Returns
    -------
    ndarray of shape (n_features,)
        The mean of its squares is 1, so that features above 1 count for more than the
        average one.
    """
    total = float(explained.sum())
    if total <= 0:
        return np.zeros(weights.shape[1])
    importance: FloatArray = np.sqrt(weights.shape[1] * (explained @ np.square(weights)) / total)
    return importance


def _components(X: FloatArray, targets: FloatArray, n_components: int) -> Deflation:
    """Return the directions of the largest covariance with the indicators.

    The indicators need not be deflated: what is left of the features does not vary with
    the scores before.
    """
    scale = _NULL * float(np.linalg.norm(X)) * float(np.linalg.norm(targets))

    def of_largest_covariance(rest: FloatArray) -> FloatArray | None:
        directions, covariances, _ = np.linalg.svd(rest.T @ targets, full_matrices=False)
        return directions[:, 0] if covariances[0] > scale else None

    return deflate(X, of_largest_covariance, n_components)


@dataclass(frozen=True, eq=False)
class Deflation:
    """The components that were removed from some features.

    Attributes
    ----------
    weights : ndarray of shape (n_found, n_features)
        The direction of each component, in the features that were left for it.
    rotations : ndarray of shape (n_found, n_features)
        The same directions in the original features X: the scores are X rotations'.
    remover : ndarray of shape (n_features, n_features)
        X remover are the features without the components.
    """

    weights: FloatArray
    rotations: FloatArray
    remover: FloatArray


def deflate(
    X: FloatArray, next_direction: Callable[[FloatArray], FloatArray | None], most: int
) -> Deflation:
    """Remove components from features.

    The score of a component is what is left of the features times its direction; the
    regression of the features on the score is removed before the next component.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered.
    next_direction : callable
        Takes the features that are left, in the shape of X, and returns a direction of
        shape (n_features,), or None if there is no further component.
    most : int
        Maximum number of components.
    """
    weights: list[FloatArray] = []
    rotations: list[FloatArray] = []
    remover, rest = np.eye(X.shape[1]), X
    for _ in range(most):
        direction = next_direction(rest)
        if direction is None:
            break
        score = rest @ direction
        loading = score @ rest / (score @ score)
        weights.append(direction)
        rotations.append(remover @ direction)
        rest = rest - np.outer(score, loading)
        remover = remover - np.outer(rotations[-1], loading)
    shape = (len(weights), X.shape[1])
    return Deflation(np.reshape(weights, shape), np.reshape(rotations, shape), remover)


def s_plot(centered: FloatArray, score: FloatArray) -> FloatArray:
    """Compute covariance and correlation of each feature with a score, shape (2, n_features).

    Parameters
    ----------
    centered : ndarray of shape (n_samples, n_features)
    score : ndarray of shape (n_samples,)
        With mean 0; both multiplied by `row_scales` where the rows have weights.
    """
    covariances = score @ centered / len(centered)
    widths = np.sqrt(np.square(centered).mean(axis=0) * np.square(score).mean())
    correlations = np.divide(covariances, widths, out=np.zeros_like(covariances), where=widths > 0)
    return np.stack([covariances, correlations])


@dataclass(frozen=True, eq=False)
class _Correction:
    """Rotations (n, n_features) of the predictive and the orthogonal components."""

    predictive: FloatArray
    orthogonal: FloatArray


def _corrected(
    X: FloatArray, targets: FloatArray, n_components: int, n_orthogonal: int
) -> _Correction:
    """Remove orthogonal components and find the predictive ones in what is left."""
    weights = _predictive_weights(X, targets, n_components)
    wanted = max(n_orthogonal, n_components - weights.shape[1])
    removed = deflate(X, lambda rest: _orthogonal_weights(rest, weights), wanted)
    return _Correction((removed.remover @ weights).T, removed.rotations)


def _predictive_weights(X: FloatArray, targets: FloatArray, most: int) -> FloatArray:
    """Return orthonormal columns: the directions in which features vary with the targets."""
    directions, lengths, _ = np.linalg.svd(X.T @ targets, full_matrices=False)
    n_targets = max(1, min(targets.shape[1] - 1, most)) if targets.shape[1] > 1 else 1
    positive = (
        lengths[:n_targets] > _NULL_LENGTH * lengths[0] if lengths[0] > 0 else [True] * n_targets
    )
    weights: FloatArray = directions[:, :n_targets][:, positive]
    return weights


def _orthogonal_weights(X: FloatArray, weights: FloatArray) -> FloatArray | None:
    """Return the direction in which features vary most with the scores beside the weights.

    None if there is nothing left.
    """
    scores = X @ weights
    beside = (X - scores @ weights.T).T @ scores
    directions, lengths, _ = np.linalg.svd(beside, full_matrices=False)
    scale = float(np.linalg.norm(X)) * float(np.linalg.norm(scores))
    direction: FloatArray = directions[:, 0] - weights @ (weights.T @ directions[:, 0])
    return direction if lengths[0] > _NULL_LENGTH * max(scale, 1e-300) else None

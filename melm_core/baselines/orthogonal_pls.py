"""Discriminant analysis by orthogonal projections to latent structures (OPLS-DA)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    check_integer,
)
from melm_core.base.sample_weights import mean_of
from melm_core.baselines.partial_least_squares import (
    IndicatorRegression,
    class_indicators,
    deflate,
    explained_shares,
    indicators,
    regression,
    row_scales,
)
from melm_core.linalg.informed_planes import plane_through
from melm_core.linalg.row_space import row_space

# What is shorter than this, relative to the data, is taken for rounding.
_NULL = 1e-10


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
    positive = lengths[:n_targets] > _NULL * lengths[0] if lengths[0] > 0 else [True] * n_targets
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
    return direction if lengths[0] > _NULL * max(scale, 1e-300) else None

"""Coordinates in which the classes are white, covariances shrunk toward the pooled one, kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sample_weights import deviations_of, mean_of
from melm_core.density.shrinkage import Shrinkage, inverse_widths, regularized_covariances
from melm_core.linalg.class_moments import class_totals, rows_by_class, weights_by_class
from melm_core.linalg.row_space import NULL_VARIANCE, standardized_row_space

# "auto" mixes in just enough of the pooled covariance to raise the smallest variance of a class,
# relative to the pooled variance, to this value.
SMALLEST_RELATIVE_VARIANCE = 0.01


def pooled_covariance(covariances: FloatArray, counts: Sequence[float] | FloatArray) -> FloatArray:
    """Within-class covariance: the mean of the class covariances, weighted by class size."""
    pooled: FloatArray = np.average(covariances, axis=0, weights=np.asarray(counts, dtype=float))
    return pooled


def whitening(covariance: FloatArray) -> FloatArray:
    """Matrix W (n_features, rank) with W' covariance W = 1, without null directions.

    It is based on the eigenvectors of the correlation matrix, so that features
    in very different units are not mistaken for null directions.
    """
    # Rounding may leave a feature that is constant within the classes a variance below zero.
    units = inverse_widths(np.sqrt(np.maximum(np.diag(covariance), 0.0)))
    variances, directions = np.linalg.eigh(covariance * np.outer(units, units))
    kept = variances > NULL_VARIANCE * variances.max(initial=np.finfo(np.float64).tiny)
    whitener: FloatArray = units[:, None] * directions[:, kept] / np.sqrt(variances[kept])
    return whitener


def within_class_whitening(
    X: FloatArray,
    y: IntArray,
    *,
    shrinkage: Shrinkage = 0.0,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Matrix W (n_features, rank) that whitens the pooled within-class covariance of X W.

    Directions in which no class varies are dropped unless the class means differ there.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf"
        Of the class covariances; what is mixed towards the pooled one makes no difference.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    widths, n_features = deviations_of(X, weights), None
    space = standardized_row_space(X - mean_of(X, weights), widths, 1, weights)
    if space.basis is not None:
        n_features = int((widths > 0).sum())
    shapes = regularized_covariances(
        rows_by_class(space.rows, y), shrinkage, n_features, weights_by_class(weights, y)
    )
    whitener = whitening(pooled_covariance(shapes, class_totals(y, weights)))
    return space.lift_columns(whitener)


def shrinkage_shares(
    covariances: FloatArray, pooled: FloatArray, shrinkage: Shrinkage
) -> FloatArray:
    """The share of the pooled covariance to mix into each class covariance.

    Shrinking toward the identity instead would lose the invariance of the
    divergence under affine maps of the data.
    """
    if isinstance(shrinkage, str):
        whitener = whitening(pooled)
        return np.array([automatic_shrinkage(c, whitener) for c in covariances])
    return np.full(len(covariances), float(shrinkage))


def shrink(covariances: FloatArray, pooled: FloatArray, shares: FloatArray) -> FloatArray:
    """Mix a share of the pooled covariance into each class covariance."""
    mixed: FloatArray = covariances + shares[:, None, None] * (pooled - covariances)
    return mixed


def automatic_shrinkage(covariance: FloatArray, whitener: FloatArray) -> float:
    """Smallest weight that raises every relative variance to SMALLEST_RELATIVE_VARIANCE."""
    if whitener.shape[1] == 0:
        return 0.0
    smallest = max(float(np.linalg.eigvalsh(whitener.T @ covariance @ whitener)[0]), 0.0)
    if smallest >= SMALLEST_RELATIVE_VARIANCE:
        return 0.0
    return (SMALLEST_RELATIVE_VARIANCE - smallest) / (1.0 - smallest)


def bandwidth_factor(n_samples: float, n_components: int, gamma: float) -> float:
    """Bandwidth h_c = gamma (4/(k+2))^(1/(k+4)) N^(-1/(k+4)), relative to the class width."""
    exponent = 1.0 / (n_components + 4)
    return float(gamma * (4.0 / ((n_components + 2) * n_samples)) ** exponent)


def kernel_covariances(
    covariances: FloatArray,
    counts: FloatArray,
    n_components: int,
    gamma: float,
    shrinkage: Shrinkage,
) -> FloatArray:
    """The kernel covariances B_c of classes with these covariances and numbers of rows."""
    pooled = pooled_covariance(covariances, counts)
    shares = shrinkage_shares(covariances, pooled, shrinkage)
    factors = np.array([bandwidth_factor(count, n_components, gamma) for count in counts])
    kernels: FloatArray = np.square(factors)[:, None, None] * shrink(covariances, pooled, shares)
    return kernels

"""Covariances of classes: regularized, whitened, shrunk towards the pooled one, of their kernels.

A class covariance estimated from few rows has variances near zero along some
directions by chance, and the divergence, which divides by them, follows these.
Ledoit and Wolf's estimate mixes in as much of a scaled identity as the scatter
of the outer products of the rows asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.row_blocks import Rows
from melm_core.base.sample_weights import deviations_of, mean_of, totals_of
from melm_core.linalg.class_moments import (
    class_totals,
    covariance_of_means,
    moments_of_classes,
    pooled_covariance,
    row_parts,
    rows_by_class,
    total_covariance,
    weights_by_class,
)
from melm_core.linalg.smaller_tables import NULL_VARIANCE, fourth_powers, standardized_row_space

Shrinkage: TypeAlias = float | Literal["auto", "ledoit-wolf"]

# The form whose planes separate held-out rows best, of those that
# `python -m lab.experiments generalization` compares.
DEFAULT_SHRINKAGE: Shrinkage = "ledoit-wolf"

# Where the classes do not vary but their means differ, the variance within the
# classes is taken to be this share of the variance between their means.
LEAST_VARIANCE_OF_MEANS = 0.01

# "auto" mixes in just enough of the pooled covariance to raise the smallest variance of a class,
# relative to the pooled variance, to this value.
SMALLEST_RELATIVE_VARIANCE = 0.01


def ledoit_wolf_share(
    offsets: FloatArray, n_features: int, weights: FloatArray | None = None
) -> float:
    """Compute the Ledoit-Wolf share of a scaled identity to mix into a covariance.

    Parameters
    ----------
    offsets : ndarray of shape (n_samples, n_coordinates)
        Rows less their mean, in orthonormal coordinates of a space that holds them.
    n_features : int
        Dimension of the whole space, which the identity is of; at least n_coordinates.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    float
        Between 0 and 1; 0 if the rows do not vary, or there is one feature.

    References
    ----------
    O. Ledoit, M. Wolf: A Well-Conditioned Estimator for Large-Dimensional
    Covariance Matrices, Journal of Multivariate Analysis 88, 2004, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).standard_normal((50, 10)) * np.arange(1, 11)
    >>> round(ledoit_wolf_share(rows - rows.mean(axis=0), 10), 3)
    0.203
    """
    shares = np.full(len(offsets), 1.0 / len(offsets))
    total = float(len(offsets))
    if weights is not None:
        total = float(weights.sum())
        shares = weights / total
    lengths = np.concatenate([np.square(offsets[part]).sum(axis=1) for part in row_parts(offsets)])
    squares = np.square(_products(offsets, np.sqrt(shares)[:, None])).sum()
    return float(_shares(squares, shares @ lengths, shares @ np.square(lengths), total, n_features))


def _shares(
    squares: FloatArray,
    traces: FloatArray,
    fourths: FloatArray,
    totals: FloatArray | float,
    n_features: int,
) -> FloatArray:
    """Compute the shares of covariances from their squared norms and traces.

    Also from the mean fourth powers of the lengths of the offsets, and the numbers of rows.
    """
    distances = squares - np.square(traces) / max(n_features, 1)
    varies = distances > np.finfo(np.float64).eps * squares
    shares: FloatArray = (fourths - squares) / (totals * np.where(varies, distances, np.inf))
    return np.clip(shares, 0.0, 1.0)


def _products(offsets: FloatArray, scales: FloatArray) -> FloatArray:
    """Inner products of the scaled columns, or of the scaled rows if these are fewer."""
    if offsets.shape[1] >= len(offsets):
        scaled = offsets * scales
        return scaled @ scaled.T
    products = np.zeros((offsets.shape[1], offsets.shape[1]))
    for part in row_parts(offsets):
        scaled = offsets[part] * scales[part]
        products += scaled.T @ scaled
    return products


def regularized_covariances(
    rows: Sequence[Rows],
    shrinkage: Shrinkage,
    n_features: int | None = None,
    weights: Sequence[FloatArray] | None = None,
) -> FloatArray:
    """Compute class covariances that are not null in any direction of the class means.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf"
        "ledoit-wolf" shrinks each class covariance towards the identity of the
        standardized features; the others leave it as it is.
    n_features : int or None
        Number of standardized features that the coordinates are orthonormal ones of;
        None where the coordinates are features, in any units.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.
    """
    means, covariances = moments_of_classes(rows, weights)
    counts = totals_of(rows, weights)
    pooled = pooled_covariance(covariances, counts)
    between = covariance_of_means(means, counts)
    identity = np.ones(len(pooled))
    if n_features is None:
        identity = np.diag(pooled) + np.diag(between)
        n_features = int((identity > 0).sum())
    if shrinkage == "ledoit-wolf":
        units = inverse_widths(np.sqrt(identity))
        scaled = covariances * np.outer(units, units)
        traces = np.trace(scaled, axis1=1, axis2=2)
        fourths = fourth_powers(rows, means, units, weights) / counts
        squares = np.square(scaled).sum(axis=(1, 2))
        shares = _shares(squares, traces, fourths, counts, n_features)
        variances = shares * traces / max(n_features, 1)
        covariances = (1.0 - shares)[:, None, None] * covariances
        covariances += variances[:, None, None] * _identity_of_varying(pooled + between, identity)
        pooled = pooled_covariance(covariances, counts)
    regularized: FloatArray = covariances + variance_of_means(pooled, between, identity)
    return regularized


def _identity_of_varying(total: FloatArray, identity: FloatArray) -> FloatArray:
    """Return the identity of standardized features in the directions of the rows."""
    widths = np.sqrt(identity)
    units = inverse_widths(widths)
    variances, directions = np.linalg.eigh(total * np.outer(units, units))
    varying = variances > NULL_VARIANCE * variances.max(initial=np.finfo(np.float64).tiny)
    if varying.all():
        return np.diag(identity)
    projector = directions[:, varying] @ directions[:, varying].T
    identity_of_varying: FloatArray = projector * np.outer(widths, widths)
    return identity_of_varying


def variance_of_means(
    pooled: FloatArray, between: FloatArray, identity: FloatArray | None = None
) -> FloatArray:
    """Return what to add to every class covariance so that no direction of the means is null.

    A direction in which no class varies separates the classes exactly if their means
    differ there. Whitening would drop it.

    Parameters
    ----------
    pooled, between : ndarray of shape (n_features, n_features)
        Covariances within the classes and of their means.
    identity : ndarray of shape (n_features,) or None
        Variances that count as one; None for those of all rows.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        LEAST_VARIANCE_OF_MEANS of the covariance of the means, within the null space of
        the pooled covariance; zero where that space is empty.
    """
    if identity is None:
        identity = np.diag(pooled) + np.diag(between)
    widths = np.sqrt(identity)
    units = inverse_widths(widths)
    scale = np.outer(units, units)
    variances, directions = np.linalg.eigh(pooled * scale)
    largest = variances.max(initial=np.finfo(np.float64).tiny)
    null = directions[:, variances <= NULL_VARIANCE * largest]
    if null.shape[1] == 0:
        return np.zeros_like(pooled)
    within = null @ (null.T @ (between * scale) @ null) @ null.T
    lift: FloatArray = LEAST_VARIANCE_OF_MEANS * within * np.outer(widths, widths)
    return lift


def inverse_widths(widths: FloatArray) -> FloatArray:
    """Divide one by each width, 0 where that is 0."""
    return np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0)


def whitening(covariance: FloatArray, widths: FloatArray | None = None) -> FloatArray:
    """Compute W (n_features, rank) with W' covariance W = 1, without null directions.

    It is based on the eigenvectors of the correlation matrix, so that features
    in very different units are not mistaken for null directions.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
    widths : ndarray of shape (n_features,) or None
        Units of the features, by default their deviations. Where there are null directions, they
        decide what W makes of rows that vary along these.
    """
    if widths is None:
        # Rounding may leave a feature that is constant within the classes a variance below zero.
        widths = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    units = inverse_widths(widths)
    variances, directions = np.linalg.eigh(covariance * np.outer(units, units))
    positive = variances > NULL_VARIANCE * variances.max(initial=np.finfo(np.float64).tiny)
    whitener: FloatArray = units[:, None] * directions[:, positive] / np.sqrt(variances[positive])
    return whitener


def whitening_of_classes(
    covariances: FloatArray, rows: Sequence[Rows], weights: Sequence[FloatArray] | None = None
) -> FloatArray:
    """Compute W (n_features, rank) that whitens the pooled covariance of classes.

    Rows that span fewer dimensions than there are features determine W on their span alone. It is
    then taken within the span of the features in units of their deviations over all rows, as
    `standardized_row_space` takes it of tables with more features than rows.

    Parameters
    ----------
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Regularized.
    rows : sequence of ndarray of shape (n_samples_of_class, n_features), or of ClassRows
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.
    """
    counts = totals_of(rows, weights)
    pooled = pooled_covariance(covariances, counts)
    whitener = whitening(pooled)
    if whitener.shape[1] == len(pooled):
        return whitener
    total = total_covariance(*moments_of_classes(rows, weights), counts)
    return whitening(pooled, np.sqrt(np.diag(total)))


def fixed_axes(whitener: FloatArray) -> FloatArray:
    """Rotate whitened coordinates to axes that do not depend on what computed them.

    White coordinates stay white in any orthonormal axes. Those of eigenvectors depend on the order
    and repetition of the rows and on the linear algebra library, and with them would all random
    planes of a seed. These axes depend on the whitened space and its metric alone: they are those
    of Gaussian directions of the standardized features, made orthonormal one by one.

    Parameters
    ----------
    whitener : ndarray of shape (n_features, rank)

    Returns
    -------
    ndarray of shape (rank, rank)
        Orthogonal R; the coordinates are X W R.

    Examples
    --------
    >>> import numpy as np
    >>> W = np.diag([1.0, 2.0, 0.5])
    >>> turned = W @ np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, -1.0]])
    >>> np.allclose(W @ fixed_axes(W), turned @ fixed_axes(turned))
    True
    """
    units = inverse_widths(np.linalg.norm(whitener, axis=1))[:, None]
    directions = _directions(whitener.shape)
    axes, triangle = np.linalg.qr(whitener.T @ (units * directions))
    fixed: FloatArray = axes * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return fixed


@lru_cache(maxsize=16)  # all refits of a study have the same ones
def _directions(shape: tuple[int, ...]) -> FloatArray:
    directions = np.random.default_rng(0).standard_normal(shape)
    directions.flags.writeable = False
    return directions


def within_class_whitening(
    X: FloatArray,
    y: IntArray,
    *,
    shrinkage: Shrinkage = 0.0,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Compute W (n_features, rank) that whitens the pooled within-class covariance of X W.

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
    covariances: FloatArray, pooled: FloatArray, shrinkage: Shrinkage, *, is_white: bool = False
) -> FloatArray:
    """Compute the share of the pooled covariance to mix into each class covariance.

    Shrinking toward the identity instead would lose the invariance of the
    divergence under affine maps of the data.
    """
    if isinstance(shrinkage, str):
        whitener = np.eye(len(pooled)) if is_white else whitening(pooled)
        return automatic_shrinkage(covariances, whitener)
    return np.full(len(covariances), float(shrinkage))


def shrink(covariances: FloatArray, pooled: FloatArray, shares: FloatArray) -> FloatArray:
    """Mix a share of the pooled covariance into each class covariance."""
    mixed: FloatArray = covariances + shares[:, None, None] * (pooled - covariances)
    return mixed


def automatic_shrinkage(covariances: FloatArray, whitener: FloatArray) -> FloatArray:
    """Compute the least share of each class with SMALLEST_RELATIVE_VARIANCE."""
    if whitener.shape[1] == 0:
        return np.zeros(len(covariances))
    variances = np.linalg.eigvalsh(whitener.T @ covariances @ whitener)
    smallest = np.clip(variances[:, 0], 0.0, SMALLEST_RELATIVE_VARIANCE)
    shares: FloatArray = (SMALLEST_RELATIVE_VARIANCE - smallest) / (1.0 - smallest)
    return shares


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
    *,
    is_white: bool = False,
) -> FloatArray:
    """Compute the kernel covariances B_c of classes with these covariances and numbers of rows.

    Of rows that are white within the classes the pooled covariance is known to be the identity.
    """
    pooled = pooled_covariance(covariances, counts)
    shares = shrinkage_shares(covariances, pooled, shrinkage, is_white=is_white)
    factors = np.array([bandwidth_factor(count, n_components, gamma) for count in counts])
    kernels: FloatArray = np.square(factors)[:, None, None] * shrink(covariances, pooled, shares)
    return kernels

"""The kernels of classes, as their rows have them.

A class with N_c rows and covariance cov_c (divisor N_c) has a Gaussian kernel
of covariance B_c = h_c^2 cov_c, where h_c is the bandwidth of Silverman's rule
times gamma (MELM paper, section 3). In the plane V its covariance is V'B_cV:
the density on the page is the one that is optimized.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.row_blocks import (
    BlockSource,
    ClassRows,
    RowView,
    added,
    class_rows,
    in_memory,
    reduce_rows,
    take_rows,
)
from melm_core.base.sample_weights import deviations_of, mean_of, totals_of
from melm_core.density.class_densities import ClassDensities, check_nufft_components
from melm_core.density.covariances import (
    DEFAULT_SHRINKAGE,
    Shrinkage,
    fixed_axes,
    kernel_covariances,
    regularized_covariances,
    whitening_of_classes,
)
from melm_core.linalg.class_moments import (
    moments_of_classes,
    rows_by_class,
    square_sum,
    weights_by_class,
)
from melm_core.linalg.planes import orthonormalize, principal_frame
from melm_core.linalg.smaller_tables import (
    RowSpace,
    is_wide,
    row_space,
    standardized_row_space,
)

# Up to this many rows a fit takes all of them instead of samples, and less time in memory.
MOST_IN_MEMORY = 10_000


def kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> ClassDensities:
    """Split the rows by class and compute the kernel of each class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_components : int
        Dimension of the plane in which the densities will be evaluated.
    gamma : float
        Width of the kernels relative to Silverman's rule.
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf"
        Share of the pooled within-class covariance mixed into every class
        covariance. "auto" mixes in nothing unless a class is nearly flat in
        some direction; "ledoit-wolf" first regularizes each class covariance,
        see `melm_core.density.covariances.regularized_covariances`.
    weights : ndarray of shape (n_samples,) or None
        Of the rows, above 0; None if each counts once.
    """
    space = RowSpace(X)
    n_features = None
    of_class = weights_by_class(weights, y)
    if is_wide(X, n_components):
        # Not centered, so that projections agree with those of the data.
        widths = deviations_of(X, weights)
        scales, n_features = np.where(widths > 0, widths, 1.0), int((widths > 0).sum())
        scaled = row_space(X / scales, n_components)
        unit = np.eye(scaled.rows.shape[1])
        space = RowSpace(scaled.rows, scales[:, None] * scaled.lift_columns(unit))
    rows = rows_by_class(space.rows, y)
    covariances = regularized_covariances(rows, shrinkage, n_features, of_class)
    totals = totals_of(rows, of_class)
    kernels = kernel_covariances(covariances, totals, n_components, gamma, shrinkage)
    return ClassDensities(rows, kernels, space.basis, of_class)


def whitened_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> tuple[ClassDensities, FloatArray]:
    """Estimate `kernel_classes` in coordinates that are white within the classes.

    The rows of a class replace their copy before those of the next one are whitened, which bounds
    the memory.

    Returns
    -------
    classes : ClassDensities
        Rows (X - mean) W and their kernels.
    whitener : ndarray of shape (n_features, rank)
        W, see `whitening`.
    """
    mean = mean_of(X, weights)
    space = RowSpace(X)
    n_features = None
    of_class = weights_by_class(weights, y)
    if is_wide(X, n_components):
        widths = deviations_of(X, weights)
        space = standardized_row_space(X - mean, widths, n_components, weights)
        mean, n_features = np.zeros(space.rows.shape[1]), int((widths > 0).sum())
    blocks = list(rows_by_class(space.rows, y))
    totals = totals_of(blocks, of_class)
    covariances = regularized_covariances(blocks, shrinkage, n_features, of_class)
    whitener = whitening_of_classes(covariances, blocks, of_class)
    whitener = whitener @ fixed_axes(space.lift_columns(whitener))
    white = whitener.T @ covariances @ whitener
    kernels = kernel_covariances(white, totals, n_components, gamma, shrinkage, is_white=True)
    rows = []
    while blocks:
        block = blocks.pop(0)
        block -= mean
        rows.append(block @ whitener)
    return ClassDensities(tuple(rows), kernels, weights=of_class), space.lift_columns(whitener)


def centered_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> tuple[ClassDensities, FloatArray]:
    """Estimate `kernel_classes`, centered but not whitened.

    Returns
    -------
    classes : ClassDensities
    identity : ndarray of shape (n_features, n_features)
        In place of a whitener.
    """
    space = row_space(X - mean_of(X, weights), n_components)
    classes = kernel_classes(
        space.rows,
        y,
        n_components=n_components,
        gamma=gamma,
        shrinkage=shrinkage,
        weights=weights,
    )
    return classes, space.lift_columns(np.eye(space.rows.shape[1]))


def kernel_classes_in_blocks(
    source: BlockSource,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
) -> ClassDensities:
    """Estimate `kernel_classes` of a table that need not be in memory.

    Parameters
    ----------
    source : BlockSource
        With more rows than features.
    n_components : int
        Dimension of the plane, at most 3.
    gamma : float
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf"

    Returns
    -------
    ClassDensities
        Its rows are `ClassRows`; project them into the plane of any linear method.
    """
    check_nufft_components(n_components)
    blocks = class_rows(source)
    covariances = regularized_covariances(blocks, shrinkage)
    kernels = kernel_covariances(covariances, totals_of(blocks), n_components, gamma, shrinkage)
    return ClassDensities(cast("tuple[FloatArray, ...]", blocks), kernels)


def kernel_classes_of_blocks(
    source: BlockSource, *, n_components: int, gamma: float = 1.0, shrinkage: Shrinkage
) -> tuple[ClassDensities, FloatArray, FloatArray]:
    """Estimate `whitened_kernel_classes` of a table that need not be in memory.

    Parameters
    ----------
    source : BlockSource
        With more rows than features.

    Returns
    -------
    classes : ClassDensities
        Its rows are `ClassRows`, for the sums over rows of the divergence, but for those of
        small tables.
    whitener : ndarray of shape (n_features, rank)
    mean : ndarray of shape (n_features,)
    """
    blocks = class_rows(source)
    totals = totals_of(blocks)
    if totals.sum() > MOST_IN_MEMORY:
        check_nufft_components(n_components)
    mean = np.average(moments_of_classes(blocks)[0], axis=0, weights=totals)
    covariances = regularized_covariances(blocks, shrinkage)
    whitener = whitening_of_classes(covariances, blocks)
    whitener = whitener @ fixed_axes(whitener)
    white = whitener.T @ covariances @ whitener
    kernels = kernel_covariances(white, totals, n_components, gamma, shrinkage, is_white=True)
    views = [RowView(code, mean, whitener) for code in range(len(blocks))]
    white_rows = tuple(ClassRows(source, view) for view in views)
    if totals.sum() <= MOST_IN_MEMORY:
        rows = take_rows(white_rows, [np.arange(len(block)) for block in blocks])
    else:  # They stand in for arrays in everything that only sums over rows.
        rows = cast("tuple[FloatArray, ...]", white_rows)
    return ClassDensities(rows, kernels), whitener, mean


def principal_axes(
    components: FloatArray, classes: ClassDensities, whitener: FloatArray
) -> tuple[FloatArray, ClassDensities]:
    """Return orthonormal rows in data space along the principal axes of the projected rows.

    Parameters
    ----------
    components : ndarray of shape (n_components, rank)
        In the whitened space.
    classes : ClassDensities
        Whitened.
    whitener : ndarray of shape (n_features, rank)

    Returns
    -------
    axes : ndarray of shape (n_components, n_features)
    projected : ClassDensities
        The classes in the plane, along these axes.
    """
    raw = components @ whitener.T
    frame = orthonormalize(raw)
    inverse = frame.T @ np.linalg.inv(raw @ frame.T)  # the pseudoinverse of raw
    projected = classes.project(frame @ inverse @ components)
    if in_memory(projected.rows):
        blocks = zip(projected.rows, projected.weights_of_classes, strict=True)
        sums = [square_sum(rows, weights) for rows, weights in blocks]
    else:
        sums = reduce_rows(_square_sum, added, projected.rows)
    moment = sum(sums) / classes.totals.sum()
    principal = principal_frame(frame, np.asarray(moment))
    return principal, projected.project(principal @ frame.T)


def _square_sum(_: int, rows: FloatArray) -> FloatArray:
    return square_sum(rows)

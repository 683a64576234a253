"""Class kernels of a table that need not be in memory."""

from __future__ import annotations

from typing import cast

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.row_blocks import BlockSource, ClassRows, RowView, class_rows, take_rows
from melm_core.base.sample_weights import totals_of
from melm_core.density.information_potentials import check_nufft_components
from melm_core.density.kernel_density import KernelClasses
from melm_core.density.shrinkage import (
    DEFAULT_SHRINKAGE,
    Shrinkage,
    regularized_covariances,
)
from melm_core.density.whitening import kernel_covariances, pooled_covariance, whitening
from melm_core.linalg.class_moments import moments_of_classes

# Up to this many rows a fit takes all of them instead of samples, and less time in memory.
MOST_IN_MEMORY = 10_000


def kernel_classes_in_blocks(
    source: BlockSource,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
) -> KernelClasses:
    """As `kernel_classes`, of a table that need not be in memory.

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
    KernelClasses
        Its rows are `ClassRows`; project them into the plane of any linear method.
    """
    check_nufft_components(n_components)
    blocks = class_rows(source)
    covariances = regularized_covariances(blocks, shrinkage)
    kernels = kernel_covariances(covariances, totals_of(blocks), n_components, gamma, shrinkage)
    return KernelClasses(cast("tuple[FloatArray, ...]", blocks), kernels)


def kernel_classes_of_blocks(
    source: BlockSource, *, n_components: int, gamma: float = 1.0, shrinkage: Shrinkage
) -> tuple[KernelClasses, FloatArray, FloatArray]:
    """As `whitened_kernel_classes`, of a table that need not be in memory.

    Parameters
    ----------
    source : BlockSource
        With more rows than features.

    Returns
    -------
    classes : KernelClasses
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
    whitener = whitening(pooled_covariance(covariances, totals))
    white = whitener.T @ covariances @ whitener
    kernels = kernel_covariances(white, totals, n_components, gamma, shrinkage)
    views = [RowView(code, mean, whitener) for code in range(len(blocks))]
    white_rows = tuple(ClassRows(source, view) for view in views)
    if totals.sum() <= MOST_IN_MEMORY:
        rows = take_rows(white_rows, [np.arange(len(block)) for block in blocks])
    else:  # They stand in for arrays in everything that only sums over rows.
        rows = cast("tuple[FloatArray, ...]", white_rows)
    return KernelClasses(rows, kernels), whitener, mean

"""The principal axes of projected classes."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.row_blocks import added, in_memory, reduce_rows
from melm_core.density.class_densities import ClassDensities
from melm_core.linalg.planes import orthonormalize, principal_frame
from melm_core.linalg.second_moments import square_sum


def principal_axes(
    components: FloatArray, classes: ClassDensities, whitener: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Orthonormal rows in data space along the principal axes of the projected rows.

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
    change : ndarray of shape (n_components, n_components)
        `change @ components`, in the whitened space, gives the same projection.
    """
    raw = components @ whitener.T
    inverse = np.linalg.pinv(raw)
    frame = orthonormalize(raw)
    projected = classes.project(frame @ inverse @ components)
    if in_memory(projected.rows):
        blocks = zip(projected.rows, projected.weights_of_classes, strict=True)
        sums = [square_sum(rows, weights) for rows, weights in blocks]
    else:
        sums = reduce_rows(_square_sum, added, projected.rows)
    moment = sum(sums) / classes.totals.sum()
    principal = principal_frame(frame, np.asarray(moment))
    return principal, principal @ inverse


def _square_sum(_: int, rows: FloatArray) -> FloatArray:
    return square_sum(rows)

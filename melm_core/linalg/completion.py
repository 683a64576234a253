"""Planes from the directions that a method has found."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.linalg.class_moments import rows_by_class
from melm_core.linalg.informed_planes import complete
from melm_core.linalg.planes import PARALLEL, with_positive_loadings


def plane_through(
    directions: FloatArray,
    centered: FloatArray,
    n_components: int,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, int]:
    """Return the plane spanned by the first linearly independent directions.

    If there are too few, it is completed by the principal directions of the
    data projected onto their orthogonal complement.

    Parameters
    ----------
    directions : ndarray of shape (n_directions, n_features)
        Of any length; null and dependent rows are skipped.
    centered : ndarray of shape (n_samples, n_features)
        The data less their mean.
    n_components : int
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows; the largest loading of each is positive.
    n_found : int
        Number of rows that come from the directions.
    """
    basis, _ = independent_rows(directions, n_components)
    completed = complete(basis, centered, n_components, weights)
    return with_positive_loadings(completed), len(basis)


def independent_rows(directions: FloatArray, most: int) -> tuple[FloatArray, list[int]]:
    """Orthonormalize the first linearly independent directions.

    By Gram-Schmidt orthogonalization with reorthogonalization.

    Parameters
    ----------
    directions : ndarray of shape (n_directions, n_features)
    most : int
        Maximum number of rows.

    Returns
    -------
    rows : ndarray of shape (n_rows, n_features)
    indices : list of int
        The direction of each row.
    """
    rows, indices = np.empty((0, directions.shape[1])), []
    for index, direction in enumerate(directions):
        length = np.linalg.norm(direction)
        if len(rows) == most or length == 0:
            continue
        rest = _without(rows, direction / length)
        if np.linalg.norm(rest) > PARALLEL:
            rest = _without(rows, rest / np.linalg.norm(rest))
            rows = np.vstack([rows, rest / np.linalg.norm(rest)])
            indices.append(index)
    return rows, indices


def separating_constants(X: FloatArray, y: IntArray) -> FloatArray:
    """Return directions of the class means in the features that no class varies in.

    A feature that is constant within every class and differs between them separates
    the classes exactly. A method that compares variances does not see it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes.

    Returns
    -------
    ndarray of shape (n_directions, n_features)
        No more rows than classes less one; none where every feature varies
        within a class, or is the same in all of them.
    """
    blocks = rows_by_class(X, y)
    constant = np.all([(block == block[0]).all(axis=0) for block in blocks], axis=0)
    offsets = np.stack([block[0] for block in blocks])[:, constant] - X[0, constant]
    widths = np.abs(offsets).max(axis=0, initial=0.0)
    separating = widths > 0
    directions = np.zeros((len(blocks) - 1, X.shape[1]))
    columns = np.flatnonzero(constant)[separating]
    _, lengths, axes = np.linalg.svd(
        (offsets - offsets.mean(axis=0))[:, separating] / widths[separating], full_matrices=False
    )
    independent = axes[: len(blocks) - 1][lengths[: len(blocks) - 1] > PARALLEL]
    directions[: len(independent), columns] = independent / widths[separating]
    return directions[: len(independent)]


def standard_units(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standardize the features to mean 0 and standard deviation 1.

    The computation is relative to a row of the data, so that a constant
    feature becomes exactly zero; its unit is 1.

    Returns
    -------
    standardized : ndarray of shape (n_samples, n_features)
    widths : ndarray of shape (n_features,)
        Standard deviations, with divisor N.
    """
    offsets = X - X[0]
    widths = offsets.std(axis=0)
    widths = np.where(widths > 0, widths, 1.0)
    return (offsets - offsets.mean(axis=0)) / widths, widths


def _without(rows: FloatArray, direction: FloatArray) -> FloatArray:
    rest: FloatArray = direction - (rows @ direction) @ rows
    return rest

"""Planes from the moments of the classes, and from the directions that a method has found."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.linalg.class_moments import covariance_of, rows_by_class, total_covariance
from melm_core.linalg.planes import PARALLEL, orthonormalize, with_positive_loadings
from melm_core.linalg.smaller_tables import row_space

# Number of directions along which the class covariances differ most.
_N_SCATTER_DIRECTIONS = 3


def informed_planes(
    means: FloatArray, covariances: FloatArray, totals: FloatArray, n_components: int
) -> list[FloatArray]:
    """Propose the planes of PCA and LDA, and planes in which the classes differ.

    For wide kernels the divergence depends on the means and covariances of the
    classes only, so its maxima lie near the directions in which these differ.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_features)
        Of rows that are whitened within the classes.
    covariances : ndarray of shape (n_classes, n_features, n_features)
    totals : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    n_components : int

    Returns
    -------
    list of ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    discriminants = fisher_discriminants(means, totals, n_components)
    scatter = scatter_directions(covariances, _N_SCATTER_DIRECTIONS)
    directions = np.vstack([discriminants[:1], scatter])
    subsets = list(combinations(range(len(directions)), n_components))
    planes = directions[np.array(subsets, dtype=np.int64).reshape(-1, n_components)]
    squares = np.linalg.eigvalsh(planes @ planes.swapaxes(-1, -2))  # of singular values
    independent = squares[:, 0] > PARALLEL**2
    total = total_covariance(means, covariances, totals)
    return [
        principal_directions(total, n_components),
        _completed(discriminants, total, n_components),
        *orthonormalize(planes[independent]),
    ]


def principal_directions(covariance: FloatArray, n_directions: int) -> FloatArray:
    """Compute directions of largest variance, as orthonormal rows (n_directions, n_features)."""
    _, directions = np.linalg.eigh(covariance)
    return np.ascontiguousarray(directions[:, ::-1][:, :n_directions].T)


def scatter_directions(covariances: FloatArray, n_directions: int) -> FloatArray:
    """Compute directions along which the class variances differ most from the pooled variance.

    The leading eigenvectors of the mean over classes of (cov_c - 1)^2, as
    orthonormal rows.

    Parameters
    ----------
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Of rows that are whitened within the classes.
    n_directions : int
    """
    offsets = covariances - np.eye(covariances.shape[1])
    return principal_directions((offsets @ offsets).mean(axis=0), n_directions)


def fisher_discriminants(means: FloatArray, totals: FloatArray, n_components: int) -> FloatArray:
    """Fisher's discriminants, at most n_classes - 1 orthonormal rows.

    In coordinates whitened within the classes they are the principal
    directions of the class means.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_features)
        Of rows that are whitened within the classes.
    totals : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    n_components : int
    """
    offsets = np.sqrt(totals)[:, None] * (means - totals @ means / totals.sum())
    _, strengths, directions = np.linalg.svd(offsets, full_matrices=False)
    distinct = int(np.sum(strengths[: len(totals) - 1] > 1e-8 * strengths.max(initial=1e-300)))
    return directions[: min(n_components, distinct)]


def complete(
    components: FloatArray, X: FloatArray, n_components: int, weights: FloatArray | None = None
) -> FloatArray:
    """Add principal directions of X in the orthogonal complement, up to n_components rows.

    Parameters
    ----------
    components : ndarray of shape (n_given, n_features)
        Orthonormal rows, possibly none.
    X : ndarray of shape (n_samples, n_features)
    n_components : int
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    if len(components) == n_components:
        return orthonormalize(components)
    space = row_space(np.vstack([components, X]), n_components)
    given, rows = space.rows[: len(components)], space.rows[len(components) :]
    return orthonormalize(space.lift(_completed(given, covariance_of(rows, weights), n_components)))


def _completed(components: FloatArray, covariance: FloatArray, n_components: int) -> FloatArray:
    """Complete components by principal directions orthogonal to them."""
    if len(components) < n_components:
        _, _, frame = np.linalg.svd(components)
        orthogonal = frame[len(components) :]  # (n_features - n_given, n_features)
        left = orthogonal @ covariance @ orthogonal.T
        rest = principal_directions(left, n_components - len(components)) @ orthogonal
        components = np.vstack([components, rest])
    return orthonormalize(components)


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

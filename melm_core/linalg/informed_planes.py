"""Initial planes from the means and covariances of the classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.linalg.class_moments import covariance_of, total_covariance
from melm_core.linalg.planes import PARALLEL, orthonormalize
from melm_core.linalg.row_space import row_space

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

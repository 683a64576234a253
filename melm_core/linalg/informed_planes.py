"""Initial planes from the means and covariances of the classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sample_weights import mean_of
from melm_core.linalg.class_moments import (
    class_covariances,
    class_means,
    class_totals,
    covariance_of,
    rows_by_class,
    weights_by_class,
)
from melm_core.linalg.planes import PARALLEL, orthonormalize
from melm_core.linalg.row_space import row_space

# Number of directions along which the class covariances differ most.
_N_SCATTER_DIRECTIONS = 3


def informed_planes(
    X: FloatArray, y: IntArray, n_components: int, weights: FloatArray | None = None
) -> list[FloatArray]:
    """The planes of PCA and LDA, and planes of directions in which the classes differ.

    For wide kernels the divergence depends on the means and covariances of the
    classes only, so its maxima lie near the directions in which these differ.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    y : ndarray of shape (n_samples,)
        Class codes.
    n_components : int
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    list of ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    discriminants = fisher_discriminants(X, y, n_components, weights)
    scatter = scatter_directions(X, y, _N_SCATTER_DIRECTIONS, weights)
    directions = np.vstack([discriminants[:1], scatter])
    chosen = list(combinations(range(len(directions)), n_components))
    planes = directions[np.array(chosen, dtype=np.int64).reshape(-1, n_components)]
    independent = np.linalg.matrix_rank(planes, tol=PARALLEL) == n_components
    return [
        principal_components(X, n_components, weights),
        complete(discriminants, X, n_components, weights),
        *orthonormalize(planes[independent]),
    ]


def principal_components(
    X: FloatArray, n_components: int, weights: FloatArray | None = None
) -> FloatArray:
    """Directions of the largest variance, as orthonormal rows (n_components, n_features)."""
    _, directions = np.linalg.eigh(covariance_of(X, weights))
    return np.ascontiguousarray(directions[:, ::-1][:, :n_components].T)


def scatter_directions(
    X: FloatArray, y: IntArray, n_directions: int, weights: FloatArray | None = None
) -> FloatArray:
    """Directions along which the class variances differ most from the pooled variance.

    The leading eigenvectors of the mean over classes of (cov_c - 1)^2, as
    orthonormal rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    """
    unit = np.eye(X.shape[1])
    offsets = class_covariances(rows_by_class(X, y), weights_by_class(weights, y)) - unit
    _, directions = np.linalg.eigh((offsets @ offsets).mean(axis=0))
    return np.ascontiguousarray(directions[:, ::-1][:, :n_directions].T)


def fisher_discriminants(
    X: FloatArray, y: IntArray, n_components: int, weights: FloatArray | None = None
) -> FloatArray:
    """Fisher's discriminants, at most n_classes - 1 orthonormal rows.

    In coordinates whitened within the classes they are the principal
    directions of the class means.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    """
    counts = class_totals(y, weights)
    offsets = np.sqrt(counts)[:, None] * (class_means(X, y, weights) - mean_of(X, weights))
    _, strengths, directions = np.linalg.svd(offsets, full_matrices=False)
    distinct = int(np.sum(strengths[: len(counts) - 1] > 1e-8 * strengths.max(initial=1e-300)))
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
    missing = n_components - len(components)
    if missing == 0:
        return orthonormalize(components)
    space = row_space(np.vstack([components, X]), n_components)
    given, rows = space.rows[: len(components)], space.rows[len(components) :]
    rest = _principal_rest(given, rows, missing, weights)
    return orthonormalize(space.lift(np.vstack([given, rest])))


def _principal_rest(
    components: FloatArray, X: FloatArray, n_directions: int, weights: FloatArray | None
) -> FloatArray:
    """Principal directions of X orthogonal to the components, as rows."""
    _, _, frame = np.linalg.svd(components)
    orthogonal = frame[len(components) :]  # (n_features - n_given, n_features)
    rest = principal_components(X @ orthogonal.T, n_directions, weights)
    directions: FloatArray = rest @ orthogonal
    return directions

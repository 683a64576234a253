"""Planes to begin an ascent from: two informed ones, then random ones."""

from __future__ import annotations

import numpy as np

from melm_core._typing import FloatArray, IntArray
from melm_core.geometry import orthonormalize, random_components
from melm_core.optimize import Start


def default_starts(
    X: FloatArray, y: IntArray, *, n_components: int, n_init: int, random_state: int
) -> list[Start]:
    """PCA and LDA planes first, random planes after them.

    Every start has its own stream of random numbers, so start i is the same
    plane whatever `n_init` is.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    y : ndarray of shape (n_samples,)
        Class codes.
    """
    informed = [
        Start("pca", principal_components(X, n_components)),
        Start("lda", complete(fisher_discriminants(X, y, n_components), X, n_components)),
    ]
    streams = np.random.SeedSequence(random_state).spawn(n_init)
    drawn = [
        Start(
            "random",
            random_components(n_components, X.shape[1], np.random.default_rng(stream)),
        )
        for stream in streams[len(informed) :]
    ]
    return informed[:n_init] + drawn


def principal_components(X: FloatArray, n_components: int) -> FloatArray:
    """Directions of the largest variance, orthonormal rows."""
    covariance = np.cov(X.T, ddof=0).reshape(X.shape[1], -1)
    _, directions = np.linalg.eigh(covariance)
    return np.ascontiguousarray(directions[:, ::-1][:, :n_components].T)


def fisher_discriminants(X: FloatArray, y: IntArray, n_components: int) -> FloatArray:
    """Directions that separate the class means most, orthonormal rows, at most C - 1 of them.

    With the within-class covariance white, Fisher's discriminants are the
    principal directions of the class means.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened within the classes.
    """
    counts = np.bincount(y)
    means = np.stack([X[y == code].mean(axis=0) for code in range(len(counts))])
    offsets = np.sqrt(counts)[:, None] * (means - X.mean(axis=0))
    _, strengths, directions = np.linalg.svd(offsets, full_matrices=False)
    distinct = int(np.sum(strengths[: len(counts) - 1] > 1e-8 * strengths.max(initial=1e-300)))
    return directions[: min(n_components, distinct)]


def complete(components: FloatArray, X: FloatArray, n_components: int) -> FloatArray:
    """Add principal directions of what the components leave of X, up to n_components rows.

    Parameters
    ----------
    components : ndarray of shape (n_given, n_features)
        Orthonormal rows, possibly none.
    X : ndarray of shape (n_samples, n_features)
    n_components : int
    """
    missing = n_components - len(components)
    if missing == 0:
        return orthonormalize(components)
    _, _, frame = np.linalg.svd(components)
    orthogonal = frame[len(components) :]  # (n_features - n_given, n_features)
    added = principal_components(X @ orthogonal.T, missing) @ orthogonal
    return orthonormalize(np.vstack([components, added]))

"""Planes and the frames that span them.

A plane is given by `components` of shape (n_components, n_features); its rows
span the plane. Functions that need orthonormal rows say so.
"""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError

# A direction closer than this to the span of others, as the sine of their
# angle, adds nothing but rounding.
PARALLEL = 1e-6


def orthonormalize(components: FloatArray) -> FloatArray:
    """Orthonormal rows that span the same plane, by QR with positive diagonal.

    Raises
    ------
    ValueError
        If the rows are linearly dependent, as more rows than features always are.
    """
    q, r = np.linalg.qr(components.T)  # (n_features, n_components)
    diagonal = np.diag(r)
    negligible = max(components.shape) * np.finfo(np.float64).eps
    lengths = np.linalg.norm(components, axis=1)
    if len(diagonal) < len(components) or (np.abs(diagonal) <= negligible * lengths).any():
        raise UserError(
            f"The {len(components)} components are linearly dependent; "
            "a plane needs independent rows."
        )
    rows: FloatArray = (q * np.sign(diagonal)).T
    return rows


def random_components(
    n_components: int, n_features: int, random_state: np.random.Generator
) -> FloatArray:
    """Orthonormal rows of a plane drawn uniformly (Haar measure)."""
    return orthonormalize(random_state.standard_normal((n_components, n_features)))


def principal_angles(components: FloatArray, reference: FloatArray) -> FloatArray:
    """Principal angles between two planes, in radians, ascending.

    Each angle comes from its sine where it is small and from its cosine where
    it is large (Björck and Golub, 1973), so that both ends are accurate.

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
        Any full-rank rows; they need not be orthonormal. Where one has fewer
        components, there are as many angles as it has: all zero if it lies
        within the other.
    """
    a, b = orthonormalize(components), orthonormalize(reference)
    left, cosines, right = np.linalg.svd(a @ b.T, full_matrices=False)
    matched, partner = left.T @ a, right @ b
    sines = np.linalg.norm(partner - cosines[:, None] * matched, axis=1)
    return np.sort(np.arctan2(sines, cosines))


def align_components(components: FloatArray, reference: FloatArray) -> FloatArray:
    """The frame of the same plane that is closest to `reference` (orthogonal Procrustes).

    Turns and reflects within the plane only; the plane itself does not change.

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    left, _, right = np.linalg.svd(reference @ components.T)
    aligned: FloatArray = left @ right @ components
    return aligned


def principal_frame(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """The frame of the same plane along the principal axes of the projected data.

    The first row takes the largest variance, and each row's largest loading is
    positive: a frame that depends on the plane and the data only.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    covariance : ndarray of shape (n_components, n_components)
        Covariance of the projected data.
    """
    _, axes = np.linalg.eigh(covariance)
    rows = axes[:, ::-1].T @ components
    strongest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return np.where(strongest < 0, -rows, rows)


def chordal_distance(components: FloatArray, reference: FloatArray) -> float:
    """Distance of two planes, the norm of the sines of their principal angles."""
    return float(np.linalg.norm(np.sin(principal_angles(components, reference))))


def geodesic(start: FloatArray, end: FloatArray, t: float) -> FloatArray:
    """The plane a share t of the way from one plane to another, along the shortest path.

    At t = 0 the rows are `start`; at t = 1 they span `end`, in the frame of it
    that turned least on the way.

    Parameters
    ----------
    start, end : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    t : float

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    left, cosines, right = np.linalg.svd(start @ end.T)
    begin, finish = left.T @ start, right @ end  # principal vectors, pair by pair
    away = finish - cosines[:, None] * begin
    sines = np.linalg.norm(away, axis=1)
    angles = np.arctan2(sines, cosines)
    directions = np.divide(away, sines[:, None], out=np.zeros_like(away), where=sines[:, None] > 0)
    rows: FloatArray = left @ (
        np.cos(t * angles)[:, None] * begin + np.sin(t * angles)[:, None] * directions
    )
    return rows


def align_projection(projection: FloatArray, reference: FloatArray) -> FloatArray:
    """One projection of some rows turned and reflected onto another (orthogonal Procrustes).

    Parameters
    ----------
    projection, reference : ndarray of shape (n_samples, n_components)
        The same rows in two planes.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        The projection about its mean, turned to lie closest to the reference
        about its own mean, and moved onto that mean.
    """
    centred = projection - projection.mean(axis=0)
    aligned: FloatArray = centred @ orthogonal_turn(projection, reference) + reference.mean(axis=0)
    return aligned


def orthogonal_turn(projection: FloatArray, reference: FloatArray) -> FloatArray:
    """The orthogonal matrix Q that brings a projection about its mean closest to a reference.

    Parameters
    ----------
    projection, reference : ndarray of shape (n_samples, n_components)
        The same rows in two planes; the projection times Q is the turned one.

    Returns
    -------
    ndarray of shape (n_components, n_components)
    """
    centred = projection - projection.mean(axis=0)
    left, _, right = np.linalg.svd(centred.T @ (reference - reference.mean(axis=0)))
    turn: FloatArray = left @ right
    return turn

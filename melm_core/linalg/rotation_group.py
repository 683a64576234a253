"""Rotations that turn a plane towards its complement, without turning within either."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray


def rotation(S: FloatArray) -> FloatArray:
    """The rotation exp([[0, S], [-S', 0]]), by the singular value decomposition of S.

    The paper's equation (1) leaves out a part of the identity where m > q;
    here each block has its own, so every shape is right.

    Parameters
    ----------
    S : ndarray of shape (m, q)
        Angles, in radians, of the rotations in the planes spanned by axis i
        and axis m + j.

    Returns
    -------
    ndarray of shape (m + q, m + q)
        Orthogonal, with determinant 1.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, section 4.1.
    """
    left, angles, right = np.linalg.svd(S, full_matrices=False)  # (m, r), (r,), (r, q)
    lost, gained = _cosine_less_one(angles), np.sin(angles)
    across = (left * gained) @ right
    within = np.eye(S.shape[0]) + (left * lost) @ left.T
    complement = np.eye(S.shape[1]) + (right.T * lost) @ right
    return np.block([[within, across], [-across.T, complement]])


def rotate(components: FloatArray, tangent: FloatArray) -> FloatArray:
    """The plane turned by rotation(S), for the tangent S O_w, without forming the complement O_w.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows O_z.
    tangent : ndarray of shape (n_components, n_features)
        Rows orthogonal to those of `components`; its singular values are the
        angles of the turn, in radians.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The first rows of rotation(S) [O_z; O_w], orthonormal.
    """
    left, angles, right = np.linalg.svd(tangent, full_matrices=False)
    turned: FloatArray = (
        components
        + (left * _cosine_less_one(angles)) @ (left.T @ components)
        + (left * np.sin(angles)) @ right
    )
    return turned


def _cosine_less_one(angles: FloatArray) -> FloatArray:
    """Accurate for small angles too."""
    lost: FloatArray = -2.0 * np.square(np.sin(0.5 * angles))
    return lost

"""Rotations of a plane towards its orthogonal complement, without rotation within either."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray


def rotation(S: FloatArray) -> FloatArray:
    """Compute the rotation exp([[0, S], [-S', 0]]) by the singular values of S.

    Equation (1) of the paper lacks a part of the identity for m > q; the
    formula here is valid for all shapes.

    Parameters
    ----------
    S : ndarray of shape (m, q)
        Angles, in radians, of the rotations in the planes of axis i and axis m + j.

    Returns
    -------
    ndarray of shape (m + q, m + q)
        Orthogonal, with determinant 1.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import rotation
    >>> rotation(np.array([[np.pi / 6]])).round(3)
    array([[ 0.866,  0.5  ],
           [-0.5  ,  0.866]])
    """
    left, angles, right = np.linalg.svd(S, full_matrices=False)  # (m, r), (r,), (r, q)
    cosines_minus_one, sines = _cosine_minus_one(angles), np.sin(angles)
    across = (left * sines) @ right
    within = np.eye(S.shape[0]) + (left * cosines_minus_one) @ left.T
    complement = np.eye(S.shape[1]) + (right.T * cosines_minus_one) @ right
    return np.block([[within, across], [-across.T, complement]])


def rotate(components: FloatArray, tangent: FloatArray) -> FloatArray:
    """Rotate a plane by rotation(S), given the tangent S O_w, without forming O_w.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows O_z.
    tangent : ndarray of shape (n_components, n_features)
        Rows orthogonal to those of `components`; its singular values are the
        angles of the rotation, in radians.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The first rows of rotation(S) [O_z; O_w], orthonormal.
    """
    left, angles, right = np.linalg.svd(tangent, full_matrices=False)
    rotated: FloatArray = (
        components
        + (left * _cosine_minus_one(angles)) @ (left.T @ components)
        + (left * np.sin(angles)) @ right
    )
    return rotated


def _cosine_minus_one(angles: FloatArray) -> FloatArray:
    """cos(angle) - 1, accurate for small angles too."""
    differences: FloatArray = -2.0 * np.square(np.sin(0.5 * angles))
    return differences

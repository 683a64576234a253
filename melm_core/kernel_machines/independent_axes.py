"""Independent axes of a mixture of Gaussians by a generalized eigendecomposition.

Blind source separation after L. Parra and P. Sajda (Journal of Machine
Learning Research 4, 2003): for x = A s with independent sources, covariance R
and fourth cumulants Q are diagonal along the same axes. Both are known in
closed form, without sampling.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from melm_core.base.array_types import FloatArray

# Cumulants below this fraction of the squared total variance are rounding errors.
NULL_CUMULANT = 1e-12


def fourth_cumulants(centers: FloatArray, weights: FloatArray) -> FloatArray:
    """Q = E[|x|^2 x x'] - R tr R - 2 R R of a mixture of Gaussians of equal covariance.

    Q_ij is the sum over k of the cumulants of x_i, x_j, x_k, x_k. The fourth
    cumulants of a Gaussian vanish, so those of the mixture do not depend on
    the kernel width and equal those of the centers.

    Parameters
    ----------
    centers : ndarray of shape (n_members, n_features)
    weights : ndarray of shape (n_members,)
        beta_i, which sum to one.

    Returns
    -------
    ndarray of shape (n_features, n_features)
    """
    offsets = centers - centers[0]
    offsets = offsets - weights @ offsets
    covariance = (offsets * weights[:, None]).T @ offsets
    lengths = np.square(offsets).sum(axis=1)
    fourth = (offsets * (weights * lengths)[:, None]).T @ offsets
    cumulants: FloatArray = fourth - covariance * np.trace(covariance) - 2 * covariance @ covariance
    return cumulants


def independent_axes(covariance: FloatArray, cumulants: FloatArray) -> FloatArray:
    """Axes v with v' R v = 1 along which R and Q are diagonal: Q v = kappa R v.

    If all cumulants vanish, as for a Gaussian, any such axes are independent,
    and the principal axes are returned.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
        R, positive definite.
    cumulants : ndarray of shape (n_features, n_features)
        Q.

    Returns
    -------
    ndarray of shape (n_axes, n_features)
        One axis per row, n_axes = n_features; the sources are the centered
        rows times its transpose.
    """
    if np.abs(cumulants).max() <= NULL_CUMULANT * np.trace(covariance) ** 2:
        variances, principal = np.linalg.eigh(covariance)
        axes: FloatArray = principal.T / np.sqrt(variances)[:, None]
        return axes
    generalized: FloatArray = eigh(cumulants, covariance)[1].T
    return generalized

"""Independent axes of a mixture of Gaussians by one generalized eigendecomposition.

Blind source separation after L. Parra and P. Sajda (Journal of Machine
Learning Research 4, 2003): for x = A s with independent sources, covariance R
and fourth cumulants Q are diagonal along the same axes. Both are known in
closed form here, so nothing is sampled.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from melm_core.base.array_types import FloatArray

# Cumulants below this share of the squared total variance are rounding.
NULL_CUMULANT = 1e-12


def fourth_cumulants(centers: FloatArray, weights: FloatArray) -> FloatArray:
    """Q = E[|x|^2 x x'] - R tr R - 2 R R of a mixture of Gaussians of one covariance.

    Q_ij is the sum over k of the cumulants of x_i, x_j, x_k, x_k. A Gaussian
    has none of fourth order, so the width of the bumps does not enter: the
    cumulants are those of the centers.

    Parameters
    ----------
    centers : ndarray of shape (n_members, n_features)
    weights : ndarray of shape (n_members,)
        beta_i, of sum one.

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

    Where all cumulants vanish, as those of a Gaussian do, any such axes are
    independent and the principal ones are taken.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
        R, positive definite.
    cumulants : ndarray of shape (n_features, n_features)
        Q.

    Returns
    -------
    ndarray of shape (n_axes, n_features)
        A row an axis, n_axes = n_features; sources are the centered rows times
        its transpose.
    """
    if np.abs(cumulants).max() <= NULL_CUMULANT * np.trace(covariance) ** 2:
        variances, principal = np.linalg.eigh(covariance)
        axes: FloatArray = principal.T / np.sqrt(variances)[:, None]
        return axes
    generalized: FloatArray = eigh(cumulants, covariance)[1].T
    return generalized

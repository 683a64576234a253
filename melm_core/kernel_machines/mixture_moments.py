"""Closed-form moments of mixtures of isotropic Gaussians."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray


def gaussian_moments(means: FloatArray, variances: FloatArray, order: int) -> FloatArray:
    """Raw moments of Gaussians, E x^k = mu E x^(k-1) + (k-1) s^2 E x^(k-2) (equations 12, 13).

    Parameters
    ----------
    means : ndarray
        mu, of any shape.
    variances : ndarray
        s^2, broadcast against the means.
    order : int
        Highest k.

    Returns
    -------
    ndarray of shape (order + 1, *means.shape)
        Starting with E x^0 = 1.
    """
    moments = np.ones((order + 1, *means.shape))
    for k in range(1, order + 1):
        moments[k] = means * moments[k - 1]
        if k > 1:
            moments[k] += (k - 1) * variances * moments[k - 2]
    return moments


def mixture_moments(
    positions: FloatArray, weights: FloatArray, variances: FloatArray, order: int
) -> FloatArray:
    """Raw moments of mixtures of Gaussians along each axis (equation 14).

    Parameters
    ----------
    positions : ndarray of shape (n_members, n_axes)
        Coordinates of the centers along each axis.
    weights : ndarray of shape (n_members,)
        beta_i, which sum to one and may have either sign.
    variances : ndarray of shape (n_axes,) or (n_members, n_axes)
        Variance of the Gaussians along each axis: of all, or of each.
    order : int
        Highest moment.

    Returns
    -------
    ndarray of shape (order + 1, n_axes)
    """
    moments: FloatArray = weights @ gaussian_moments(positions, variances, order)
    return moments


def mixture_covariance(
    centers: FloatArray, weights: FloatArray, variances: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute the mean and covariance of a mixture of isotropic Gaussians.

    Parameters
    ----------
    centers : ndarray of shape (n_members, n_features)
    weights : ndarray of shape (n_members,)
        beta_i, which sum to one. With weights of both signs the covariance may be indefinite.
    variances : ndarray of shape (n_members,)
        Variance of each Gaussian along every direction.

    Returns
    -------
    mean : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
    """
    # Relative to the first member, so that equal centers have exactly zero offsets.
    offsets = centers - centers[0]
    mean = weights @ offsets
    centered = offsets - mean
    between = (centered * weights[:, None]).T @ centered
    return centers[0] + mean, between + (weights @ variances) * np.eye(centers.shape[1])

"""Independent axes of a mixture of Gaussians, by cumulants or by the divergence itself.

Blind source separation after L. Parra and P. Sajda (Journal of Machine
Learning Research 4, 2003): for x = A s with independent sources, covariance R
and fourth cumulants Q are diagonal along the same axes. Both are known in
closed form, without sampling.

Section 3.1 of the paper names what the axes are for, the smallest
Kullback-Leibler divergence between the mixture and the product of its
marginals, and calls its minimization "obvious but not straightforward". With
marginals that are mixtures on a line it is a smooth function with a closed
gradient but for one integral on the line.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize

from melm_core.base.array_types import FloatArray

# Cumulants below this fraction of the squared total variance are rounding errors.
NULL_CUMULANT = 1e-12

AxesMethod = Literal["cumulants", "divergence"]
AXES_METHODS: tuple[AxesMethod, ...] = ("cumulants", "divergence")

# The trapezoidal rule on a line: its step and margin in widths of the narrowest and of each
# Gaussian, and its most nodes.
NODE_STEP = 0.25
NODE_MARGIN = 9.0
MOST_NODES = 4_096

# Values in memory at once, 8 MB.
BLOCK_ENTRIES = 1 << 20

MAX_ITER = 100


def fourth_cumulants(centers: FloatArray, weights: FloatArray, variances: FloatArray) -> FloatArray:
    """Compute Q = E[|x|^2 x x'] - R tr R - 2 R R of a mixture of isotropic Gaussians.

    Q_ij is the sum over k of the cumulants of x_i, x_j, x_k, x_k. The fourth
    cumulants of a Gaussian vanish, so those of the mixture do not depend on
    a width that all members have in common: they equal those of the centers
    where the widths are equal.

    Parameters
    ----------
    centers : ndarray of shape (n_members, n_features)
    weights : ndarray of shape (n_members,)
        beta_i, which sum to one.
    variances : ndarray of shape (n_members,)
        Of each Gaussian along every direction.

    Returns
    -------
    ndarray of shape (n_features, n_features)
    """
    offsets = centers - centers[0]
    offsets = offsets - weights @ offsets
    excess = variances - variances.min()  # over the common width
    n_features = centers.shape[1]
    identity = np.eye(n_features)
    covariance = (offsets * weights[:, None]).T @ offsets + (weights @ excess) * identity
    lengths = np.square(offsets).sum(axis=1)
    crossed = weights * (lengths + (n_features + 4) * excess)
    fourth = (offsets * crossed[:, None]).T @ offsets
    fourth += (weights @ (excess * lengths + (n_features + 2) * np.square(excess))) * identity
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


def least_dependent_axes(
    offsets: FloatArray, weights: FloatArray, variances: FloatArray, start: FloatArray
) -> FloatArray:
    """Find axes of the smallest divergence between the mixture and its marginals' product.

    Found by L-BFGS from `start` and from the principal axes, so that the
    divergence is never larger than along `start`.

    Parameters
    ----------
    offsets : ndarray of shape (n_members, n_features)
        Centers of the Gaussians, relative to their weighted mean.
    weights : ndarray of shape (n_members,)
        beta_i, positive, which sum to one.
    variances : ndarray of shape (n_members,)
        Of each Gaussian along every direction, positive.
    start : ndarray of shape (n_features, n_features)
        Linearly independent axes, such as `independent_axes`.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        With unit variance of the mixture along each axis, as `independent_axes`.
    """
    n_features = len(start)
    if len(weights) == 1 or n_features == 1:
        return start  # any axes at right angles are independent
    covariance = (offsets * weights[:, None]).T @ offsets + (weights @ variances) * np.eye(
        n_features
    )

    def objective(entries: FloatArray) -> tuple[float, FloatArray]:
        turned = entries.reshape(n_features, n_features)
        value, gradient = dependence(turned @ start, offsets, weights, variances)
        return value, (gradient @ start.T).ravel()

    spreads, principal = np.linalg.eigh(covariance)
    whitened = principal.T / np.sqrt(spreads)[:, None]
    begins = (np.eye(n_features), whitened @ np.linalg.inv(start))
    ends = [
        minimize(
            objective, begin.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER}
        )
        for begin in begins
    ]
    axes = min(ends, key=lambda end: float(end.fun)).x.reshape(n_features, n_features) @ start
    unit: FloatArray = axes / np.sqrt(np.einsum("ij,jk,ik->i", axes, covariance, axes))[:, None]
    return unit


def dependence(
    axes: FloatArray, offsets: FloatArray, weights: FloatArray, variances: FloatArray
) -> tuple[float, FloatArray]:
    """Divergence between the mixture and the product of its marginals along axes, in nats.

    The sum of the entropies of the marginals minus log |det axes|, which is
    the divergence plus the entropy of the mixture, a constant of the axes.

    Parameters
    ----------
    axes : ndarray of shape (n_features, n_features)
        Linearly independent rows; their lengths do not matter.
    offsets : ndarray of shape (n_members, n_features)
    weights : ndarray of shape (n_members,)
    variances : ndarray of shape (n_members,)
        See `least_dependent_axes`.

    Returns
    -------
    value : float
    gradient : ndarray of shape (n_features, n_features)
        By the axes.
    """
    value = -float(np.linalg.slogdet(axes)[1])
    gradient = -np.asarray(np.linalg.inv(axes).T, dtype=np.float64)
    for number, axis in enumerate(axes):
        squared = float(axis @ axis)
        entropy, by_positions, by_variances = _entropy(offsets @ axis, weights, variances * squared)
        value += entropy
        gradient[number] += by_positions @ offsets + 2.0 * (by_variances @ variances) * axis
    return value, gradient


def _entropy(
    positions: FloatArray, weights: FloatArray, variances: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Entropy of a mixture on a line, and its derivatives by positions and variances."""
    widths = np.sqrt(variances)
    first = float((positions - NODE_MARGIN * widths).min())
    last = float((positions + NODE_MARGIN * widths).max())
    wanted = int(np.ceil((last - first) / (NODE_STEP * float(widths.min()))))
    nodes, step = np.linspace(first, last, min(wanted, MOST_NODES) + 1, retstep=True)
    size = max(1, BLOCK_ENTRIES // len(nodes))
    blocks = [slice(begin, begin + size) for begin in range(0, len(positions), size)]

    def scores_and_parts(block: slice) -> tuple[FloatArray, FloatArray]:
        scores = (nodes - positions[block, None]) / widths[block, None]
        heights = weights[block] / (np.sqrt(2.0 * np.pi) * widths[block])
        return scores, heights[:, None] * np.exp(-0.5 * np.square(scores))

    density = np.zeros(len(nodes))
    for block in blocks:
        density += scores_and_parts(block)[1].sum(axis=0)
    logs = np.log(np.maximum(density, np.finfo(float).tiny))
    by_positions, by_variances = np.empty(len(positions)), np.empty(len(positions))
    for block in blocks:
        scores, parts = scores_and_parts(block)
        by_positions[block] = -step * ((parts * scores) @ logs) / widths[block]
        curved = (parts * (np.square(scores) - 1.0)) @ logs
        by_variances[block] = -0.5 * step * curved / variances[block]
    return -float(step * (density @ logs)), by_positions, by_variances

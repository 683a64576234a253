"""Sums of products of maximum entropy marginals along independent axes (equations 4 to 7).

The axes of a mixture of Gaussians are found by cumulants or by the divergence itself. Blind source
separation after L. Parra and P. Sajda (Journal of Machine Learning Research 4, 2003): for x = A s
with independent sources, covariance R and fourth cumulants Q are diagonal along the same axes. Both
are known in closed form, without sampling.

Section 3.1 of the paper names what the axes are for, the smallest Kullback-Leibler divergence
between the mixture and the product of its marginals, and calls its minimization "obvious but not
straightforward". With marginals that are mixtures on a line it is a smooth function with a closed
gradient but for one integral on the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import logsumexp

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.kernel_machines.maximum_entropy import (
    MarginalMethod,
    MaximumEntropyDensities,
    maximum_entropy,
)

# Coordinates in memory at once, 256 KB: they are traversed several times and fit in the cache.
BLOCK_ENTRIES = 1 << 15

# Smaller exponents are negligible; at this one, exp is not yet a denormal number.
LOG_ZERO = -600.0

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
ENTRIES_OF_NODES = 1 << 20

MAX_ITER = 100


@dataclass(frozen=True, eq=False)
class SeparableSum:
    """Components exp(log_height + sum_d sum_k lambda_dk y_d^k), y = axes (x - origin) - offsets.

    Attributes
    ----------
    axes : ndarray of shape (n_components, n_axes, n_features)
        y has mean 0 and unit variance under the approximated mixture.
    offsets : ndarray of shape (n_components, n_axes)
    origin : ndarray of shape (n_features,)
    log_heights : ndarray of shape (n_components,)
    multipliers : ndarray of shape (n_components, n_axes, order)
        lambda_dk, up to the highest reached order.
    marginals : MaximumEntropyDensities
        The marginals of all axes of the first component, then of the second, and so on.
    """

    axes: FloatArray
    offsets: FloatArray
    origin: FloatArray
    log_heights: FloatArray
    multipliers: FloatArray
    marginals: MaximumEntropyDensities

    def __len__(self) -> int:
        """Count the components."""
        return len(self.offsets)

    def mapped(self, linear: FloatArray, origin: FloatArray) -> SeparableSum:
        """Return the components, functions of (x - origin) linear, as functions of x.

        Parameters
        ----------
        linear : ndarray of shape (n_features_of_x, n_features)
        origin : ndarray of shape (n_features_of_x,)
        """
        shifted = self.offsets + self.axes @ self.origin
        return replace(self, axes=self.axes @ linear.T, offsets=shifted, origin=origin)

    def values(self, X: FloatArray, amplitudes: FloatArray) -> FloatArray:
        """Compute the sum of the components times their amplitudes, shape (n_samples,).

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        amplitudes : ndarray of shape (n_components,)
            Factor of each component.
        """
        sums = np.empty(len(X))
        for rows in self._blocks(len(X)):
            sums[rows] = amplitudes @ self._block_values(X[rows])
        return sums

    def component_values(self, X: FloatArray) -> FloatArray:
        """Compute the positive values of every component, shape (n_samples, n_components)."""
        values = np.empty((len(X), len(self)))
        for rows in self._blocks(len(X)):
            values[rows] = self._block_values(X[rows]).T
        return values

    def _blocks(self, n_samples: int) -> list[slice]:
        step = max(16, BLOCK_ENTRIES // self.offsets.size)
        return [slice(begin, begin + step) for begin in range(0, n_samples, step)]

    def _block_values(self, X: FloatArray) -> FloatArray:
        """Compute values of all components, shape (n_components, n_samples)."""
        n_components, n_axes = self.offsets.shape
        # Axes come first, so that the sum over axes adds contiguous rows.
        turned = self.axes.transpose(1, 0, 2).reshape(n_axes * n_components, -1)
        y = turned @ (X - self.origin).T  # (n_axes * n_components, n_samples)
        y -= self.offsets.T.reshape(-1, 1)
        coefficients = self.multipliers.transpose(2, 1, 0).reshape(-1, len(y), 1)
        exponents = coefficients[-1] * y
        for coefficient in coefficients[-2::-1]:  # Horner's scheme
            exponents += coefficient
            exponents *= y
        logs = exponents.reshape(n_axes, n_components, -1).sum(axis=0)
        logs += self.log_heights[:, None]
        np.maximum(logs, LOG_ZERO, out=logs)
        values: FloatArray = np.exp(logs, out=logs)
        return values


def separable_sum(
    centers: FloatArray,
    weights: FloatArray,
    bandwidths: FloatArray,
    members: Sequence[IntArray],
    *,
    order: int = 4,
    method: MarginalMethod = "exact",
    axes: AxesMethod = "cumulants",
) -> SeparableSum:
    """Approximate groups of kernels exp(-|x - c_i|^2 / (2 s_i^2)) by one component each.

    The integral of a component equals that of its kernels, (2 pi)^(n/2) sum_i |w_i| s_i^n.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
    bandwidths : ndarray of shape (n_centers,)
        s_i, in the unit of the centers.
    members : sequence of ndarray of int
        Indices of the centers of each component, whose weights have the same sign.
    order : int
        Highest power in the exponents of the marginals, even.
    method : "exact" or "paper"
        Method of the marginals; see `maximum_entropy`.
    axes : "cumulants" or "divergence"
        Method of the axes; see `independent_axes` and `least_dependent_axes`.

    Returns
    -------
    SeparableSum
    """
    shapes = [
        _shape(centers[which], np.abs(weights[which]), bandwidths[which], 2 * order, axes)
        for which in members
    ]
    marginals = maximum_entropy(
        np.concatenate([shape.moments for shape in shapes], axis=1), order=order, method=method
    )
    n_features = centers.shape[1]
    highest = int(marginals.orders.max())
    normalizers = marginals.log_normalizers.reshape(-1, n_features).sum(axis=1)
    return SeparableSum(
        axes=np.stack([shape.axes for shape in shapes]),
        offsets=np.stack([shape.axes @ shape.mean for shape in shapes]),
        origin=np.zeros(n_features),
        log_heights=np.array([shape.log_mass for shape in shapes]) + normalizers,
        multipliers=marginals.multipliers[:, :highest].reshape(-1, n_features, highest),
        marginals=marginals,
    )


@dataclass(frozen=True, eq=False)
class _Shape:
    """One group of kernels along its independent axes."""

    mean: FloatArray
    axes: FloatArray
    moments: FloatArray  # (order + 1, n_features)
    log_mass: float  # in units of the volume of y


def _shape(
    centers: FloatArray, weights: FloatArray, bandwidths: FloatArray, order: int, method: AxesMethod
) -> _Shape:
    n_features = centers.shape[1]
    # The mass of a kernel is its height times s^n, which overflows where there are many features.
    log_masses = np.log(weights) + n_features * np.log(bandwidths)
    log_total = float(logsumexp(log_masses))
    shares = np.exp(log_masses - log_total)
    variances = np.square(bandwidths)
    mean, covariance = mixture_covariance(centers, shares, variances)
    axes = independent_axes(covariance, fourth_cumulants(centers, shares, variances))
    if method == "divergence":
        axes = least_dependent_axes(centers - mean, shares, variances, axes)
    along_axes = variances[:, None] * np.square(axes).sum(axis=1)  # of each kernel
    moments = mixture_moments((centers - mean) @ axes.T, shares, along_axes, order)
    log_volume = float(np.linalg.slogdet(axes)[1])
    log_mass = 0.5 * n_features * np.log(2.0 * np.pi) + log_total + log_volume
    return _Shape(mean, axes, moments, float(log_mass))


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
    size = max(1, ENTRIES_OF_NODES // len(nodes))
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

"""The information potential of two distant samples, in O(N) without loss of precision.

Every summand exp(-|u - v|^2 / 2) equals

    exp(|m|^2 / 2) exp(m u) exp(-m v) exp(-|u + m - v|^2 / 2)

for any shift m. At the saddle point m the tilted means coincide, and the sum on
the right is over neighboring points with positive weights: the Fourier engine
then has its full relative accuracy, however small the potential is.
"""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density.direct_sums import Potential, inverse_root
from melm_core.density.nufft import Box

# Points whose tilted weight is below this fraction of the largest are dropped.
NEGLIGIBLE_WEIGHT = 1e-18

_NEWTON_STEPS = 100
_HALVINGS = 40


def tilted_log_potential(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> Potential:
    """Equals `direct_sums.log_potential`, for samples that hardly overlap.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
    covariance : ndarray of shape (n_components, n_components)
    weights_a, weights_b : ndarray of shape (n_first,), (n_second,) or None
        Of the points; None if each counts once.
    """
    root, log_norm = inverse_root(covariance)
    u, v = a @ root, b @ root
    logs_a, logs_b = _log_shares(a, weights_a), _log_shares(b, weights_b)
    shift = saddle_point(u, v, logs_a, logs_b)
    weights_u, log_u = _tilt(u, shift, logs_a)
    weights_v, log_v = _tilt(v, -shift, logs_b)
    kept_u, kept_v = weights_u > NEGLIGIBLE_WEIGHT, weights_v > NEGLIGIBLE_WEIGHT
    near_u, near_v = u[kept_u] + shift, v[kept_v]
    sums_u, pulls_u, sums_v, pulls_v = _weighted_sums(
        near_u, weights_u[kept_u], near_v, weights_v[kept_v]
    )
    total = float(weights_u[kept_u] @ sums_u)
    by_u, by_v = np.zeros_like(u), np.zeros_like(v)
    by_u[kept_u] = weights_u[kept_u, None] * (pulls_u + sums_u[:, None] * shift) / total
    by_v[kept_v] = weights_v[kept_v, None] * (pulls_v - sums_v[:, None] * shift) / total
    second_moment = -(u.T @ by_u + v.T @ by_v)
    value = np.log(total) + log_u + log_v + 0.5 * float(shift @ shift)
    return Potential(
        value=float(value + log_norm),
        by_first=by_u @ root.T,
        by_second=by_v @ root.T,
        by_covariance=0.5 * root @ (second_moment - np.eye(len(root))) @ root.T,
    )


def _log_shares(points: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Logarithms of the weights, relative to their sum."""
    if weights is None:
        return np.full(len(points), -np.log(len(points)))
    shares: FloatArray = np.log(weights / weights.sum())
    return shares


def saddle_point(
    u: FloatArray, v: FloatArray, logs_u: FloatArray | float = 0.0, logs_v: FloatArray | float = 0.0
) -> FloatArray:
    """Minimizer m of log sum exp(m u) + log sum exp(-m v) + |m|^2 / 2, by Newton's method.

    Each point may have a weight, given by its logarithm.

    The function is strongly convex and is an upper bound of the logarithm of
    the kernel sum (Chernoff). Steps are damped by backtracking.
    """
    shift = np.zeros(u.shape[1])
    value, gradient, hessian = _bound(u, v, shift, logs_u, logs_v)
    for _ in range(_NEWTON_STEPS):
        step = -np.linalg.solve(hessian, gradient)
        decrement = float(-gradient @ step)
        if decrement < 1e-6:
            break
        for length in 0.5 ** np.arange(_HALVINGS):
            trial = _bound(u, v, shift + length * step, logs_u, logs_v)
            if trial[0] <= value - 0.25 * length * decrement:
                break
        shift = shift + length * step
        value, gradient, hessian = trial
    return shift


def _bound(
    u: FloatArray,
    v: FloatArray,
    m: FloatArray,
    logs_u: FloatArray | float,
    logs_v: FloatArray | float,
) -> tuple[float, FloatArray, FloatArray]:
    weights_u, log_u = _tilt(u, m, logs_u)
    weights_v, log_v = _tilt(v, -m, logs_v)
    mean_u, covariance_u = _moments(u, weights_u)
    mean_v, covariance_v = _moments(v, weights_v)
    value = log_u + np.log(weights_u.sum()) + log_v + np.log(weights_v.sum()) + 0.5 * float(m @ m)
    return float(value), mean_u - mean_v + m, covariance_u + covariance_v + np.eye(len(m))


def _tilt(points: FloatArray, m: FloatArray, logs: FloatArray | float) -> tuple[FloatArray, float]:
    """Weights exp(m z + log) scaled to a maximum of 1, and the logarithm of the scale."""
    exponents = points @ m + logs
    largest = float(exponents.max())
    weights: FloatArray = np.exp(exponents - largest)
    return weights, largest


def _moments(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean = weights @ points / weights.sum()
    offsets = points - mean
    return mean, (offsets * weights[:, None]).T @ offsets / weights.sum()


def _weighted_sums(
    u: FloatArray, weights_u: FloatArray, v: FloatArray, weights_v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Kernel sums with gradients at each u over the weighted v, and at each v over the u."""
    box = Box.around([u, v])
    angles_u, angles_v = box.angles(u), box.angles(v)
    spectrum = box.gaussian() * ((2.0 * np.pi) ** (0.5 * u.shape[1]) / box.volume)
    at_u = spectrum * box.series(angles_v, weights_v).conj()
    at_v = spectrum * box.series(angles_u, weights_u).conj()
    return (
        box.evaluate(angles_u, at_u),
        box.gradients(angles_u, at_u),
        box.evaluate(angles_v, at_v),
        box.gradients(angles_v, at_v),
    )

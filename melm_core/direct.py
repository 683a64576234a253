"""The direct engine: sums over pairs of points, in blocks of bounded memory.

Everything is a logarithm, so that classes twenty standard deviations apart
still have a finite potential and a finite gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from melm_core._typing import FloatArray

# Kernel values held at once: 1 MB, which stays in the cache of a core.
BLOCK_ENTRIES = 1 << 17

# A sum of kernels none of which exceeds exp(-LARGEST_EXPONENT) would lose its
# digits to underflow; it is taken again relative to its largest term.
LARGEST_EXPONENT = 600.0

# Smallest variance of a kernel relative to its largest one: below it a kernel
# is flat to working precision, and is widened to stay invertible.
FLATTEST_KERNEL = 1e-12

# Smallest variance of any kernel. A class constant all over the plane has none
# of its own; the square of the inverse of this one is still finite.
NARROWEST_KERNEL = 1e-100


@dataclass(frozen=True, eq=False)
class Potential:
    """log ip of two samples, and its derivatives.

    ip = mean over pairs of N(a_i - b_j; 0, C).

    Attributes
    ----------
    value : float
    by_first : ndarray of shape (n_first, n_components)
    by_second : ndarray of shape (n_second, n_components)
    by_covariance : ndarray of shape (n_components, n_components)
        Derivative by C, symmetric.
    """

    value: float
    by_first: FloatArray
    by_second: FloatArray
    by_covariance: FloatArray


def log_potential(a: FloatArray, b: FloatArray, covariance: FloatArray) -> Potential:
    """Logarithm of the information potential between two samples, with derivatives.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
    covariance : ndarray of shape (n_components, n_components)
        C, the sum of the two kernel covariances.
    """
    centre = 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    a, b = a - centre, b - centre
    root, log_norm = inverse_root(covariance)
    sums = _kernel_sums(a, b, a @ root, b @ root)
    precision = root @ root.T
    pull_a = sums.of_first[:, :1] * a - sums.of_first[:, 1:]  # sum_j K_ij (a_i - b_j)
    pull_b = sums.of_second[:, :1] * b - sums.of_second[:, 1:]
    second_moment = (a.T @ pull_a + b.T @ pull_b) / sums.total  # mean of w w' under K
    return Potential(
        value=float(np.log(sums.total) + sums.shift - np.log(len(a)) - np.log(len(b)) + log_norm),
        by_first=-pull_a @ precision / sums.total,
        by_second=-pull_b @ precision / sums.total,
        by_covariance=0.5 * (precision @ second_moment @ precision - precision),
    )


def log_density(points: FloatArray, rows: FloatArray, covariance: FloatArray) -> FloatArray:
    """Logarithm of a kernel density at points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    rows : ndarray of shape (n_samples, n_components)
    covariance : ndarray of shape (n_components, n_components)
        Kernel covariance.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    centre = rows.mean(axis=0)
    root, log_norm = inverse_root(covariance)
    u, v = (points - centre) @ root, (rows - centre) @ root
    logs = np.empty(len(points))
    for block, exponents in _exponents(u, v):
        largest = exponents.max(axis=1)
        exponents -= largest[:, None]
        logs[block] = largest + np.log(np.exp(exponents, out=exponents).sum(axis=1))
    logs += log_norm - np.log(len(rows))
    return logs


def inverse_root(covariance: FloatArray) -> tuple[FloatArray, float]:
    """Matrix R with R R' = covariance^-1, and the log of the Gaussian's norming factor."""
    variances, axes = np.linalg.eigh(covariance)
    floor = max(FLATTEST_KERNEL * variances[-1], NARROWEST_KERNEL)
    variances = np.maximum(variances, floor)
    log_norm = -0.5 * float(np.log(2.0 * np.pi * variances).sum())
    return axes / np.sqrt(variances), log_norm


@dataclass(frozen=True, eq=False)
class _KernelSums:
    total: float  # sum of K_ij exp(-shift)
    shift: float
    of_first: FloatArray  # (n_first, 1 + n_components): K 1, K B
    of_second: FloatArray  # (n_second, 1 + n_components): K' 1, K' A


def _kernel_sums(a: FloatArray, b: FloatArray, u: FloatArray, v: FloatArray) -> _KernelSums:
    sums, largest = _sums_relative_to(0.0, a, b, u, v)
    if largest < -LARGEST_EXPONENT:
        sums, _ = _sums_relative_to(largest, a, b, u, v)
    return sums


def _sums_relative_to(
    shift: float, a: FloatArray, b: FloatArray, u: FloatArray, v: FloatArray
) -> tuple[_KernelSums, float]:
    first, second = _with_ones(a), _with_ones(b)
    of_first, of_second = np.empty_like(first), np.zeros_like(second)
    largest = -np.inf
    for block, exponents in _exponents(u, v):
        largest = max(largest, float(exponents.max()))
        exponents -= shift
        kernel = np.exp(exponents, out=exponents)
        of_first[block] = kernel @ second
        of_second += kernel.T @ first[block]
    total = float(of_first[:, 0].sum())
    return _KernelSums(total, shift, of_first, of_second), largest


def _exponents(u: FloatArray, v: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Blocks of -|u_i - v_j|^2 / 2, as one matrix product each.

    Rounding may lift the product above zero where the kernel is far narrower
    than the spread of the points, hence the minimum.
    """
    left = np.column_stack([u, -0.5 * np.square(u).sum(axis=1), np.ones(len(u))])
    right = np.column_stack([v, np.ones(len(v)), -0.5 * np.square(v).sum(axis=1)])
    step = max(1, BLOCK_ENTRIES // len(v))
    for begin in range(0, len(u), step):
        block = slice(begin, min(begin + step, len(u)))
        exponents = left[block] @ right.T
        yield block, np.minimum(exponents, 0.0, out=exponents)


def _with_ones(points: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(points)), points])

"""The direct engine: sums over pairs of points, in blocks of bounded memory.

All results are logarithms, so that classes twenty standard deviations apart
still have a finite potential and a finite gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.row_blocks import ClassRows, Rows, added, reduce_rows
from melm_core.compiled import (
    CompiledObjective,
    Term,
    is_compiled,
    kernel_sums,
)

# Kernel values in memory at once: half a megabyte fits in the cache of a core and is too small
# for the allocator to request new pages for each block.
BLOCK_ENTRIES = 1 << 16

# The same for sums around centers, 1 MB, of which so many are a block.
CENTERS_ENTRIES = 1 << 17
BLOCK_CENTERS = 4_096

# Exponents that exceed zero by more than this, through rounding, are clipped.
_ROUNDED_UP = 1e-12

# Within one sample, pairs of rows from different blocks are summed only once. More blocks save
# more work but cost more calls.
_OWN_BLOCKS = 8
_SMALLEST_OWN_BLOCK = 64

# A sum whose terms are all below exp(-LARGEST_EXPONENT) would underflow; it is computed again
# relative to its largest term.
LARGEST_EXPONENT = 600.0

# Smallest variance of a kernel relative to its largest: narrower kernels are singular to working
# precision and are widened to this.
FLATTEST_KERNEL = 1e-12

# Smallest variance of any kernel, for classes that are constant in the plane. The square of its
# inverse is finite.
NARROWEST_KERNEL = 1e-100


@dataclass(frozen=True, eq=False)
class Potential:
    """Logarithm of the information potential of two samples, and its derivatives.

    The potential is the mean over all pairs of N(a_i - b_j; 0, C).

    Attributes
    ----------
    value : float
    by_first : ndarray of shape (n_first, n_components)
    by_second : ndarray of shape (n_second, n_components)
    by_covariance : ndarray of shape (n_components, n_components)
        Derivative with respect to C, symmetric.
    """

    value: float
    by_first: FloatArray
    by_second: FloatArray
    by_covariance: FloatArray


def log_potential(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> Potential:
    """Compute the logarithm of the information potential of two samples, with derivatives.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
        If it is the same object as `a`, each pair of rows is summed only once.
    covariance : ndarray of shape (n_components, n_components)
        C, the sum of the two kernel covariances.
    weights_a, weights_b : ndarray of shape (n_first,), (n_second,) or None
        Of the points; None if each counts once.
    """
    return _potential((a, weights_a), (b, weights_b), *inverse_root(covariance))


def log_potentials(
    rows: Sequence[FloatArray],
    covariances: FloatArray,
    weights: Sequence[FloatArray] | None = None,
) -> dict[tuple[int, int], Potential]:
    """Compute log potentials of all unordered pairs of classes, and of each with itself.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_components)
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Kernel covariance of each class.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    dict from (int, int) to Potential
        By class codes (a, b) with a <= b.
    """
    first, second = np.triu_indices(len(rows))
    roots, log_norms = inverse_root(covariances[first] + covariances[second])
    of_class: Sequence[FloatArray | None] = weights or [None] * len(rows)
    return {
        (a, b): _potential((rows[a], of_class[a]), (rows[b], of_class[b]), root, log_norm)
        for a, b, root, log_norm in zip(
            first.tolist(), second.tolist(), roots, log_norms, strict=True
        )
    }


class DirectPotentials:
    """Potentials by direct summation over all pairs of rows.

    See `melm_core.density.class_densities.Potentials`.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_components)
    covariances : ndarray of shape (n_classes, n_components, n_components)
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
    """

    def __init__(
        self,
        rows: Sequence[FloatArray],
        covariances: FloatArray,
        weights: Sequence[FloatArray] | None = None,
    ) -> None:
        self._rows, self._covariances, self._weights = rows, covariances, weights

    @cached_property
    def log_values(self) -> FloatArray:
        """Logarithms of the potentials, shape (n_classes, n_classes)."""
        n_components = self._covariances.shape[1]
        if is_compiled(n_components):
            term = Term.of_rows(
                self._rows, self._covariances, aggregate="mean", weights=self._weights
            )
            plane = np.eye(n_components)
            return CompiledObjective([term], n_components, 1.0).log_potentials(plane)
        values = np.empty((len(self._rows), len(self._rows)))
        for (a, b), potential in self._pairs.items():
            values[a, b] = values[b, a] = potential.value
        return values

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], Potential]:
        """The potentials with their derivatives, by class codes."""
        return log_potentials(self._rows, self._covariances, self._weights)

    def weighted_derivatives(self, weights: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """See `melm_core.density.class_densities.Potentials`."""
        by_points = [np.zeros_like(part) for part in self._rows]
        by_covariances = np.zeros_like(self._covariances)
        for (a, b), potential in self._pairs.items():
            by_points[a] += weights[a, b] * potential.by_first
            by_points[b] += weights[a, b] * potential.by_second
            by_covariances[a] += weights[a, b] * potential.by_covariance
            by_covariances[b] += weights[a, b] * potential.by_covariance
        return by_points, by_covariances

    def weighted_moments(
        self, weights: FloatArray, rows: Sequence[Rows]
    ) -> tuple[list[FloatArray], FloatArray]:
        """See `melm_core.density.class_densities.Potentials`; for rows in memory."""
        return moments_of_derivatives(*self.weighted_derivatives(weights), rows)


def moments_of_derivatives(
    by_points: Sequence[FloatArray], by_covariances: FloatArray, rows: Sequence[Rows]
) -> tuple[list[FloatArray], FloatArray]:
    """Compute sums over the rows of each class of derivative times row, for rows in memory."""
    moments = reduce_rows(lambda code, part: by_points[code].T @ part, added, rows)
    return moments, by_covariances


def log_density(
    points: FloatArray,
    rows: Rows,
    covariance: FloatArray,
    weights: FloatArray | None = None,
    root: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Compute the logarithm of a kernel density at the given points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    rows : ndarray of shape (n_samples, n_components), or ClassRows
    covariance : ndarray of shape (n_components, n_components)
        Kernel covariance.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    root : tuple, optional
        `inverse_root` of the covariance, where that is known.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    if isinstance(rows, ClassRows):
        (sums,) = reduce_rows(_LogSums(points, covariance), np.logaddexp, [rows])
        of_blocks: FloatArray = sums - np.log(len(rows))
        return of_blocks
    center = np.full(len(rows), 1.0 / len(rows)) @ rows  # a mean along this axis is much slower
    turn, log_norm = inverse_root(covariance) if root is None else root
    u, v = (points - center) @ turn, (rows - center) @ turn
    row_weights: FloatArray = np.ones(len(rows)) if weights is None else weights
    if is_compiled(u.shape[1]):
        sums = kernel_sums(u, v, weights)
    else:
        sums = np.empty(len(points))
        for block, exponents in exponent_blocks(u, v):
            sums[block] = np.exp(exponents, out=exponents) @ row_weights
    far = sums < np.exp(-LARGEST_EXPONENT)
    logs: FloatArray = np.log(np.where(far, 1.0, sums))
    if far.any():
        logs[far] = _log_sums(u[far], v, row_weights)
    logs += log_norm - np.log(_total(rows, weights))
    return logs


def _log_sums(u: FloatArray, v: FloatArray, weights: FloatArray) -> FloatArray:
    """Compute logarithms of the kernel sums at points, however far they are from all rows."""
    logs = np.empty(len(u))
    for block, exponents in exponent_blocks(u, v):
        largest = exponents.max(axis=1)
        exponents -= largest[:, None]
        logs[block] = largest + np.log(np.exp(exponents, out=exponents) @ weights)
    return logs


def log_density_without(
    points: FloatArray,
    rows: FloatArray,
    covariance: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Compute the log kernel density at some of the rows, each left out of its own density.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        Some of the rows. Of those that are equal, one is left out.
    rows : ndarray of shape (n_samples, n_components)
        At least two.
    covariance : ndarray of shape (n_components, n_components)
        Kernel covariance.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    root, log_norm = inverse_root(covariance)
    center = np.full(len(rows), 1.0 / len(rows)) @ rows  # a mean along this axis is much slower
    row_weights: FloatArray = np.ones(len(rows)) if weights is None else weights
    logs = np.empty(len(points))
    for block, exponents in exponent_blocks((points - center) @ root, (rows - center) @ root):
        nearest = exponents.argmax(axis=1)
        exponents[np.arange(len(exponents)), nearest] = -np.inf
        largest = exponents.max(axis=1)
        exponents -= largest[:, None]
        sums = np.exp(exponents, out=exponents) @ row_weights
        logs[block] = largest + np.log(sums) - np.log(row_weights.sum() - row_weights[nearest])
    return logs + log_norm


class _LogSums:
    """Logarithms of the sums of the kernels of one block."""

    def __init__(self, points: FloatArray, covariance: FloatArray) -> None:
        self._points, self._covariance = points, covariance

    def __call__(self, _: int, rows: FloatArray) -> FloatArray:
        logs: FloatArray = log_density(self._points, rows, self._covariance) + np.log(len(rows))
        return logs


def separable_density_on_grid(
    x: FloatArray,
    y: FloatArray,
    rows: FloatArray,
    variances: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return a density whose kernel has a diagonal covariance, on the grid x times y.

    Parameters
    ----------
    x, y : ndarray
        Coordinates of the grid lines.
    rows : ndarray of shape (n_samples, 2)
    variances : ndarray of shape (2,)
        Diagonal of the kernel covariance.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ndarray of shape (len(y), len(x))
    """
    along_x, along_y = (
        np.exp(-0.5 * (lines[:, None] - rows[:, axis]) ** 2 / variances[axis])
        for axis, lines in enumerate((x, y))
    )  # (len(x), n_samples), (len(y), n_samples)
    if weights is not None:
        along_x *= weights
    norm = 2.0 * np.pi * np.sqrt(variances.prod()) * _total(rows, weights)
    values: FloatArray = along_y @ along_x.T / norm
    return values


def gaussian_sums(
    X: FloatArray, centers: FloatArray, bandwidth: float | FloatArray, columns: FloatArray
) -> FloatArray:
    """sum_i columns_i exp(-|x - c_i|^2 / (2 bandwidth_i^2)), in blocks that fit in the cache.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float or ndarray of shape (n_centers,)
        In units of the data: of all kernels, or of each.
    columns : ndarray of shape (n_centers, n_columns)
        Weights; each column gives one sum.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
    """
    origin = centers.mean(axis=0)  # keeps the precision of large coordinates
    unit = float(np.median(bandwidth))
    left, right = exponent_factors((X - origin) / unit, (centers - origin) / unit)
    right /= np.square(np.reshape(bandwidth, (-1, 1)) / unit)
    step = max(1, CENTERS_ENTRIES // min(len(centers), BLOCK_CENTERS))
    sums = np.zeros((len(X), columns.shape[1]))
    for begin in range(0, len(X), step):
        rows = slice(begin, begin + step)
        for first in range(0, len(centers), BLOCK_CENTERS):
            block = slice(first, first + BLOCK_CENTERS)
            kernel = left[rows] @ right[block].T
            sums[rows] += np.exp(kernel, out=kernel) @ columns[block]
    return sums


def inverse_root(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Root of the inverse covariance, and the log normalization of the Gaussian.

    Parameters
    ----------
    covariance : ndarray of shape (..., n_components, n_components)

    Returns
    -------
    root : ndarray of shape (..., n_components, n_components)
        R with R R' = covariance^-1.
    log_norm : ndarray of shape (...)
        Logarithm of the Gaussian density at its mean.
    """
    if covariance.shape[-1] == 1:  # several times as quick as below
        variances, axes = covariance[..., 0], np.ones_like(covariance)
    else:
        variances, axes = np.linalg.eigh(covariance)
    floor = np.maximum(FLATTEST_KERNEL * variances[..., -1:], NARROWEST_KERNEL)
    variances = np.maximum(variances, floor)
    log_norm: FloatArray = -0.5 * np.log(2.0 * np.pi * variances).sum(axis=-1)
    return axes / np.sqrt(variances)[..., None, :], log_norm


def _total(rows: FloatArray, weights: FloatArray | None) -> float:
    return len(rows) if weights is None else float(weights.sum())


def _potential(
    first: tuple[FloatArray, FloatArray | None],
    second: tuple[FloatArray, FloatArray | None],
    root: FloatArray,
    log_norm: FloatArray,
) -> Potential:
    """Compute the potential of points and their weights, with C^-1 = root root'."""
    (a, weights_a), (b, weights_b) = first, second
    log_pairs = np.log(_total(a, weights_a) * _total(b, weights_b))
    is_same = a is b
    center = a.mean(axis=0) if is_same else 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    a = a - center
    b = a if is_same else b - center
    u = a @ root
    sums = _kernel_sums(_Points(a, u, weights_a), _Points(b, u if is_same else b @ root, weights_b))
    precision = root @ root.T
    pull_a = sums.of_first[:, :1] * a - sums.of_first[:, 1:]  # sum_j K_ij (a_i - b_j)
    pull_b = pull_a if is_same else sums.of_second[:, :1] * b - sums.of_second[:, 1:]
    second_moment = (a.T @ pull_a + b.T @ pull_b) / sums.total  # mean of w w' under K
    scaled = precision / -sums.total
    by_first = pull_a @ scaled
    return Potential(
        value=float(np.log(sums.total) + sums.shift - log_pairs + log_norm),
        by_first=by_first,
        by_second=by_first if is_same else pull_b @ scaled,
        by_covariance=0.5 * (precision @ second_moment @ precision - precision),
    )


@dataclass(frozen=True, eq=False)
class _KernelSums:
    """Sums with kernel values K_ij exp(-shift), each times the weights of both points."""

    total: float  # sum of K_ij
    shift: float
    of_first: FloatArray  # (n_first, 1 + n_components): K 1, K B
    of_second: FloatArray  # (n_second, 1 + n_components): K' 1, K' A


@dataclass(frozen=True, eq=False)
class _Points:
    rows: FloatArray
    white: FloatArray  # the rows in coordinates in which the kernel is a standard normal
    weights: FloatArray | None

    def weighted(self) -> FloatArray:
        """Return the weights and the rows times their weights, (n_samples, 1 + n_components)."""
        extended = np.empty((len(self.rows), 1 + self.rows.shape[1]))
        extended[:, 0], extended[:, 1:] = 1.0, self.rows
        return self.times_weights(extended)

    def times_weights(self, sums: FloatArray) -> FloatArray:
        """Compute sums of every row times its weight."""
        return sums if self.weights is None else sums * self.weights[:, None]


def _kernel_sums(a: _Points, b: _Points) -> _KernelSums:
    sums, largest = _sums_relative_to(0.0, a, b)
    if largest < -LARGEST_EXPONENT:
        sums, _ = _sums_relative_to(largest, a, b)
    return sums


def _sums_relative_to(shift: float, a: _Points, b: _Points) -> tuple[_KernelSums, float]:
    if a.rows is b.rows:
        return _own_sums_relative_to(shift, a)
    first, second = a.weighted(), b.weighted()
    of_first, of_second = np.empty_like(first), np.zeros_like(second)
    largest = -np.inf
    for block, exponents in exponent_blocks(a.white, b.white):
        largest = max(largest, float(exponents.max()))
        kernel = _kernel(exponents, shift)
        of_first[block] = kernel @ second
        of_second += kernel.T @ first[block]
    of_first, of_second = a.times_weights(of_first), b.times_weights(of_second)
    return _KernelSums(float(of_first[:, 0].sum()), shift, of_first, of_second), largest


def _own_sums_relative_to(shift: float, a: _Points) -> tuple[_KernelSums, float]:
    """Sum over all pairs of one sample; pairs from different blocks are computed once.

    The largest exponent is zero, that of a row with itself.
    """
    rows, u = a.weighted(), a.white
    sums = np.zeros_like(rows)
    preferred = max(_SMALLEST_OWN_BLOCK, len(u) // _OWN_BLOCKS)
    step = max(1, min(preferred, BLOCK_ENTRIES // len(u)))
    left, right = exponent_factors(u, u)
    for begin in range(0, len(u), step):
        end = min(begin + step, len(u))
        kernel = _kernel(_not_above_zero(left[begin:end] @ right[begin:].T), shift)
        sums[begin:end] += kernel @ rows[begin:]
        sums[end:] += kernel[:, end - begin :].T @ rows[begin:end]
    sums = a.times_weights(sums)
    return _KernelSums(float(sums[:, 0].sum()), shift, sums, sums), 0.0


def _kernel(exponents: FloatArray, shift: float) -> FloatArray:
    """exp(exponents - shift), computed in place."""
    if shift:
        exponents -= shift
    kernel: FloatArray = np.exp(exponents, out=exponents)
    return kernel


def exponent_blocks(u: FloatArray, v: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield slices of the rows u_i with their matrices -|u_i - v_j|^2 / 2 over all v_j."""
    left, right = exponent_factors(u, v)
    step = max(1, BLOCK_ENTRIES // len(v))
    for begin in range(0, len(u), step):
        block = slice(begin, min(begin + step, len(u)))
        yield block, _not_above_zero(left[block] @ right.T)


def _not_above_zero(exponents: FloatArray) -> FloatArray:
    """Clip positive exponents: rounding errors where the kernel is narrow relative to the data."""
    if exponents.max() > _ROUNDED_UP:
        np.minimum(exponents, 0.0, out=exponents)
    return exponents


def exponent_factors(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Matrices with two columns more than the points and inner products -|u_i - v_j|^2 / 2."""
    k = u.shape[1]
    left, right = np.empty((len(u), k + 2)), np.empty((len(v), k + 2))
    left[:, :k], right[:, :k] = u, v
    left[:, k], right[:, k + 1] = -0.5 * _squared_lengths(u), -0.5 * _squared_lengths(v)
    left[:, k + 1] = right[:, k] = 1.0
    return left, right


def _squared_lengths(points: FloatArray) -> FloatArray:
    lengths: FloatArray = np.einsum("ij,ij->i", points, points)
    return lengths

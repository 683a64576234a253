"""The non-uniform fast Fourier transforms of finufft in numpy, for where it is not installed.

A row is spread over the nearest points of a grid twice as fine as the modes need, by a kernel of
compact support whose spectrum decays as fast as it can: the "exponential of semicircle" of Barnett,
Magland and af Klinteberg, "A parallel nonuniform fast Fourier transform library based on an
'exponential of semicircle' kernel", SIAM Journal on Scientific Computing 41 (2019), equation (1.8).
A fast Fourier transform of the grid, divided by the kernel's own spectrum, is the series.

Where that is sooner, all waves are multiplied at all points instead (`separable`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
import numpy.typing as npt
import scipy.fft

from melm_core.base.array_types import ComplexArray, FloatArray
from melm_core.density.engines import separable

# The grid is this many times as fine as the modes need, at least.
_FINER = 2.0

# Of the kernel, for this fineness: exp(_SHARPNESS * width * (sqrt(1 - x^2) - 1)).
_SHARPNESS = 2.30

# Numbers that rows are spread over at a time: they stay in the processor's cache.
_BLOCK_NUMBERS = 1 << 17

# Nodes of the quadrature of the kernel's spectrum; it is exact to the rounding of numbers from 30.
_N_NODES = 60


@dataclass(frozen=True)
class Axis:
    """The grid along one axis, and the kernel on it.

    Attributes
    ----------
    half_modes : int
        Modes run from -half_modes to half_modes.
    width : int
        Points of the grid that a row is spread over.
    n_points : int
        Of the grid.
    """

    half_modes: int
    width: int
    n_points: int

    @classmethod
    def of(cls, n_modes: int, tolerance: float) -> Axis:
        """Construct the axis of an odd number of modes, for errors of a tolerance."""
        width = min(int(np.ceil(-np.log10(tolerance))) + 1, 16)
        finest = max(int(_FINER * n_modes), 2 * width)
        return cls(n_modes // 2, width, scipy.fft.next_fast_len(finest, real=True))

    @property
    def spectrum(self) -> FloatArray:
        """Of the kernel, at the modes, in units of the grid; shape (2 * half_modes + 1,)."""
        half = _half_spectrum(self)
        return np.concatenate([half[:0:-1], half])

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """Of the modes among the frequencies of the grid."""
        return np.arange(-self.half_modes, self.half_modes + 1) % self.n_points

    def taps(self, angles: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return points of the grid that rows are spread over, and shares, each (n_rows, width)."""
        sites = angles * (self.n_points / (2.0 * np.pi))
        first = np.ceil(sites - 0.5 * self.width)
        steps = np.arange(self.width)
        offsets = ((first - sites)[:, None] + steps) * (2.0 / self.width)
        points = (first.astype(np.int64)[:, None] + steps) % self.n_points
        return points, _kernel(offsets, self.width)


def _kernel(offsets: FloatArray, width: int) -> FloatArray:
    inside = np.maximum(1.0 - np.square(offsets), 0.0)
    kernel: FloatArray = np.exp(_SHARPNESS * width * (np.sqrt(inside) - 1.0))
    return kernel


@lru_cache(maxsize=256)
def _half_spectrum(axis: Axis) -> FloatArray:
    nodes, weights = np.polynomial.legendre.leggauss(2 * _N_NODES)
    modes = np.arange(axis.half_modes + 1)
    waves = np.cos(np.outer(modes, nodes[_N_NODES:]) * (np.pi * axis.width / axis.n_points))
    values: FloatArray = (
        axis.width * waves @ (weights[_N_NODES:] * _kernel(nodes[_N_NODES:], axis.width))
    )
    return values


def series(
    angles: Sequence[FloatArray], weights: FloatArray, n_modes: Sequence[int], tolerance: float
) -> ComplexArray:
    """F(kappa) = sum_j weight_j exp(i kappa z_j) on the modes: a transform of type 1.

    Parameters
    ----------
    angles : sequence of n_components ndarrays of shape (n_rows,)
        Coordinates z in (-pi, pi).
    weights : ndarray of shape (n_rows,)
        Real.
    n_modes : sequence of n_components odd int
    tolerance : float
        Of the error, relative to the largest value.

    Returns
    -------
    ndarray of shape n_modes
        From the lowest frequency to the highest along each axis.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density.engines import spreading
    >>> series = spreading.series([np.array([0.5])], np.ones(1), [3], 1e-9)
    >>> bool(np.allclose(series, np.exp(0.5j * np.arange(-1, 2)), atol=1e-9))
    True
    """
    axes = [Axis.of(n, tolerance) for n in n_modes]
    if _is_separable(len(weights), axes):
        return separable.series(angles, weights, n_modes)
    shape = [axis.n_points for axis in axes]
    grid = np.zeros(int(np.prod(shape)))
    for block, points, shares in _blocks(angles, axes):
        np.add.at(grid, points.ravel(), (shares * weights[block, None]).ravel())
    last = axes[-1]
    half = scipy.fft.rfft(grid.reshape(shape))[..., : last.half_modes + 1]
    for number, axis in enumerate(axes[:-1]):
        half = scipy.fft.fft(half, axis=number).take(axis.places, axis=number)
    transformed: ComplexArray = np.divide(separable.with_opposites(half.conj()), _spectrum(axes))
    return transformed


def values(angles: Sequence[FloatArray], series: ComplexArray, tolerance: float) -> FloatArray:
    """Compute Re sum_kappa series(kappa) exp(i kappa z) at points: a transform of type 2.

    Parameters
    ----------
    angles : sequence of n_components ndarrays of shape (n_points,)
        Coordinates z in (-pi, pi).
    series : ndarray of shape (..., *n_modes)
        Of odd numbers of modes.
    tolerance : float
        Of the error, relative to the largest value.

    Returns
    -------
    ndarray of shape (..., n_points)
    """
    k = len(angles)
    axes = [Axis.of(n, tolerance) for n in series.shape[-k:]]
    if _is_separable(len(angles[0]), axes):
        return separable.values(angles, series)
    stacked = (series / _spectrum(axes)).reshape(-1, *series.shape[-k:])
    opposite = np.flip(stacked, axis=tuple(range(1, k + 1))).conj()
    half = 0.5 * (stacked + opposite)[..., axes[-1].half_modes :]
    for number, axis in enumerate(axes[:-1], start=1):
        padded = np.zeros((*half.shape[:number], axis.n_points, *half.shape[number + 1 :]), complex)
        padded[(slice(None),) * number + (axis.places,)] = half
        half = scipy.fft.ifft(padded, axis=number, norm="forward")
    grids = scipy.fft.irfft(half, axes[-1].n_points, norm="forward").reshape(len(stacked), -1)
    sums = np.empty((len(grids), len(angles[0])))
    for block, points, shares in _blocks(angles, axes):
        for grid, value in zip(grids, sums, strict=True):
            value[block] = np.einsum("ij,ij->i", grid[points], shares)
    return sums.reshape(*series.shape[:-k], -1)


def _is_separable(n_points: int, axes: Sequence[Axis]) -> bool:
    n_modes = [2 * axis.half_modes + 1 for axis in axes]
    return separable.is_faster(n_points, n_modes, int(np.prod([axis.width for axis in axes])))


def _spectrum(axes: Sequence[Axis]) -> FloatArray:
    """Compute the spectrum of the kernel, on the modes of all axes."""
    return reduce(np.multiply.outer, [axis.spectrum for axis in axes])


def _blocks(
    angles: Sequence[FloatArray], axes: Sequence[Axis]
) -> Iterator[tuple[slice, npt.NDArray[np.int64], FloatArray]]:
    """Yield blocks of rows: their indices, the points of the grid of each, and their shares.

    Points and shares have the shape (n_rows_of_block, n_points_of_a_row); points are numbered
    through the grid.
    """
    n_rows = len(angles[0])
    step = max(1, _BLOCK_NUMBERS // int(np.prod([axis.width for axis in axes])))
    for start in range(0, n_rows, step):
        block = slice(start, min(start + step, n_rows))
        points, shares = axes[0].taps(angles[0][block])
        for axis, along in zip(axes[1:], angles[1:], strict=True):
            more, factors = axis.taps(along[block])
            n_in_block = len(more)
            points = (points[:, :, None] * axis.n_points + more[:, None]).reshape(n_in_block, -1)
            shares = (shares[:, :, None] * factors[:, None]).reshape(n_in_block, -1)
        yield block, points, shares

"""Kernel sums in O(N) by the non-uniform fast Fourier transform (NUFFT).

Poisson summation turns a sum of Gaussians into a sum over the modes of a
periodic box. It is exact to the tolerance if the box is so wide that periodic
images do not overlap, and if the modes cover the kernel's spectrum. The transforms
are those of finufft where it is installed, otherwise our own (`spreading`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import ComplexArray, FloatArray
from melm_core.base.row_blocks import Rows, added, bounds_of, reduce_rows
from melm_core.density.engines import direct_sums, spreading

try:
    import finufft
except ImportError:  # the extra `fast`: its wheels contain FFTW, which is under the GPL
    finufft = None

TOLERANCE = 1e-12

# Transforms to nine digits take a little more than half the time.
LOOSE_TOLERANCE = 1e-9

# Limit on the number of modes (64 MB). Narrower kernels, and more than three components, are summed
# directly in blocks.
MOST_MODES = 1 << 22

# Of more modes than this, most of the time is that of the fast Fourier transform. A grid 1.5 times
# as fine instead of twice halves it, to ten digits one 1.3 times as fine; to be as exact, rows are
# spread wider.
_MANY_MODES = 500_000
_COARSE_GRID = 1.5
_TEN_DIGITS, _COARSEST_GRID = 1e-10, 1.3

# finufft has transforms in up to three dimensions.
MOST_COMPONENTS = 3

# One thread: more cost time on small problems, and compete with other processes on large ones.
_N_THREADS = 1


def is_fast() -> bool:
    """Return whether finufft computes the transforms."""
    return finufft is not None


@dataclass(frozen=True, eq=False)
class Box:
    """A periodic box and its Fourier modes.

    Attributes
    ----------
    middle, lengths : ndarray of shape (n_components,)
    half_modes : ndarray of shape (n_components,)
        Modes run from -half_modes to half_modes along each axis.
    tolerance : float
        Error of the transforms, relative to the largest values.
    is_half : bool
        Whether `frequencies` and `series` are those of half of the modes, from 0 along the first
        axis. The others of a real function are their conjugates.
    """

    middle: FloatArray
    lengths: FloatArray
    half_modes: npt.NDArray[np.int64]
    tolerance: float = TOLERANCE
    is_half: bool = False

    @classmethod
    def around(
        cls,
        points: Sequence[Rows],
        *,
        narrowest: float = 1.0,
        widest: float = 1.0,
        tolerance: float = TOLERANCE,
    ) -> Box:
        """Construct the box around all points, for kernels between two standard deviations."""
        return cls.between(
            *bounds_of(points),
            narrowest=narrowest,
            widest=widest,
            tolerance=tolerance,
        )

    @classmethod
    def between(
        cls,
        lower: FloatArray,
        upper: FloatArray,
        *,
        narrowest: float = 1.0,
        widest: float = 1.0,
        tolerance: float = TOLERANCE,
    ) -> Box:
        """Construct the box of points between two bounds, each of shape (n_components,)."""
        reach = decay_distance(tolerance)
        lengths = upper - lower + reach * widest
        half_modes = np.ceil(lengths * reach / (2.0 * np.pi * narrowest))
        # Avoids integer overflow; so many modes are rejected anyway.
        half_modes = np.minimum(half_modes, MOST_MODES).astype(np.int64)
        return cls(0.5 * (lower + upper), lengths, half_modes, tolerance)

    @property
    def n_modes(self) -> int:
        """Total number of modes."""
        return int(np.prod(2.0 * self.half_modes + 1.0))

    @property
    def volume(self) -> float:
        """Volume of the box."""
        return float(np.prod(self.lengths))

    @property
    def frequencies(self) -> list[FloatArray]:
        """Wave numbers along each axis, shaped to broadcast over the modes."""
        n_axes = len(self.lengths)
        return [
            (
                np.arange(0 if self.is_half and axis == 0 else -half, half + 1)
                * (2.0 * np.pi / length)
            ).reshape([-1 if axis == other else 1 for other in range(n_axes)])
            for axis, (half, length) in enumerate(zip(self.half_modes, self.lengths, strict=True))
        ]

    def angles(self, points: FloatArray) -> list[FloatArray]:
        """Scale coordinates to (-pi, pi), one array per axis."""
        scaled = (points - self.middle) * (2.0 * np.pi / self.lengths)
        return list(np.ascontiguousarray(scaled.T))

    def gaussian(self) -> FloatArray:
        """Spectrum of the standard normal density on the modes."""
        return reduce(np.multiply, [np.exp(-0.5 * np.square(f)) for f in self.frequencies])

    def series(self, angles: list[FloatArray], weights: FloatArray | None = None) -> ComplexArray:
        """F(kappa) = sum_j weight_j exp(i kappa z_j), by a type-1 transform."""
        strengths = np.ones(len(angles[0])) if weights is None else weights
        shape = tuple(int(n) for n in 2 * self.half_modes + 1)
        coefficients: ComplexArray
        if finufft is None:
            coefficients = spreading.series(angles, strengths, shape, self.tolerance)
        else:
            transform = getattr(finufft, f"nufft{len(shape)}d1")
            coefficients = transform(
                *angles,
                strengths.astype(np.complex128),
                shape if len(shape) > 1 else shape[0],
                **self._options,
            )
        # A copy, without which the other half would be kept, too.
        return coefficients[self.half_modes[0] :].copy() if self.is_half else coefficients

    def evaluate(self, angles: list[FloatArray], series: ComplexArray) -> FloatArray:
        """Compute Re sum_kappa series(kappa) exp(i kappa z) at points, by a type-2 transform.

        Several series can be stacked along the first axis, and so are their values.
        """
        if finufft is None:
            return spreading.values(angles, series, self.tolerance)
        transform = getattr(finufft, f"nufft{len(angles)}d2")
        values: FloatArray = transform(*angles, series, **self._options).real
        return values

    @property
    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"isign": 1, "eps": self.tolerance, "nthreads": _N_THREADS}
        if self.n_modes > _MANY_MODES:
            is_loose = self.tolerance >= _TEN_DIGITS
            options["upsampfac"] = _COARSEST_GRID if is_loose else _COARSE_GRID
        return options

    def gradients(self, angles: list[FloatArray], series: ComplexArray) -> FloatArray:
        """Compute gradients of the real series at points, shape (n_points, n_components)."""
        stacked = np.stack([1j * frequency * series for frequency in self.frequencies])
        if len(angles) == 1:
            stacked = stacked[0]
        return np.ascontiguousarray(self.evaluate(angles, stacked).reshape(len(angles), -1).T)


class PointSeries:
    """The series of the points of each class in one block.

    Parameters
    ----------
    box : Box
    root : ndarray of shape (n_components, n_components)
        Points times this are in the coordinates of the box.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of rows in memory; None if each counts once.
    """

    def __init__(self, box: Box, root: FloatArray, weights: Sequence[FloatArray | None]) -> None:
        self._box, self._root, self._weights = box, root, weights

    def __call__(self, code: int, points: FloatArray) -> ComplexArray:
        """Compute the series of some points of a class, by its number."""
        return self._box.series(self._box.angles(points @ self._root), self._weights[code])


def decay_distance(tolerance: float) -> float:
    """Distance at which a standard normal density and its spectrum have decayed to a tolerance."""
    return float(np.sqrt(-2.0 * np.log(tolerance)))


def density(
    points: FloatArray,
    rows: Rows,
    covariance: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Compute a kernel density at points; the error is about 1e-11 of the kernel's peak.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    rows : ndarray of shape (n_samples, n_components), or ClassRows
    covariance : ndarray of shape (n_components, n_components)
        Kernel covariance.
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    root, log_norm = direct_sums.inverse_root(covariance)
    sources, targets = rows @ root, points @ root
    (lower, upper), (low, high) = bounds_of([sources]), bounds_of([targets])
    box = Box.between(np.minimum(lower, low), np.maximum(upper, high))
    if len(root) > MOST_COMPONENTS or box.n_modes > MOST_MODES:
        exact: FloatArray = np.exp(direct_sums.log_density(points, rows, covariance, weights))
        return exact
    (series,) = reduce_rows(PointSeries(box, np.eye(len(root)), [weights]), added, [sources])
    series = box.gaussian() * series.conj()
    sums = np.maximum(box.evaluate(box.angles(targets), series), 0.0)
    scale = np.exp(log_norm) * (2.0 * np.pi) ** (0.5 * len(root))
    total = len(rows) if weights is None else float(weights.sum())
    densities: FloatArray = sums * (scale / (total * box.volume))
    return densities

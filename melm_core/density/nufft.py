"""The Fourier engine: kernel sums in O(N) by the non-uniform fast Fourier transform.

Poisson summation turns a sum of Gaussians into a sum over the modes of a
periodic box, exact to the tolerance once the box is wide enough that images
do not meet and the modes reach where the kernel's spectrum has vanished.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import finufft
import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray
from melm_core.density import direct_sums

ComplexArray: TypeAlias = npt.NDArray[np.complex128]

TOLERANCE = 1e-12

# Beyond this many modes (64 MB) the kernel is too narrow for its span and the
# direct sum in blocks is taken instead, as it is beyond three components.
MOST_MODES = 1 << 22

# finufft transforms in up to three dimensions.
MOST_COMPONENTS = 3

# A standard normal and its spectrum have fallen to the tolerance here.
REACH = float(np.sqrt(-2.0 * np.log(TOLERANCE)))

# One thread: OpenMP's own cost more than they give on small problems, and fight
# with everything else on the machine on large ones.
_OPTIONS = {"eps": TOLERANCE, "nthreads": 1}
_TYPE_1 = {1: finufft.nufft1d1, 2: finufft.nufft2d1, 3: finufft.nufft3d1}
_TYPE_2 = {1: finufft.nufft1d2, 2: finufft.nufft2d2, 3: finufft.nufft3d2}


@dataclass(frozen=True, eq=False)
class Box:
    """A periodic box and the modes on it.

    Attributes
    ----------
    middle, lengths : ndarray of shape (n_components,)
    half_modes : ndarray of shape (n_components,)
        Modes run from -half_modes to half_modes along each axis.
    """

    middle: FloatArray
    lengths: FloatArray
    half_modes: npt.NDArray[np.int64]

    @classmethod
    def around(
        cls, points: Sequence[FloatArray], *, narrowest: float = 1.0, widest: float = 1.0
    ) -> Box:
        """The box that holds all points and Gaussians between two widths around them."""
        lower = np.min([part.min(axis=0) for part in points], axis=0)
        upper = np.max([part.max(axis=0) for part in points], axis=0)
        lengths = upper - lower + REACH * widest
        half_modes = np.ceil(lengths * REACH / (2.0 * np.pi * narrowest))
        # A mode count that no machine holds is cut where it is refused anyway.
        half_modes = np.minimum(half_modes, MOST_MODES).astype(np.int64)
        return cls(0.5 * (lower + upper), lengths, half_modes)

    @property
    def n_modes(self) -> int:
        """All modes together."""
        return int(np.prod(2.0 * self.half_modes + 1.0))

    @property
    def volume(self) -> float:
        """Product of the lengths."""
        return float(np.prod(self.lengths))

    @property
    def frequencies(self) -> list[FloatArray]:
        """Wave numbers along each axis, shaped to broadcast over the modes."""
        n_axes = len(self.lengths)
        return [
            (np.arange(-half, half + 1) * (2.0 * np.pi / length)).reshape(
                [-1 if axis == other else 1 for other in range(n_axes)]
            )
            for axis, (half, length) in enumerate(zip(self.half_modes, self.lengths, strict=True))
        ]

    def angles(self, points: FloatArray) -> list[FloatArray]:
        """Coordinates in which the box is (-pi, pi), an array for each axis."""
        scaled = (points - self.middle) * (2.0 * np.pi / self.lengths)
        return list(np.ascontiguousarray(scaled.T))

    def gaussian(self) -> FloatArray:
        """Spectrum of the standard normal density on the modes."""
        return reduce(np.multiply, [np.exp(-0.5 * np.square(f)) for f in self.frequencies])

    def series(self, angles: list[FloatArray], weights: FloatArray | None = None) -> ComplexArray:
        """F(kappa) = sum_j weight_j exp(i kappa z_j), by a type-1 transform."""
        n_points = len(angles[0])
        strengths = np.ones(n_points) if weights is None else weights
        shape = tuple(int(n) for n in 2 * self.half_modes + 1)
        coefficients: ComplexArray = _TYPE_1[len(shape)](
            *angles,
            strengths.astype(np.complex128),
            shape if len(shape) > 1 else shape[0],
            isign=1,
            **_OPTIONS,
        )
        return coefficients

    def evaluate(self, angles: list[FloatArray], series: ComplexArray) -> FloatArray:
        """Real part of sum_kappa series(kappa) exp(i kappa z) at points, by a type-2 transform.

        Several series are stacked along a first axis, and so are their values.
        """
        values: FloatArray = _TYPE_2[len(angles)](*angles, series, isign=1, **_OPTIONS).real
        return values

    def gradients(self, angles: list[FloatArray], series: ComplexArray) -> FloatArray:
        """Gradient of the real part of the series at points, shape (n_points, n_components)."""
        stacked = np.stack([1j * frequency * series for frequency in self.frequencies])
        if len(angles) == 1:
            stacked = stacked[0]
        return np.ascontiguousarray(self.evaluate(angles, stacked).reshape(len(angles), -1).T)


def density(points: FloatArray, rows: FloatArray, covariance: FloatArray) -> FloatArray:
    """A kernel density at points; absolute error about 1e-11 of the kernel's peak.

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
    root, log_norm = direct_sums.inverse_root(covariance)
    sources, targets = rows @ root, points @ root
    box = Box.around([sources, targets])
    if len(root) > MOST_COMPONENTS or box.n_modes > MOST_MODES:
        exact: FloatArray = np.exp(direct_sums.log_density(points, rows, covariance))
        return exact
    series = box.gaussian() * box.series(box.angles(sources)).conj()
    sums = np.maximum(box.evaluate(box.angles(targets), series), 0.0)
    scale = np.exp(log_norm) * (2.0 * np.pi) ** (0.5 * len(root))
    densities: FloatArray = sums * (scale / (len(rows) * box.volume))
    return densities

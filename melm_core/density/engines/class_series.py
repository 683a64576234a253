"""One pass over the rows of a plane, shared by all that is computed from its densities.

The series F_c(kappa) = sum_j exp(i kappa z_j) depends on the rows of a class alone. Kernels of any
width only multiply it by their spectrum, so potentials, densities at points and on grids need no
further transform of the rows, as long as the box of the series holds their kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import ComplexArray, FloatArray
from melm_core.base.row_blocks import Rows, added, class_bounds, reduce_rows
from melm_core.base.sample_weights import totals_of
from melm_core.density.engines.direct_sums import inverse_root, log_density
from melm_core.density.engines.nufft import (
    MOST_COMPONENTS,
    MOST_MODES,
    TOLERANCE,
    Box,
    PointSeries,
    decay_distance,
)

# Where the rows are not there to be summed, the series is used as far as it has one correct digit,
# which is the share of one row of 1e9.
_FLOOR = 1e-9

# A grid ends this many widths of the kernel beyond the outermost row: a contour around 95 % of the
# rows ends within, unless its rows are few or its kernel narrow.
GRID_MARGIN = 3.0

_SLACK = 1e-9  # of rounding

# Transforms to ten digits take half the time. Where densities must be exact in the tails, that is
# not enough; potentials are sums over all modes, of which each may err.
POTENTIALS_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class ClassSeries:
    """The Fourier series of the rows of each class.

    Attributes
    ----------
    root : ndarray of shape (n_components, n_components)
        Rows times this are in the coordinates of the box.
    box : Box
    widths : tuple of float
        Least and largest standard deviation of a kernel, in those coordinates, that the box holds.
    narrowing : float
        The narrowest function that the modes resolve, relative to the kernel: 1 for densities, the
        root of 2 where they resolve potentials alone, which have the kernels of two classes.
    series : tuple of ndarray
        F_c of each class, divided by its total weight.
    bounds : ndarray of shape (n_classes, 2, n_components)
        Lowest and highest coordinates of the rows of each class.
    totals : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    """

    root: FloatArray
    box: Box
    widths: tuple[float, float]
    series: tuple[ComplexArray, ...]
    bounds: FloatArray
    totals: FloatArray
    narrowing: float = 1.0

    @classmethod
    def of(
        cls,
        rows: Sequence[Rows],
        covariances: FloatArray,
        points: FloatArray,
        *,
        weights: Sequence[FloatArray] | None = None,
        factors: tuple[float, float] = (1.0, 1.0),
        most_modes: int = MOST_MODES,
        only_potentials: bool = False,
    ) -> ClassSeries | None:
        """Transform the rows of classes that were projected into a plane.

        Parameters
        ----------
        rows : sequence of ndarray of shape (n_samples_of_class, n_components), or of ClassRows
        covariances : ndarray of shape (n_classes, n_components, n_components)
            Kernel covariance of each class.
        points : ndarray of shape (n_points, n_components)
            Where densities will be asked, besides grids around the rows.
        weights : sequence of ndarray of shape (n_samples_of_class,) or None
            Of rows in memory; None if each counts once.
        factors : tuple of float
            How many times as narrow and as wide kernels may get.
        most_modes : int
            Limit on the modes of each class, which bounds the memory.
        only_potentials : bool
            Whether no densities will be asked. In a plane that takes a quarter of the memory.

        Returns
        -------
        ClassSeries or None
            None where that would take more modes, or has more components than transforms have.
        """
        if covariances.shape[1] > MOST_COMPONENTS:
            return None
        root, _ = inverse_root(2.0 * covariances.mean(axis=0))
        narrowest, widest = np.array(factors) * _widths(root, covariances)
        bounds = class_bounds([part @ root for part in rows])
        margin = 0.0 if only_potentials else GRID_MARGIN * widest
        reach = np.concatenate([bounds[:, 0] - margin, bounds[:, 1] + margin])
        if not only_potentials:
            reach = np.concatenate([reach, points @ root])
        # A potential has the kernels of two classes.
        narrowing = float(np.sqrt(2.0)) if only_potentials else 1.0
        box = Box.around(
            [reach],
            narrowest=narrowing * narrowest,
            widest=np.sqrt(2.0) * widest,
            tolerance=POTENTIALS_TOLERANCE if only_potentials else TOLERANCE,
        )
        if box.n_modes > most_modes:
            return None
        box = replace(box, is_half=only_potentials)
        sums = reduce_rows(PointSeries(box, root, weights or [None] * len(rows)), added, rows)
        totals = totals_of(rows, weights)
        series = tuple(modes / total for modes, total in zip(sums, totals, strict=True))
        return cls(root, box, (float(narrowest), float(widest)), series, bounds, totals, narrowing)

    @property
    def n_modes(self) -> int:
        """Of each class."""
        return self.box.n_modes

    @property
    def kept_bytes(self) -> int:
        """Bytes of the modes."""
        return sum(of_class.nbytes for of_class in self.series)

    def root_of(self, _: int) -> FloatArray:
        """Return the matrix that maps points to coordinates of the grid of any class."""
        return self.root

    @property
    def has_densities(self) -> bool:
        """True if the modes resolve the kernels of densities, not those of potentials alone."""
        return not self.box.is_half

    def moved(self, change: FloatArray, offset: FloatArray) -> ClassSeries:
        """Return the series of the same rows in other coordinates of their plane.

        Parameters
        ----------
        change : ndarray of shape (n_components, n_components)
            Of full rank.
        offset : ndarray of shape (n_components,)
            A row z becomes change z + offset.

        Returns
        -------
        ClassSeries
            Shares the transforms, whose box stays where it is beside the rows.
        """
        root = np.linalg.inv(change).T @ self.root
        shift = offset @ root
        box = replace(self.box, middle=self.box.middle + shift)
        return replace(self, root=root, box=box, bounds=self.bounds + shift)

    def serves(self, covariances: FloatArray) -> bool:
        """Return whether the box holds kernels of these covariances, (n_classes, k, k)."""
        narrowest, widest = _widths(self.root, covariances)
        least, most = self.widths
        return bool(narrowest >= (1 - _SLACK) * least and widest <= (1 + _SLACK) * most)

    def cropped(self, covariances: FloatArray) -> ClassSeries:
        """Crop the series to the part that kernels of these covariances reach."""
        narrowest, _ = _widths(self.root, covariances)
        reach = decay_distance(self.box.tolerance) / (2.0 * np.pi * self.narrowing * narrowest)
        half = np.minimum(self.box.half_modes, np.ceil(self.box.lengths * reach).astype(np.int64))
        middles = self.box.half_modes.copy()
        if self.box.is_half:
            middles[0] = 0
        reached = tuple(
            slice(max(0, int(middle - some)), int(middle + some + 1))
            for middle, some in zip(middles, half, strict=True)
        )
        return replace(
            self,
            box=replace(self.box, half_modes=half),
            series=tuple(of_class[reached] for of_class in self.series),
        )

    def density(self, points: FloatArray, code: int, covariance: FloatArray) -> FloatArray:
        """Compute the density of a class at points, shape (n_points,); see `nufft.density`."""
        angles = self.box.angles(points @ self.root)
        sums = self.box.evaluate(angles, self._smoothed(code, covariance).conj())
        return np.asarray(np.maximum(sums, 0.0) * self._scale)

    def log_densities(
        self, points: FloatArray, sample: Sequence[FloatArray], covariances: FloatArray
    ) -> FloatArray:
        """Compute log class densities at points, of rows that are not all in memory.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
        sample : sequence of ndarray of shape (n_samples_of_class, n_components)
            Rows of each class, which stand for all of it where no row is near.
        covariances : ndarray of shape (n_classes, n_components, n_components)
            Kernel covariances, which the box holds.

        Returns
        -------
        ndarray of shape (n_points, n_classes)
        """
        log_peaks = np.array([inverse_root(covariance)[1] for covariance in covariances])
        floors = log_peaks + np.log(_FLOOR)
        logs = np.tile(floors, (len(points), 1))
        inside = self.holds(points)
        for code, covariance in enumerate(covariances):
            if inside.any():
                density = self.density(points[inside], code, covariance)
                logs[inside, code] = np.log(np.maximum(density, np.exp(floors[code])))
        is_far = (logs <= floors).all(axis=1)
        for code, (rows, covariance) in enumerate(zip(sample, covariances, strict=True)):
            logs[is_far, code] = log_density(points[is_far], rows, covariance)
        return logs

    def density_on_grid(
        self, code: int, covariance: FloatArray, n_lines: int, margin: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Evaluate the density of a class on a grid `margin` kernel widths beyond its rows.

        Returns
        -------
        x, y : ndarray of shape (n_lines,)
            In the coordinates of the box, which are points times `root`.
        density : ndarray of shape (n_lines, n_lines)
            At each y and x, per unit area of the plane.
        """
        widths = np.sqrt(np.diag(self.root.T @ covariance @ self.root))
        lower = self.bounds[code, 0] - margin * widths
        upper = self.bounds[code, 1] + margin * widths
        x, y = (np.linspace(lower[axis], upper[axis], n_lines) for axis in (0, 1))
        # A grid along the axes of the box takes two products of matrices.
        along_x, along_y = (
            np.exp(1j * np.outer(lines - self.box.middle[axis], self.box.frequencies[axis].ravel()))
            for axis, lines in enumerate((x, y))
        )
        sums = (along_y @ (self._smoothed(code, covariance).conj().T @ along_x.T)).real
        return x, y, np.maximum(sums, 0.0) * self._scale

    def to_arrays(self) -> dict[str, FloatArray]:
        """Return what `from_arrays` reads: half of the modes; the others are their conjugates.

        Only of a series of densities.
        """
        box = self.box
        halves = [modes.ravel()[: modes.size // 2 + 1] for modes in self.series]
        return {
            "root": self.root,
            "middle": box.middle,
            "lengths": box.lengths,
            "half_modes": box.half_modes.astype(np.float64),
            "limits": np.array([box.tolerance, *self.widths]),
            "bounds": self.bounds,
            "totals": self.totals,
            "series": np.stack(halves).view(np.float64),
        }

    @staticmethod
    def shapes_of(
        half_modes: FloatArray, n_classes: int, n_components: int
    ) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the arrays of `to_arrays`."""
        return {
            "root": (n_components, n_components),
            "middle": (n_components,),
            "lengths": (n_components,),
            "half_modes": (n_components,),
            "limits": (3,),
            "bounds": (n_classes, 2, n_components),
            "totals": (n_classes,),
            "series": (n_classes, prod(_modes(half_modes)) + 1),
        }

    @classmethod
    def from_arrays(cls, array: Mapping[str, FloatArray]) -> ClassSeries:
        """Restore the series from the arrays of `to_arrays`, if they have their shapes."""
        half = array["half_modes"].astype(np.int64)
        tolerance, narrowest, widest = array["limits"].tolist()
        box = Box(array["middle"], array["lengths"], half, tolerance)
        halves = [modes.view(np.complex128) for modes in array["series"]]
        series = tuple(
            np.concatenate([modes, modes[-2::-1].conj()]).reshape(_modes(half)) for modes in halves
        )
        widths = (narrowest, widest)
        return cls(array["root"], box, widths, series, array["bounds"], array["totals"])

    def holds(self, points: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether points are so near to the rows that no periodic image is nearer."""
        reach = np.sqrt(2.0) * self.widths[1] * decay_distance(self.box.tolerance)
        offsets = np.abs(points @ self.root - self.box.middle)
        inside: npt.NDArray[np.bool_] = (
            offsets <= 0.5 * (1 + _SLACK) * (self.box.lengths - reach)
        ).all(axis=1)
        return inside

    def _smoothed(self, code: int, covariance: FloatArray) -> ComplexArray:
        smoothed: ComplexArray = self.series[code] * spectrum(
            self.box, self.root.T @ covariance @ self.root
        )
        return smoothed

    @property
    def _scale(self) -> float:
        return float(np.exp(np.linalg.slogdet(self.root)[1]) / self.box.volume)


def _modes(half_modes: FloatArray | npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(n) for n in 2 * half_modes.astype(np.int64) + 1)


def _widths(root: FloatArray, covariances: FloatArray) -> FloatArray:
    """Return the least and largest standard deviation of kernels in coordinates of a root."""
    deviations = np.sqrt(np.linalg.eigvalsh(root.T @ covariances @ root))
    return np.array([deviations.min(), deviations.max()])


def spectrum(box: Box, covariance: FloatArray) -> FloatArray:
    """Compute the spectrum of a normal density on the modes of a box."""
    frequencies = box.frequencies
    squares = reduce(
        np.add, [c * f**2 for c, f in zip(np.diag(covariance), frequencies, strict=True)]
    )
    products = sum(
        covariance[i, j] * frequencies[i] * frequencies[j]
        for i, j in combinations(range(len(covariance)), 2)
    )
    values: FloatArray = np.exp(-0.5 * squares - products)
    return values

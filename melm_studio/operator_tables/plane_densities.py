"""The densities of all rows of a registered table in the plane of a run, kept as its report.

A class has a Fourier series of its rows, which kernels of any width within a band only multiply.
So the page draws contours, and computes the divergence and predictions, of all rows without
reading one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec
import numpy as np

from melm_core.base import DEFAULT_DENSITY_GAMMA, BlockSource, FloatArray, known_type
from melm_core.density import (
    ClassDensities,
    ClassSeries,
    DensityRule,
    PreparedSums,
    kernel_classes_in_blocks,
)
from melm_core.linalg import moments_of_classes
from melm_core.melm import divergence_in_plane
from melm_core.methods import GAMMA
from melm_studio.record import Record
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore

# More components would take a hundred times as many modes.
MOST_COMPONENTS = 2

# A run keeps at most so much; of a smooth plane that is enough for every kernel width.
MOST_SERIES_BYTES = 2**25
_MODE_BYTES = 8  # a complex number for two modes, see `ClassSeries.to_arrays`

# Kernel widths for which series are made, the widest band that is small enough: from and to these
# multiples of that of the run.
_BANDS = ((0.25, 8.0), (0.5, 4.0), (2**-0.5, 2.0), (1.0, 1.0))

_WIDE_RATIO = 2.5  # the widest to the narrowest kernel in a band of smoother ones

_SAME_PLANE = 1e-8  # of the length of the components


class _Numbers(Record, frozen=True):
    """An array of float64 numbers."""

    shape: tuple[int, ...]
    raw: bytes


@dataclass(frozen=True, eq=False)
class PlaneDensities:
    """The classes of all rows that a plane is of, in the coordinates of its components.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    means : ndarray of shape (n_classes, n_components)
    covariances : ndarray of shape (n_classes, n_components, n_components)
        With the divisor N_c.
    kernels : ndarray of shape (n_classes, n_components, n_components)
        Covariances of the kernels at gamma 1 of the densities that a search compares, which were
        shrunk among all features. Those of the class densities follow from `covariances`.
    series : tuple of ClassSeries
        Of the rows, one for each band of kernel widths.
    gamma, divergence : float
        The kernel width of the run, and the divergence in nats with it.
    """

    components: FloatArray
    means: FloatArray
    covariances: FloatArray
    kernels: FloatArray
    series: tuple[ClassSeries, ...]
    gamma: float
    divergence: float

    @classmethod
    def of(
        cls, table: BlockSource, components: FloatArray, gamma: float, points: FloatArray
    ) -> PlaneDensities | None:
        """Compute the densities in five passes over a table, and two more for each band.

        Parameters
        ----------
        table : BlockSource
        components : ndarray of shape (n_components, n_features)
        gamma : float
        points : ndarray of shape (n_points, n_features)
            Rows at which densities will be asked.

        Returns
        -------
        PlaneDensities or None
            None of more than MOST_COMPONENTS components, and where kernels are so narrow beside
            the spread of the rows that the series take more than MOST_SERIES_BYTES.
        """
        if len(components) > MOST_COMPONENTS:
            return None
        whole = kernel_classes_in_blocks(table, n_components=len(components))
        searched = whole.project(components)
        means, covariances = moments_of_classes(searched.rows)
        rule = DensityRule.of_moments([], means, covariances, searched.totals)
        narrower = min(gamma, DEFAULT_DENSITY_GAMMA)
        both = searched, rule.classes.covariances
        series = tuple(_series(*both, narrower, points @ components.T))
        if not series:
            return None
        wide = searched.widened(gamma)
        serving = next((band for band in series if band.serves(wide.covariances)), None)
        divergence = divergence_in_plane(wide.with_sums(PreparedSums(serving, serving)))
        return cls(components, means, covariances, searched.covariances, series, gamma, divergence)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each class."""
        return tuple(round(total) for total in self.series[0].totals)

    def seen_in(self, components: FloatArray, origin: FloatArray) -> PlaneDensities | None:
        """Return the densities in coordinates (row - origin) components'; None of another plane.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
        origin : ndarray of shape (n_features,)
        """
        if components.shape != self.components.shape:
            return None
        solution, *_ = np.linalg.lstsq(self.components.T, components.T, rcond=None)
        change = np.asarray(solution.T, dtype=np.float64)
        difference = np.linalg.norm(change @ self.components - components)
        if difference > _SAME_PLANE * np.linalg.norm(components):
            return None
        offset = -components @ origin
        return replace(
            self,
            components=components,
            means=self.means @ change.T + offset,
            covariances=change @ self.covariances @ change.T,
            kernels=change @ self.kernels @ change.T,
            series=tuple(band.moved(change, offset) for band in self.series),
        )

    def search_densities(self, sample: Iterable[FloatArray], gamma: float) -> ClassDensities | None:
        """Return the densities that a search compares, of all rows, with kernels of a width.

        None of a width that the series do not serve.

        Parameters
        ----------
        sample : iterable of ndarray of shape (n_samples_of_class, n_components)
            Rows that are drawn, in these coordinates.
        gamma : float
        """
        return self._summed(ClassDensities(tuple(sample), self.kernels * gamma**2))

    def class_rule(self, sample: Sequence[FloatArray], gamma: float) -> DensityRule | None:
        """Return the class densities of all rows, with the classes' covariances in the plane.

        None of a width that the series do not serve.

        Parameters
        ----------
        sample, gamma
            See `search_densities`.
        """
        counts = self.series[0].totals
        rule = DensityRule.of_moments(sample, self.means, self.covariances, counts, gamma=gamma)
        classes = self._summed(rule.classes)
        return None if classes is None else replace(rule, classes=classes)

    def _summed(self, classes: ClassDensities) -> ClassDensities | None:
        serving = next((band for band in self.series if band.serves(classes.covariances)), None)
        return None if serving is None else classes.with_sums(PreparedSums(serving, serving))

    def to_bytes(self) -> bytes:
        """Return what `from_bytes` reads."""
        arrays = {
            "components": self.components,
            "means": self.means,
            "covariances": self.covariances,
            "kernels": self.kernels,
            "scalars": np.array([self.gamma, self.divergence]),
        }
        for number, series in enumerate(self.series):
            arrays |= {f"{number}.{name}": array for name, array in series.to_arrays().items()}
        packed = {
            name: _Numbers(array.shape, np.ascontiguousarray(array, dtype="<f8").tobytes())
            for name, array in arrays.items()
        }
        return msgspec.msgpack.encode(packed)

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return the densities that `to_bytes` wrote.

        Raises
        ------
        ValueError
            If they are damaged.
        """
        packed = msgspec.msgpack.decode(raw, type=known_type(dict[str, _Numbers]))
        array = {name: _array(numbers) for name, numbers in packed.items()}
        try:
            return cls._of_arrays(array)
        except (KeyError, IndexError) as error:
            raise ValueError(f"The densities of a plane are damaged: {error}.") from None

    @classmethod
    def _of_arrays(cls, array: Mapping[str, FloatArray]) -> Self:
        components, kernels = array["components"], array["kernels"]
        square = (len(kernels), len(components), len(components))
        shapes = {
            "components": (len(components), components.shape[1]),
            "means": square[:2],
            "covariances": square,
            "kernels": square,
            "scalars": (2,),
        }
        _check_shapes(array, shapes)
        n_bands = sum(name.endswith(".series") for name in array)
        series = tuple(_series_of(array, f"{number}.", square) for number in range(n_bands))
        if len(components) > MOST_COMPONENTS or not series:
            raise ValueError("The densities of a plane are damaged: they have no series.")
        gamma, divergence = array["scalars"].tolist()
        return cls(
            components, array["means"], array["covariances"], kernels, series, gamma, divergence
        )


def keep_densities(store: RunStore, record: RunRecord, densities: PlaneDensities | None) -> None:
    """Store the densities of all rows in the final plane of a run, if there are any."""
    if densities is not None:
        store.put_report(record.run_id, densities.to_bytes())


def kept_densities(store: RunStore, run_id: str) -> PlaneDensities | None:
    """Return what a run on a registered table kept; None if it kept nothing."""
    raw = store.report(run_id)
    return None if raw is None else PlaneDensities.from_bytes(raw)


def _series(
    classes: ClassDensities, others: FloatArray, gamma: float, points: FloatArray
) -> Iterator[ClassSeries]:
    """Yield series of classes with the kernels of gamma 1, for bands of as much room as there is.

    Those of wide kernels take few modes, and have bands of their own. They serve `others`, too, the
    kernels of other densities of the same rows.
    """

    def transformed(band: tuple[float, float], most_modes: int) -> ClassSeries | None:
        return classes.transformed(points, band, most_modes=most_modes, others=others)

    room = MOST_SERIES_BYTES // (_MODE_BYTES * len(classes.rows))
    most, bands = room // 2, iter(((GAMMA.minimum, GAMMA.maximum), *_around(gamma)))
    series, largest = None, 0.0
    while series is None and (band := next(bands, None)) is not None:
        series = transformed(band, most)
        largest = band[1]
    while series is not None:
        yield series
        room -= series.n_modes
        least, largest = largest, min(_WIDE_RATIO * largest, GAMMA.maximum)
        if least >= GAMMA.maximum:
            return
        series = transformed((least, largest), room)


def _around(gamma: float) -> Iterable[tuple[float, float]]:
    return ((least * gamma, largest * gamma) for least, largest in _BANDS)


def _series_of(
    array: Mapping[str, FloatArray], prefix: str, square: tuple[int, int, int]
) -> ClassSeries:
    """Construct the series from arrays, of so many classes and components."""
    parts = {
        name.removeprefix(prefix): values
        for name, values in array.items()
        if name.startswith(prefix)
    }
    n_classes, n_components, _ = square
    _check_shapes(parts, ClassSeries.shapes_of(parts["half_modes"], n_classes, n_components))
    return ClassSeries.from_arrays(parts)


def _check_shapes(array: Mapping[str, FloatArray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        if array[name].shape != shape or not np.isfinite(array[name]).all():
            raise ValueError(f"The {name} of the densities of a plane are damaged.")


def _array(numbers: _Numbers) -> FloatArray:
    return np.frombuffer(numbers.raw, dtype="<f8").astype(np.float64).reshape(numbers.shape)

"""The densities of all rows of a registered table in the plane of a run, kept as its report.

A class has a Fourier series of its rows, which kernels of any width within a band only multiply.
So the page draws contours, and computes the divergence and predictions, of all rows without
reading one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Self

import msgspec
import numpy as np

from melm_core.base import BlockSource, FloatArray
from melm_core.density import ClassSeries, KernelClasses, SeriesBox, kernel_classes_in_blocks
from melm_core.linalg import moments_of_classes
from melm_core.melm import divergence_in_plane
from melm_core.methods import GAMMA
from melm_studio.worker.records.record import Record
from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.store.protocol import RunStore

# More components would take a hundred times as many modes.
MOST_COMPONENTS = 2

# A run keeps at most so much; of a smooth plane that is enough for every kernel width.
MOST_SERIES_BYTES = 2**24
_MODE_BYTES = 8  # a complex number for two modes, see `_half`

# Kernel widths for which series are made, the widest band that is small enough: from and to these
# multiples of that of the run.
_BANDS = ((0.25, 8.0), (0.5, 4.0), (2**-0.5, 2.0), (1.0, 1.0))

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
        Covariances of the kernels at gamma 1.
    series : ClassSeries
        Of the rows.
    gamma, divergence : float
        The kernel width of the run, and the divergence in nats with it.
    """

    components: FloatArray
    means: FloatArray
    covariances: FloatArray
    kernels: FloatArray
    series: ClassSeries
    gamma: float
    divergence: float

    @classmethod
    def of(
        cls, table: BlockSource, components: FloatArray, gamma: float, points: FloatArray
    ) -> PlaneDensities | None:
        """Pass over the rows of a table, five times.

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
        classes = whole.project(components)
        series = _series(classes, gamma, points @ components.T)
        if series is None:
            return None
        means, covariances = moments_of_classes(classes.rows)
        own = replace(classes.widened(gamma), series=series)
        divergence = divergence_in_plane(own)
        return cls(components, means, covariances, classes.covariances, series, gamma, divergence)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each class."""
        return tuple(round(total) for total in self.series.totals)

    def seen_in(self, components: FloatArray, origin: FloatArray) -> PlaneDensities | None:
        """The same in the coordinates (row - origin) components'; None of another plane.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
        origin : ndarray of shape (n_features,)
        """
        if components.shape != self.components.shape:
            return None
        found, *_ = np.linalg.lstsq(self.components.T, components.T, rcond=None)
        change = np.asarray(found.T, dtype=np.float64)
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
            series=self.series.moved(change, offset),
        )

    def classes(self, sample: Iterable[FloatArray], gamma: float) -> KernelClasses | None:
        """The classes with kernels of a width; None of a width that the series do not serve.

        Parameters
        ----------
        sample : iterable of ndarray of shape (n_samples_of_class, n_components)
            Rows that are drawn, in these coordinates.
        gamma : float
        """
        covariances = self.kernels * gamma**2
        if not self.series.serves(covariances):
            return None
        return KernelClasses(tuple(sample), covariances, series=self.series.cropped(covariances))

    def to_bytes(self) -> bytes:
        """Return what `from_bytes` reads."""
        series, box = self.series, self.series.box
        arrays = {
            "components": self.components,
            "means": self.means,
            "covariances": self.covariances,
            "kernels": self.kernels,
            "root": series.root,
            "middle": box.middle,
            "lengths": box.lengths,
            "half_modes": box.half_modes.astype(np.float64),
            "scalars": np.array([box.tolerance, *series.widths, self.gamma, self.divergence]),
            "bounds": series.bounds,
            "totals": series.totals,
            "series": np.stack([_half(one) for one in series.series]).view(np.float64),
        }
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
        packed = msgspec.msgpack.decode(raw, type=dict[str, _Numbers])
        array = {name: _array(numbers) for name, numbers in packed.items()}
        try:
            return cls._of_arrays(array)
        except (KeyError, IndexError) as error:
            raise ValueError(f"The densities of a plane are damaged: {error}.") from None

    @classmethod
    def _of_arrays(cls, array: Mapping[str, FloatArray]) -> Self:
        components, totals = array["components"], array["totals"]
        n_components, n_classes = len(components), len(totals)
        square = (n_classes, n_components, n_components)
        shapes = {
            "components": (n_components, components.shape[1]),
            "means": square[:2],
            "covariances": square,
            "kernels": square,
            "root": square[1:],
            "middle": (n_components,),
            "lengths": (n_components,),
            "half_modes": (n_components,),
            "scalars": (5,),
            "bounds": (n_classes, 2, n_components),
            "totals": (n_classes,),
            "series": array["series"].shape,  # which its modes determine
        }
        for name, shape in shapes.items():
            if array[name].shape != shape or not np.isfinite(array[name]).all():
                raise ValueError(f"The {name} of the densities of a plane are damaged.")
        half = array["half_modes"].astype(np.int64)
        modes = tuple(int(n) for n in 2 * half + 1)
        series = array["series"]
        if n_components > MOST_COMPONENTS or series.shape != (n_classes, prod(modes) + 1):
            raise ValueError("The series of the densities of a plane are damaged.")
        tolerance, narrowest, widest, gamma, divergence = array["scalars"].tolist()
        box = SeriesBox(array["middle"], array["lengths"], half, tolerance)
        of_classes = tuple(_whole(one.view(np.complex128)).reshape(modes) for one in series)
        own = ClassSeries(
            array["root"], box, (narrowest, widest), of_classes, array["bounds"], totals
        )
        moments = (array["means"], array["covariances"], array["kernels"])
        return cls(components, *moments, own, gamma, divergence)


def keep_densities(store: RunStore, record: RunRecord, found: PlaneDensities | None) -> None:
    """Keep the densities of all rows in the final plane of a run, if there are any."""
    if found is not None:
        store.put_report(record.run_id, found.to_bytes())


def kept_densities(store: RunStore, run_id: str) -> PlaneDensities | None:
    """Return what a run on a registered table kept; None if it kept nothing."""
    raw = store.report(run_id)
    return None if raw is None else PlaneDensities.from_bytes(raw)


def _series(classes: KernelClasses, gamma: float, points: FloatArray) -> ClassSeries | None:
    """The series of classes with the kernels of gamma 1, for as wide a band as there is room."""
    most = MOST_SERIES_BYTES // (_MODE_BYTES * len(classes.rows))
    for least, largest in ((GAMMA.minimum, GAMMA.maximum), *_around(gamma)):
        factors = (least, largest)
        rows, covariances = classes.rows, classes.covariances
        found = ClassSeries.of(rows, covariances, points, factors=factors, most_modes=most)
        if found is not None:
            return found
    return None


def _around(gamma: float) -> Iterable[tuple[float, float]]:
    return ((least * gamma, largest * gamma) for least, largest in _BANDS)


def _half(series: Any) -> Any:
    """The first half of the modes, and the middle: the others are their conjugates."""
    flat = series.ravel()
    return flat[: len(flat) // 2 + 1]


def _whole(half: Any) -> Any:
    return np.concatenate([half, half[-2::-1].conj()])


def _array(numbers: _Numbers) -> FloatArray:
    return np.frombuffer(numbers.raw, dtype="<f8").astype(np.float64).reshape(numbers.shape)

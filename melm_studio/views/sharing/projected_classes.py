"""The classes of a data set in a plane; of many rows, each plane is passed over once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import floor, log
from operator import attrgetter
from threading import Condition
from typing import Any, TypeAlias

import numpy as np
from cachetools import LRUCache, cachedmethod
from cachetools.keys import hashkey

from melm_core.base import FloatArray
from melm_core.density import MOST_MODES, ClassSeries, KernelClasses, NearRows

# The shape and the bytes of components.
PlaneKey: TypeAlias = tuple[tuple[int, ...], bytes]

# Of fewer rows, transforms take no longer than to look for them.
MANY_ROWS = 50_000

# Planes whose projected rows are kept, and transforms of their rows: a plane has one for each band
# of kernel widths. A band is so many times as wide as it is narrow; the modes of a transform grow
# with the square of that, so bands of narrow kernels, which need most modes, are narrow: five down
# to a tenth of a kernel, the least on the page.
MOST_PLANES = 2
MOST_DENSITY_BYTES, MOST_POTENTIAL_BYTES = 2**26, 2**27
WIDE_BAND, NARROW_BAND = 4.0, 5.0**0.2
NARROWEST_WIDE = 0.5  # the least factor in a wide band
_SLACK = 1e-9  # of rounding

# Kernels that need more modes than this have few rows near a point: up to so many pairs of a point
# and a row, and up to this share of all pairs, densities are summed over them instead.
FEW_MODES = 700_000
MOST_NEAR_PAIRS = 50_000_000
NEAR_SHARE = 0.2

# Beyond this, potentials of all pairs of rows are summed sooner. Transforms of potentials keep half
# of their modes; they may have more than others where those of all classes fit into the memory.
MODES_PER_ROW = 50
MOST_POTENTIAL_MODES = 6_000_000
_BYTES_PER_MODE = 8


class ProjectedClasses:
    """Projects the classes of one data set, and remembers the last planes of many rows.

    Parameters
    ----------
    classes : KernelClasses
    points : callable
        Projects the rows at which densities are asked by components.
    """

    def __init__(self, classes: KernelClasses, points: Callable[[FloatArray], FloatArray]) -> None:
        self._classes = classes
        self._points = points
        self._is_large = int(classes.counts.sum()) >= MANY_ROWS
        self._planes: LRUCache[Any, KernelClasses] = LRUCache(MOST_PLANES)
        self._rows_in_order: LRUCache[Any, tuple[NearRows, ...]] = LRUCache(MOST_PLANES)
        self._densities: LRUCache[Any, tuple[ClassSeries | None, tuple[NearRows, ...]]]
        self._densities = LRUCache(MOST_DENSITY_BYTES, lambda sums: _size(sums[0]))
        self._potentials: LRUCache[Any, ClassSeries | None]
        # The last one is kept however large it is, since a view needs it several times.
        most = MOST_POTENTIAL_BYTES
        self._potentials = LRUCache(most, lambda series: min(most, _size(series)))
        self._condition = Condition()

    def at(self, components: FloatArray, factor: float) -> KernelClasses:
        """The classes in a plane, with kernels `factor` times as wide as those of the data set."""
        if not self._is_large:
            return self._classes.widened(factor).project(components)
        key = (components.shape, components.tobytes())
        classes = self._projected(key).widened(factor)
        band = band_of(factor)
        series, near = self._sums_of_densities(key, band)
        if series is None:
            series = self._series_of_potentials(key, self._band_at_hand(key, band))
        return replace(classes, series=series and series.cropped(classes.covariances), near=near)

    @cachedmethod(attrgetter("_planes"), condition=attrgetter("_condition"))
    def _projected(self, key: PlaneKey) -> KernelClasses:
        return self._classes.project(_components(key))

    @cachedmethod(attrgetter("_rows_in_order"), condition=attrgetter("_condition"))
    def _near(self, key: PlaneKey) -> tuple[NearRows, ...]:
        classes = self._projected(key)
        return tuple(
            map(NearRows.of, classes.rows, classes.covariances, classes.weights_of_classes)
        )

    @cachedmethod(attrgetter("_densities"), condition=attrgetter("_condition"))
    def _sums_of_densities(
        self, key: PlaneKey, band: tuple[float, float]
    ) -> tuple[ClassSeries | None, tuple[NearRows, ...]]:
        """What densities of a band of kernel widths are summed by; potentials by the series."""
        classes, points = self._projected(key), self._points(_components(key))
        series = _series(classes, points, band, most_modes=FEW_MODES)
        if series is not None:
            return series, ()
        near = self._near(key)
        widest = classes.widened(band[1]).covariances
        pairs = sum(
            own.n_pairs(points, covariance) for own, covariance in zip(near, widest, strict=True)
        )
        is_local = pairs <= NEAR_SHARE * len(points) * classes.counts.sum()
        if is_local and pairs <= MOST_NEAR_PAIRS:
            return None, near
        series = _series(classes, points, band)
        return series, near if is_local and series is None else ()

    @cachedmethod(attrgetter("_potentials"), condition=attrgetter("_condition"))
    def _series_of_potentials(self, key: PlaneKey, band: tuple[float, float]) -> ClassSeries | None:
        """What potentials of a band of kernel widths, and of wider ones, are summed by."""
        classes = self._projected(key)
        within_memory = MOST_POTENTIAL_BYTES // (_BYTES_PER_MODE * len(classes.rows))
        most = min(MOST_POTENTIAL_MODES, max(MOST_MODES, within_memory))
        return _series(
            classes,
            self._points(_components(key)),
            (band[0], max(band[1], NARROWEST_WIDE)),
            most_modes=min(most, MODES_PER_ROW * int(classes.counts.sum())),
            only_potentials=True,
        )

    def _band_at_hand(self, key: PlaneKey, band: tuple[float, float]) -> tuple[float, float]:
        """The narrowest band of a plane for which potentials are known, if it serves this one."""
        with self._condition:
            narrower = sorted(of for plane, of in self._potentials if plane == key and of <= band)
            known = (of for of in narrower if self._potentials[hashkey(key, of)] is not None)
            return next(known, band)


def band_of(factor: float) -> tuple[float, float]:
    """The least and the largest factor of kernel widths that share a transform with this one.

    Examples
    --------
    >>> [tuple(round(end, 3) for end in band_of(factor)) for factor in (1.0, 0.3)]
    [(0.5, 2.0), (0.263, 0.362)]
    """
    ratio = WIDE_BAND if factor >= NARROWEST_WIDE else NARROW_BAND
    least = NARROWEST_WIDE * ratio ** floor(log(factor / NARROWEST_WIDE, ratio) + _SLACK)
    return least, least * ratio


def _series(
    classes: KernelClasses, points: FloatArray, band: tuple[float, float], **limits: Any
) -> ClassSeries | None:
    return ClassSeries.of(
        classes.rows,
        classes.covariances,
        points,
        weights=classes.weights,
        factors=band,
        **limits,
    )


def _components(key: PlaneKey) -> FloatArray:
    shape, raw = key
    return np.frombuffer(raw).reshape(shape)


def _size(series: ClassSeries | None) -> int:
    return 1 if series is None else sum(of_class.nbytes for of_class in series.series)

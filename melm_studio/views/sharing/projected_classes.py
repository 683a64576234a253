"""The classes of a data set in a plane; of many rows, each plane is passed over once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import floor, log
from operator import attrgetter
from threading import Condition
from typing import Any

import numpy as np
from cachetools import LRUCache, cachedmethod

from melm_core.base import FloatArray
from melm_core.density import ClassSeries, KernelClasses

# Of fewer rows, transforms take no longer than to look for them.
MANY_ROWS = 50_000

# Planes whose projected rows are kept, and transforms of their rows: a plane has one for each band
# of kernel widths. A band is so many times as wide as it is narrow; the modes of a transform grow
# with the square of that, so bands of narrow kernels, which need most modes, are narrow.
MOST_PLANES = 2
MOST_TRANSFORM_BYTES = 2**27
WIDE_BAND, NARROW_BAND = 4.0, 2.0**0.5
NARROWEST_WIDE = 0.5  # the least factor in a wide band


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
        self._transforms: LRUCache[Any, ClassSeries | None] = LRUCache(MOST_TRANSFORM_BYTES, _size)
        self._condition = Condition()

    def at(self, components: FloatArray, factor: float) -> KernelClasses:
        """The classes in a plane, with kernels `factor` times as wide as those of the data set."""
        if not self._is_large:
            return self._classes.widened(factor).project(components)
        key = (components.shape, components.tobytes())
        series = self._transformed(key, band_of(factor))
        classes = self._projected(key).widened(factor)
        return replace(classes, series=series and series.cropped(classes.covariances))

    @cachedmethod(attrgetter("_planes"), condition=attrgetter("_condition"))
    def _projected(self, key: tuple[tuple[int, ...], bytes]) -> KernelClasses:
        return self._classes.project(_components(key))

    @cachedmethod(attrgetter("_transforms"), condition=attrgetter("_condition"))
    def _transformed(
        self, key: tuple[tuple[int, ...], bytes], band: tuple[float, float]
    ) -> ClassSeries | None:
        return self._projected(key).transformed(self._points(_components(key)), band).series


def band_of(factor: float) -> tuple[float, float]:
    """The least and the largest factor of kernel widths that share a transform with this one.

    Examples
    --------
    >>> [tuple(round(end, 3) for end in band_of(factor)) for factor in (1.0, 0.3)]
    [(0.5, 2.0), (0.25, 0.354)]
    """
    ratio = WIDE_BAND if factor >= NARROWEST_WIDE else NARROW_BAND
    least = NARROWEST_WIDE * ratio ** floor(log(factor / NARROWEST_WIDE, ratio))
    return least, least * ratio


def _components(key: tuple[tuple[int, ...], bytes]) -> FloatArray:
    shape, raw = key
    return np.frombuffer(raw).reshape(shape)


def _size(series: ClassSeries | None) -> int:
    return 1 if series is None else sum(of_class.nbytes for of_class in series.series)

"""The classes of a data set in a plane; of many rows, each plane is passed over once."""

from __future__ import annotations

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
# of kernel widths, from half a power of BAND to twice as wide.
MOST_PLANES = 2
MOST_TRANSFORMS = 4
BAND = 4.0


class ProjectedClasses:
    """Projects the classes of one data set, and remembers the last planes of many rows.

    Parameters
    ----------
    classes : KernelClasses
    points : ndarray of shape (n_points, n_features)
        Rows at which densities are asked.
    """

    def __init__(self, classes: KernelClasses, points: FloatArray) -> None:
        self._classes = classes
        self._points = points
        self._is_large = int(classes.counts.sum()) >= MANY_ROWS
        self._planes: LRUCache[Any, KernelClasses] = LRUCache(MOST_PLANES)
        self._transforms: LRUCache[Any, ClassSeries | None] = LRUCache(MOST_TRANSFORMS)
        self._condition = Condition()

    def at(self, components: FloatArray, factor: float) -> KernelClasses:
        """The classes in a plane, with kernels `factor` times as wide as those of the data set."""
        if not self._is_large:
            return self._classes.widened(factor).project(components)
        key = (components.shape, components.tobytes())
        series = self._transformed(key, floor(log(factor, BAND) + 0.5))
        classes = self._projected(key).widened(factor)
        return replace(classes, series=series and series.cropped(classes.covariances))

    @cachedmethod(attrgetter("_planes"), condition=attrgetter("_condition"))
    def _projected(self, key: tuple[tuple[int, ...], bytes]) -> KernelClasses:
        return self._classes.project(_components(key))

    @cachedmethod(attrgetter("_transforms"), condition=attrgetter("_condition"))
    def _transformed(self, key: tuple[tuple[int, ...], bytes], band: int) -> ClassSeries | None:
        classes, middle = self._projected(key), BAND**band
        factors = (middle / np.sqrt(BAND), middle * np.sqrt(BAND))
        return classes.transformed(self._points @ _components(key).T, factors).series


def _components(key: tuple[tuple[int, ...], bytes]) -> FloatArray:
    shape, raw = key
    return np.frombuffer(raw).reshape(shape)

"""The classes of a data set in a plane: of the rows at hand, or of all rows of a table.

Two densities have the same rows there and different kernels. The search densities are those that
MELM compares, with covariances that were shrunk among all features: the divergence is theirs. The
class densities have the covariances of the classes in the plane: contours, classes and shares are
theirs. Shrunk among many features that are alike, as those of a spectrum, covariances would be far
wider than the classes are in a plane of little variance, such as that of LDA.

Of many rows, each plane is passed over once. Kernels that are narrow beside the reach of the rows
have too many modes for a transform, and the sums over all pairs of a million rows take a quarter of
an hour: a divergence is refused where it would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, floor, log
from operator import attrgetter
from threading import Condition
from typing import Any, TypeAlias

import numpy as np
from cachetools import LRUCache, cachedmethod
from cachetools.keys import hashkey

from melm_core.base import FloatArray, UserError
from melm_core.density import ClassDensities, DensityRule, PreparedSums
from melm_core.diagnostics import ConfidenceEllipses
from melm_core.linalg import moments_of_classes
from melm_core.melm import divergence_in_plane
from melm_studio.operator_tables.plane_densities import PlaneDensities
from melm_studio.tables import count

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
MOST_SECONDS = 20.0
FEW_ROWS = 10_000  # of which all pairs take a third of a second


class ProjectedClasses:
    """Projects the classes of one data set, and remembers the last planes of many rows.

    Parameters
    ----------
    classes : ClassDensities
        The search densities in all features.
    gamma : float
        Their kernel width, to which factors are relative.
    points : callable
        Projects the rows at which densities are asked by components.
    """

    def __init__(
        self, classes: ClassDensities, gamma: float, points: Callable[[FloatArray], FloatArray]
    ) -> None:
        self._classes, self._gamma = classes, gamma
        self._kernels = replace(classes, rows=())
        self._points = points
        self._is_large = int(classes.counts.sum()) >= MANY_ROWS
        self._planes: LRUCache[Any, ClassDensities] = LRUCache(MOST_PLANES)
        self._rules: LRUCache[Any, DensityRule] = LRUCache(MOST_PLANES)
        self._densities: LRUCache[Any, PreparedSums] = LRUCache(MOST_DENSITY_BYTES, _size)
        # The last one is kept however large it is, since a view needs it several times.
        most = MOST_POTENTIAL_BYTES
        self._potentials: LRUCache[Any, PreparedSums]
        self._potentials = LRUCache(most, lambda sums: min(most, _size(sums)))
        self._condition = Condition()

    def class_rule(self, components: FloatArray, factor: float) -> DensityRule:
        """The class densities in a plane, with kernels `factor` times those of the data set."""
        if not self._is_large:
            rows = self._classes.project(components).rows
            return _rule_of(rows, self._gamma * factor)
        key = (components.shape, components.tobytes())
        rule = self._rule(key)
        sums = self._sums_of_densities(key, band_of(factor))
        return replace(rule, classes=rule.classes.widened(factor).with_sums(sums))

    def search_densities(self, components: FloatArray, factor: float) -> ClassDensities:
        """The search densities in a plane, with kernels `factor` times those of the data set."""
        if not self._is_large:
            return self._classes.widened(factor).project(components)
        key = (components.shape, components.tobytes())
        classes = self._projected(key).widened(factor)
        band = band_of(factor)
        sums = self._sums_of_densities(key, band)  # of the same rows, which views need in any case
        if not sums.serves_potentials(classes.covariances):
            sums = self._sums_of_potentials(key, self._band_at_hand(key, band, classes.covariances))
        return classes.with_sums(PreparedSums(potentials=sums.potentials))

    def search_kernels(self, components: FloatArray, factor: float) -> FloatArray:
        """Covariances of the kernels of the search densities, (n_classes, k, k)."""
        return self._kernels.widened(factor).project(components).covariances

    @cachedmethod(attrgetter("_planes"), condition=attrgetter("_condition"))
    def _projected(self, key: PlaneKey) -> ClassDensities:
        return self._classes.project(_components(key))

    @cachedmethod(attrgetter("_rules"), condition=attrgetter("_condition"))
    def _rule(self, key: PlaneKey) -> DensityRule:
        return _rule_of(self._projected(key).rows, self._gamma)

    @cachedmethod(attrgetter("_densities"), condition=attrgetter("_condition"))
    def _sums_of_densities(self, key: PlaneKey, band: tuple[float, float]) -> PreparedSums:
        """Return the sums from which densities of a band of kernel widths follow."""
        points, searched = self._points(_components(key)), self._projected(key).covariances
        return self._rule(key).classes.prepare_densities(points, band, others=searched)

    @cachedmethod(attrgetter("_potentials"), condition=attrgetter("_condition"))
    def _sums_of_potentials(self, key: PlaneKey, band: tuple[float, float]) -> PreparedSums:
        """Return sums from which potentials of a band of kernel widths, and wider ones, follow."""
        points = self._points(_components(key))
        wide = band[0], max(band[1], NARROWEST_WIDE)
        return self._projected(key).prepare_potentials(points, wide, MOST_POTENTIAL_BYTES)

    def _band_at_hand(
        self, key: PlaneKey, band: tuple[float, float], covariances: FloatArray
    ) -> tuple[float, float]:
        """The narrowest band of a plane whose sums are known and serve the kernels, else `band`."""
        with self._condition:
            narrower = sorted(of for plane, of in self._potentials if plane == key and of <= band)
            cached = ((of, self._potentials[hashkey(key, of)]) for of in narrower)
            serving = (of for of, sums in cached if sums.serves_potentials(covariances))
            return next(serving, band)


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


def _rule_of(rows: tuple[FloatArray, ...], gamma: float) -> DensityRule:
    """The class densities of the rows of each class in a plane, of which there is no copy."""
    counts = np.array(list(map(len, rows)), dtype=np.float64)
    return DensityRule.of_moments(rows, *moments_of_classes(rows), counts, gamma=gamma)


def _components(key: PlaneKey) -> FloatArray:
    shape, raw = key
    return np.frombuffer(raw).reshape(shape)


def _size(sums: PreparedSums) -> int:
    return max(1, sums.kept_bytes)


def seconds_of(classes: ClassDensities) -> float:
    """About how many seconds the divergence of classes in a plane takes; 0 if less than one."""
    return 0.0 if classes.counts.sum() < FEW_ROWS else classes.potential_seconds


def bounded_divergence(classes: ClassDensities, gamma: float) -> float:
    """The divergence of classes in a plane, in nats; 0 of a single class, which has no pair.

    Parameters
    ----------
    classes : ClassDensities
        Projected into the plane, with kernels of the width `gamma`.
    gamma : float

    Raises
    ------
    UserError
        If it would take longer.
    """
    if len(classes.rows) == 1:
        return 0.0
    check_duration(classes, gamma)
    return divergence_in_plane(classes)


def check_duration(classes: ClassDensities, gamma: float) -> None:
    """Raise UserError if the potentials of classes in a plane take longer than MOST_SECONDS."""
    # All pairs of fewer rows take eight seconds at most.
    seconds = 0.0 if classes.counts.sum() < MANY_ROWS else seconds_of(classes)
    if seconds <= MOST_SECONDS:
        return
    minutes = ceil(seconds / 60.0)
    raise UserError(
        f"With γ {gamma:g} the divergence of {sum(map(len, classes.rows)):,} rows in this plane "
        f"takes up to {count(minutes, 'minute')}, since the kernels are narrow beside the spread "
        f"of the rows; here it may take {MOST_SECONDS:.0f} seconds. Increase γ, or leave out the "
        "rows that are far from all others."
    )


@dataclass(frozen=True, eq=False)
class TableDensities:
    """The densities of all rows about the origin of a view.

    Attributes
    ----------
    found : PlaneDensities
    origin : ndarray of shape (n_features,)
        What was subtracted from the rows of the sample.
    """

    found: PlaneDensities
    origin: FloatArray

    def class_rule(self, sample: DensityRule, components: FloatArray, gamma: float) -> DensityRule:
        """The class densities of all rows in place of those of a sample, where they are known.

        Parameters
        ----------
        sample : DensityRule
            In the coordinates along `components`.
        components : ndarray of shape (n_components, n_features)
        gamma : float
            Kernel width.
        """
        seen = self.found.seen_in(components, self.origin)
        return (seen and seen.class_rule(sample.classes.rows, gamma)) or sample

    def search_densities(
        self, sample: ClassDensities, components: FloatArray, gamma: float
    ) -> ClassDensities:
        """The same of the densities that a search compares."""
        seen = self.found.seen_in(components, self.origin)
        return (seen and seen.search_densities(sample.rows, gamma)) or sample

    def search_kernels(self, components: FloatArray, gamma: float) -> FloatArray | None:
        """The kernel covariances of these, where they are known of all rows."""
        seen = self.found.seen_in(components, self.origin)
        densities = seen and seen.search_densities([], gamma)
        return densities.covariances if densities else None

    def divergence(self, components: FloatArray, gamma: float) -> float | None:
        """The divergence of all rows in the plane of the run at its kernel width, else None.

        The worker has summed distant pairs of classes over all rows; `search_densities` has the
        sample.
        """
        if gamma != self.found.gamma or self.found.seen_in(components, self.origin) is None:
            return None
        return self.found.divergence

    def ellipses(
        self, sample: ClassDensities, components: FloatArray
    ) -> list[tuple[ConfidenceEllipses | None, FloatArray]]:
        """The `ellipses_of_rows` of all rows where their moments are known, else of the sample."""
        seen = self.found.seen_in(components, self.origin)
        if seen is None:
            return list(map(ellipses_of_rows, sample.rows))
        moments = zip(seen.counts, seen.means, seen.covariances, strict=True)
        return [
            (ConfidenceEllipses.of_moments(n, mean, covariance * n / (n - 1)), mean[None])
            for n, mean, covariance in moments
        ]


def ellipses_of_rows(rows: FloatArray) -> tuple[ConfidenceEllipses | None, FloatArray]:
    """The ellipses of a class and of its mean, and the mean, of all its training rows."""
    ellipses = ConfidenceEllipses.of(rows)
    center = rows.mean(axis=0) if ellipses is None else ellipses.center
    return ellipses, center[None]

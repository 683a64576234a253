"""The densities of all rows of a registered table, in the coordinates of views of its sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from melm_core.base import FloatArray
from melm_core.density import ClassDensities, DensityRule
from melm_core.diagnostics import ConfidenceEllipses, class_ellipses, ellipses_of_moments
from melm_core.methods import METHODS
from melm_studio.operator_tables.plane_densities import PlaneDensities, kept_densities
from melm_studio.planes.sharing import ViewerKey, shared
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore

# Runs whose densities are kept in memory, of which each takes up to 64 MB.
MOST_KEPT = 4


class KeptDensities:
    """Densities of all rows that runs on registered tables kept; the last ones are cached.

    Parameters
    ----------
    store : RunStore
    origin : callable
        What views subtract from the rows of the sample, shape (n_features,).
    """

    def __init__(self, store: RunStore, origin: Callable[[ViewerKey], FloatArray]) -> None:
        self._store, self._origin = store, origin
        self._found = shared(self._read, MOST_KEPT)

    def of(self, record: RunRecord) -> TableDensities | None:
        """Return the densities in the final plane of a run; None until it has them."""
        if not record.is_of_sample or not METHODS[record.method].is_linear:
            return None
        try:
            densities = self._found(record.run_id, record.attempt)
        except (LookupError, ValueError):  # a later request may find them; damaged ones are none
            return None
        return TableDensities(densities, self._origin(ViewerKey.of(record)))

    def _read(self, run_id: str, attempt: int) -> PlaneDensities:
        densities = kept_densities(self._store, run_id)
        if densities is None:
            raise LookupError(run_id)
        return densities


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
            (ellipses_of_moments(n, mean, covariance * n / (n - 1)), mean[None])
            for n, mean, covariance in moments
        ]


def ellipses_of_rows(rows: FloatArray) -> tuple[ConfidenceEllipses | None, FloatArray]:
    """The ellipses of a class and of its mean, and the mean, of all its training rows."""
    ellipses = class_ellipses(rows)
    center = rows.mean(axis=0) if ellipses is None else ellipses.center
    return ellipses, center[None]

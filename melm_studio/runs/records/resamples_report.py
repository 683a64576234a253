"""The record of how the plane of a run moves between bootstrap resamples of its rows."""

from __future__ import annotations

from melm_studio.record import Record
from melm_studio.runs.records.check_report import FeatureStability


class ResamplesReport(Record, frozen=True):
    """The resamples so far.

    Attributes
    ----------
    planes : tuple of int
        The number of each resample's plane in the history of the resamples' run.
    angles : tuple of float
        The largest angle of each of them to the plane of the run, in degrees.
    mean : int
        The number of the plane that they agree on; -1 until all are known.
    features : FeatureStability or None
        Intervals and frequencies of the loadings, once all are known.
    n_resamples : int
        How many there will be.
    by_groups : bool
        Whether groups of rows were drawn, not rows.
    """

    planes: tuple[int, ...] = ()
    angles: tuple[float, ...] = ()
    mean: int = -1
    features: FeatureStability | None = None
    n_resamples: int = 0
    by_groups: bool = False

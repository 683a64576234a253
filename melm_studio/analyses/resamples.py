"""Movement of the plane of a run between bootstrap resamples of its training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import FloatArray, UserError, percent
from melm_core.evaluation import Stability, stability
from melm_core.linalg import principal_angles
from melm_core.methods import GAMMA, METHODS
from melm_studio.analyses import content
from melm_studio.analyses.analysis import Analysis, Section, Subject, Table, Work
from melm_studio.record import Record
from melm_studio.runs.execution.giving_way import POLL_S
from melm_studio.runs.execution.rows import RunData, prepared_rows, rows_of, study_of
from melm_studio.runs.records.check_report import FeatureStability
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.tables import LabeledData, count

N_RESAMPLES = 20
MOST_FEATURES = 8
# In degrees, by convention: below the first a plane stands, from the second on it dances.
# `python -m lab.experiments resamples` shows where real tables and noise are.
STANDS, DANCES = 35.0, 45.0

_MOST_SMALL = 12  # small pictures
_INTERVALS = (
    "Lengths of the loadings of the strongest features: 95 % of the resamples lie within the bar, "
    "which ranges from 0 to 1."
)
_NO_PLANE = "The run has no plane to refit. Run it again, then resample its plane."
_NONLINEAR = "{method} is nonlinear, so it has no plane to refit. Run a linear method."


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
    notes : tuple of str
        Sentences about resamples that could not be fitted.
    """

    planes: tuple[int, ...] = ()
    angles: tuple[float, ...] = ()
    mean: int = -1
    features: FeatureStability | None = None
    n_resamples: int = 0
    by_groups: bool = False
    notes: tuple[str, ...] = ()


class Resamples(Analysis[ResamplesReport]):
    """The plane of a run, refitted to resamples; its planes are the history of its run."""

    report = ResamplesReport
    name = "resamples"
    title = "Resampled plane"
    again = "Resample again"
    needs = ("linear",)
    is_saved = False

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        method = METHODS[record.method]
        return "" if method.is_linear else _NONLINEAR.format(method=method.label)

    def compute(self, work: Work) -> None:
        """Refit the plane, and keep the planes as the history of the run."""
        _Resampling(work).run(work.data)

    def progress(self, report: ResamplesReport) -> tuple[float, str]:
        return len(report.planes) / max(1, report.n_resamples), ""

    def sentence(self, report: ResamplesReport, *, is_final: bool) -> str:
        """Say whether the plane stands, sways or dances, with its angles."""
        if not report.angles:
            return "No resample yet." if is_final else "Refitting the plane to the first resample."
        if report.features is None:
            done = f"{len(report.angles)} of {count(report.n_resamples, 'resample')}"
            return f"{done} so far: it turns by {_degrees(report.angles)} (median)."
        middle = float(np.median(report.angles))
        manner = "stands" if middle < STANDS else "sways" if middle < DANCES else "dances"
        low, high = np.quantile(report.angles, [0.05, 0.95])
        return (
            f"The plane {manner}: between {len(report.angles)} resamples it turns by "
            f"{_degrees(report.angles)} (median; 5 to 95 %: {low:.0f}° to {high:.0f}°)."
        )

    def shown(
        self, report: ResamplesReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        labels = [resample_label(i, angle) for i, angle in enumerate(report.angles)]
        small = [*zip(report.planes, labels, strict=True)][:_MOST_SMALL]
        if report.mean >= 0:
            small.insert(0, (report.mean, "Plane that they agree on"))
        features = [
            (each.name, each.low, each.high, each.words) for each in _features(report, subject)
        ]
        return {
            "planes": report.planes,
            "content": [
                *([content.play("Watch it move")] if len(report.planes) > 1 else []),
                content.small_planes("Resamples", small),
                content.intervals("Features", features),
                content.notes([_INTERVALS, resamples_note(report), *report.notes]),
            ],
        }

    def section(self, report: ResamplesReport, subject: Subject) -> Section | None:
        if not report.planes:
            return None
        rows = tuple((feature.name, feature.words) for feature in _features(report, subject))
        table = Table("Strongest features between resamples", ("Feature", "Length"), rows)
        return Section(
            "Resampled plane",
            sentences=(
                self.sentence(report, is_final=subject.is_final),
                resamples_note(report),
                *report.notes,
            ),
            tables=(table,) if rows else (),
        )


RESAMPLES = Resamples()


def _features(report: ResamplesReport, subject: Subject) -> list[ResampledFeature]:
    if subject.components is None:
        return []
    return resampled_features(report, subject.feature_names)


class _Resampling:
    """Resamples at work."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._store, self._record, self._clock = work.store, work.record, work.clock
        self._began_s = work.clock.monotonic()
        last, self._gamma = self._awaited()
        self._start = last.components
        self._report = ResamplesReport(n_resamples=N_RESAMPLES)

    def _awaited(self) -> tuple[PlaneEvent, float]:
        """Return the last plane of the run, and its kernel width, once it has ended."""
        run_id = self._record.of_run
        while (fit := self._store.get(run_id)) is not None and not fit.state.is_final:
            self._work.give_way()
            self._clock.sleep(POLL_S)
        last = self._store.last_event(run_id)
        if fit is None or last is None:
            raise UserError(_NO_PLANE)
        return last, fit.gamma

    def run(self, data: RunData) -> None:
        train, _ = rows_of(data, self._record)
        self._update(by_groups=train.groups is not None)
        moves = stability(
            study_of(train, self._record, rows=prepared_rows, fixed={GAMMA.name: self._gamma}),
            n_resamples=N_RESAMPLES,
            start=self._start,
            column_groups=train.curve_groups,
            callback=self._after_plane,
        )
        mean = self._append(moves.mean_plane)
        self._update(mean=mean, features=feature_stability(moves), notes=moves.notes)

    def _after_plane(self, plane: FloatArray, _number: int, _n_resamples: int) -> None:
        number = self._append(plane)
        angle = float(np.degrees(principal_angles(plane, self._start)[-1]))
        self._update(planes=(*self._report.planes, number), angles=(*self._report.angles, angle))
        self._work.give_way()

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())

    def _append(self, plane: FloatArray) -> int:
        n_done = len(self._report.planes)
        return self._work.keep_plane(
            n_done,
            plane,
            stage=f"resample {n_done + 1}",
            fraction=n_done / N_RESAMPLES,
            elapsed_s=self._clock.monotonic() - self._began_s,
        )


def feature_stability(resampled: Stability) -> FeatureStability:
    """Summarize the stability of the features over resamples."""
    lower, upper = resampled.length_interval
    n_top = resampled.n_features_used
    return FeatureStability(
        angle=float(np.degrees(resampled.largest_angle)),
        n_resamples=len(resampled.planes),
        n_top=n_top,
        frequencies=tuple(resampled.selection_frequencies(n_top).tolist()),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
    )


@dataclass(frozen=True)
class ResampledFeature:
    """A feature of the plane: its name, the interval of its length, how often it is selected."""

    name: str
    low: float
    high: float
    words: str


def resample_label(number: int, angle: float) -> str:
    """Name a resample, counted from 0, with its angle in degrees."""
    return f"Resample {number + 1}, {angle:.0f}°"


def resamples_note(report: ResamplesReport) -> str:
    """Say what was resampled."""
    units = "groups" if report.by_groups else "rows within each class"
    return (
        f"Bootstrap of the {units} of the training data, each refitted from this plane. In trials, "
        "planes of pure noise turned by 36° or more; so did a few planes of real data."
    )


def resampled_features(report: ResamplesReport, names: Sequence[str]) -> list[ResampledFeature]:
    """Return the strongest features with their intervals; empty until all are known.

    Parameters
    ----------
    report : ResamplesReport
    names : sequence of str
    """
    features = report.features
    if features is None:
        return []
    middles = np.add(features.lower, features.upper) / 2.0
    strongest = np.argsort(-middles, kind="stable")[:MOST_FEATURES]
    return [
        ResampledFeature(
            name=names[i],
            low=features.lower[i],
            high=features.upper[i],
            words=f"{features.lower[i]:.2f} to {features.upper[i]:.2f}, among the strongest "
            f"{features.n_top} in {percent(features.frequencies[i])}",
        )
        for i in map(int, strongest)
    ]


def _degrees(angles: Sequence[float]) -> str:
    return f"{float(np.median(angles)):.0f}°"

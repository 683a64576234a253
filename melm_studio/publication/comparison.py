"""Compares runs: their scores, the angles between their planes, the rows that move most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd

from melm_core.base import FloatArray, IntArray, UserError
from melm_core.evaluation import Score
from melm_core.linalg import features_used, in_standard_units, principal_angles
from melm_core.methods import METHODS
from melm_studio.analyses.check import CHECK, refits_so_far
from melm_studio.analyses.ranking import RankedRow
from melm_studio.planes.captions import title
from melm_studio.planes.plane_scores import BatchScores
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.view_options import DEFAULT_VIEW, Shown, ViewOptions
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.refits_report import CLASSIFIER, RefitsReport
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.store.protocol import RunStore

MAX_MOVERS = 10
_NO_PLANE_YET = "{title} has no plane yet. Wait for its first plane, or choose another run."
_OTHER_SHAPE = (
    "The two runs differ in their number of components, so their rows cannot be compared. Choose "
    "runs with the same number of components."
)
_SAME_RUN = "The two runs are the same, so no row moves. Choose two different runs."
_OTHER_ROWS = "The two runs have no drawn row in common. Choose runs with the same seed."
# The columns of the scores by the keys of `ComparedRun.figures`.
_SCORES = {
    "divergence-training": "divergence_training",
    "divergence-held-out": "divergence_held_out",
    "accuracy-training": "accuracy_training",
    "accuracy-held-out": "accuracy_held_out",
    "accuracy-error": "accuracy_held_out_error",
    "batch-training": "batch_accuracy_training",
    "batch-held-out": "batch_accuracy_held_out",
    "ahead": "difference_to_best",
    "ahead-error": "difference_error",
    "p": "p",
    "seconds": "seconds",
    "features": "features_used",
}


@dataclass(frozen=True)
class ComparedRun:
    """The scores of a run, as one row of a table.

    Attributes
    ----------
    run_id, title : str
    figures : mapping of str to (float or None)
        ``divergence``, and the balanced ``accuracy`` of the class densities, with the suffixes
        ``-training`` and ``-held-out`` for the rows; ``accuracy-error``, the standard error of the
        latter over folds; ``ahead``, the share of held-out rows less
        that of the best run in the same folds, with ``ahead-error``; ``p``, ``seconds``, and
        ``features``. None for unknown values.
    is_checked : bool
        Whether the accuracies are those of all folds, not of the first or of the run's own held-out
        rows.
    checked_share : float or None
        Progress of a check in progress, 0 to 1; None if there is none.
    """

    run_id: str
    title: str
    figures: Mapping[str, float | None]
    is_checked: bool
    checked_share: float | None


@dataclass(frozen=True)
class Agreement:
    """The angles between planes.

    Attributes
    ----------
    titles : tuple of str
    degrees : tuple of tuple of (float or None)
        Largest principal angle between each pair of planes; None where it is undefined.
    notes : tuple of str
        Sentences that explain the angles.
    """

    titles: tuple[str, ...]
    degrees: tuple[tuple[float | None, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Mover:
    """A row of the file, and its distance between two views, in standard deviations."""

    row: int
    class_name: str
    distance: float


def compared(
    store: RunStore,
    renderer: PlaneRenderer,
    records: Sequence[RunRecord],
    checks: Mapping[str, RunRecord],
) -> list[ComparedRun]:
    """Return the scores of each run.

    Parameters
    ----------
    store : RunStore
    renderer : PlaneRenderer
    records : sequence of RunRecord
    checks : mapping of str to RunRecord
        The checks by the id of the run that they check.
    """
    refits = [refits_so_far(renderer.planes, store, record) for record in records]
    rows = [
        _compared(store, renderer, record, checks.get(record.run_id), report)
        for record, report in zip(records, refits, strict=True)
    ]
    return beside_the_best(rows, refits)


def beside_the_best(
    rows: Sequence[ComparedRun], reports: Sequence[RefitsReport]
) -> list[ComparedRun]:
    """Add to rows the difference to the largest share, in pairs of equal folds.

    Parameters
    ----------
    rows : sequence of ComparedRun
    reports : sequence of RefitsReport
        Of each.
    """
    done = [report for report in reports if report.fold_shares]
    best = max(done, key=lambda report: report.share or 0.0, default=RefitsReport())
    differences = [report.ahead_of(best) for report in reports]
    if sum(each is not None for each in differences) < 2:
        return list(rows)
    return [
        row if each is None else replace(row, figures={**row.figures, **_ahead(each)})
        for row, each in zip(rows, differences, strict=True)
    ]


def _ahead(difference: Score) -> dict[str, float | None]:
    return {"ahead": difference.balanced_accuracy, "ahead-error": difference.standard_error}


def ordered(rows: Sequence[ComparedRun], column: str, *, descending: bool) -> list[ComparedRun]:
    """Sort the rows by a figure; unknown values come last in either order."""
    values = {row.run_id: value for row in rows if (value := row.figures.get(column)) is not None}
    with_value = [row for row in rows if row.run_id in values]
    without = [row for row in rows if row.run_id not in values]
    return [*sorted(with_value, key=lambda row: values[row.run_id], reverse=descending), *without]


def _compared(
    store: RunStore,
    renderer: PlaneRenderer,
    record: RunRecord,
    check: RunRecord | None,
    refits: RefitsReport,
) -> ComparedRun:
    report = CheckReport() if check is None else CHECK.stored(store, check.run_id)
    is_in_progress = check is not None and not check.state.is_final
    return ComparedRun(
        run_id=record.run_id,
        title=title(record),
        figures=_figures(renderer, record, store.last_event(record.run_id), report, refits),
        is_checked=report.scores is not None or bool(refits.fold_shares),
        checked_share=report.fraction if is_in_progress else None,
    )


def _figures(
    renderer: PlaneRenderer,
    record: RunRecord,
    event: PlaneEvent | None,
    report: CheckReport,
    refits: RefitsReport,
) -> dict[str, float | None]:
    figures = {} if event is None else _of_plane(renderer, record, event)
    if scores := report.scores or refits.scores:
        train, held_out, error = scores[CLASSIFIER]
        figures |= _pair("accuracy", train, held_out) | {"accuracy-error": error}
    elif refits.share is not None:  # of the first folds
        figures |= {"accuracy-held-out": refits.share, "accuracy-error": refits.standard_error}
    return {**figures, "p": report.p_value}


def _of_plane(
    renderer: PlaneRenderer, record: RunRecord, event: PlaneEvent
) -> dict[str, float | None]:
    shown = Shown.of(record, event)
    scores = renderer.scores(shown)
    apart = (
        _pair("divergence", renderer.divergence(shown), scores.divergence_held_out)
        | _pair("accuracy", scores.accuracy_train, scores.accuracy_held_out)
        if record.n_classes != 1
        else {}
    )
    return {
        **apart,
        **_batch_pair(scores.batches),
        "seconds": event.elapsed_s,
        "features": _n_features(renderer.planes, record, event),
    }


def _batch_pair(scores: BatchScores | None) -> dict[str, float | None]:
    """Accuracies of the batches within the classes; none without batches."""
    if scores is None:
        return {}
    held_out = None if scores.held_out is None else scores.held_out.accuracy
    return _pair("batch", scores.train.accuracy, held_out)


def _pair(name: str, train: float, held_out: float | None) -> dict[str, float | None]:
    return {f"{name}-training": train, f"{name}-held-out": held_out}


def _n_features(planes: RunPlanes, record: RunRecord, event: PlaneEvent) -> float | None:
    if not METHODS[record.method].is_linear:
        return None
    return features_used(_in_standard_units(planes, record, event))


def _in_standard_units(planes: RunPlanes, record: RunRecord, event: PlaneEvent) -> FloatArray:
    return in_standard_units(event.components, planes.viewer(record).deviations)


def agreement(store: RunStore, planes: RunPlanes, records: Sequence[RunRecord]) -> Agreement:
    """Return the angles between the newest planes of the runs."""
    newest = [(record, store.last_event(record.run_id)) for record in records]
    compared_planes = [_Plane.of(planes, record, event) for record, event in newest]
    return Agreement(
        titles=tuple(map(title, records)),
        degrees=tuple(
            tuple(_degrees(first, other) for other in compared_planes) for first in compared_planes
        ),
        notes=tuple(_notes(records, [plane for plane in compared_planes if plane is not None])),
    )


@dataclass(frozen=True, eq=False)
class _Plane:
    """A plane as it was found, and rescaled so that every feature has standard deviation one.

    `bent_by` names the training rows whose features bend, None where features are straight.
    """

    data_id: str
    feature_names: tuple[str, ...]
    as_found: FloatArray
    standard: FloatArray
    bent_by: tuple[float, int] | None

    @classmethod
    def of(cls, planes: RunPlanes, record: RunRecord, event: PlaneEvent | None) -> _Plane | None:
        if event is None or not METHODS[record.method].is_linear:
            return None
        names = planes.viewer(record).feature_names
        standard = _in_standard_units(planes, record, event)
        split = (record.parameters.held_out, record.parameters.random_state)
        bent_by = split if record.is_curved else None
        return cls(record.data_id, names, event.components, standard, bent_by)


def _degrees(first: _Plane | None, second: _Plane | None) -> float | None:
    if first is None or second is None or first.feature_names != second.feature_names:
        return None
    if first.bent_by != second.bent_by:
        return None  # arrows and curves, or curves with other knots
    is_prepared_alike = first.data_id == second.data_id
    pair = (
        (first.as_found, second.as_found)
        if is_prepared_alike
        else (first.standard, second.standard)
    )
    return float(np.degrees(principal_angles(*pair)[-1]))


def _notes(records: Sequence[RunRecord], planes: Sequence[_Plane]) -> list[str]:
    nonlinear = [title(record) for record in records if not METHODS[record.method].is_linear]
    notes = [f"{name} is a nonlinear projection, so it has no plane." for name in nonlinear]
    if len({len(plane.as_found) for plane in planes}) > 1:
        notes.append("The angle between a line and a plane that contains it is 0.")
    if len({plane.feature_names for plane in planes}) > 1:
        notes.append("Planes of different features cannot be compared.")
    elif len({plane.data_id for plane in planes}) > 1:
        notes.append(
            "Planes of differently scaled features are compared after every feature is scaled to "
            "standard deviation one."
        )
    return notes


def biggest_movers(
    store: RunStore, renderer: PlaneRenderer, record: RunRecord, other: RunRecord
) -> tuple[Mover, ...]:
    """Return the drawn rows that move most between the views of two runs, farthest first.

    The second view is aligned to the first.

    Raises
    ------
    UserError
        If the views cannot be compared.
    """
    if record.run_id == other.run_id:
        raise UserError(_SAME_RUN)
    if record.parameters.n_components != other.parameters.n_components:
        raise UserError(_OTHER_SHAPE)
    first = _drawn_rows(store, renderer, record, DEFAULT_VIEW)
    second = _drawn_rows(store, renderer, other, ViewOptions(toward=record.run_id))
    rows, here, there = np.intersect1d(first.rows, second.rows, return_indices=True)
    if not len(rows):
        raise UserError(_OTHER_ROWS)
    distances = np.linalg.norm(first.points[here] - second.points[there], axis=1)
    return tuple(
        Mover(int(rows[i]), first.class_names[first.codes[here[i]]], float(distances[i]))
        for i in np.argsort(-distances, kind="stable")[:MAX_MOVERS]
    )


@dataclass(frozen=True, eq=False)
class _DrawnRows:
    """The drawn rows and their coordinates."""

    class_names: tuple[str, ...]
    rows: IntArray
    codes: IntArray
    points: FloatArray


def _drawn_rows(
    store: RunStore, renderer: PlaneRenderer, record: RunRecord, options: ViewOptions
) -> _DrawnRows:
    event = store.last_event(record.run_id)
    if event is None:
        raise UserError(_NO_PLANE_YET.format(title=title(record)))
    viewer, view = renderer.planes.viewer(record), renderer.view(Shown.of(record, event, options))
    rows = [numbers for part in viewer.drawn_rows for numbers in part]
    points = [part.train for part in view.classes] + [part.held_out for part in view.classes]
    codes = np.tile(np.arange(len(view.classes)), 2)
    # For one component, the height of a point only separates it from the others.
    n_coordinates = min(2, viewer.n_components)
    return _DrawnRows(
        class_names=viewer.class_names,
        rows=np.concatenate(rows),
        codes=np.repeat(codes, [len(part) for part in points]),
        points=np.concatenate(points)[:, :n_coordinates],
    )


def scores_frame(rows: Sequence[ComparedRun]) -> pd.DataFrame:
    """Return one row per run, with its scores unrounded and empty cells for unknown ones.

    Examples
    --------
    >>> figures = {"accuracy-training": 1.0, "accuracy-held-out": 0.9}
    >>> row = ComparedRun("id", "PCA", figures, True, None, True)
    >>> scores_frame([row])[["run", "accuracy_held_out", "checked"]].values.tolist()
    [['PCA', 0.9, True]]
    """
    has_batches = any("batch-training" in row.figures for row in rows)
    shown = {k: v for k, v in _SCORES.items() if has_batches or not k.startswith("batch")}
    return pd.DataFrame(
        [
            {
                "run": row.title,
                **{column: row.figures.get(key) for key, column in shown.items()},
                "checked": row.is_checked,
            }
            for row in rows
        ]
    )


def movers_frame(movers: Sequence[Mover]) -> pd.DataFrame:
    """Return the rows that move most, with their class and distance in standard deviations."""
    return pd.DataFrame([asdict(mover) for mover in movers]).rename(columns={"class_name": "class"})


def ranking_frame(rows: Sequence[RankedRow]) -> pd.DataFrame:
    """Return the ranking of all methods, best first."""
    frame = pd.DataFrame([asdict(row) for row in rows])
    if all(row.batch is None for row in rows):
        frame = frame.drop(columns="batch", errors="ignore")
    return frame.rename(columns={"label": "method", "batch": "batch_accuracy_held_out"})


def overlap_frame(overlap: Sequence[Sequence[float]], class_names: Sequence[str]) -> pd.DataFrame:
    """Return the held-out confusion between each pair of classes."""
    shares = pd.DataFrame(overlap, columns=list(class_names))
    shares.insert(0, "class", list(class_names))
    return shares

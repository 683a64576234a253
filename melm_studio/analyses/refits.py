"""The refits of a run: what planes that never saw a row say of it. The picture at rest shows them.

They follow the run by themselves (`melm_studio.workers.execute`), and whatever is said of rows
that nobody has seen is read from their report. It also says what separation remains without the
columns, or the rows, that may decide alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from melm_core.answers import bound_at_chance
from melm_core.base import FloatArray, UserError
from melm_core.evaluation import FittedProjection, KeptFold, Refits, Unchanged
from melm_core.methods import METHODS
from melm_studio.analyses.analysis import Analysis, DataShape, Work, demand
from melm_studio.planes.drawn_rows import mean_row
from melm_studio.runs.execution.rows import is_prepared_in_folds, rows_of, study_of
from melm_studio.runs.records.check_report import Without
from melm_studio.runs.records.refits_report import (
    REFITS,
    FeatureWorth,
    FoldSoFar,
    HeldOutCurve,
    RefitsReport,
    SecondComponent,
    packed_folds,
    packed_places,
    refits_id,
)
from melm_studio.runs.records.run import RunRecord, RunState, new_analysis
from melm_studio.runs.store.protocol import ReportUnreadableError, RunStore
from melm_studio.scores import refits_sentence
from melm_studio.tables import (
    LabeledData,
    is_map,
    kept_twins,
    listed,
    row_sources,
    shortened,
    without_columns,
)

# Of the variance of fitted places, what a linear map to the coordinates of the run may leave.
_MOST_REST = 1e-6

_HAS_SPLIT = (
    "This run holds rows out of its plane, and these are drawn where it puts them: its picture "
    "shows unseen places already. Run again with all rows for folds."
)
_NEW_MAP = (
    "{method} makes a new map of every fold, so that unseen places cannot be drawn in this one."
)
_OTHER_PLANE = "The plane of all rows could not be found again, so that no unseen places are drawn."
MOST_PARTS = 12  # values of a column of sites or batches
LEAST_ROWS = 5  # of every class among the others
# What is left without the rows of one value must be less by so much, and hardly above guessing.
LEAST_LOSS, CLEARLY = 0.2, 2.0


class RefitsOfRun(Analysis[RefitsReport]):
    """The run without each fold of its rows."""

    report = RefitsReport
    name = REFITS
    goes_on = True

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        return _HAS_SPLIT if record.parameters.held_out > 0.0 else ""

    def compute(self, work: Work) -> None:
        """Refit the method without each fold, and place the rows of the fold by that plane."""
        refitted(work, lambda report: work.put(report.to_bytes()))

    def progress(self, report: RefitsReport) -> tuple[float, str]:
        return report.n_done / max(1, report.n_folds), "refitting the plane without each fold"

    def sentence(self, report: RefitsReport, *, is_final: bool) -> str:
        return refits_sentence(report) or "No fold is done yet."

    def as_json(self, report: RefitsReport) -> Any:
        """Return the report without packed arrays, which `refits` of the HTTP interface unpacks."""
        return msgspec.to_builtins(replace(report, places=b"", folds=b"", so_far=()))

    def checked(self, raw: bytes, shape: DataShape) -> bytes:
        report = self.read(raw)
        places = report.unseen
        demand(0 <= report.n_done <= report.n_folds <= shape.n_rows)
        demand(len(report.overlap) in (0, shape.n_classes))
        demand(all(len(row) == shape.n_classes for row in report.overlap))
        demand(len(report.fold_shares) <= report.n_folds)
        demand(not report.folds or len(report.fold_of_rows) == shape.n_rows)
        demand(places is None or (len(places) == shape.n_rows and places.shape[1] <= 3))
        demand(places is None or not np.isinf(places).any())
        if report.worth is not None:
            of_features = (report.worth.loss, report.worth.error, report.worth.share_loss)
            demand(all(len(values) == shape.n_features for values in of_features))
            demand(len(report.worth.groups) in (0, shape.n_features))
        return replace(report, so_far=()).to_bytes()  # whose planes a project does not have


REFITS_OF_RUN = RefitsOfRun()


def refitted(work: Work, after_fold: Callable[[RefitsReport], None]) -> RefitsReport:
    """Refit the method of a run without each fold of its rows, but those that are done.

    Parameters
    ----------
    work : Work
        Of an analysis of the run.
    after_fold : callable
        Is given the report so far after every fold; what it raises passes.

    Returns
    -------
    RefitsReport
        With places, unless the run holds rows out of its plane.
    """
    study, report, began = study_of(work.data, work.record), RefitsReport(), time.process_time()
    has_places = work.record.parameters.held_out == 0.0
    folds, folds_s = _folds_so_far(work) if has_places else ((), 0.0)

    def report_of(refits: Refits) -> None:
        nonlocal report
        report = _scored(refits, work.data, folds_s + time.process_time() - began)
        if work.record.kind == REFITS and not refits.is_complete:
            report = replace(report, so_far=_kept(refits, work, report.fit_s))
        if refits.is_complete and refits.n_folds:
            left = left_without(refits, work.data, work.record, lambda _: work.give_way())
            report = replace(report, without=tuple(left))
        if refits.is_complete and has_places:
            report = _with_places(report, refits, work)
        after_fold(report)

    Refits.of(
        study,
        gamma=work.record.density_gamma,
        whole=_plane_of_run(work) if has_places else None,
        fits=folds,
        follow_search=has_places,
        callback=report_of,
    )
    return report


def _kept(refits: Refits, work: Work, fit_s: float) -> tuple[FoldSoFar, ...]:
    """Store the planes of the folds so far in the history of the run; return the folds."""
    folds: list[FoldSoFar] = []
    number, n_folds = 0, len(refits.folds)
    for index, fold in enumerate(refits.kept):
        folds.append(FoldSoFar.of(fold, number))
        for plane in fold.planes:
            work.keep_plane(
                number,
                plane,
                stage=f"fold {index + 1}",
                fraction=index / n_folds,
                elapsed_s=index * fit_s,
            )
            number += 1
    return tuple(folds)


def _folds_so_far(work: Work) -> tuple[tuple[KeptFold, ...], float]:
    """Return the stored folds of the refits, and the seconds of CPU that they took."""
    run_id = refits_id(work.record.of_run)
    try:
        report = REFITS_OF_RUN.stored(work.store, run_id)
    except ReportUnreadableError:  # of another version
        return (), 0.0
    folds = tuple(_with_planes(work.store, run_id, report.so_far))
    return folds, len(folds) * report.fit_s


def _with_planes(store: RunStore, run_id: str, folds: tuple[FoldSoFar, ...]) -> Iterator[KeptFold]:
    """Folds up to the first whose planes are not there."""
    for fold in folds:
        events = [store.event(run_id, number) for number in fold.planes]
        planes = [event.components for event in events if event is not None]
        if len(planes) < len(events):
            return
        yield fold.with_planes(planes)


def keep_refits(store: RunStore, run: RunRecord, report: RefitsReport) -> None:
    """Keep what an analysis of a run has refitted as the refits of the run, where it has none."""
    fit = store.get(run.of_run)
    if not report.folds or fit is None or store.get(refits_id(run.of_run)) is not None:
        return
    done = replace(
        new_analysis(fit, REFITS),
        state=RunState.DONE,
        started_s=run.started_s,
        finished_s=time.time(),
    )
    store.create(done, report=report.to_bytes())


def _scored(refits: Refits, data: LabeledData, cpu_s: float) -> RefitsReport:
    """Compute the numbers of the folds so far.

    Parameters
    ----------
    refits : Refits
    data : LabeledData
        Of the run.
    cpu_s : float
        Seconds of CPU that the folds have taken.
    """
    n_done, names = len(refits.fits), data.feature_names
    report = RefitsReport(
        n_done=n_done,
        n_folds=len(refits.folds),
        notes=refits.notes,
        within=data.compared_within,
        is_of_map=is_map(names),
        fit_s=cpu_s / n_done,
    )
    if not refits.n_folds:
        return report
    share = refits.share
    report = replace(
        report,
        share=share.balanced_accuracy,
        standard_error=share.standard_error,
        overlap=tuple(map(tuple, refits.overlap.tolist())),
    )
    if not refits.is_complete:
        return report
    linear = refits.linear_share
    scored_rows = np.bincount(refits.y, minlength=refits.study.n_classes)
    units = tuple(np.minimum(refits.study.n_units, scored_rows).tolist())
    return replace(
        report,
        fold_shares=tuple(refits.fold_shares.tolist()),
        train_share=refits.train_share.balanced_accuracy,
        linear=(
            refits.linear_train_share.balanced_accuracy,
            linear.balanced_accuracy,
            linear.standard_error,
        ),
        bound=bound_at_chance(share.balanced_accuracy, share.standard_error, units),
    )


def _with_places(report: RefitsReport, refits: Refits, work: Work) -> RefitsReport:
    """Add the drawn places of all folds and the worth of features to a report."""
    method = METHODS[work.record.method]
    curve = refits.search_curve
    divergence = (
        refits.held_out_divergence(work.record.gamma) if curve is None else float(curve.mean[-1])
    )
    report = replace(
        report,
        folds=packed_folds(refits.fold_of_rows),
        worth=_worth(refits, work.data) if method.is_linear else None,
        second=_second(refits) if method.is_linear else None,
        curve=None
        if curve is None
        else HeldOutCurve(
            *(tuple(values.tolist()) for values in (curve.fraction, curve.mean, *curve.band))
        ),
        divergence=divergence,
    )
    if method.keeps_embedding:
        return replace(report, no_places=_NEW_MAP.format(method=method.label))
    places = _along_components(refits, work)
    if places is None:
        return replace(report, no_places=_OTHER_PLANE)
    return replace(report, places=packed_places(places), drawn_share=refits.drawn_share)


def _worth(refits: Refits, data: LabeledData) -> FeatureWorth | None:
    try:
        return FeatureWorth.of(refits.importance(), len(data.own_feature_names))
    except UserError:  # too few rows of a class in every fold
        return None


def _second(refits: Refits) -> SecondComponent | None:
    try:
        return SecondComponent.of(refits.second_component())
    except UserError:  # another number of components, too few rows
        return None


def _plane_of_run(work: Work) -> FittedProjection | None:
    """Return the plane that is drawn, of the rows of the study; None if it is nonlinear."""
    last = work.store.last_event(work.record.of_run)
    if last is None or not METHODS[work.record.method].is_linear:
        return None
    data = work.data
    is_encoded = is_prepared_in_folds(data, work.record)
    return FittedProjection.of_plane(
        last.components, data.fitted_preparation if is_encoded else Unchanged()
    )


def _along_components(refits: Refits, work: Work) -> FloatArray | None:
    """Return unseen places along the run's components; None if its plane is another one."""
    last = work.store.last_event(work.record.of_run)
    if last is None:
        return None
    parts = rows_of(work.data, work.record)
    wanted = (parts[0].X - mean_row(parts)) @ last.components.T
    fitted = np.column_stack([refits.fitted, np.ones(len(wanted))])
    change, *_ = np.linalg.lstsq(fitted, wanted, rcond=None)
    rest = np.square(fitted @ change - wanted).sum()
    if rest > _MOST_REST * np.square(wanted).sum():
        return None
    along: FloatArray = np.column_stack([refits.places, np.ones(len(wanted))]) @ change
    return along


def left_without(
    refits: Refits, data: LabeledData, record: RunRecord, callback: Callable[[Refits], None]
) -> Iterator[Without]:
    """Yield the separation without the columns that repeat the label, and without rows.

    Parameters
    ----------
    refits : Refits
        Of the run, of all rows of the data.
    data : LabeledData
    record : RunRecord
    callback : callable
        Called with the refits without those columns after each fold.
    """
    whole, chance = refits.share, 1.0 / len(data.class_names)
    if whole.balanced_accuracy - chance <= CLEARLY * whole.standard_error:
        return  # nothing is told apart with them either
    if names := kept_twins(data.questions):
        yield from _without_columns(names, data, record, callback)
    yield from _without_rows(refits, data)


def _without_columns(
    names: tuple[str, ...],
    data: LabeledData,
    record: RunRecord,
    callback: Callable[[Refits], None],
) -> Iterator[Without]:
    what = listed([shortened(name) for name in names])
    n_classes = len(data.class_names)
    try:
        study = study_of(without_columns(data, names), record)
    except UserError:  # there is no other feature
        yield Without(what, 1.0 / n_classes, 0.0, is_one=len(names) == 1, columns=names)
        return
    share = Refits.of(study, gamma=record.density_gamma, callback=callback).share
    yield Without(
        what, share.balanced_accuracy, share.standard_error, is_one=len(names) == 1, columns=names
    )


def _without_rows(refits: Refits, data: LabeledData) -> Iterator[Without]:
    """Yield the batch, group or site without whose rows least is left, if that is nothing."""
    whole, chance = refits.share, 1.0 / len(data.class_names)
    shares = [
        (score, f"the rows of {shortened(name)} {shortened(text)}")
        for name, texts in row_sources(data)
        for text, is_of in _parts(texts, refits.held_out)
        if (score := _share(refits, ~is_of)) is not None
    ]
    if not shares:
        return
    (share, error), what = min(shares)
    is_lost = whole.balanced_accuracy - share >= max(LEAST_LOSS, CLEARLY * error)
    if is_lost and share - chance <= CLEARLY * error:
        yield Without(what, share, error, is_one=False)


def _parts(
    of_rows: Sequence[str], rows: npt.NDArray[np.int64]
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Return the texts of a column of few values, and the rows that have each."""
    texts = np.array(of_rows, dtype=object)[rows]
    distinct = sorted(set(texts.tolist()) - {""})
    if 2 <= len(distinct) <= MOST_PARTS:
        for text in distinct:
            yield text, texts == text


def _share(refits: Refits, is_kept: npt.NDArray[np.bool_]) -> tuple[float, float] | None:
    """Compute the balanced accuracy of some held-out rows; None where a class has too few."""
    right, y = refits.right[is_kept].astype(np.float64), refits.y[is_kept]
    counts = np.bincount(y, minlength=refits.study.n_classes)
    if counts.min() < LEAST_ROWS:
        return None
    recall = np.bincount(y, weights=right, minlength=len(counts)) / counts
    error = float(np.sqrt((recall * (1.0 - recall) / counts).sum()) / len(counts))
    return float(recall.mean()), error

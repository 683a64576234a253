"""Execution of runs: of one, in a child process of the pool, and of a queue in this process.

A fit is to the rows of a run, or to all rows of the table of which they are a sample. A run that
ended may have others follow it: its refits, and the shuffles for their p-value.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from multiprocessing import parent_process
from typing import Any, TypeVar

import numpy as np
from msgspec import structs
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from melm_core.base import BlockSource, FloatArray, UserError
from melm_core.density import DEFAULT_SHRINKAGE
from melm_core.melm import cauchy_schwarz_divergence
from melm_core.methods import METHODS, STARTS
from melm_studio.analyses import analysis_of
from melm_studio.analyses.analysis import Analysis, Work
from melm_studio.analyses.check import CHECK, N_PERMUTATIONS
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.analyses.shuffles import MOST_PERMUTED_ROWS, shuffles_of_each
from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import DiskFullError, LimitReachedError
from melm_studio.configuration.logs import configure_logging
from melm_studio.configuration.memory import limit_memory
from melm_studio.configuration.messages import (
    DATA_GONE,
    NO_MEMORY,
    NO_ROOM,
    OTHER_VERSION,
    STOPPED,
    UNEXPECTED,
)
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.all_rows import NO_TABLES, RegisteredTables, is_fitted_to_all_rows
from melm_studio.operator_tables.plane_densities import PlaneDensities, keep_densities
from melm_studio.runs.execution.giving_way import StoppedError, own_request
from melm_studio.runs.execution.rows import (
    RunData,
    embedded,
    keep_embedding,
    nuisance_of,
    prepared_for,
    split_of,
    with_chosen_curves,
    with_embedding,
)
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.refits_report import REFITS
from melm_studio.runs.records.run import AT_WORK, FIT, RunRecord, RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import ReportUnreadableError, RunEndedError, RunStore
from melm_studio.tables import LabeledData, readings
from melm_studio.workers.background_threads import heartbeat
from melm_studio.workers.recorder import Recorder

FULL_RETRY_S = 1.0
# A run survives an outage of a shared store of up to a minute.
PATIENCE_S = 60.0

_T = TypeVar("_T")

logger = logging.getLogger(__name__)

# Folds and shuffles of the permutation test: it refits without each of three folds.
_MOST_FOLDS, _FOLDS_OF_A_SHUFFLE = 10, 3


def execute_run(
    store: RunStore,
    run_id: str,
    *,
    clock: Clock = time,
    tables: RegisteredTables = NO_TABLES,
    follow_s: float = 0.0,
) -> None:
    """Execute a queued run in this process; leave a run that is not queued alone.

    The planes of the fit are appended to the run's history as they are found, the fitted plane
    last. This function returns normally however the fit ends; the record says how.

    Parameters
    ----------
    store : RunStore
    run_id : str
    clock : Clock
        By default the module ``time``.
    tables : RegisteredTables
        By default there are none.
    follow_s : float
        Seconds of CPU that what follows a run by itself may take; by default nothing follows.
    """
    if not _begin(store, run_id, clock):
        return
    record = store.get(run_id)
    if record is None:  # deleted meanwhile
        return
    began_s = time.process_time()
    try:
        with heartbeat(store, run_id, clock=clock):
            ending = _execute(store, record, clock, tables)
        _end(store, record, ending, clock)
        if (ended := store.get(run_id)) is not None:
            follow(store, ended, time.process_time() - began_s, follow_s)
    except RunEndedError:
        logger.info("was ended or taken over by another process", extra={"run": run_id})


def execute_in_child(settings: Settings, run_id: str) -> None:
    """Execute a run in a child process of the pool, with one thread for linear algebra.

    The process exits at once when its parent does.
    """
    configure_logging()
    limit_memory(settings.max_run_mb)
    threading.Thread(target=_exit_with_parent, name="parent watchdog", daemon=True).start()
    with threadpool_limits(limits=1), closing(open_store(settings, patience_s=PATIENCE_S)) as store:
        tables = RegisteredTables(settings.tables, settings.dask)
        execute_run(store, run_id, tables=tables, follow_s=settings.answer_seconds)


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def execute_queued(store: RunStore) -> None:
    """Execute the queued runs in this process, one after the other: for commands and tests."""
    while (record := store.claim_looked_at() or store.claim()) is not None:
        execute_run(store, record.run_id)


@dataclass(frozen=True)
class _Ending:
    state: RunState
    message: str = ""
    traceback: str = ""
    outcome: FitOutcome | None = None  # None leaves that of the record


def _begin(store: RunStore, run_id: str, clock: Clock) -> bool:
    now = clock.time()
    begin = partial(
        store.transition,
        run_id,
        {RunState.QUEUED},
        state=RunState.RUNNING,
        started_s=now,
        heartbeat_s=now,
        pid=os.getpid(),
    )
    begun = _retry_until_room(begin, clock)
    logger.info("started" if begun else "is not queued, ignored", extra={"run": run_id})
    return begun


def _end(store: RunStore, record: RunRecord, ending: _Ending, clock: Clock) -> None:
    request = own_request(store, record.run_id, record.attempt)
    reason = request.reason if ending.state is RunState.CANCELLED else ""
    result = {} if ending.outcome is None else {"outcome": ending.outcome}
    end = partial(
        store.transition,
        record.run_id,
        AT_WORK,
        state=ending.state,
        finished_s=clock.time(),
        message=reason or ending.message,
        traceback=ending.traceback,
        **result,
    )
    _retry_until_room(end, clock)
    level = logging.ERROR if ending.state is RunState.FAILED else logging.INFO
    extra = {"run": record.run_id, "trace": ending.traceback}
    logger.log(level, "ended as %s", ending.state, extra=extra)


def _execute(store: RunStore, record: RunRecord, clock: Clock, tables: RegisteredTables) -> _Ending:
    recorder = Recorder(store, record.run_id, clock, attempt=record.attempt)
    try:
        return _compute(store, record, recorder, clock, tables)
    except RunEndedError:
        raise
    except DiskFullError:
        _retry_until_room(partial(_append_best, recorder), clock)
        return _Ending(RunState.FAILED, NO_ROOM)
    except Exception as error:  # noqa: BLE001 - the record must say so, whatever it is
        trace = traceback.format_exc()
        _retry_until_room(partial(_append_best, recorder), clock)
        return _Ending(RunState.FAILED, _sentence(error), trace)


def _compute(
    store: RunStore,
    record: RunRecord,
    recorder: Recorder,
    clock: Clock,
    tables: RegisteredTables,
) -> _Ending:
    raw = store.get_file(record.owner, FileKind.DATA, record.data_id)
    if raw is None:
        return _Ending(RunState.FAILED, DATA_GONE.format(days=store.limits.days_kept))
    stored = LabeledData.from_bytes(raw)
    if record.kind == FIT:
        record = with_chosen_curves(store, record, stored)
    data = prepared_for(stored, record)
    if analysis := analysis_of(record.kind):
        return _analyzed(analysis, Work(store, record, data, clock))
    if record.kind != FIT:
        return _Ending(RunState.FAILED, OTHER_VERSION)
    return _fit(store, record, recorder, tables, data)


def _fit(
    store: RunStore,
    record: RunRecord,
    recorder: Recorder,
    tables: RegisteredTables,
    data: RunData,
) -> _Ending:
    recorder.outcome = FitOutcome(curves=record.outcome.curves)
    split = split_of(data, record)
    embedding = keep_embedding(store, record, split[0])
    train, held_out = embedded(METHODS[record.method], record.parameters.values, *split, embedding)
    recorder.orient_by(train.X)
    if tables.has_all_rows(store, record, data):
        with tables.rows(store, record, data, held_out) as table:
            fit = fitted_to_table(store, record, recorder, (train, held_out), table)
    else:
        fit = fitted(train, record, recorder)
    recorder.conclude(fit.components, fit.objective, is_complete=not recorder.stopped)
    if recorder.stopped:
        return _Ending(RunState.CANCELLED, STOPPED, outcome=recorder.outcome)
    outcome = structs.replace(
        fit.outcome, gamma_path=recorder.outcome.gamma_path, curves=record.outcome.curves
    )
    return _Ending(RunState.DONE, outcome=with_embedding(outcome, embedding, train))


def _analyzed(analysis: Analysis[Any], work: Work) -> _Ending:
    try:
        analysis.compute(work)
    except StoppedError:
        return _Ending(RunState.CANCELLED, analysis.stopped)
    return _Ending(RunState.DONE)


def _append_best(recorder: Recorder) -> None:
    if recorder.best is not None:
        best = recorder.best
        recorder.conclude(
            best.components, best.objective, is_complete=False, n_sampled=best.n_sampled
        )


def _retry_until_room(write: Callable[[], _T], clock: Clock) -> _T:
    """Retry while the disk is full, so that the outcome of a run is not lost."""
    while True:
        try:
            return write()
        except DiskFullError:
            logger.exception("waiting for room on the disk")
            clock.sleep(FULL_RETRY_S)


def _sentence(error: Exception) -> str:
    """Return the message of an error for users; a general sentence for other errors."""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    return str(error) if isinstance(error, UserError) else UNEXPECTED


def follow(store: RunStore, ended: RunRecord, cpu_s: float, most_s: float) -> None:
    """Queue what follows a run that ended, where it is likely to take at most `most_s` of CPU.

    Runs that nobody looks at are not followed. Where the plane holds rows out there are no refits
    to draw, as the picture shows unseen places already: only shuffles follow.

    Parameters
    ----------
    store : RunStore
    ended : RunRecord
        As it is stored now.
    cpu_s : float
        Seconds of CPU that it took. Those of a clock would grow with what others run, and with a
        pause, and nothing would follow.
    most_s : float
        Seconds of CPU; 0 for nothing.
    """
    if ended.state is not RunState.DONE or not ended.from_page or most_s <= 0.0:
        return
    next_kind = _next_kind(store, ended, cpu_s, most_s)
    fit = ended if ended.kind == FIT else store.get(ended.of_run)
    if next_kind is None or fit is None or fit.removed_s is not None:
        return
    if any(run.of_run == fit.run_id and run.kind == next_kind for run in store.runs_of(fit.owner)):
        return
    try:
        store.create(structs.replace(new_analysis(fit, next_kind), from_page=True))
    except LimitReachedError as error:
        logger.info("nothing follows: %s", error, extra={"run": fit.run_id})


def _next_kind(store: RunStore, ended: RunRecord, cpu_s: float, most_s: float) -> str | None:
    if ended.kind == FIT:
        return _after_fit(store, ended, cpu_s, most_s)
    if ended.kind != REFITS:
        return None
    try:
        report = REFITS_OF_RUN.stored(store, ended.run_id)
    except ReportUnreadableError:
        return None
    if report.share is None or report.bound is not None:
        return None  # where the answer is no already, shuffles would say the same
    return CHECK.name if _shuffles_s(store, ended, report.fit_s) <= most_s else None


def _after_fit(store: RunStore, fit: RunRecord, cpu_s: float, most_s: float) -> str | None:
    if fit.n_classes == 1 or METHODS[fit.method].keeps_embedding or fit.is_of_sample:
        return None
    folds_s = cpu_s * _MOST_FOLDS
    if fit.parameters.held_out == 0.0:
        return REFITS if folds_s <= most_s else None
    is_quick = folds_s <= most_s and folds_s + _shuffles_s(store, fit, cpu_s) <= most_s
    return CHECK.name if is_quick else None


def _shuffles_s(store: RunStore, ended: RunRecord, fit_s: float) -> float:
    """Estimate the seconds of CPU of shuffles, of every reading of the rows.

    A shuffle has one start. Each reading also has folds of its own, but one that asks the same as
    another.

    Parameters
    ----------
    store : RunStore
    ended : RunRecord
        Of the run, or of an analysis of it.
    fit_s : float
        Seconds of CPU of a fit with all its starts.
    """
    raw = store.get_file(ended.owner, FileKind.DATA, ended.data_id)
    if raw is None:
        return inf
    data = LabeledData.from_bytes(raw)
    ways = readings(data)
    n_starts = ended.parameters.n_init if METHODS[ended.method].takes(STARTS.name) else 1
    a_shuffle_s = fit_s * min(1.0, MOST_PERMUTED_ROWS / len(data.y)) / max(1, n_starts)
    n_tests = 1 + len(ways)
    n_shuffles = n_tests * (1 + shuffles_of_each(N_PERMUTATIONS, n_tests))
    n_refits = _MOST_FOLDS * len({way.question.id for way in ways})
    return n_shuffles * _FOLDS_OF_A_SHUFFLE * a_shuffle_s + n_refits * fit_s


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    objective : float
        Of the plane; the divergence if the method reported none.
    outcome : FitOutcome
    """

    components: FloatArray
    objective: float
    outcome: FitOutcome = NO_OUTCOME


def fitted(train: LabeledData, record: RunRecord, recorder: Recorder) -> Fit:
    """Fit the method of a run to rows in memory.

    Parameters
    ----------
    train : LabeledData
        In the coordinates that the plane of the run projects.
    record : RunRecord
    recorder : Recorder
        Told of every step.
    """
    method = METHODS[record.method]
    if not method.is_linear:
        components = np.eye(train.X.shape[1])
        return Fit(components, _objective(train, record, recorder, components))
    estimator = method.estimator(record.parameters.values, recorder)
    groups = {"groups": train.groups} if has_fit_parameter(estimator, "groups") else {}
    estimator.fit(train.X, train.y, **groups, **nuisance_of(train, record))
    components = estimator.components_
    objective = _reached(estimator, train, record, recorder)
    return Fit(components, objective, _outcome(estimator))


def fitted_to_table(
    store: RunStore,
    record: RunRecord,
    recorder: Recorder,
    sample: tuple[LabeledData, LabeledData],
    table: BlockSource,
) -> Fit:
    """Fit the method of a run to a registered table, and keep the densities of all its rows.

    A method that needs single rows is fitted to the sample.

    Parameters
    ----------
    store : RunStore
    record : RunRecord
    recorder : Recorder
        Told of every step. If it was stopped, there are no densities.
    sample : tuple of LabeledData
        Training rows and held-out rows.
    table : BlockSource
        All rows but those held out.
    """
    train, held_out = sample
    if is_fitted_to_all_rows(record):
        fit = _fitted_to_all_rows(record, recorder, train, table)
    else:
        fit = fitted(train, record, recorder)
    if recorder.stopped:
        return fit
    points = np.concatenate([train.X, held_out.X])
    densities = PlaneDensities.of(table, fit.components, record.gamma, points)
    keep_densities(store, record, densities)
    if densities is None or recorder.best is not None:
        return fit
    return replace(fit, objective=densities.divergence)


def _fitted_to_all_rows(
    record: RunRecord, recorder: Recorder, train: LabeledData, table: BlockSource
) -> Fit:
    estimator = (
        METHODS[record.method].estimator(record.parameters.values, recorder).fit(table, None)
    )
    components = estimator.components_
    objective = _reached(estimator, train, record, recorder)
    n_rows = int(table.counts.sum())
    return Fit(components, objective, structs.replace(_outcome(estimator), n_rows=n_rows))


def _outcome(estimator: Any) -> FitOutcome:
    if not hasattr(estimator, "n_agreeing_starts_"):
        return NO_OUTCOME
    return FitOutcome(
        n_starts=len(estimator.start_results_), n_agreeing=int(estimator.n_agreeing_starts_)
    )


def _reached(estimator: Any, train: LabeledData, record: RunRecord, recorder: Recorder) -> float:
    """Return the objective of the plane of an estimator."""
    if METHODS[record.method].maximizes != "divergence":
        return _objective(train, record, recorder, estimator.components_)
    # Over all rows and in double precision, which the best of the steps may not be.
    value = float(estimator.divergence_)
    blind_to = getattr(estimator, "nuisance_divergence_", None)
    return value if blind_to is None else value - estimator.nuisance_weight * float(blind_to)


def _objective(
    train: LabeledData, record: RunRecord, recorder: Recorder, components: FloatArray
) -> float:
    """Return the best objective that was reported; the divergence if none was."""
    if recorder.best is not None:
        return recorder.best.objective
    if len(train.class_names) == 1:
        return 0.0  # of no pair of classes
    return cauchy_schwarz_divergence(
        train.X, train.y, components, gamma=record.gamma, shrinkage=DEFAULT_SHRINKAGE
    )

"""The one function that works a run."""

from __future__ import annotations

import logging
import os
import time
import traceback
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from melm_core._typing import FloatArray
from melm_core.datasets import LabelledData
from melm_core.divergence import cauchy_schwarz_divergence
from melm_core.methods import METHODS
from worker.check import Checker
from worker.clock import Clock
from worker.heartbeat import heartbeat
from worker.messages import CHECK_STOPPED, DATA_GONE, STOPPED, UNEXPECTED
from worker.recorder import Recorder
from worker.records import RunKind, RunRecord, RunState
from worker.rows import rows_of
from worker.store import RunEndedError, RunStore

logger = logging.getLogger(__name__)


def execute_run(store: RunStore, run_id: str, *, clock: Clock = time) -> None:
    """Work a queued run to its end, in this process; leave a run that is not queued alone.

    The planes of the fit are appended to the run's history as they come, the fitted plane
    last. However the fit ends, the record tells it and this function returns.

    Parameters
    ----------
    store : RunStore
    run_id : str
    clock : module or object like ``time``
    """
    if not _begin(store, run_id, clock):
        return
    try:
        with heartbeat(store, run_id, now=clock.time):
            ending = _work(store, run_id, clock)
    except RunEndedError:
        logger.info("run=%s was ended by somebody else", run_id)
        return
    _end(store, run_id, ending, clock)


@dataclass(frozen=True)
class _Ending:
    state: RunState
    message: str = ""
    traceback: str = ""


def _begin(store: RunStore, run_id: str, clock: Clock) -> bool:
    now = clock.time()
    begun = store.transition(
        run_id,
        {RunState.QUEUED},
        state=RunState.RUNNING,
        started_s=now,
        heartbeat_s=now,
        pid=os.getpid(),
    )
    logger.info("run=%s %s", run_id, "started" if begun else "is not queued, left alone")
    return begun


def _end(store: RunStore, run_id: str, ending: _Ending, clock: Clock) -> None:
    store.transition(
        run_id,
        {RunState.RUNNING},
        state=ending.state,
        finished_s=clock.time(),
        message=ending.message,
        traceback=ending.traceback,
    )
    level = logging.ERROR if ending.state is RunState.FAILED else logging.INFO
    logger.log(level, "run=%s ended state=%s %s", run_id, ending.state, ending.traceback)


def _work(store: RunStore, run_id: str, clock: Clock) -> _Ending:
    recorder = Recorder(store, run_id, clock)
    try:
        return _run(store, run_id, recorder, clock)
    except RunEndedError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the record must tell it
        trace = traceback.format_exc()
        _keep_best(recorder)
        return _Ending(RunState.FAILED, _sentence(error), trace)


def _run(store: RunStore, run_id: str, recorder: Recorder, clock: Clock) -> _Ending:
    record = store.get(run_id)
    if record is None:
        raise RunEndedError(run_id)
    raw = store.get_data(record.owner, record.data_id)
    if raw is None:
        return _Ending(RunState.FAILED, DATA_GONE)
    data = LabelledData.from_bytes(raw)
    if record.kind is RunKind.CHECK:
        return _check(store, record, data, clock)
    components, objective = _found(data, record, recorder)
    recorder.conclude(components, objective, is_complete=not recorder.stopped)
    return _Ending(RunState.CANCELLED, STOPPED) if recorder.stopped else _Ending(RunState.DONE)


def _check(store: RunStore, record: RunRecord, data: LabelledData, clock: Clock) -> _Ending:
    checker = Checker(store, record, clock)
    checker.work(data)
    if checker.stopped:
        return _Ending(RunState.CANCELLED, CHECK_STOPPED)
    return _Ending(RunState.DONE)


def _found(data: LabelledData, record: RunRecord, recorder: Recorder) -> tuple[FloatArray, float]:
    """The components of the fitted plane, and the objective of the run there."""
    seen, _ = rows_of(data, record)
    components = _fitted(seen, record, recorder)
    if recorder.best is not None:
        return components, recorder.best.objective
    gamma = record.parameters["gamma"]
    return components, cauchy_schwarz_divergence(
        seen.X, seen.y, components, gamma=gamma, shrinkage="auto"
    )


def _fitted(seen: LabelledData, record: RunRecord, recorder: Recorder) -> FloatArray:
    method = METHODS[record.method]
    if not method.is_linear:
        return np.eye(seen.X.shape[1])
    estimator = method.estimator(record.parameters, recorder).fit(seen.X, seen.y)
    components: FloatArray = estimator.components_
    return components


def _keep_best(recorder: Recorder) -> None:
    if recorder.best is not None:
        recorder.conclude(recorder.best.components, recorder.best.objective, is_complete=False)


def _sentence(error: Exception) -> str:
    """Errors of the core are written for the user; others would only puzzle."""
    if isinstance(error, ValueError) and _origin(error.__traceback__).startswith("melm_core"):
        return str(error)
    return UNEXPECTED


def _origin(trace: TracebackType | None) -> str:
    module = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    return module

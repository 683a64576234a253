"""Points at which a run waits for its turn while others compute."""

from __future__ import annotations

from melm_studio.configuration.clock import Clock
from melm_studio.runs.records.request import RunRequest
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.store.protocol import RunEndedError, RunStore

POLL_S = 0.05


class StoppedError(Exception):
    """A run was requested to stop."""


def stop_if_requested(store: RunStore, record: RunRecord, clock: Clock) -> None:
    """Wait while a run gives way to others.

    Raises
    ------
    StoppedError
        If the run was requested to stop.
    RunEndedError
        If another process ended the run meanwhile, or took it over in another attempt.
    """
    if is_stopped(store, record, clock):
        raise StoppedError


def is_stopped(store: RunStore, record: RunRecord, clock: Clock) -> bool:
    """Wait while a run gives way to others, then return whether it was requested to stop.

    Raises
    ------
    RunEndedError
        If another process ended the run meanwhile, or took it over in another attempt.
    """
    return after_giving_way(store, record.run_id, clock, attempt=record.attempt).is_cancelled


def after_giving_way(
    store: RunStore, run_id: str, clock: Clock, *, attempt: int, poll_s: float = POLL_S
) -> RunRequest:
    """Wait while an attempt at a run gives way to others, then return what is requested of it.

    Raises
    ------
    RunEndedError
        If another process ended the run meanwhile, or took it over in another attempt.
    """
    request = own_request(store, run_id, attempt)
    if not _waits(request):
        return request
    store.transition(run_id, {RunState.RUNNING}, gave_way_s=clock.time())
    while _waits(request):
        clock.sleep(poll_s)
        record = store.get(run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(run_id)
        request = own_request(store, run_id, attempt)
    store.transition(run_id, {RunState.RUNNING}, gave_way_s=None)
    return request


def own_request(store: RunStore, run_id: str, attempt: int) -> RunRequest:
    """Return what is requested of an attempt at a run.

    Raises
    ------
    RunEndedError
        If there is a later attempt: a worker that could not reach the store was taken for dead.
    """
    request = store.request(run_id)
    if request.attempt != attempt:
        raise RunEndedError(run_id)
    return request


def _waits(request: RunRequest) -> bool:
    return request.gives_way and not request.is_cancelled

"""Points at which a run waits: for its turn while others compute, or while it is paused."""

from __future__ import annotations

from melm_studio.configuration.clock import Clock
from melm_studio.runs.records.run import Command, RunRecord, RunRequest, RunState
from melm_studio.runs.store.protocol import RunEndedError, RunStore

# How often a run that waits polls its request.
POLL_S = 0.05
# A paused run occupies a process and its memory: after an hour it resumes by itself.
LONGEST_S = 3_600.0


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


def after_giving_way(store: RunStore, run_id: str, clock: Clock, *, attempt: int) -> RunRequest:
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
        clock.sleep(POLL_S)
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


class PausePoint:
    """A point that a fit passes at every step, and where it waits while its run is paused.

    It also waits there while it gives way to others.

    Parameters
    ----------
    store : RunStore
    run_id : str
    clock : Clock
    attempt : int
        Which attempt at the run the fit is.
    poll_s : float
        Seconds between two polls of the request.

    Attributes
    ----------
    is_held : bool
        Whether the run is paused; a single step does not end a pause.
    waited_s : float
        Seconds waited so far.
    """

    def __init__(
        self,
        store: RunStore,
        run_id: str,
        clock: Clock,
        *,
        attempt: int = 0,
        poll_s: float = POLL_S,
    ) -> None:
        self.is_held = False
        self.waited_s = 0.0
        self._store, self._run_id, self._clock, self._poll_s = store, run_id, clock, poll_s
        self._attempt = attempt
        self._n_steps = 0

    def passed(self) -> RunRequest:
        """Wait while the run is paused, then return what is requested of it.

        Raises
        ------
        RunEndedError
            If another process ended the run meanwhile.
        """
        began_s = self._clock.monotonic()
        request = after_giving_way(self._store, self._run_id, self._clock, attempt=self._attempt)
        self.waited_s += self._clock.monotonic() - began_s
        if request.is_paused:
            request = self._wait(request)
        if request.command is Command.GO:
            self._resume(request)
        return request

    def _wait(self, request: RunRequest) -> RunRequest:
        began_s = self._clock.monotonic()
        self._hold()
        while request.is_paused and request.n_steps <= self._n_steps:
            if self._clock.monotonic() - began_s > LONGEST_S:
                self._store.update_request(self._run_id, RunRequest.resumed)
            self._clock.sleep(self._poll_s)
            request = self._request()
        self._n_steps += 1
        self.waited_s += self._clock.monotonic() - began_s
        return request

    def _hold(self) -> None:
        self.is_held = True
        self._store.transition(self._run_id, {RunState.RUNNING}, state=RunState.PAUSED)

    def _resume(self, request: RunRequest) -> None:
        self._n_steps = request.n_steps
        if self.is_held:
            self.is_held = False
            self._store.transition(self._run_id, {RunState.PAUSED}, state=RunState.RUNNING)

    def _request(self) -> RunRequest:
        record = self._store.get(self._run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(self._run_id)
        return own_request(self._store, self._run_id, self._attempt)

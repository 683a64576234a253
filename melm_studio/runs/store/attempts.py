"""Other attempts at a run that was cut short, or whose worker no longer sends heartbeats."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from contextlib import suppress

from msgspec.structs import replace

from melm_core.linalg import align_components
from melm_studio.configuration.clock import Clock
from melm_studio.configuration.messages import GIVEN_UP, LOST, STOPPED
from melm_studio.runs.records.run import AT_WORK, GO, RunRecord, RunRequest, RunState, reopened
from melm_studio.runs.store.protocol import RunEndedError, RunStore
from melm_studio.runs.store.quota import make_room_in_queue

# A run that takes its workers down, for example since it exhausts the memory, may do so this often.
MOST_LOSSES = 3

logger = logging.getLogger(__name__)
# With a heartbeat a second and a poll a second, a dead worker is noticed within 5 s.
DEAD_AFTER_S = 3.0
# If a one-second poll was delayed by more than this, this process had lost the store.
CUT_OFF_AFTER_S = 3.0


def reopen(store: RunStore, run_id: str) -> bool:
    """Queue a run that was cut short again; it keeps its history and forgets all requests.

    Returns
    -------
    bool
        Whether there was such a run. One that is done never changes.

    Raises
    ------
    LimitReachedError
    """

    def queued(record: RunRecord, _: RunRequest) -> tuple[RunRecord, RunRequest] | None:
        if not record.can_continue:
            return None
        make_room_in_queue(store, record)
        again = reopened(record)
        return again, GO.of_attempt(again.attempt)

    return store.change(run_id, queued)


def requeue(store: RunStore, seen: RunRecord, *, n_losses: int) -> bool:
    """Queue an unfinished run again, whose worker is gone; it keeps its history.

    Only a requested pause remains; what its worker still does is refused (`RunRecord.attempt`).

    Parameters
    ----------
    store : RunStore
    seen : RunRecord
        The run when its worker was found to be gone.
    n_losses : int
        As in `RunRecord`, from now on.

    Returns
    -------
    bool
        Whether the run was still in that attempt; if not, nothing changes.
    """

    def queued(record: RunRecord, request: RunRequest) -> tuple[RunRecord, RunRequest] | None:
        if record.state.is_final or record.attempt != seen.attempt:
            return None
        again = reopened(record, n_losses=n_losses)
        return again, request.of_attempt(again.attempt)

    return store.change(seen.run_id, queued)


def end_attempt(store: RunStore, seen: RunRecord, cause: str, *, is_loss: bool = True) -> None:
    """Append the best plane of a run, and queue the run again.

    It ends as cancelled where that was requested, and as lost with the loss of its
    `MOST_LOSSES`-th worker.

    Parameters
    ----------
    store : RunStore
    seen : RunRecord
        The run when its worker was found to be gone; one in another attempt is left alone.
    cause : str
        What happened, as a clause that begins a sentence for the user.
    is_loss : bool
        Whether the run may be to blame.
    """
    record = store.get(seen.run_id)
    if record is None or record.state.is_final or record.attempt != seen.attempt:
        return
    with suppress(RunEndedError):
        _append_best_plane(store, record.run_id)
    request, n_losses = store.request(record.run_id), record.n_losses + is_loss
    if request.is_cancelled:
        _end(store, record, RunState.CANCELLED, request.reason or STOPPED)
    elif n_losses >= MOST_LOSSES:
        _end(store, record, RunState.LOST, GIVEN_UP.format(cause=cause, n=n_losses))
    elif requeue(store, record, n_losses=n_losses):
        logger.warning("queued again: %s", cause, extra={"run": record.run_id})


def _end(store: RunStore, record: RunRecord, state: RunState, message: str) -> None:
    unfinished = {RunState.QUEUED, *AT_WORK}
    ending = {"state": state, "finished_s": time.time(), "message": message}
    if store.transition(record.run_id, unfinished, **ending):
        logger.warning("ended as %s: %s", state, message, extra={"run": record.run_id})


def _append_best_plane(store: RunStore, run_id: str) -> None:
    last, best = store.last_event(run_id), store.best_event(run_id)
    if last is None or last.is_final or best is None:
        return
    components = align_components(best.components, last.components)
    final = replace(
        last,
        components=components,
        objective=best.objective,
        best_objective=best.objective,
        n_sampled=best.n_sampled,
        is_final=True,
    )
    store.append(run_id, final)


class DeadRuns:
    """Queues runs again whose heartbeat stopped, wherever they were executed.

    The age of a heartbeat is the time for which this process has seen no other, by a clock that
    never jumps.

    Parameters
    ----------
    store : RunStore
    has_other_workers : bool
        Whether other processes may execute runs too. If so, a process that connects or reconnects
        to the store waits before it ends any run: the others may also have lost the store, and
        resume their heartbeats soon. If not, old heartbeats are those of an earlier studio.
    clock : Clock
    """

    def __init__(self, store: RunStore, *, has_other_workers: bool, clock: Clock = time) -> None:
        self._store = store
        self._clock = clock
        self._has_others = has_other_workers
        self._polled_s = float("-inf")
        # The heartbeat of each run, and since when it has been the same.
        self._beats: dict[str, tuple[float, float]] = {}

    def end(self, except_for: Collection[str] = ()) -> None:
        """Poll once, to be called every second; leave alone the runs known to be executed."""
        running = [run for run in self._store.unfinished() if run.state in AT_WORK]
        now = self._clock.monotonic()
        if now - self._polled_s > CUT_OFF_AFTER_S:
            self._beats = {}
        self._polled_s = now
        self._beats = {run.run_id: self._since(run, now) for run in running}
        for run in running:
            if run.run_id not in except_for and now - self._beats[run.run_id][1] >= DEAD_AFTER_S:
                end_attempt(self._store, run, LOST)

    def _since(self, run: RunRecord, now: float) -> tuple[float, float]:
        beat_s = run.heartbeat_s or run.created_s
        last = self._beats.get(run.run_id)
        if last is not None and last[0] == beat_s:
            return last
        age_s = self._clock.time() - beat_s
        is_left_behind = last is None and not self._has_others and age_s >= DEAD_AFTER_S
        return beat_s, float("-inf") if is_left_behind else now

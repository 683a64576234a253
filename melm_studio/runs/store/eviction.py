"""Deletion of runs and files that were not used for a long time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from melm_studio.configuration.clock import Clock
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.records.stored_files import FileKind, StoredFile, unused_files
from melm_studio.runs.store.protocol import RunStore, Sign

SECONDS_PER_DAY = 86_400.0
# Of the bytes of all owners, above which what is used least makes room.
FULL_SHARE = 0.9
JUMP_S = 60.0
# Time for an administrator, or the network's time, to set the clock right.
TRUSTED_AFTER_S = 6 * 3_600.0

logger = logging.getLogger(__name__)


class Sweeper:
    """Sweeps a store, unless its clock has jumped: a wrong clock must not delete anything.

    The first sweep ever, and every sweep within `TRUSTED_AFTER_S` after the clock was found to have
    jumped or to be unwatched for long, deletes nothing.
    """

    def __init__(self, store: RunStore, clock: Clock = time) -> None:
        self._store, self._clock = store, clock
        self._last: tuple[float, float] | None = None
        self._trusted_from_s = float("-inf")

    def sweep(self) -> None:
        """Delete what was unused for long, where the clock can be trusted."""
        now, ticks = self._clock.time(), self._clock.monotonic()
        swept_s = self._store.marked_s(Sign.SWEEP)
        if not self._runs_true(now, ticks, swept_s):
            self._trusted_from_s = ticks + TRUSTED_AFTER_S
            if swept_s is not None:  # a new store holds nothing that could be deleted
                logger.info(
                    "the clock jumped, or nothing ran for long: nothing is deleted for hours"
                )
        self._last = now, ticks
        self._store.mark(Sign.SWEEP, now)
        if ticks >= self._trusted_from_s:
            sweep(self._store, now)

    def _runs_true(self, now: float, ticks: float, swept_s: float | None) -> bool:
        if self._last is not None:
            return abs((now - self._last[0]) - (ticks - self._last[1])) < JUMP_S
        return swept_s is not None and -JUMP_S < now - swept_s < SECONDS_PER_DAY


def sweep(store: RunStore, now: float) -> None:
    """Delete the stale runs of every owner, then the stale files that no remaining run uses.

    Where all that is stored is close to its limit, what was unused for half the days is stale too,
    then for a quarter and so on, but never what was used within the last day.
    """
    days = float(store.limits.days_kept)
    _sweep_before(store, now - days * SECONDS_PER_DAY)
    while days > 1.0 and store.bytes_stored() > FULL_SHARE * store.limits.total_bytes:
        days = max(days / 2, 1.0)
        _sweep_before(store, now - days * SECONDS_PER_DAY)
    store.tidy(now)


def _sweep_before(store: RunStore, since_s: float) -> None:
    for owner in store.owners():
        for run in stale_runs(store.runs_of(owner), store.files_of(owner), since_s):
            store.delete(run.run_id)
            logger.info("deleted, unused", extra={"run": run.run_id})
        for file in stale_files(store.files_of(owner), store.runs_of(owner), since_s):
            store.delete_file(file)


def stale_runs(
    runs: Iterable[RunRecord], files: Iterable[StoredFile], since_s: float
) -> list[RunRecord]:
    """Return the runs that ended, and whose data were last opened, before a time."""
    opened = {file.key: file.touched_s for file in files if file.kind is FileKind.DATA}
    return [
        run
        for run in runs
        if run.state.is_final and max(_ended_s(run), opened.get(run.data_id, 0.0)) < since_s
    ]


def stale_files(
    files: Iterable[StoredFile], runs: Iterable[RunRecord], since_s: float
) -> list[StoredFile]:
    """Return the files that were last put before a time and that no run uses."""
    return [file for file in unused_files(files, runs) if file.touched_s < since_s]


def _ended_s(run: RunRecord) -> float:
    return run.finished_s or run.created_s

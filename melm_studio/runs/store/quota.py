"""The limits on runs and bytes when something is stored, and the sweep of what nobody has used."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import (
    LimitReachedError,
    share_of_address,
    share_of_visitor,
)
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.runs.records.run import BYTES_PER_PLACE, RunRecord
from melm_studio.runs.records.stored_files import FileKind, StoredFile, unused_files
from melm_studio.runs.store.protocol import RunStore, Sign
from melm_studio.tables import count, number

SECONDS_PER_DAY = 86_400.0
# Of the bytes of all owners, above which what is used least makes room.
FULL_SHARE = 0.9
JUMP_S = 60.0
# Time for an administrator, or the network's time, to set the clock right.
TRUSTED_AFTER_S = 6 * 3_600.0

logger = logging.getLogger(__name__)


def make_room_for_run(store: RunStore, record: RunRecord, n_bytes: int = 0) -> None:
    """Make room for a new run, or for one that ended elsewhere, with so many bytes of planes.

    Raises
    ------
    LimitReachedError
        If the owner has too many runs or stores too much already, or has as many waiting runs as
        the others leave room for.
    """
    if not record.state.is_final:
        make_room_in_queue(store, record)
    limits, runs = store.limits, store.runs_of(record.owner)
    if len(runs) >= limits.session_runs:
        raise LimitReachedError(
            f"You have {count(limits.session_runs, 'run')} already, the limit for one visitor. "
            "Remove some panels, including those of other tables, to start another run."
        )
    needed = max(_long_bytes(record) + n_bytes, 1)
    _make_room(store, record.owner, needed, [*runs, record])


def make_room_for_bytes(store: RunStore, owner: str, n_bytes: int) -> None:
    """Make room for more bytes: delete the owner's files that no run uses, oldest first.

    Raises
    ------
    LimitReachedError
        If that does not make enough room.
    """
    _make_room(store, owner, n_bytes, store.runs_of(owner))


def planes_left(store: RunStore, run_id: str, plane_bytes: int) -> int:
    """Return how many more planes fit into the owner's quota; none of a deleted run."""
    record = store.get(run_id)
    return 0 if record is None else _bytes_left(store, record.owner)[0] // plane_bytes


def make_room_in_queue(store: RunStore, record: RunRecord) -> None:
    """Refuse a run where its owner, or its address, has its share of the queue.

    Raises
    ------
    LimitReachedError
    """
    total, places = store.limits.queued_runs, record.n_places
    used = store.places_taken()
    n_used, n_own = used.total(), used[record.owner]
    if n_used + places > total:
        raise LimitReachedError(
            f"The queue is full: at most {count(total, 'run')} can wait for a worker. "
            "Try again when some are done."
        )
    address = store.address_of(record.owner)
    n_here = sum(n for owner, n in used.items() if store.address_of(owner) == address)
    for who, n, share in (
        ("you", n_own, share_of_visitor(total, n_used)),
        ("your network address", n_here, share_of_address(total, n_used)),
    ):
        if n + places > max(share, 1):
            raise LimitReachedError(
                f"{count(total - n_used, 'place')} of {number(total)} in the queue are free, and "
                f"{who} already have {number(n)}: the rest is left to others. Try again when some "
                "of these runs are done, or stop some."
            )


def _bytes_left(store: RunStore, owner: str) -> tuple[int, str]:
    """Return how many bytes an owner may still store, and what limits them in words."""
    limits = store.limits
    left = limits.session_bytes - bytes_of(store, owner)
    of_visitor = f"{number(limits.session_mb)} MB"
    stored = store.bytes_stored()
    # An address cannot have more than all that is stored, so most often nothing need be summed.
    if 2 * (stored + limits.session_bytes) <= limits.total_bytes:
        return left, of_visitor
    here = store.owners(address=store.address_of(owner))
    n_here = sum(bytes_of(store, other) for other in {owner, *here})
    of_address = share_of_address(limits.total_bytes, stored) - n_here
    if left <= of_address:
        return left, of_visitor
    return of_address, f"network address's share of {number(limits.total_mb)} MB"


def bytes_of(store: RunStore, owner: str) -> int:
    """Return how many bytes an owner stores: files, planes and long records of runs."""
    files = sum(file.n_bytes for file in store.files_of(owner))
    runs = store.runs_of(owner)
    return files + sum(store.history_size(run.run_id).n_bytes + _long_bytes(run) for run in runs)


def _long_bytes(record: RunRecord) -> int:
    """Return the bytes of a long record; of short ones, the number is bounded."""
    n_bytes = len(record.to_bytes())
    return n_bytes if n_bytes > BYTES_PER_PLACE else 0


def _make_room(store: RunStore, owner: str, n_bytes: int, runs: list[RunRecord]) -> None:
    free, limit = _bytes_left(store, owner)
    deletable = unused_files(store.files_of(owner), runs) if n_bytes > free else []
    if n_bytes > free + sum(file.n_bytes for file in deletable):
        raise LimitReachedError(_too_much(n_bytes, free, limit))
    for file in deletable:
        if n_bytes > free:
            store.delete_file(file)
            free += file.n_bytes


def _too_much(n_bytes: int, free: int, limit: str) -> str:
    variable = "MELM_MAX_SESSION_MB" if limit[0].isdigit() else "MELM_MAX_TOTAL_MB"
    return (
        f"This needs {_in_mb(n_bytes)} MB, but only {_in_mb(max(free, 0))} MB are left of your "
        f"{limit}. Remove some panels, including those of other tables, or restart the studio with "
        f"a higher {variable}."
    )


def _in_mb(n_bytes: int) -> str:
    return f"{n_bytes / BYTES_PER_MB:,.1f}"


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

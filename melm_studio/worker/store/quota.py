"""The limits on runs and bytes, enforced when something is stored."""

from __future__ import annotations

from melm_studio.tables import count, number
from melm_studio.worker.records.limits import BYTES_PER_MB, LimitReachedError, Limits
from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.records.stored_files import unused_files
from melm_studio.worker.store.protocol import RunStore


def make_room_for_run(store: RunStore, record: RunRecord) -> None:
    """Make room for a run.

    Raises
    ------
    LimitReachedError
        If the owner stores too much already, or the queue is full.
    """
    limits = store.limits
    if store.n_queued() >= limits.queued_runs:
        raise LimitReachedError(
            f"The queue is full: at most {count(limits.queued_runs, 'run')} can wait for a worker. "
            "Try again when some are done."
        )
    if len(store.runs_of(record.owner)) >= limits.session_runs:
        raise LimitReachedError(
            f"You have {count(limits.session_runs, 'run')} already, the limit for one visitor. "
            "Remove some panels, including those of other tables, to start another run."
        )
    _make_room(store, record.owner, 1, [*store.runs_of(record.owner), record])


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
    return 0 if record is None else _bytes_left(store, record.owner) // plane_bytes


def _bytes_left(store: RunStore, owner: str) -> int:
    files = sum(file.n_bytes for file in store.files_of(owner))
    planes = sum(store.event_bytes(run.run_id) for run in store.runs_of(owner))
    return store.limits.session_bytes - files - planes


def _make_room(store: RunStore, owner: str, n_bytes: int, runs: list[RunRecord]) -> None:
    free = _bytes_left(store, owner)
    deletable = unused_files(store.files_of(owner), runs) if n_bytes > free else []
    if n_bytes > free + sum(file.n_bytes for file in deletable):
        raise LimitReachedError(_too_much(store.limits, n_bytes, free))
    for file in deletable:
        if n_bytes > free:
            store.delete_file(file)
            free += file.n_bytes


def _too_much(limits: Limits, n_bytes: int, free: int) -> str:
    return (
        f"This needs {_in_mb(n_bytes)} MB, but only {_in_mb(max(free, 0))} MB are left of your "
        f"{number(limits.session_mb)} MB. Remove some panels, including those of other tables, or "
        "restart the studio with a higher MELM_MAX_SESSION_MB."
    )


def _in_mb(n_bytes: int) -> str:
    return f"{n_bytes / BYTES_PER_MB:,.1f}"

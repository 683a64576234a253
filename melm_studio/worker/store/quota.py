"""Whether there is room for one thing more."""

from __future__ import annotations

from melm_studio.worker.records.limits import BYTES_PER_MB, LimitReachedError, Limits
from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.records.stored_files import unused
from melm_studio.worker.store.protocol import RunStore


def admit_run(store: RunStore, record: RunRecord) -> None:
    """Make room for a run.

    Raises
    ------
    LimitReachedError
        If the owner keeps too much already, or too many runs wait.
    """
    limits = store.limits
    n_waiting, n_kept = store.n_queued(), len(store.runs_of(record.owner))
    if n_waiting >= limits.queued_runs:
        raise LimitReachedError(
            f"{n_waiting} runs wait for a worker, and the studio lets no more than "
            f"{limits.queued_runs} wait. Try again when some are done."
        )
    if n_kept >= limits.session_runs:
        raise LimitReachedError(
            f"You keep {n_kept} runs, and the studio keeps no more than {limits.session_runs} for "
            "one visitor. Remove some panels, of other tables too, to run another."
        )
    _make_room(store, record.owner, 1, [*store.runs_of(record.owner), record])


def admit_bytes(store: RunStore, owner: str, n_bytes: int) -> None:
    """Make room for so many bytes: drop the owner's data that no run uses, oldest first.

    Raises
    ------
    LimitReachedError
        If that does not make room enough.
    """
    _make_room(store, owner, n_bytes, store.runs_of(owner))


def bytes_left(store: RunStore, owner: str) -> int:
    """Return how many bytes more the owner may keep."""
    held = sum(holding.n_bytes for holding in store.holdings(owner))
    planes = sum(store.event_bytes(run.run_id) for run in store.runs_of(owner))
    return store.limits.session_bytes - held - planes


def planes_left(store: RunStore, run_id: str, plane_bytes: int) -> int:
    """Return how many planes more there is room for; none of a run that is no longer kept."""
    record = store.get(run_id)
    return 0 if record is None else bytes_left(store, record.owner) // plane_bytes


def _make_room(store: RunStore, owner: str, n_bytes: int, runs: list[RunRecord]) -> None:
    free = bytes_left(store, owner)
    droppable = unused(store.holdings(owner), runs) if n_bytes > free else []
    if n_bytes > free + sum(holding.n_bytes for holding in droppable):
        raise LimitReachedError(_too_much(store.limits, n_bytes, free))
    for holding in droppable:
        if n_bytes > free:
            store.drop(holding)
            free += holding.n_bytes


def _too_much(limits: Limits, n_bytes: int, free: int) -> str:
    wanted, left = _in_mb(n_bytes), _in_mb(max(free, 0))
    return (
        f"This needs {wanted} MB, and {left} MB are left of the {limits.session_mb} MB that the "
        "studio keeps for one visitor. Remove some panels, of other tables too, or start the "
        "studio with a higher MELM_MAX_SESSION_MB."
    )


def _in_mb(n_bytes: int) -> str:
    return f"{n_bytes / BYTES_PER_MB:.1f}"

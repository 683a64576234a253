"""The limits on runs and bytes, enforced when something is stored."""

from __future__ import annotations

from melm_studio.configuration.limits import (
    LimitReachedError,
    share_of_address,
    share_of_visitor,
)
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.runs.records.run import BYTES_PER_PLACE, RunRecord
from melm_studio.runs.records.stored_files import unused_files
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import count, number


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

"""Whose run comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from melm_studio.worker.records.run import RunRecord


def fairest(
    unfinished: Iterable[RunRecord], queue: Sequence[str], served: Sequence[str]
) -> RunRecord | None:
    """Return the next run: of the owner with the fewest runs out of the queue.

    Among owners who have as many out, the one who was served the longest ago comes first, so that
    somebody's long list lets others pass however few workers there are; then the order of the
    queue decides.

    Parameters
    ----------
    unfinished : iterable of RunRecord
    queue : sequence of str
        Runs that wait, oldest first.
    served : sequence of str
        Owners who were given a worker, the latest last.
    """
    by_id = {record.run_id: record for record in unfinished}
    waiting = [by_id[run_id] for run_id in queue if run_id in by_id]
    claimed = Counter(record.owner for run_id, record in by_id.items() if run_id not in queue)
    turn = {owner: position for position, owner in enumerate(served)}
    return min(
        waiting,
        key=lambda record: (claimed[record.owner], turn.get(record.owner, -1)),
        default=None,
    )


def served_now(served: Sequence[str], owner: str, unfinished: Iterable[RunRecord]) -> list[str]:
    """Return who was served, this owner last; who has no run left is forgotten."""
    waiting = {record.owner for record in unfinished}
    return [*(other for other in served if other != owner and other in waiting), owner]

"""Whose run comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from worker.records import RunRecord


def fairest(unfinished: Iterable[RunRecord], queue: Sequence[str]) -> RunRecord | None:
    """Return the first run in the queue of the owner with the fewest runs out of it."""
    by_id = {record.run_id: record for record in unfinished}
    waiting = [by_id[run_id] for run_id in queue if run_id in by_id]
    claimed = Counter(record.owner for run_id, record in by_id.items() if run_id not in queue)
    return min(waiting, key=lambda record: claimed[record.owner], default=None)

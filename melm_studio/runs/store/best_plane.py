"""The best plane in the history of a run."""

from __future__ import annotations

from melm_studio.runs.records.run import PlaneEvent
from melm_studio.runs.store.protocol import RunStore


def best_event(store: RunStore, run_id: str) -> PlaneEvent | None:
    """Return the event with the best plane, or None before the first.

    That is the one with the largest objective among those over the most rows: a plane that was
    judged by all rows is better known than one that was judged by a sample of them.
    """
    best: PlaneEvent | None = None
    # One at a time: a long history of wide planes may not fit into memory.
    for sequence in range(store.n_events(run_id)):
        event = store.event(run_id, sequence)
        if event is not None and event.is_better(best):
            best = event
    return best

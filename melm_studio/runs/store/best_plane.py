"""The best plane in the history of a run."""

from __future__ import annotations

from melm_studio.runs.records.run import PlaneEvent
from melm_studio.runs.store.protocol import RunStore


def best_event(store: RunStore, run_id: str) -> PlaneEvent | None:
    """Return the event with the largest objective, or None before the first."""
    # One at a time: a long history of wide planes may not fit into memory.
    found = (store.event(run_id, sequence) for sequence in range(store.n_events(run_id)))
    events = (event for event in found if event is not None)
    return max(events, key=lambda event: event.objective, default=None)

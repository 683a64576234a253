"""The planes that a run about another one finds: they are its history, and can be found again."""

from __future__ import annotations

from melm_core.base import FloatArray
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.runs.store.protocol import RunStore


def keep_plane(
    store: RunStore,
    run_id: str,
    number: int,
    components: FloatArray,
    *,
    stage: str,
    fraction: float,
    elapsed_s: float,
    objective: float = 0.0,
) -> int:
    """Keep a plane as the next of a history, unless an earlier attempt did; return its number.

    A run that is tried again repeats its planes, since it has a seed.
    """
    if store.event(run_id, number) is not None:
        return number
    event = PlaneEvent(
        sequence=0,  # assigned by the store
        objective=objective,
        best_objective=objective,
        start=0,
        n_starts=0,
        iteration=0,
        n_evaluations=0,
        stage=stage,
        fraction=fraction,
        elapsed_s=elapsed_s,
        is_final=False,
        components=components,
    )
    return store.append(run_id, event)

"""Ending a run whose worker is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from contextlib import suppress

from msgspec.structs import replace

from melm_core.linalg import align_components
from melm_studio.worker.config.messages import STOPPED
from melm_studio.worker.records.run import RunState
from melm_studio.worker.store.best_plane import best_event
from melm_studio.worker.store.protocol import RunEndedError, RunStore

logger = logging.getLogger(__name__)


def end_run(store: RunStore, run_id: str, message: str, *, expected: Collection[RunState]) -> None:
    """End the run as cancelled if that was requested, else as lost; append its best plane.

    Parameters
    ----------
    store : RunStore
    run_id : str
    message : str
        Why it was lost, one sentence for the user.
    expected : collection of RunState
        A run in another state is left alone.
    """
    record = store.get(run_id)
    if record is None or record.state not in expected:
        return
    with suppress(RunEndedError):
        _append_best_plane(store, run_id)
    request = store.request(run_id)
    state = RunState.CANCELLED if request.is_cancelled else RunState.LOST
    sentence = request.reason or STOPPED if request.is_cancelled else message
    if store.transition(run_id, expected, state=state, finished_s=time.time(), message=sentence):
        logger.warning("ended as %s: %s", state, sentence, extra={"run": run_id})


def _append_best_plane(store: RunStore, run_id: str) -> None:
    last, best = store.last_event(run_id), best_event(store, run_id)
    if last is None or last.is_final or best is None:
        return
    components = align_components(best.components, last.components)
    store.append(
        run_id, replace(last, components=components, objective=best.objective, is_final=True)
    )

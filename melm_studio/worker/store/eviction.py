"""Deleting what nobody used for a long time."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.records.stored_files import Holding, HoldingKind, unused
from melm_studio.worker.store.protocol import RunStore

SECONDS_PER_DAY = 86_400.0

logger = logging.getLogger(__name__)


def sweep(store: RunStore, now: float) -> None:
    """Delete every owner's stale runs, then the uploads and data that no run is left of."""
    since_s = now - store.limits.days_kept * SECONDS_PER_DAY
    for owner in store.owners():
        for run in stale_runs(store.runs_of(owner), store.holdings(owner), since_s):
            store.delete(run.run_id)
            logger.info("deleted as nobody used it any more", extra={"run": run.run_id})
        for holding in stale_holdings(store.holdings(owner), store.runs_of(owner), since_s):
            store.drop(holding)
    store.tidy(now)


def stale_runs(
    runs: Iterable[RunRecord], holdings: Iterable[Holding], since_s: float
) -> list[RunRecord]:
    """Return the runs that ended, and whose data were last opened, before a time."""
    opened = {held.key: held.touched_s for held in holdings if held.kind is HoldingKind.DATA}
    return [
        run
        for run in runs
        if run.state.is_final and max(_ended_s(run), opened.get(run.data_id, 0.0)) < since_s
    ]


def stale_holdings(
    holdings: Iterable[Holding], runs: Iterable[RunRecord], since_s: float
) -> list[Holding]:
    """Return what was last put before a time and no run uses."""
    return [holding for holding in unused(holdings, runs) if holding.touched_s < since_s]


def _ended_s(run: RunRecord) -> float:
    return run.finished_s or run.created_s

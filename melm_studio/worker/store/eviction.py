"""Deletion of runs and files that were not used for a long time."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.records.stored_files import FileKind, StoredFile, unused_files
from melm_studio.worker.store.protocol import RunStore

SECONDS_PER_DAY = 86_400.0

logger = logging.getLogger(__name__)


def sweep(store: RunStore, now: float) -> None:
    """Delete the stale runs of every owner, then the stale files that no remaining run uses."""
    since_s = now - store.limits.days_kept * SECONDS_PER_DAY
    for owner in store.owners():
        for run in stale_runs(store.runs_of(owner), store.files_of(owner), since_s):
            store.delete(run.run_id)
            logger.info("deleted, unused", extra={"run": run.run_id})
        for file in stale_files(store.files_of(owner), store.runs_of(owner), since_s):
            store.delete_file(file)
    store.tidy(now)


def stale_runs(
    runs: Iterable[RunRecord], files: Iterable[StoredFile], since_s: float
) -> list[RunRecord]:
    """Return the runs that ended, and whose data were last opened, before a time."""
    opened = {file.key: file.touched_s for file in files if file.kind is FileKind.DATA}
    return [
        run
        for run in runs
        if run.state.is_final and max(_ended_s(run), opened.get(run.data_id, 0.0)) < since_s
    ]


def stale_files(
    files: Iterable[StoredFile], runs: Iterable[RunRecord], since_s: float
) -> list[StoredFile]:
    """Return the files that were last put before a time and that no run uses."""
    return [file for file in unused_files(files, runs) if file.touched_s < since_s]


def _ended_s(run: RunRecord) -> float:
    return run.finished_s or run.created_s

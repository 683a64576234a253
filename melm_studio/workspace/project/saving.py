"""Saves a table, its runs and a story as one project file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO

from melm_core.base import UserError
from melm_studio.abandonment import go_on
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.record import to_json
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import FIT, RunRecord, RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import number
from melm_studio.validation import MAX_TEXT
from melm_studio.workspace.project.manifest import (
    EVENTS_AT_ONCE,
    MANIFEST,
    MAX_MANIFEST,
    VERSION,
    Project,
    ProjectRun,
    history_part,
    is_about_fit,
    packed_event,
    report_part,
    table_part,
    verdict_part,
)
from melm_studio.workspace.story import Story
from melm_studio.workspace.workspace import DATA_GONE, Workspace, readable

_UNFINISHED = "Saved in a project before it was done."
_TOO_LONG = (
    "The choices of these runs (rows, marks, start planes) take more than {most} MB. Remove some "
    "runs and save the project again."
)


def save_project(workspace: Workspace, source: DataSource, story: Story, file: IO[bytes]) -> None:
    """Write the table that the page shows, all its runs, and the story with what it shows.

    Runs of other tables are not written, unless a view of the story is of such a table.

    Parameters
    ----------
    workspace : Workspace
    source : DataSource
        The data that the page shows.
    story : Story
    file : binary file
        Open for writing.

    Raises
    ------
    UserError
        If the table is no longer stored, or too much was chosen by hand.
    """
    if not workspace.has_file(source):
        raise UserError(DATA_GONE)
    sources = [source, *(view.spec.source for view in story.views)]
    records = _chosen(workspace, set(map(_file_of, sources)))
    runs = [_described(record, records) for record in records]
    project = Project(version=VERSION, shown=source, runs=tuple(runs), story=story)
    raw = to_json(project)
    if len(raw) > MAX_MANIFEST:
        raise UserError(_TOO_LONG.format(most=number(MAX_MANIFEST // BYTES_PER_MB)))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr(MANIFEST, raw)
        _write_tables(parts, workspace, sources, story)
        for position, record in enumerate(records):
            go_on()
            _write_results(parts, workspace.store, position, record)
        _write_verdicts(parts, workspace, records)


def _chosen(workspace: Workspace, files: set[tuple[str, str]]) -> list[RunRecord]:
    """List the runs of some files that can be opened elsewhere, fits first."""
    runs = [
        run
        for run in readable(workspace.store.runs_of(workspace.owner))
        if _file_of(run.source) in files
    ]
    fits = [run for run in runs if run.kind == FIT and run.removed_s is None]
    ids = {run.run_id for run in fits}
    others = [
        run
        for run in runs
        if run.state is RunState.DONE
        and (run.kind == "ranking" or (is_about_fit(run.kind) and run.of_run in ids))
    ]
    return [*fits, *others]


def _file_of(source: DataSource) -> tuple[str, str]:
    return source.kind, source.key


def _described(record: RunRecord, records: Iterable[RunRecord]) -> ProjectRun:
    positions = {run.run_id: position for position, run in enumerate(records)}
    is_final = record.state.is_final
    return ProjectRun(
        kind=record.kind,
        of=positions.get(record.of_run),
        source=record.source,
        data_id=record.data_id,
        method=record.method,
        parameters=record.parameters.values,
        # What has not ended here can be continued there.
        state=record.state if is_final else RunState.CANCELLED,
        created_s=record.created_s,
        started_s=record.started_s,
        finished_s=record.finished_s,
        message=(record.message if is_final else _UNFINISHED)[:MAX_TEXT],
        name=record.name,
        outcome=record.outcome,
    )


def _write_tables(
    parts: zipfile.ZipFile, workspace: Workspace, sources: Iterable[DataSource], story: Story
) -> None:
    """Write the uploaded files of sources, and those of new rows; each once."""
    new_rows = (view.spec.marks.new_rows for view in story.views)
    keys = [source.key for source in sources if source.kind == "upload"]
    keys += [rows.key for rows in new_rows if rows is not None]
    for key in dict.fromkeys(keys):
        # Where the file of a story's view is gone, the view asks for it, as it does here.
        if (raw := workspace.store.get_file(workspace.owner, FileKind.UPLOAD, key)) is not None:
            parts.writestr(table_part(key), raw)


def _write_results(
    parts: zipfile.ZipFile, store: RunStore, position: int, record: RunRecord
) -> None:
    if store.n_events(record.run_id):
        with parts.open(history_part(position), "w") as file:
            for raw in _packed_history(store, record.run_id):
                file.write(raw)
    if (report := store.report(record.run_id)) is not None:
        parts.writestr(report_part(position), report)


def _write_verdicts(
    parts: zipfile.ZipFile, workspace: Workspace, records: Iterable[RunRecord]
) -> None:
    """Write what others can compute again without this project, of each fit that has it."""
    for position, record in enumerate(records):
        go_on()
        if record.kind == FIT:
            with suppress(UserError):  # it has none, its data are gone, or the key
                parts.writestr(verdict_part(position), workspace.verdict(record))


def _packed_history(store: RunStore, run_id: str) -> Iterator[bytes]:
    start = 0
    while events := store.events(run_id, start, start + EVENTS_AT_ONCE):
        start = events[-1].sequence + 1
        yield from map(packed_event, events)

"""Saves a table, its runs and a story as one project file, and opens such a file.

Opening stores everything in it, or nothing.
"""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import IO

import msgspec
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.methods import METHODS
from melm_studio.abandonment import go_on
from melm_studio.analyses.analysis import DataShape
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.record import to_json
from melm_studio.runs.execution.rows import prepared_for
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import (
    FIT,
    RunRecord,
    RunState,
    new_analysis,
    new_ranking,
    new_run,
)
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData, number
from melm_studio.validation import MAX_TEXT, InputError
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
    project_of,
    report_part,
    table_part,
    verdict_part,
)
from melm_studio.workspace.project.read_apart import SentProject, opened_archive, project_apart
from melm_studio.workspace.story import Story
from melm_studio.workspace.workspace import (
    DATA_GONE,
    MAX_PANELS,
    PanelsFullError,
    Workspace,
    readable,
)

_UNFINISHED = "Saved in a project before it was done."
_TOO_LONG = (
    "The choices of these runs (rows, marks, start planes) take more than {most} MB. Remove some "
    "runs and save the project again."
)

# For reading and preparing the tables of a project, in seconds.
MOST_SECONDS = 300.0
_OTHER_TABLE = "A table in the project is not the one that it names. Choose another copy of it."
_TOO_SLOW = (
    "Preparing the tables of this project takes longer than {seconds:.0f} s. Save it with fewer "
    "runs of different preparations."
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


@dataclass(frozen=True)
class OpenedProject:
    """Contents of an opened project.

    Attributes
    ----------
    source : DataSource
        The data to show.
    story : Story
    n_runs : int
        The fits in it.
    n_known : int
        Those of them that were here already.
    is_prepared_alike : bool
        Whether its tables are prepared here as they were where it was saved.
    """

    source: DataSource
    story: Story
    n_runs: int
    n_known: int
    is_prepared_alike: bool


class _KnownError(Exception):
    """Another process has stored the run meanwhile."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record


def opened_project(workspace: Workspace, key: str, raw: Callable[[], bytes]) -> OpenedProject:
    """Call `open_project` in a thread that is none of requests.

    Parameters
    ----------
    workspace : Workspace
    key : str
        Of the file.
    raw : callable
        Returns its bytes.

    Raises
    ------
    StillReadingError
        If it is not done yet, or there is no place for it.
    """
    return workspace.made(("project", key), lambda: open_project(workspace, io.BytesIO(raw())))


def open_project(workspace: Workspace, file: IO[bytes]) -> OpenedProject:
    """Store the tables and runs of a project, except fits that are stored already.

    The tables are read and prepared again, as any upload: a project cannot bring rows that its
    tables do not have.

    Parameters
    ----------
    workspace : Workspace
    file : binary file
        Open for reading, with random access; closed once it is sent to its reader.

    Raises
    ------
    UserError
        If it is no project, of a newer version, too large, or a value in it breaks a rule.
    LimitReachedError
        If there is no room for it.
    """
    bounds = {
        "max_bytes": workspace.settings.limits.session_bytes,
        "max_table_bytes": workspace.settings.max_upload_mb * BYTES_PER_MB,
        "max_planes": workspace.settings.max_run_planes,
    }
    with project_apart(workspace.reader, file, **bounds) as sent:
        opening = _Opening(workspace, sent)
        try:
            return opening.opened()
        except BaseException:
            opening.undo()
            raise


def story_in(file: IO[bytes]) -> Story:
    """Return the story of a project, without opening its tables and runs.

    Raises
    ------
    InputError
        If it is no project, of a newer version, or a value in it breaks a rule.
    """
    with opened_archive(file, MAX_MANIFEST) as archive:
        return project_of(archive.read(MANIFEST, MAX_MANIFEST)).story


@dataclass
class _Opening:
    workspace: Workspace
    sent: SentProject
    _data: dict[bytes, LabeledData] = field(default_factory=dict)
    _records: list[RunRecord] = field(default_factory=list)
    _stored: list[str] = field(default_factory=list)
    _n_known: int = 0
    _began_s: float = field(default_factory=time.monotonic)

    def opened(self) -> OpenedProject:
        self._take_tables()
        runs = self.sent.project.runs
        for run in runs:
            self._prepare(run.source)
        fits = [run for run in runs if run.kind == FIT]
        self._refuse_too_many(fits)
        for position, run in enumerate(runs):
            self._records.append(self._known(run) or self._store(position, run))
        alike = all(run.data_id == self._of(run).content_hash for run in runs)
        return OpenedProject(
            source=self.sent.project.shown,
            story=self.sent.project.story,
            n_runs=len(fits),
            n_known=self._n_known,
            is_prepared_alike=alike,
        )

    def undo(self) -> None:
        """Delete the runs that were stored; tables without runs make room by themselves."""
        for run_id in self._stored:
            self.workspace.store.delete(run_id)

    def _take_tables(self) -> None:
        for key in sorted(self.sent.tables):
            raw = self.sent.table(key)
            if hashlib.sha256(raw).hexdigest() != key:
                raise InputError(_OTHER_TABLE)
            self.workspace.put_upload(raw)

    def _prepare(self, source: DataSource) -> None:
        key = _key(source)
        if key in self._data:
            return
        if time.monotonic() - self._began_s > MOST_SECONDS:
            raise UserError(_TOO_SLOW.format(seconds=MOST_SECONDS))
        self._data[key] = self.workspace.prepare(self.workspace.table(source), source)

    def _of(self, run: ProjectRun) -> LabeledData:
        return self._data[_key(run.source)]

    def _refuse_too_many(self, fits: list[ProjectRun]) -> None:
        """Refuse the project where a table would get more panels than the page holds."""
        panels = Counter(run.table for run in self.workspace.fits())
        new = [self._record(run) for run in fits if self._equal(run) is None]
        panels.update(record.table for record in new)
        if any(panels[record.table] > MAX_PANELS for record in new):
            raise PanelsFullError

    def _equal(self, run: ProjectRun, runs: Iterable[RunRecord] | None = None) -> RunRecord | None:
        """Return the same fit or comparison, if it is stored already."""
        sent = (run.kind, self._of(run).content_hash, run.method, run.created_s)
        for stored in self.workspace.store.runs_of(self.workspace.owner) if runs is None else runs:
            here = (stored.kind, stored.data_id, stored.method, stored.created_s)
            if here == sent and stored.removed_s is None:
                return stored
        return None

    def _known(self, run: ProjectRun) -> RunRecord | None:
        """Return the run or, for one about a fit that is stored already, that fit."""
        if run.of is not None:
            about = self._records[run.of]
            return None if about.run_id in self._stored else about
        stored = self._equal(run)
        self._n_known += stored is not None and run.kind == FIT
        return stored

    def _store(self, position: int, run: ProjectRun) -> RunRecord:
        record, store = self._record(run), self.workspace.store
        data = prepared_for(self._of(run), record)
        n_features = data.X.shape[1] if run.kind == FIT else len(data.own_feature_names)
        shape = DataShape(len(data.y), len(data.class_names), n_features)
        report = self.sent.report(position, run.kind, shape)
        try:
            n_bytes = self.sent.history_bytes(position)
            store.create(record, partial(self._refuse_known, run), n_bytes=n_bytes, report=report)
        except _KnownError as known:
            return known.record
        self._stored.append(record.run_id)
        for events in self.sent.history(position, _n_coordinates(run, data)):
            store.append(record.run_id, *events, to_ended=True)
        return record

    def _refuse_known(self, run: ProjectRun, runs: Iterable[RunRecord]) -> None:
        # Requests that are repeated may have the same project opened by several web processes.
        stored = None if run.of is not None else self._equal(run, runs)
        if stored is not None:
            raise _KnownError(stored)

    def _record(self, run: ProjectRun) -> RunRecord:
        """Create the record of a run of this visitor, with a new id."""
        now = time.time()
        times = {
            name: None if (given := getattr(run, name)) is None else min(given, now)
            for name in ("created_s", "started_s", "finished_s")
        }
        return replace(
            self._new(run),
            state=run.state,
            message=run.message,
            name=run.name,
            outcome=run.outcome,
            **times,
        )

    def _new(self, run: ProjectRun) -> RunRecord:
        if run.of is not None:
            return new_analysis(self._records[run.of], run.kind)
        data = self._of(run)
        identity = (self.workspace.owner, data.content_hash, data.name)
        if run.kind == "ranking":
            return new_ranking(*identity, run.source)
        parameters = RunParameters.of(run.parameters)
        return new_run(
            *identity,
            run.method,
            parameters,
            source=run.source,
            n_features=data.X.shape[1],
            n_classes=len(data.class_names),
        )


def _key(source: DataSource) -> bytes:
    return msgspec.json.encode(source, order="sorted")


def _n_coordinates(run: ProjectRun, data: LabeledData) -> int:
    """Count the coefficients of a row of a run's planes."""
    is_linear = METHODS[run.method].is_linear
    return len(data.center) if is_linear else int(run.parameters["n_components"])

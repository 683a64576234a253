"""Reading a project file in an isolated process, which the studio asks for one part at a time.

The archive is bounded before anything in it is unpacked, and its parts are read by names that the
reader expects, so the names in it are no paths. The process unpacks, validates and re-encodes each
part. The studio validates it again, since a crafted file may have taken over the process.
"""

from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO, Annotated

import msgspec
from msgspec import Meta, Struct

from melm_studio.analyses.analysis import DataShape
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.configuration.settings import Settings
from melm_studio.reading import Channel, FileReader, OwnProcessReader, ReadingLimits, RefusedError
from melm_studio.reading.readings import MOST_LONG, MOST_QUICK, PATIENCE_S
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.tables import TABLE_JOB, number
from melm_studio.validation import InputError, shown
from melm_studio.workspace.project.manifest import (
    EVENTS_AT_ONCE,
    MANIFEST,
    MAX_MANIFEST,
    MAX_REPORT,
    Project,
    checked_events,
    checked_report,
    history_part,
    packed_event,
    project_of,
    report_part,
    table_part,
    tables_of,
    verdict_part,
)

# The end of a zip file: its signature, the size of the directory, and at most a comment.
_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE, _LARGE_SIGNATURE, _LARGE_BYTES = b"PK\5\6", b"PK\6\7", 20
_MOST_COMMENT = 2**16
# Python reads the directory as a whole, and makes an object of every entry.
_MOST_DIRECTORY = 2**20
_ENCRYPTED = 1
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

_NO_PROJECT = "This file is not a project. Choose a project that was saved by MELM Studio."
_DAMAGED = "This project is damaged or incomplete. Choose another copy of it."
_TOO_LARGE = (
    "This project holds {found} MB when it is unpacked, and at most {most} MB can be opened. "
    "Remove runs with long histories before it is saved."
)
_UNKNOWN_PART = (
    "The project contains {name}, which is not part of a project. Choose a project that was saved "
    "by MELM Studio."
)

_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)

JOB = f"{__name__}:answer"

# For all that is in a project, with the time in which the studio stores it.
_MOST_SECONDS = 900
_MOST_FILE = 2**40  # the memory of the reader is bounded
_MOST_EVENTS = 2**28  # bytes of planes that are held in memory
_LAST_PART = b""
# Readers of tables are those of `Readings`; a project has its tables read by these.
JOBS = {TABLE_JOB: MOST_QUICK + MOST_LONG, JOB: 2}


class Archive:
    """The parts of an archive."""

    def __init__(self, parts: zipfile.ZipFile) -> None:
        self._parts = parts

    @property
    def names(self) -> set[str]:
        """The names of all parts."""
        return set(self._parts.namelist())

    def refuse_others(self, expected: Collection[str]) -> None:
        """Refuse parts that no project has.

        Raises
        ------
        InputError
        """
        if others := sorted(self.names.difference(expected)):
            raise InputError(_UNKNOWN_PART.format(name=shown(others[0])))

    def n_bytes(self, name: str) -> int:
        """Return the size of a part when it is unpacked; 0 if there is none."""
        return self._parts.getinfo(name).file_size if name in self.names else 0

    def read(self, name: str, most: int) -> bytes:
        """Return a part of at most `most` bytes.

        Raises
        ------
        InputError
            If it is missing, damaged, or larger.
        """
        with self.opened(name) as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise InputError(_DAMAGED)
        return raw

    @contextmanager
    def opened(self, name: str) -> Generator[IO[bytes]]:
        """Open a part for reading.

        Raises
        ------
        InputError
            If it is missing or damaged, also while it is read.
        """
        if name not in self.names:
            raise InputError(_DAMAGED)
        try:
            with self._parts.open(name) as file:
                yield file
        except InputError:
            raise
        except _UNREADABLE:
            raise InputError(_DAMAGED) from None


@contextmanager
def opened_archive(file: IO[bytes], max_bytes: int) -> Generator[Archive]:
    """Open a zip archive whose parts hold at most `max_bytes` when they are unpacked.

    Raises
    ------
    InputError
        If it is none, or too large.
    """
    _reject_large_directory(file)
    try:
        parts = zipfile.ZipFile(file)
    except _UNREADABLE:
        raise InputError(_NO_PROJECT) from None
    with parts:
        _reject_unusual(parts.infolist(), max_bytes)
        yield Archive(parts)


def _reject_large_directory(file: IO[bytes]) -> None:
    """Refuse an archive whose directory Python would read into memory at once."""
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(0, n_bytes - _END.size - _MOST_COMMENT))
    tail = file.read()
    file.seek(0)
    place = tail.rfind(_END_SIGNATURE)
    if place < 0 or place + _END.size > len(tail):
        raise InputError(_NO_PROJECT)
    n_directory = _END.unpack_from(tail, place)[5]
    is_large = tail[max(0, place - _LARGE_BYTES) : place].startswith(_LARGE_SIGNATURE)
    if is_large or n_directory > _MOST_DIRECTORY:
        raise InputError(_NO_PROJECT)


def _reject_unusual(entries: Collection[zipfile.ZipInfo], max_bytes: int) -> None:
    names = [entry.filename for entry in entries]
    is_odd = any(
        entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS for entry in entries
    )
    if is_odd or len(set(names)) < len(names):
        raise InputError(_DAMAGED)
    # Of a part that holds more than its entry says, only that much is unpacked.
    n_bytes = sum(entry.file_size for entry in entries)
    if n_bytes > max_bytes:
        size, most = number(n_bytes // BYTES_PER_MB), number(max_bytes // BYTES_PER_MB)
        raise InputError(_TOO_LARGE.format(found=size, most=most))


class _Bounds(Struct, frozen=True):
    """Limits of the project file, which follows."""

    n_bytes: int
    table_bytes: int
    n_planes: int


class _Contents(Struct, frozen=True):
    """The parts of a project; its manifest follows."""

    tables: frozenset[str]
    reports: frozenset[int]
    bytes_of_histories: dict[int, Annotated[int, Meta(ge=0)]]


class _TablePart(Struct, frozen=True, tag="table"):
    """The file of a table."""

    key: str


class _ReportPart(Struct, frozen=True, tag="report"):
    """The result of a run, which must be one of its data."""

    position: int
    kind: str
    shape: DataShape


class _HistoryPart(Struct, frozen=True, tag="history"):
    """The planes of a run, of so many features."""

    position: int
    n_features: int


_Part = _TablePart | _ReportPart | _HistoryPart


class SentProject:
    """A project file that is open in a reader process.

    Attributes
    ----------
    project : Project
    tables : frozenset of str
        The keys of the files that are in it.
    """

    def __init__(self, channel: Channel, bounds: _Bounds) -> None:
        self._channel, self._bounds = channel, bounds
        contents = channel.receive_values(_Contents)
        self.project: Project = project_of(bytes(channel.receive(MAX_MANIFEST)))
        self.tables = contents.tables
        self._contents = contents

    def table(self, key: str) -> bytes:
        """Return the file of one of `tables`."""
        self._ask(_TablePart(key))
        return bytes(self._channel.receive(self._bounds.table_bytes))

    def report(self, position: int, kind: str, shape: DataShape) -> bytes | None:
        """Return the result of the run at a position, if it has one.

        Raises
        ------
        InputError
            If it is not one of these data.
        """
        if position not in self._contents.reports:
            return None
        self._ask(_ReportPart(position, kind, shape))
        return checked_report(bytes(self._channel.receive(MAX_REPORT)), kind, shape)

    def history_bytes(self, position: int) -> int:
        """Return the size of the planes of the run at a position."""
        return self._contents.bytes_of_histories.get(position, 0)

    def history(self, position: int, n_features: int) -> Iterator[list[PlaneEvent]]:
        """Yield the planes of the run at a position, some at a time.

        Raises
        ------
        InputError
            If one breaks a rule.
        """
        if position not in self._contents.bytes_of_histories:
            return
        self._ask(_HistoryPart(position, n_features))
        most = self._bounds.n_planes
        while some := self._channel.receive(_MOST_EVENTS):
            events = list(checked_events(io.BytesIO(some), n_features, most))
            most -= len(events)
            yield events

    def _ask(self, part: _Part) -> None:
        self._channel.send_values(part)


@contextmanager
def project_apart(
    reader: FileReader, file: IO[bytes], *, max_bytes: int, max_table_bytes: int, max_planes: int
) -> Generator[SentProject]:
    """Open a project for the block.

    Parameters
    ----------
    reader : FileReader
        With `JOB` among its jobs.
    file : binary file
        With random access; closed once it is sent.
    max_bytes, max_table_bytes : int
        What all parts, and a table, may hold when they are unpacked.
    max_planes : int
        That a run may have.

    Raises
    ------
    InputError
        If it is no project, of a newer version, too large, or a value in it breaks a rule.
    ReaderFailedError
    """
    bounds = _Bounds(max_bytes, max_table_bytes, max_planes)
    try:
        with reader.channel(JOB, seconds=_MOST_SECONDS) as channel:
            channel.send_values(bounds)
            channel.send_file(file)
            file.close()  # of which nothing is held here any more
            yield SentProject(channel, bounds)
    except RefusedError as error:
        raise InputError(str(error)) from None


def warm_up() -> None:
    """Do nothing: what is needed is imported above."""


def answer(channel: Channel) -> None:
    """Open the project that the studio sends, and answer its requests for parts.

    Raises
    ------
    InputError
    """
    bounds = channel.receive_values(_Bounds)
    with opened_archive(io.BytesIO(channel.receive(_MOST_FILE)), bounds.n_bytes) as archive:
        project = project_of(archive.read(MANIFEST, MAX_MANIFEST))
        channel.send_values(_contents(archive, project))
        channel.send(msgspec.json.encode(project))
        while True:
            part: _Part = channel.receive_values(_Part)
            if isinstance(part, _TablePart):
                channel.send(archive.read(table_part(part.key), bounds.table_bytes))
            elif isinstance(part, _ReportPart):
                raw = archive.read(report_part(part.position), MAX_REPORT)
                channel.send(checked_report(raw, part.kind, part.shape))
            else:
                _send_history(channel, archive, part, bounds.n_planes)


def _contents(archive: Archive, project: Project) -> _Contents:
    tables = {table_part(key): key for key in tables_of(project)}
    histories = {history_part(position): position for position in range(len(project.runs))}
    reports = {report_part(position): position for position in range(len(project.runs))}
    verdicts = map(verdict_part, histories.values())
    archive.refuse_others({MANIFEST, *tables, *histories, *reports, *verdicts})
    return _Contents(
        tables=frozenset(key for part, key in tables.items() if part in archive.names),
        reports=frozenset(position for part, position in reports.items() if part in archive.names),
        bytes_of_histories={
            position: archive.n_bytes(part)
            for part, position in histories.items()
            if part in archive.names
        },
    )


def _send_history(channel: Channel, archive: Archive, part: _HistoryPart, most: int) -> None:
    with archive.opened(history_part(part.position)) as file:
        events = checked_events(file, part.n_features, most)
        while some := list(islice(events, EVENTS_AT_ONCE)):
            channel.send(b"".join(map(packed_event, some)))
    channel.send(_LAST_PART)


def new_file_reader(settings: Settings, *, patience_s: float = PATIENCE_S) -> FileReader:
    """Return a file reader with the limits of the settings; it starts at the first file.

    On Windows, where processes do not fork, it reads in this process.

    Parameters
    ----------
    settings : Settings
    patience_s : float
        How long a request waits for a file.
    """
    if sys.platform == "win32":
        return own_file_reader(settings)
    limits = ReadingLimits(settings.max_reader_mb, settings.max_reader_seconds)
    return FileReader(JOBS, limits, patience_s)


def own_file_reader(settings: Settings) -> FileReader:
    """Return one that reads in this process, within the memory of a run."""
    return OwnProcessReader(JOBS, ReadingLimits(settings.max_run_mb, settings.max_reader_seconds))

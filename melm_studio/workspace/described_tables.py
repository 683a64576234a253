"""Prepared tables, described for the page; the same table is prepared once for all requests."""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import NamedTuple

import msgspec
from cachetools import LRUCache

from melm_studio.operator_tables.published import class_sizes
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.stored_files import REFRESH_AFTER_S, FileKind, StoredFile
from melm_studio.tables import (
    FEATURES,
    NO_LABEL,
    Column,
    LabeledData,
    Question,
    Role,
    Summary,
    Table,
    label_candidates,
    summarize,
)
from melm_studio.workspace.workspace import Workspace

# Bytes of descriptions that are remembered: of hundreds of usual tables, or of one or two with
# thousands of columns whose names are as long as they may be.
MOST_DESCRIBED_BYTES = 32 * 2**20
_LEAST_BYTES = 2_000  # of one without any text, and of its place
_MOST_COLUMNS = 24  # that are named one by one


@dataclass(frozen=True)
class TableDescription:
    """Description of a prepared table for the page.

    Attributes
    ----------
    id : str
        Content hash of the prepared data.
    name, label : str
    class_names : tuple of str
    steps, warnings : tuple of str
        As those of `LabeledData`.
    questions : tuple of Question
        What is asked of the table, with the answers.
    has_batches : bool
        Whether a column has the role Batch.
    summary : Summary
    labels : tuple of str
        Every column, since each can be the label, those that look like one first, and none.
    columns : tuple of Column
        The features, and what is information alone; empty if these are many.
    """

    id: str
    name: str
    label: str
    class_names: tuple[str, ...]
    steps: tuple[str, ...]
    warnings: tuple[str, ...]
    questions: tuple[Question, ...]
    has_batches: bool
    summary: Summary
    labels: tuple[str, ...]
    columns: tuple[Column, ...] = ()

    @classmethod
    def of(cls, table: Table, data: LabeledData) -> TableDescription:
        """Describe a table and the data that were prepared from it."""
        likely = label_candidates(table)
        candidates = set(likely)
        others = (str(name) for name in table.frame.columns if name not in candidates)
        columns = tuple(each for each in data.columns if each.role in {*FEATURES, Role.INFO})
        return cls(
            id=data.content_hash,
            name=data.name,
            label=data.label,
            class_names=data.class_names,
            steps=data.steps,
            warnings=data.warnings,
            questions=data.questions,
            has_batches=data.batches is not None,
            summary=summarize(data),
            labels=(*likely, *others, NO_LABEL),
            columns=columns if len(columns) <= _MOST_COLUMNS else (),
        )


class DescribedTables:
    """Reads, prepares and describes the tables of visitors; thread-safe.

    A file is prepared beside the threads of requests (`Workspace.made`), and not again as long as
    it and its data were stored within the last hour. A sample, which is the same for everybody, is
    prepared for the first visitor only.
    """

    def __init__(self) -> None:
        self._known: LRUCache[tuple[str, bytes], _Known] = LRUCache(
            MOST_DESCRIBED_BYTES, getsizeof=_size
        )
        self._lock = Lock()

    def describe(self, workspace: Workspace, source: DataSource) -> TableDescription:
        """Return the description of a table whose prepared data are stored.

        Raises
        ------
        UserError
            If the file is no longer stored, or cannot be read or prepared.
        StillReadingError
            If it is being read or prepared.
        """
        owner = "" if source.kind == "sample" else workspace.owner
        # Its digest, since a source may name thousands of columns.
        key = (owner, hashlib.sha256(msgspec.json.encode(source)).digest())
        with self._lock:
            prepared = self._known.get(key)
        if prepared is not None:
            if _is_stored(workspace, source, prepared.description):
                return prepared.description
            if source.kind == "sample":
                workspace.put_data(prepared.description.id, prepared.data)
                return prepared.description
        if source.kind == "upload":
            return workspace.made(key, partial(self._described, workspace, source, key))
        return self._described(workspace, source, key)

    def _described(
        self, workspace: Workspace, source: DataSource, key: tuple[str, bytes]
    ) -> TableDescription:
        prepared = _prepared(workspace, source)
        # The operator may change a table.
        if source.kind != "table" and _size(prepared) <= MOST_DESCRIBED_BYTES:
            with self._lock:  # not held while the store is asked
                self._known[key] = prepared
        return prepared.description


class _Known(NamedTuple):
    """A description, and of a sample the prepared data in bytes."""

    description: TableDescription
    data: bytes


def _size(prepared: _Known) -> int:
    """Estimate the bytes of a description, nearly all of which are those of its texts, and data."""
    description = prepared.description
    texts = chain(
        description.labels, description.class_names, description.steps, description.warnings
    )
    return _LEAST_BYTES + sum(map(sys.getsizeof, texts)) + len(prepared.data)


def _prepared(workspace: Workspace, source: DataSource) -> _Known:
    table = workspace.table(source)
    data = workspace.prepare(table, source)
    description, registered = TableDescription.of(table, data), workspace.files.registered(source)
    if registered is not None:
        sizes = class_sizes(workspace.store, registered, data)
        summary = replace(description.summary, class_sizes=sizes)
        description = replace(description, summary=summary)
    return _Known(description, data.to_bytes() if source.kind == "sample" else b"")


def _is_stored(workspace: Workspace, source: DataSource, description: TableDescription) -> bool:
    """Return whether the file and the data of a table are stored, and recently enough."""
    files = {(file.kind, file.key): file for file in workspace.store.files_of(workspace.owner)}
    data = files.get((FileKind.DATA, description.id))
    has_file = source.kind == "sample" or (FileKind.UPLOAD, source.key) in files
    return has_file and data is not None and _is_recent(data)


def _is_recent(file: StoredFile) -> bool:
    return time.time() - file.touched_s < REFRESH_AFTER_S

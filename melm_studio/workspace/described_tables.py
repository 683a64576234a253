"""Prepared tables, described for the page; the same table is prepared once for all requests."""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from threading import Lock

import msgspec
from cachetools import LRUCache

from melm_studio.operator_tables.published import class_sizes
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.stored_files import REFRESH_AFTER_S, FileKind, StoredFile
from melm_studio.tables import (
    NO_LABEL,
    LabeledData,
    Question,
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


@dataclass(frozen=True)
class TableDescription:
    """What the page shows of a prepared table.

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

    @classmethod
    def of(cls, table: Table, data: LabeledData) -> TableDescription:
        """Describe a table and the data that were prepared from it."""
        likely = label_candidates(table)
        known = set(likely)
        others = (str(name) for name in table.frame.columns if name not in known)
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
        )


class DescribedTables:
    """Reads, prepares and describes the tables of visitors; thread-safe.

    A file is prepared beside the threads of requests (`Workspace.made`), and not again as long as
    it and its data were stored within the last hour.
    """

    def __init__(self) -> None:
        self._known: LRUCache[tuple[str, bytes], TableDescription] = LRUCache(
            MOST_DESCRIBED_BYTES, getsizeof=_size
        )
        self._lock = Lock()

    def describe(self, own: Workspace, source: DataSource) -> TableDescription:
        """Return the description of a table whose prepared data are stored.

        Raises
        ------
        UserError
            If the file is no longer stored, or cannot be read or prepared.
        StillReadingError
            If it is being read or prepared.
        """
        # Its digest, since a source may name thousands of columns.
        key = (own.owner, hashlib.sha256(msgspec.json.encode(source)).digest())
        with self._lock:
            known = self._known.get(key)
        if known is not None and _is_stored(own, source, known):
            return known
        if source.kind == "upload":
            return own.made(key, partial(self._described, own, source, key))
        return self._described(own, source, key)

    def _described(
        self, own: Workspace, source: DataSource, key: tuple[str, bytes]
    ) -> TableDescription:
        found = _description(own, source)
        # The operator may change a table.
        if source.kind != "table" and _size(found) <= MOST_DESCRIBED_BYTES:
            with self._lock:  # not held while the store is asked
                self._known[key] = found
        return found


def _size(found: TableDescription) -> int:
    """The bytes of a description, nearly all of which are those of its texts."""
    texts = chain(found.labels, found.class_names, found.steps, found.warnings)
    return _LEAST_BYTES + sum(map(sys.getsizeof, texts))


def _description(own: Workspace, source: DataSource) -> TableDescription:
    table = own.table(source)
    data = own.prepare(table, source)
    found, registered = TableDescription.of(table, data), own.files.registered(source)
    if registered is None:
        return found
    sizes = class_sizes(own.store, registered, data)
    return replace(found, summary=replace(found.summary, class_sizes=sizes))


def _is_stored(own: Workspace, source: DataSource, known: TableDescription) -> bool:
    """Whether the file and the data of a table are stored, and need not be stored again."""
    files = {(file.kind, file.key): file for file in own.store.files_of(own.owner)}
    data = files.get((FileKind.DATA, known.id))
    has_file = source.kind == "sample" or (FileKind.UPLOAD, source.key) in files
    return has_file and data is not None and _is_recent(data)


def _is_recent(file: StoredFile) -> bool:
    return time.time() - file.touched_s < REFRESH_AFTER_S

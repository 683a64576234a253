"""Records of the data sets and uploads in a store."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from melm_studio.record import Record
from melm_studio.runs.records.run import RunRecord

# Every opened page stores its data again; within an hour that need not write anything.
REFRESH_AFTER_S = 3_600.0


class FileKind(StrEnum):
    """Kinds of stored files, by their content."""

    DATA = "data"
    UPLOAD = "upload"


class StoredFile(Record, frozen=True):
    """Bytes that an owner stores under a key.

    Attributes
    ----------
    owner : str
    kind : FileKind
    key : str
    digest : str
        SHA-256 of the bytes; equal bytes are stored once.
    n_bytes : int
    touched_s : float
        When the bytes were last put, in seconds since the epoch.
    """

    owner: str
    kind: FileKind
    key: str
    digest: str
    n_bytes: int
    touched_s: float


def is_current(file: StoredFile, digest: str, now: float) -> bool:
    """Return whether a file has these bytes and was put within the last hour."""
    return file.digest == digest and now - file.touched_s < REFRESH_AFTER_S


def unused_files(files: Iterable[StoredFile], runs: Iterable[RunRecord]) -> list[StoredFile]:
    """Return the files that none of the runs refers to, longest untouched first."""
    used = {name for run in runs for name in _files_of(run)}
    unused = [file for file in files if (file.kind, file.key) not in used]
    return sorted(unused, key=lambda file: file.touched_s)


def _files_of(run: RunRecord) -> set[tuple[FileKind, str]]:
    data = {(FileKind.DATA, key) for key in (run.data_id, run.new_rows) if key}
    if run.source.kind != "upload":
        return data
    return data | {(FileKind.UPLOAD, run.source.key)}

"""Descriptions of the tables in a folder by the operator, in a file `tables.toml` in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from os.path import realpath
from pathlib import PurePosixPath
from typing import Any

import msgspec

from melm_core.base import UserError, known_type

FILE = "tables.toml"
MAX_TABLES = 200
MAX_FILES = 100_000
MAX_DESCRIPTION_BYTES = 2**20
MAX_NAME = 200  # characters
_PARQUET, _CSV = ("parquet", "pq"), ("csv",)

_NO_FOLDER = (
    "There is no folder {location}, which --tables or MELM_TABLES names. Correct it, or create it."
)
_UNREADABLE = "{file} cannot be read: {error}. Correct it; docs/deployment.md shows an example."
_BAD_KEY = (
    "{file} names a table {key!r}. Its name in brackets must have letters, digits, - and _ only, "
    "at most 64; what visitors read is `name`."
)
_OUTSIDE = (
    "The table {key} is at {path!r}, which is outside the folder of the tables. Give a path within "
    "that folder, without .. and links that lead out of it."
)
_NO_FILES = (
    "The table {key} has no Parquet or CSV files at {path!r}. Correct `path` in tables.toml, or "
    "put the files there."
)
_MIXED = "The table {key} at {path!r} has files of several kinds. Give a pattern such as *.parquet."
_TOO_MANY = "{what} has {n:,}, more than the {most:,} that are read. Use fewer, larger ones."


_TOO_LONG = (
    "{file} has {n:,} bytes, more than the {most:,} that are read. Describe fewer tables, or give "
    "many users one name at the proxy."
)
_LONG_NAME = (
    "{file} gives the table {key} a name of {n:,} characters, more than the {most} that visitors "
    "read. Shorten it."
)
_BAD_NAME = "A file of the table {key} has a name that is not text in UTF-8: {path!r}. Rename it."


class TableDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of the operator, as `tables.toml` describes it.

    Attributes
    ----------
    path : str
        Of a file, a folder or a pattern such as ``readings/*.csv``, in the folder of the tables.
    name : str
        What visitors read; by default the name in brackets.
    label : str or None
        The column that contains the classes; guessed by default.
    visitors : tuple of str or None
        The users who may see it, as a trusted proxy names them; None for everybody.
    """

    path: str
    name: str = ""
    label: str | None = None
    visitors: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TableFile:
    """One file of a table: where it is, and what changes when its content does."""

    path: str
    n_bytes: int
    mark: str


@dataclass(frozen=True)
class FoundTable:
    """A table with its files, which are not opened.

    Attributes
    ----------
    key : str
        Names the table in links.
    description : TableDescription
    files : tuple of TableFile
        In order of their paths, all of one kind.
    """

    key: str
    description: TableDescription
    files: tuple[TableFile, ...]

    @property
    def name(self) -> str:
        """The name that visitors read."""
        return self.description.name or self.key

    @property
    def is_parquet(self) -> bool:
        """True if the files are Parquet files; otherwise they are CSV files."""
        return _suffix(self.files[0].path) in _PARQUET

    @property
    def version(self) -> str:
        """Changes with the files and with the label column, in 16 hexadecimal digits."""
        parts = [(file.path, file.n_bytes, file.mark) for file in self.files]
        text = msgspec.json.encode((parts, self.description.label))
        return sha256(text).hexdigest()[:16]


class TableFolder:
    """The folder of the operator's tables, on this machine or wherever fsspec reads.

    Parameters
    ----------
    location : str
        A path, or an address such as ``s3://bucket/tables``.

    Raises
    ------
    UserError
        If there is no such folder.
    """

    def __init__(self, location: str) -> None:
        try:
            self.files, self._root = import_module("fsspec.core").url_to_fs(location)
            self.files.invalidate_cache()  # files may have changed since the last look
            is_folder = self.files.isdir(self._root)
        except (ImportError, OSError, ValueError) as error:
            raise UserError(_UNREADABLE.format(file=location, error=error)) from None
        if not is_folder:
            raise UserError(_NO_FOLDER.format(location=location))
        self._is_local = "file" in self.files.protocol

    def descriptions(self) -> dict[str, TableDescription]:
        """Return the tables by key: those of `tables.toml`, or else all files and folders.

        Raises
        ------
        UserError
            If `tables.toml` cannot be read, or there are too many.
        """
        file = self._within(FILE)
        tables = self._read(file) if self.files.exists(file) else dict(self._unnamed())
        if len(tables) > MAX_TABLES:
            what = "The folder of the tables"
            raise UserError(_TOO_MANY.format(what=what, n=len(tables), most=MAX_TABLES))
        return tables

    def table(self, key: str, description: TableDescription) -> FoundTable:
        """Return a table with its files.

        Raises
        ------
        UserError
            If its path leads out of the folder, or there are no files, or of several kinds.
        """
        path = description.path
        if "://" in path or PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise UserError(_OUTSIDE.format(key=key, path=path))
        infos = self._listed(self._within(path))
        for info in infos:
            if not _is_text(str(info["name"])):
                raise UserError(_BAD_NAME.format(key=key, path=str(info["name"])))
        if not all(self._is_inside(str(info["name"])) for info in infos):
            raise UserError(_OUTSIDE.format(key=key, path=path))
        kinds = [
            of_kind
            for suffixes in (_PARQUET, _CSV)
            if (of_kind := [info for info in infos if _suffix(info["name"]) in suffixes])
        ]
        if not kinds:
            raise UserError(_NO_FILES.format(key=key, path=path))
        if len(kinds) > 1:
            raise UserError(_MIXED.format(key=key, path=path))
        if len(kinds[0]) > MAX_FILES:
            what = f"The table {key}"
            raise UserError(_TOO_MANY.format(what=what, n=len(kinds[0]), most=MAX_FILES))
        files = sorted(map(_file, kinds[0]), key=lambda file: file.path)
        return FoundTable(key, description, tuple(files))

    def _within(self, path: str) -> str:
        return f"{self._root.rstrip('/')}/{path}"

    def _is_inside(self, path: str) -> bool:
        """Return whether a file is in the folder, also if links lead elsewhere."""
        if not self._is_local:
            return path.startswith(f"{self._root.rstrip('/')}/")
        return realpath(path).startswith(f"{realpath(self._root)}/")

    def _listed(self, path: str) -> list[dict[str, Any]]:
        if not self.files.isdir(path):
            matches = [
                info for info in self.files.glob(path, detail=True).values() if _is_file(info)
            ]
            # Whoever names a hidden file means it; a pattern does not.
            return [
                info for info in matches if info["name"] == path or not self._hides(info["name"])
            ]
        infos = self.files.find(path, detail=True).values()
        parts = len(PurePosixPath(path).parts)
        # Engines keep notes of their own beside the data, as _metadata and .crc.
        return [info for info in infos if not _is_hidden(PurePosixPath(info["name"]).parts[parts:])]

    def _hides(self, path: str) -> bool:
        return _is_hidden(PurePosixPath(path).relative_to(self._root.rstrip("/")).parts)

    def _read(self, file: str) -> dict[str, TableDescription]:
        try:
            if not self.files.isfile(file):  # of a pipe, the end may never come
                raise OSError("it is no file")
            n_bytes = self.files.size(file) or 0
            text = self.files.cat_file(file) if n_bytes <= MAX_DESCRIPTION_BYTES else b""
            tables = msgspec.convert(
                tomllib.loads(text.decode()), known_type(dict[str, TableDescription])
            )
        except (ValueError, OSError, RecursionError) as error:
            raise UserError(_UNREADABLE.format(file=FILE, error=error)) from None
        if n_bytes > MAX_DESCRIPTION_BYTES:
            raise UserError(_TOO_LONG.format(file=FILE, n=n_bytes, most=MAX_DESCRIPTION_BYTES))
        for key, description in tables.items():
            if len(description.name) > MAX_NAME:
                n, most = len(description.name), MAX_NAME
                raise UserError(_LONG_NAME.format(file=FILE, key=key, n=n, most=most))
            if not re.fullmatch(r"[A-Za-z0-9][\w-]{0,63}", key, re.ASCII):
                raise UserError(_BAD_KEY.format(file=FILE, key=key))
        return tables

    def _unnamed(self) -> Iterator[tuple[str, TableDescription]]:
        """Yield every file of a known kind, and every folder, as a separate table."""
        for entry in sorted(self.files.ls(self._root, detail=True), key=lambda info: info["name"]):
            path = PurePosixPath(entry["name"])
            within = [entry] if _is_file(entry) else self._listed(entry["name"])
            is_table = any(_suffix(file["name"]) in (*_PARQUET, *_CSV) for file in within)
            if is_table and not _is_hidden((path.name,)):
                key = re.sub(r"\W+", "-", path.stem, flags=re.ASCII).strip("-")[:64]
                name = path.stem if _is_text(path.stem) else key
                yield key or "table", TableDescription(path.name, name[:MAX_NAME])


def _file(info: Mapping[str, Any]) -> TableFile:
    marks = (info.get(name) for name in ("ETag", "etag", "LastModified", "mtime", "updated"))
    mark = next((str(value) for value in marks if value), "")
    return TableFile(str(info["name"]), int(info.get("size") or 0), mark)


def _is_file(info: Mapping[str, Any]) -> bool:
    return bool(info["type"] == "file")


def _is_hidden(parts: tuple[str, ...]) -> bool:
    return any(part.startswith((".", "_")) for part in parts)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")

"""Decompressing gzip, bzip2 and xz, and archives of one file, with a bound on what comes out."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from melm_studio.tables.formatting import number
from melm_studio.tables.text import ZIP, TableError

TABLES = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data", ".arff", ".parquet", ".feather", ".xlsx")
# What lies beside a table and is none.
DOCUMENTS = (  # and scripts
    ".doc", ".docx", ".htm", ".html", ".ipynb", ".log", ".m", ".md", ".names", ".pdf", ".py", ".r",
    ".rmd", ".rst", ".rtf", ".sh",
)  # fmt: skip
_OF_QIIME = ("VERSION", "metadata.yaml", "provenance/VERSION")  # in the folder of an artifact
_DATA_OF_QIIME = "data/"
_WORDS_OF_DOCUMENTS = {
    "about", "changelog", "changes", "citation", "description", "index", "licence", "license",
    "note", "notes", "readme",
}  # fmt: skip
# Whose names a file may hold; others, such as bank-names.txt, say what columns are.
_NAMED = re.compile(
    "(?:class|column|feature|gene|label|probe|protein|row|sample|subject|variable)(?:e?s)?"
).fullmatch
# The proteins of MaxQuant, and what it writes into the same folder, beside sites of modifications.
_PROTEINS = "proteingroups"
_BESIDE_PROTEINS = {
    "allpeptides", "dependentpeptides", "evidence", "librarymatch", "matchedfeatures",
    "modificationspecificpeptides", "ms3scans", "msms", "msmsscans", "msscans", "mzrange", "mztab",
    "parameters", "peptides", "runningtimes", "summary",
}  # fmt: skip
_SITES = "sites"
GZIP = b"\x1f\x8b"
MAX_UNPACKED = 512 * 2**20  # bytes, of a compressed file or workbook
_PIECE = 2**14  # bytes that are decompressed at once
_WBITS = 31  # a gzip header
_MOST_MEMORY = 256 * 2**20  # bytes, of xz
# What decompresses a stream, by its first bytes, with the name and the ending of its files.
STREAMS: dict[bytes, tuple[Callable[[], Any], str, str]] = {
    GZIP: (lambda: zlib.decompressobj(_WBITS), "gzip", ".gz"),
    b"BZh": (bz2.BZ2Decompressor, "bzip2", ".bz2"),
    b"\xfd7zXZ": (lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY), "xz", ".xz"),
}
# What zipfile raises of one; the last, where a part would begin before the file.
DAMAGED_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError
)  # fmt: skip


def unpacked(raw: bytes, file: str, max_bytes: int = MAX_UNPACKED) -> tuple[bytes, str]:
    """Decompress a gzip, bzip2 or xz file, or a .zip of one table; return others unchanged.

    Beside the table of a .zip may be documents, such as a readme; beside that of an artifact of
    QIIME 2, its provenance.

    Returns
    -------
    data : bytes
    file : str
        The name without ``.gz`` or the like, or of the file in the archive.

    Raises
    ------
    TableError
        If the file is damaged, or holds more than `max_bytes`.
    """
    if raw.startswith(ZIP):
        return _only_file(raw, file, max_bytes)
    start = next((signature for signature in STREAMS if raw.startswith(signature)), None)
    if start is None:
        return raw, file
    opened, kind, ending = STREAMS[start]
    parts, n_bytes, position = [], 0, 0
    while raw.startswith(start, position):  # concatenated files are one
        stream = opened()
        while not stream.eof:
            # What is behind a file is copied, so it is given a piece at a time.
            piece = raw[position : position + _PIECE]
            position += len(piece)
            try:
                parts.append(stream.decompress(piece, max_bytes - n_bytes + 1))
            except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
                raise TableError(_damaged(file, kind)) from None
            n_bytes += len(parts[-1])
            if n_bytes > max_bytes:
                raise TableError(_too_large(file, max_bytes))
            if not (piece or stream.eof):
                raise TableError(_damaged(file, kind))
        position -= len(stream.unused_data)
    return b"".join(parts), file.removesuffix(ending).removesuffix(ending.upper())


def _only_file(raw: bytes, file: str, max_bytes: int) -> tuple[bytes, str]:
    """The one table of an archive; archives of several files, such as workbooks, as they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            files = archived_files(archive)
            if len(files) != 1 or not files[0].filename.lower().endswith((*TABLES, ".biom")):
                return raw, file
            with archive.open(files[0]) as part:
                data = part.read(max_bytes + 1)
    except DAMAGED_ARCHIVE:
        return raw, file
    if len(data) > max_bytes:
        raise TableError(_too_large(file, max_bytes))
    return data, files[0].filename.rpartition("/")[2]


def archived_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of an archive, without hidden ones and, beside others, documents and scripts.

    Of those that MaxQuant writes into a folder, that of proteins, and of QIIME 2, those of data.
    """
    files = [
        part
        for part in archive.infolist()
        if not (part.filename.endswith("/") or _is_hidden(part.filename))
    ]
    folder = files[0].filename.partition("/")[0] if files else ""
    if {f"{folder}/{name}" for name in _OF_QIIME} <= {part.filename for part in files}:
        files = [part for part in files if part.filename.startswith(f"{folder}/{_DATA_OF_QIIME}")]
    stems = [part.filename.rpartition("/")[2].lower().partition(".")[0] for part in files]
    if _PROTEINS in stems:
        files = [
            part
            for part, stem in zip(files, stems, strict=True)
            if not (stem in _BESIDE_PROTEINS or stem.endswith(_SITES))
        ]
    return [part for part in files if not is_document(part.filename)] or files


def _is_hidden(file: str) -> bool:
    """Return whether a system or an editor keeps a file for itself: .Rhistory, __MACOSX/._a.csv."""
    folder, _, name = file.rpartition("/")
    return name.startswith(".") or f"{folder}/".startswith("__MACOSX/")


def is_document(file: str) -> bool:
    """Return whether a file in an archive is about its tables, by its name.

    Examples
    --------
    >>> is_document("iris/README.txt"), is_document("iris.names"), is_document("index.csv")
    (True, True, False)
    >>> is_document("bank-names.txt"), is_document("sample_names.txt"), is_document("names.txt")
    (True, False, False)
    """
    stem, _, ending = file.rpartition("/")[2].lower().rpartition(".")
    if f".{ending}" in DOCUMENTS:
        return True
    *before, last = words = re.split(r"[\W_]", (stem or ending).replace("read_me", "readme"))
    is_about = not _WORDS_OF_DOCUMENTS.isdisjoint(words)
    is_about |= last == "names" and bool(before) and not any(map(_NAMED, before))
    return is_about and (not stem or ending == "txt")


def _too_large(file: str, max_bytes: int) -> str:
    return (
        f"{file or 'The file'} is compressed and holds more than {number(max_bytes // 2**20)} MB. "
        "Unpack it, remove rows or columns, and drop it again."
    )


def _damaged(file: str, kind: str) -> str:
    name = file or "The file"
    return f"{name} is a {kind} file that is damaged or incomplete. Compress the table again."

"""Decompressing gzip, with a bound on what comes out."""

from __future__ import annotations

import zlib

from melm_studio.tables.formatting import number
from melm_studio.tables.text import TableError

GZIP = b"\x1f\x8b"
MAX_UNPACKED = 512 * 2**20  # bytes, of a compressed file or workbook
_WBITS = 31  # a gzip header


def unpacked(raw: bytes, file: str, max_bytes: int = MAX_UNPACKED) -> tuple[bytes, str]:
    """Decompress a gzip file; return other files unchanged.

    Returns
    -------
    data : bytes
    file : str
        The name without ``.gz``.

    Raises
    ------
    TableError
        If the file is damaged, or holds more than `max_bytes`.
    """
    if not raw.startswith(GZIP):
        return raw, file
    parts, n_bytes = [], 0
    while raw.startswith(GZIP):  # concatenated files are one
        stream = zlib.decompressobj(_WBITS)
        try:
            parts.append(stream.decompress(raw, max_bytes - n_bytes + 1))
        except zlib.error:
            raise TableError(_damaged(file)) from None
        n_bytes += len(parts[-1])
        if n_bytes > max_bytes:
            raise TableError(
                f"{file or 'The file'} is compressed and holds more than "
                f"{number(max_bytes // 2**20)} MB. Unpack it, remove rows or columns, and drop it "
                "again."
            )
        if not stream.eof:
            raise TableError(_damaged(file))
        raw = stream.unused_data
    return b"".join(parts), file.removesuffix(".gz").removesuffix(".GZ")


def _damaged(file: str) -> str:
    name = file or "The file"
    return f"{name} is a gzip file that is damaged or incomplete. Compress the table again."

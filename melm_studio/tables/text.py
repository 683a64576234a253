"""Decoding the bytes of a file to text, or an error that says what the file is instead."""

from __future__ import annotations

import contextlib
import re

from melm_core.base import UserError
from melm_studio.tables.formatting import count

# In order of preference in a tie: a decimal comma looks like a delimiter.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}

CONTROL_CODES = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r"]
WESTERN = "Western European text"
ENCODINGS = {"utf-8-sig": "", "cp1252": WESTERN, "latin-1": WESTERN}
BYTE_ORDER_MARK = "\ufeff"
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
PROBE_BYTES = 4096
ZIP = b"PK\x03\x04"
_SAS = bytes(12) + b"\xc2\xea\x81\x60"
FOREIGN_FORMATS = (  # the first bytes, other bytes in the file, what it is and the way out
    (ZIP, b"word/document", "a Word document. Copy the cells of its table and paste them here."),
    (ZIP, b"ppt/slides", "a presentation. Copy the cells of its table and paste them here."),
    (
        ZIP,
        b"",
        "a compressed archive. Unpack it and drop the CSV inside; pictures are read beside one "
        "table that names them, or in a folder for each class.",
    ),
    (b"BZh", b"", "a compressed file. Unpack it, or compress it as .gz."),
    (b"\xfd7zXZ", b"", "a compressed file. Unpack it, or compress it as .gz."),
    (b"(\xb5/\xfd", b"", "a compressed file. Unpack it, or compress it as .gz."),
    (b"FEA1", b"", "a Feather file of an early version. Save it again, or as CSV."),
    (b"SQLite format 3", b"", "a database. Save one table as CSV and drop that."),
    *(
        (
            bytes([0x80, protocol]),
            b"",
            "a pickle, which could run code. Save the table as CSV or Parquet.",
        )
        for protocol in range(2, 6)
    ),
    (b"Rar!", b"", "a compressed archive. Unpack it and drop the CSV inside."),
    (b"7z\xbc\xaf", b"", "a compressed archive. Unpack it and drop the CSV inside."),
    (b"$FL", b"", "an SPSS file. Save it as CSV there and drop that."),
    (b"<stata_dta>", b"", "a Stata file. Save it as CSV (export delimited) and drop that."),
    (_SAS, b"", "a SAS file. Save it as CSV (proc export) and drop that."),
    (b"HEADER RECORD*", b"", "a SAS file. Save it as CSV (proc export) and drop that."),
    (b"MATLAB 5.0", b"", "a MATLAB file. Save its table as CSV (writetable) and drop that."),
    (b"RDX3\n", b"", "an R workspace. Save the table as CSV (write.csv) and drop that."),
    (b"X\n\x00\x00\x00", b"", "an R object. Save the table as CSV (write.csv) and drop that."),
    (b"MZ", b"\x00", "a program. Save the table as CSV and drop that."),
    (b"II*\x00", b"", "a picture. Drop a table with a row for each picture."),
    (b"MM\x00*", b"", "a picture. Drop a table with a row for each picture."),
    (b"RIFF", b"\x00", "a picture, sound or film. Drop a table with a row for each."),
    (b"\x89PNG", b"", "a picture. Drop a table with a row for each picture."),
    (b"\xff\xd8\xff", b"", "a picture. Drop a table with a row for each picture."),
    (b"GIF8", b"", "a picture. Drop a table with a row for each picture."),
    (b"%PDF", b"", "a PDF document. Save its table as CSV and drop that."),
)
FOREIGN_TEXTS = {  # the first characters, what it is and the way out
    re.compile(r"\s*<(?:!doctype html|html|table)\b", re.IGNORECASE): "a web page. Save its table "
    "as CSV, or copy its cells, and drop that.",
    re.compile(r"\s*<\?xml\b", re.IGNORECASE): "an XML document. Save its table as CSV and drop "
    "that.",
    re.compile(r'\s*(?:\[\s*)?\{\s*"[^"]*"\s*:'): "JSON. Save its records as CSV or Parquet, a row "
    "for each, and drop that.",
}
EMPTY = "The file is empty. Choose a file with a header and rows."
# Lines that some programs write above the header; sep= tells spreadsheets the delimiter.
# Possessive, since backtracking would cost memory.
COMMENTS = re.compile(rb"(?:(?:(?:#|sep=)[^\n]*)?\n)++")
COMMENT = re.compile(rb"^(?:#|sep=)", re.MULTILINE)


class TableError(UserError):
    """A table that cannot be used; the message is written for the user."""


def as_utf8(raw: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """Convert to UTF-8 with line feeds, with the comment lines at the top made blank.

    Returns
    -------
    data : bytes
        As many lines as `raw` has.
    steps : tuple of str
        Decisions made, a sentence each.

    Raises
    ------
    TableError
        If this is not text, or is blank.
    """
    for signature, content, kind in FOREIGN_FORMATS:
        if raw.startswith(signature) and content in raw:
            raise TableError(f"{file} is {kind}")
    text, encoding = _decode(raw)
    for start, kind in FOREIGN_TEXTS.items():
        if start.match(text):
            raise TableError(f"{file} is {kind}")
    n_control_codes = sum(text.count(code) for code in CONTROL_CODES)
    if "\0" in text or n_control_codes > len(text) // 100:
        raise TableError(
            f"{file} is not a text file: its first bytes are {raw[:6].hex(' ').upper()}. Save "
            "the table as CSV and drop that."
        )
    # Concatenated files contain the mark inside, where it would become part of a name.
    data = text.replace(BYTE_ORDER_MARK, "").encode()
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise TableError(EMPTY)
    data, comment_steps = _without_comments(data)
    return data, ((f"Read as {encoding}.",) if encoding else ()) + comment_steps


def _decode(raw: bytes) -> tuple[str, str]:
    """Decode with the first encoding that fits; return its name too, unless it is UTF-8."""
    for encoding, name in (_utf16(raw) | ENCODINGS).items():
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding), name
    raise AssertionError("Latin-1 has a character for every byte.")


def _utf16(raw: bytes) -> dict[str, str]:
    """The variant of UTF-16 that the file starts with, if any."""
    if raw.startswith(BYTE_ORDER_MARKS):
        return {"utf-16": "UTF-16"}
    first, second = (raw[side:PROBE_BYTES:2] for side in (0, 1))
    for plain, zeros, encoding in ((first, second, "utf-16-le"), (second, first, "utf-16-be")):
        if 0 not in plain and zeros.count(0) > len(zeros) // 2:
            return {encoding: "UTF-16"}
    return {}


def _without_comments(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the comment lines at the top, except a header that looks like one."""
    found = COMMENTS.match(data)
    head = found.group() if found else b""
    rest = data[len(head) :]
    if not COMMENT.search(head) or not rest.strip():
        return data, ()
    above, last = _split_last_line(head)
    if last.startswith(b"#") and _is_alike(last, rest.partition(b"\n")[0]):
        head, rest = above, data[len(above) :]
    n_comments = len(COMMENT.findall(head))
    steps = (f"Skipped: {count(n_comments, 'comment line')} at the top.",) if n_comments else ()
    return b"\n" * head.count(b"\n") + rest, steps


def _split_last_line(head: bytes) -> tuple[bytes, bytes]:
    """Split at the start of the last line that is not blank."""
    last = head.rstrip(b"\n").rpartition(b"\n")[2]
    above = head.rstrip(b"\n").removesuffix(last)
    return above, last


def _is_alike(line: bytes, other: bytes) -> bool:
    """Whether two lines have equally many of some delimiter."""
    return any(0 < line.count(mark) == other.count(mark) for mark in map(str.encode, DELIMITERS))

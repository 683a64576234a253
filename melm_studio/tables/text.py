"""Decoding the bytes of a file to text, or an error that says what the file is instead."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes

from melm_core.base import UserError
from melm_studio.tables.foreign import foreign_file, foreign_text
from melm_studio.tables.formatting import count

# In order of preference in a tie: a decimal comma looks like a delimiter.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}

CONTROL_CODES = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r"]
WESTERN = "Western European text"
MAC = {"mac_roman": "Western European text of older Macs (Mac Roman)"}
# The letters of words in Western European languages, which another encoding has elsewhere.
LETTERS = re.compile(r"(?<=[a-zA-Z])[äöüßéèêëàâáçîïíìôóòõûùúñåæøãœ]|\b[ÄÖÜÉÅØÆÇ](?=[a-z])|(?<=\d)°")
BYTE_ORDER_MARK = "\ufeff"
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
PROBE_BYTES = 4096
# Of Western words, some letters are in ASCII.
WORDS_BEYOND_ASCII = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff]{2,}(?![A-Za-z\x80-\xff])")
LEAST_BEYOND = 4
NEARLY_ALL = 0.8
SCRIPTS = {
    "gb18030": "Chinese", "big5": "Chinese", "cp1251": "Cyrillic", "koi8_r": "Cyrillic",
    "shift_jis": "Japanese", "euc_jp": "Japanese", "euc_kr": "Korean", "cp1253": "Greek",
    "cp1255": "Hebrew", "cp1256": "Arabic",
}  # fmt: skip
MAC_PROBE = 1_000_000
ZIP = b"PK\x03\x04"
EMPTY = "The file is empty. Choose a file with a header and rows."
# Lines that some programs write above the header; sep= tells spreadsheets the delimiter.
# Possessive, since backtracking would cost memory.
COMMENTS = re.compile(rb"(?:(?:(?:#|sep=)[^\n]*)?\n)++")
COMMENT = re.compile(rb"^(?:#|sep=)", re.MULTILINE)


class TableError(UserError):
    """A table that cannot be used; the message is written for the user."""


def as_utf8(raw: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """Convert to UTF-8 with line feeds.

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
    if kind := foreign_file(raw):
        raise TableError(f"{file} is {kind}")
    text, encoding = _decode(raw)
    if kind := foreign_text(text):
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
    return data, (f"Read as {encoding}.",) if encoding else ()


def _decode(raw: bytes) -> tuple[str, str]:
    """Decode with the first encoding that fits; return its name too, unless it is UTF-8."""
    for encoding, name in _encodings(raw):
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding), name
    raise AssertionError("Latin-1 has a character for every byte.")


def _encodings(raw: bytes) -> Iterator[tuple[str, str]]:
    """Those that a file may have and their names, each looked for once those before do not fit."""
    yield from _utf16(raw).items()
    yield "utf-8-sig", ""
    yield from _other_scripts(raw).items()
    yield from _mac_roman(raw).items()
    yield "cp1252", WESTERN
    yield "latin-1", WESTERN


def _utf16(raw: bytes) -> dict[str, str]:
    """The variant of UTF-16 that the file starts with, if any."""
    if raw.startswith(BYTE_ORDER_MARKS):
        return {"utf-16": "UTF-16"}
    first, second = (raw[side:PROBE_BYTES:2] for side in (0, 1))
    for plain, zeros, encoding in ((first, second, "utf-16-le"), (second, first, "utf-16-be")):
        if 0 not in plain and zeros.count(0) > len(zeros) // 2:
            return {encoding: "UTF-16"}
    return {}


def _other_scripts(raw: bytes) -> dict[str, str]:
    """The encoding of another script, if the bytes beyond ASCII stand together as its words do."""
    probe = raw[:MAC_PROBE]
    words = WORDS_BEYOND_ASCII.findall(probe)
    n_bytes = len(probe) - len(probe.translate(None, bytes(range(128, 256))))
    if n_bytes < LEAST_BEYOND or sum(map(len, words)) < NEARLY_ALL * n_bytes:
        return {}
    # Each word once: as many as the file has would only take longer.
    distinct = b" ".join(dict.fromkeys(words))[:PROBE_BYTES]
    found = from_bytes(distinct, cp_isolation=[*SCRIPTS], threshold=0.5).best()
    encoding = found.encoding if found is not None else ""
    return {encoding: f"{SCRIPTS[encoding]} text ({encoding})"} if encoding in SCRIPTS else {}


def _mac_roman(raw: bytes) -> dict[str, str]:
    """Mac Roman, if only there the bytes beyond ASCII are the letters of words."""
    probe = raw[:MAC_PROBE]
    n_western, n_mac = (
        len(LETTERS.findall(probe.decode(encoding))) for encoding in ("latin-1", "mac_roman")
    )
    return MAC if n_mac > n_western else {}


def without_comments(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the comment lines at the top, except a header that looks like one.

    Returns
    -------
    data : bytes
        With as many lines.
    steps : tuple of str
        How many were skipped.
    """
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

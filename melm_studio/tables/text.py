"""Decoding the bytes of a file to plain text, or an error that says what the file is instead.

Numbers are plain that other scripts, Fortran (1.2D+03) or Eurostat (12.5 p) wrote otherwise.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from melm_core.base import FORTRAN, NUMBERS, OTHER_DIGITS, UserError, plain_cell
from melm_studio.tables.encodings import codec, readings_of
from melm_studio.tables.foreign import foreign_file, foreign_text
from melm_studio.tables.formatting import count

# In order of preference in a tie: a decimal comma looks like a delimiter.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}
_DELIMITERS = {mark.encode() for mark in DELIMITERS}

CONTROL_CODES = bytes(code for code in range(32) if chr(code) not in "\t\n\v\f\r")
_STRAY, _FIRST_STRAY = re.compile("[\udc80-\udcff]"), "\udc80"  # bytes that are no UTF-8
_SPACE = b"\xa0"  # at which no line breaks
_MARKS = _SPACE + bytes([0x85, *range(0x91, 0x98)])  # that Windows writes, pasted into UTF-8
MARKED = "UTF-8 with spaces and quotes of Western European text"
WESTERN = "Western European text"
BYTE_ORDER_MARK = "\ufeff"
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Of encodings in ASCII that switch alphabets: what they begin with, and their codecs.
ESCAPES = {b"\x1b$B": "iso2022_jp_ext", b"\x1b$@": "iso2022_jp_ext", b"\x1b$)C": "iso2022_kr"}
PROBE_BYTES = 4096
LINES_KEPT = 80  # as cells, by each of five delimiters those of a wide table
LEAST_WHOLE = 4  # characters beyond ASCII for each that is damaged
DAMAGED = "\ufffd"
ZIP = b"PK\x03\x04"
EMPTY = "The file is empty. Choose a file with a header and rows."
# Lines that some programs write above the header: sep= tells spreadsheets the delimiter, others
# are settings. Possessive, since backtracking would cost memory.
COMMENTS = re.compile(
    rb"(?:(?:(?:#|%[ %]|//|sep=)[^\n]*|/\*(?s:.*?)\*/[ \t]*|\w++=[^\s,;|]*+)?\n)++"
)

SAMPLE_BYTES = 1_000_000  # that are looked at for other numbers
_EDGE = r"[\t\n;|,\" ]"
_NUMBER = re.compile(f"(?<={_EDGE}){OTHER_DIGITS.pattern}(?={_EDGE})")
_EXPONENT = re.compile(rb"[dD][+-]?[0-9]")
_FORTRAN = re.compile(rb"(?<=[\t\n;|,\" ])%b(?=[\t\n\r;|,\" ])" % FORTRAN.pattern.encode())
_EUROSTAT = re.compile(rb"[\w ]+(?:,[\w ]+)*\\(?:time|TIME_PERIOD)[ ]*\t", re.IGNORECASE)
_NOTHING = b":"


class TableError(UserError):
    """A table that cannot be used; the message is written for the user."""


@dataclass(frozen=True)
class Decoded:
    """Text as UTF-8 with line feeds.

    Attributes
    ----------
    data : bytes
        As many lines as the file has.
    steps : tuple of str
        Decisions made, a sentence each.
    encodings : mapping of str to str
        The encodings that it may have, and what a few names are in each; none where that is clear.
    """

    data: bytes
    steps: tuple[str, ...]
    encodings: Mapping[str, str]


def as_utf8(raw: bytes, file: str, encoding: str = "auto") -> Decoded:
    """Convert to UTF-8 with line feeds.

    Parameters
    ----------
    raw : bytes
    file : str
        Its name, for messages.
    encoding : str, default="auto"
        One of `ENCODINGS`, for text that is not UTF-8; found by itself by default.

    Raises
    ------
    TableError
        If this is not text, or is blank.
    """
    if kind := foreign_file(raw):
        raise TableError(f"{file} is {kind}")
    text, name, others = _decode(raw, encoding)
    if kind := foreign_text(text):
        raise TableError(f"{file} is {kind}")
    # Concatenated files contain the mark inside, where it would become part of a name.
    data = text.replace(BYTE_ORDER_MARK, "").encode()
    n_control_codes = len(data) - len(data.translate(None, CONTROL_CODES))
    if b"\0" in data or n_control_codes > len(text) // 100:
        raise TableError(
            f"{file} is not a text file: its first bytes are {raw[:6].hex(' ').upper()}. Save "
            "the table as CSV and drop that."
        )
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise TableError(EMPTY)
    return Decoded(data, (f"Read as {name}.",) if name else (), others)


def _decode(raw: bytes, chosen: str) -> tuple[str, str, dict[str, str]]:
    """Decode; return also the name of the encoding, unless it is UTF-8, and which it may be."""
    escaped = {codec: f"text ({codec})" for mark, codec in ESCAPES.items() if mark in raw}
    for encoding, name in (*_utf16(raw).items(), *escaped.items(), ("utf-8-sig", "")):
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding), name, {}
    marked = _with_marks(raw) if chosen == "auto" else None
    if torn := marked or _torn_utf8(raw):
        return *torn, {}
    candidates = readings_of(raw)
    others = (
        {candidate.encoding: candidate.shown for candidate in candidates}
        if len(candidates) > 1
        else {}
    )
    if chosen != "auto":
        with contextlib.suppress(UnicodeDecodeError):
            named = next(
                (candidate.named for candidate in candidates if candidate.encoding == chosen),
                f"text ({chosen})",
            )
            return raw.decode(codec(chosen)), named, others
    for candidate in candidates:
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(candidate.codec), candidate.named, others
    with contextlib.suppress(UnicodeDecodeError):
        return raw.decode("cp1252"), WESTERN, {}
    return raw.decode("latin-1"), WESTERN, {}


def _with_marks(raw: bytes) -> tuple[str, str] | None:
    """UTF-8 in which spaces, quotes and dashes of Windows stand, or ASCII with such spaces."""
    marked = raw.decode("utf-8-sig", "surrogateescape")
    strays = {*_STRAY.findall(marked)}
    has_others = any("\x7f" < letter < _FIRST_STRAY for letter in {*marked})
    if {*"".join(strays).encode(errors="surrogateescape")} <= {*(_MARKS if has_others else _SPACE)}:
        for stray in strays:
            mark = stray.encode(errors="surrogateescape").decode("cp1252")
            marked = marked.replace(stray, mark)
        return marked, MARKED
    return None


def _torn_utf8(raw: bytes) -> tuple[str, str] | None:
    """UTF-8 that ends within a character, or has a few damaged ones."""
    text = raw.decode("utf-8-sig", "replace")
    n_damaged = text.count(DAMAGED)
    n_whole = len(text) - n_damaged - len(text.encode("ascii", "ignore"))
    if n_damaged == 1 and text.endswith(DAMAGED) and n_whole:
        return text[:-1], "UTF-8, without its last character, which is cut off"
    if n_whole < LEAST_WHOLE * n_damaged:
        return None
    return text, f"UTF-8, of which {count(n_damaged, 'character')} cannot be read"


def _utf16(raw: bytes) -> dict[str, str]:
    """The variant of UTF-16, or of UTF-32, that the file starts with, if any."""
    if raw.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return {"utf-32": "UTF-32"}
    if raw.startswith(BYTE_ORDER_MARKS):
        return {"utf-16": "UTF-16"}
    first, second = (raw[side:PROBE_BYTES:2] for side in (0, 1))
    for plain, zeros, encoding in ((first, second, "utf-16-le"), (second, first, "utf-16-be")):
        if 0 not in plain and zeros.count(0) > len(zeros) // 2:
            return {encoding: "UTF-16"}
    return {}


def without_comments(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the comment lines at the top, except a header that looks like one.

    Returns
    -------
    data : bytes
        With as many lines.
    steps : tuple of str
        How many were skipped.
    """
    match = COMMENTS.match(data)
    head = match.group() if match else b""
    rest = data[len(head) :]
    if not head.strip() or not rest.strip():
        return data, ()
    above, last = _split_last_line(head)
    line, first = last.decode(), rest.partition(b"\n")[0].decode()
    if line.startswith(("#", "%")) and _is_alike(line, first):
        head, rest = above, data[len(above) :]
    elif line.startswith(("#", "%")) and _is_above_row(line.lstrip("#% ").split(), first):
        head, rest = above, data[len(above) + 1 :]
    n_comments = sum(map(bool, map(bytes.strip, head.split(b"\n"))))
    steps = (f"Skipped: {count(n_comments, 'comment line')} at the top.",) if n_comments else ()
    return b"\n" * head.count(b"\n") + rest, steps


def _split_last_line(head: bytes) -> tuple[bytes, bytes]:
    """Split at the start of the last line that is not blank."""
    last = head.rstrip(b"\n").rpartition(b"\n")[2]
    above = head.rstrip(b"\n").removesuffix(last)
    return above, last


def _is_alike(line: str, other: str) -> bool:
    """Return whether some delimiter parts two lines into as many cells, the first into several.

    Numbers or kinds, which recur, are no names above those of a header, as of cBioPortal.

    Examples
    --------
    >>> _is_alike("#id,x", "a,1"), _is_alike("#1,1", "id,x"), _is_alike("#TEXT,TEXT", "id,x")
    (True, False, False)
    """
    for mark in DELIMITERS:
        cells, below = (cells_of(text, mark) for text in (line.lstrip("#% "), other))
        if len(cells) == len(below) and sum(map(bool, cells)) > 1:
            are_names = len({*cells}) == len(cells) and not all(map(NUMBERS["."].fullmatch, cells))
            is_header = len({*below}) == len(below) and not any(map(NUMBERS["."].fullmatch, below))
            return are_names or not is_header
    return False


def cells_of(text: str, mark: str) -> list[str]:
    """Return the cells of a line; none of a line that cannot be split."""
    return [*_split(text, mark)]


@lru_cache(maxsize=LINES_KEPT)  # each line of a wide table is looked at several times
def _split(text: str, mark: str) -> tuple[str, ...]:
    if '"' not in text:
        return tuple(map(str.strip, text.split(mark)))
    try:
        return tuple(map(str.strip, next(csv.reader([text], delimiter=mark), ())))
    except csv.Error:
        return ()


def _is_above_row(words: list[str], line: str) -> bool:
    """Return whether words, which all differ, are as many as cells of a row that spaces align.

    A row has numbers alone, begins with a number or has one that is no count, as headers have none
    but years. Rows of libsvm, and those that a delimiter parts, have names of their own.

    Examples
    --------
    >>> names = "plot tree species".split()
    >>> _is_above_row(names, "2 1 PCAB"), _is_above_row(names, "plot 2019 2020")
    (True, False)
    """
    cells = line.split()
    if not 1 < len({*words}) == len(words) == len(cells):
        return False
    is_number = NUMBERS["."].fullmatch
    if any(map(is_number, words)) or all(map(is_number, cells)):
        return not any(map(is_number, words))
    are_parted = any(mark in line for mark in DELIMITERS) or all(":" in cell for cell in cells[1:])
    telling = (cell for cell in cells if cell is cells[0] or not cell.isdigit())
    return not are_parted and any(map(is_number, telling))


def without_last_delimiter(data: bytes) -> bytes:
    """Return lines without the delimiters that each ends with, which part no cells off.

    Where the header has them nowhere else, and another delimiter, some lines may lack them. That at
    the end of the header alone, or of the rows alone, is left out, too.

    Examples
    --------
    >>> without_last_delimiter(b"a,b,\\n1,2,\\n"), without_last_delimiter(b"a,b,\\n1,2,3\\n")
    (b'a,b\\n1,2\\n', b'a,b,\\n1,2,3\\n')
    >>> without_last_delimiter(b"a;b;;;\\n1;2;;;\\n1;;;;\\n")
    b'a;b\\n1;2\\n1;\\n'
    >>> without_last_delimiter(b"a,b,\\n1,2\\n")
    b'a,b\\n1,2\\n'
    >>> without_last_delimiter(b"a,b;\\n1,2;\\n3,x;y\\n")
    b'a,b\\n1,2\\n3,x;y\\n'
    """
    header, first = (line.rstrip(b" ") for line in (*data.split(b"\n", 2), b"")[:2])
    is_behind_header = header[-1:] in _DELIMITERS and header.strip(header[-1:]) != b""
    mark = (header if is_behind_header else first)[-1:]
    if mark not in _DELIMITERS:
        return data
    lines = [line.rstrip(b" ") for line in data.split(b"\n")]
    n_last = (_behind_header if is_behind_header else _behind_rows)(lines, mark)
    cut = (line[: len(line) - n] for line, n in zip(lines, n_last, strict=True))
    return b"\n".join(cut) if any(n_last) else data


def _behind_header(lines: Sequence[bytes], mark: bytes) -> list[int]:
    """How many delimiters end each line and part no cells off, where some end the header."""
    header, *rows = lines
    n_ending = [len(line) - len(line.rstrip(mark)) for line in lines]
    if mark not in header.rstrip(mark) and any(each in header for each in _DELIMITERS - {mark}):
        return [min(n, n_ending[0]) for n in n_ending]
    if n_last := min(n for line, n in zip(lines, n_ending, strict=True) if line):
        return [n_last for _ in lines]
    is_alone = {row.count(mark) for row in rows if row} == {header.count(mark) - 1}
    return [int(is_alone), *(0 for _ in rows)]


def _behind_rows(lines: Sequence[bytes], mark: bytes) -> list[int]:
    """The same where none ends the header: one if all rows have it, and one more than that."""
    header, *rows = lines
    n_marks = header.count(mark) + 1
    are_such = all(row.endswith(mark) and row.count(mark) == n_marks for row in rows if row)
    return [0, *(int(are_such) for _ in rows)]


def plain_numbers(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Write the numbers of cells as 0 to 9, a point and e.

    Parameters
    ----------
    data : bytes
        Text in UTF-8 with line feeds.

    Returns
    -------
    data : bytes
    steps : tuple of str
        What was written otherwise, a sentence each.

    Examples
    --------
    >>> plain_numbers("x,y\\n\uff11\uff12.\uff15,1.5D+03\\n".encode())[0]
    b'x,y\\n12.5,1.5e+03\\n'
    """
    steps = []
    sample = data[:SAMPLE_BYTES]
    if not sample.isascii() and _NUMBER.search(sample.decode("utf-8", "ignore")):
        text = _NUMBER.sub(lambda digits: plain_cell(digits[0]), f"\n{data.decode()}\n")
        data = text[1:-1].encode()
        steps.append("Digits of another script are read as 0 to 9.")
    # Sooner than the digits before it, of which tables are full, an exponent is seen.
    if _EXPONENT.search(sample) and _FORTRAN.search(sample):
        data = _FORTRAN.sub(rb"\1e\2", b"\n" + data + b"\n")[1:-1]
        steps.append("Exponents that are written with D are read, as in 1.2D+03.")
    return data, tuple(steps)


def without_flags(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Part the first cells of a table of Eurostat, and leave out the flags of its numbers.

    What its rows are of stands in one cell.

    Parameters
    ----------
    data : bytes
        Text in UTF-8 with line feeds.

    Returns
    -------
    data : bytes
    steps : tuple of str
        What was done, if anything.

    Examples
    --------
    >>> without_flags(b"unit,geo\\\\time\\t2019 \\t2020 \\nPC,AT\\t12.5 p\\t: \\n")[0]
    b'unit\\tgeo\\t2019\\t2020\\nPC\\tAT\\t12.5\\t\\n'
    """
    if not _EUROSTAT.match(data):
        return data, ()
    lines = [_parted(line) for line in data.split(b"\n")]
    return b"\n".join(lines), ("Read as a table of Eurostat; flags of its numbers are left out.",)


def _parted(line: bytes) -> bytes:
    """A line, of which a dimension behind a backslash is that of the columns."""
    rows, *cells = line.split(b"\t")
    numbers = (cell.strip().partition(b" ")[0] for cell in cells)
    given = (b"" if number.startswith(_NOTHING) else number for number in numbers)
    return b"\t".join([*rows.partition(b"\\")[0].split(b","), *given])

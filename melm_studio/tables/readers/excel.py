"""Workbooks of Excel and LibreOffice: the values of one sheet, never its formulas or macros."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import python_calamine

from melm_studio.tables.foreign import foreign_file
from melm_studio.tables.formatting import listed, number, number_text, shortened, words_of
from melm_studio.tables.readers.rows import TextWriter
from melm_studio.tables.readers.unpack import DAMAGED_ARCHIVE
from melm_studio.tables.records import MAX_CELLS
from melm_studio.tables.text import ZIP, TableError

WORKBOOK = b"xl/workbook"
OPEN_DOCUMENT = b"opendocument.spreadsheet"
BEFORE_2007 = b"\xd0\xcf\x11\xe0"
MAX_WORKBOOK = 256 * 2**20  # bytes when it is unpacked
# Rows of a sheet; a file may number them as it likes, and all before are made up.
MAX_ROWS = 2**20
# Texts that cells refer to, each of which takes as long as a cell.
MAX_STRINGS = 1_000_000
MAX_SHEETS, MAX_SHEET_NAME = 10_000, 1_000
FEW_ROWS, MANY_TIMES = 50, 10  # of a sheet that sums up another, and as many rows has that
_PROBED_BYTES = 100_000  # of a sheet, to see whether it is a table
# What Excel writes above the rows of a pivot table, below its filters.
_PIVOTS = {
    b"Row Labels", b"Zeilenbeschriftungen", "Étiquettes de lignes".encode(), b"Etiquetas de fila",
}  # fmt: skip
_MOST_ABOVE = 5
_SOON_READ = 2**20  # bytes of a workbook of which all sheets are opened, to offer none of no cells
_STRINGS = "sharedStrings.xml"
_SHEETS = "xl/worksheets/"
# What says of a package that it is a workbook, where it says so, and in how many bytes at most.
_KINDS = {"[Content_Types].xml": b"spreadsheetml.sheet.main+xml", "mimetype": OPEN_DOCUMENT}
MAX_TYPES = 2**20
_CONTENT = "content.xml"  # of an OpenDocument
_VALUE_OF_TEXT = re.compile(rb'(office:value-type="string") office:value="[^"<>]*"')
_STRING = re.compile(rb"<(?:\w+:)?si[\s/>]")
# A tag ends before the next one: otherwise each that is not closed would be read to the end.
_PLACE = re.compile(rb"<(?:\w+:)?(?:row|c)\s[^<>]*?\br=[\"']([A-Z]{0,3})([0-9]+)")
# Cells and rows that have a height or a color, and no value.
_EMPTY_CELL = re.compile(rb"<(?:\w+:)?c\s[^<>]*(?:/>|></(?:\w+:)?c>)")
_EMPTY_ROW = re.compile(rb"<(?:\w+:)?row\s[^<>]*(?:/>|>\s*</(?:\w+:)?row>)")
_VISIBLE = python_calamine.SheetVisibleEnum.Visible
# Names of sheets that say what the others hold.
_EXPLAINING = {
    "about", "citation", "codebook", "contents", "cover", "description", "dictionary",
    "documentation", "glossary", "info", "information", "instructions", "introduction", "legend",
    "metadata", "note", "notes", "readme", "reference", "references", "source", "sources", "title",
}  # fmt: skip


def is_excel(raw: bytes) -> bool:
    """Return whether these are the bytes of a workbook: .xlsx, .xlsm, .xlsb, .xls or .ods."""
    is_packed = raw.startswith(ZIP) and (_is_as_usual(raw) or _is_workbook(raw))
    return is_packed or (raw.startswith(BEFORE_2007) and not foreign_file(raw))


def _is_as_usual(raw: bytes) -> bool:
    """Return whether the parts of a workbook lie where Excel or LibreOffice puts them."""
    return WORKBOOK in raw or OPEN_DOCUMENT in raw[:200]


def _is_workbook(raw: bytes) -> bool:
    """Return whether these are the bytes of a package of Office whose document is a workbook."""
    for part, kind in _KINDS.items():
        if part.encode() not in raw:
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(raw)) as package:
                types = package.getinfo(part)
                return types.file_size <= MAX_TYPES and kind in package.read(types)
        except (KeyError, *DAMAGED_ARCHIVE):
            return False
    return False


def excel_text(
    raw: bytes,
    file: str,
    sheet: str = "",
    preferred: str = "",
    *,
    max_rows: float,
    max_columns: float,
    max_bytes: int = MAX_WORKBOOK,
) -> tuple[bytes, tuple[str, ...], str]:
    """Read one sheet of a workbook as tab-separated text.

    Parameters
    ----------
    raw : bytes
    file : str
        The name of the file, for messages.
    sheet : str, optional
        The sheet to read; by default the first that holds a table and whose name says no more,
        such as README, or a far longer one behind it, which it sums up; else the first with cells.
    preferred : str, optional
        The sheet to read by default if there is one of this name.
    max_rows, max_columns : float
    max_bytes : int
        The most that the workbook may hold when it is unpacked.

    Returns
    -------
    data : bytes
    sheets : tuple of str
        The names of all sheets that are shown, of small workbooks of those with cells; what
        explains the others comes last.
    sheet : str
        The one that was read.

    Raises
    ------
    TableError
        If the workbook cannot be read, is too large, or has no such sheet.
    """
    if raw.startswith(ZIP):
        _reject_large(raw, file, max_bytes)
    limits = max_rows, max_columns, max_bytes
    try:
        book = _opened(raw)
        names = tuple(book.sheet_names)
        if len(names) > MAX_SHEETS or max(map(len, names), default=0) > MAX_SHEET_NAME:
            raise TableError(
                f"{file} has more than {number(MAX_SHEETS)} sheets, or one whose name has more "
                f"than {number(MAX_SHEET_NAME)} characters. Save the sheet as CSV and drop that."
            )
        if sheet and sheet not in names:
            raise TableError(
                f'{file} has no sheet "{shortened(sheet)}". Its sheets are {listed(names)}.'
            )
        requested = sheet or (preferred if preferred in names else "")
        data, sheet_read = (
            _first_table(book, [requested], limits)
            if requested
            else _likely_table(book, sorted(names, key=_explains), limits)
        )
        hidden = {each.name for each in book.sheets_metadata if each.visible != _VISIBLE}
        names = tuple(
            name
            for name in sorted(names, key=_explains)
            if name == sheet_read
            or (name not in hidden and (len(raw) > _SOON_READ or _extent(book, name)[0]))
        )
    except python_calamine.PasswordError:
        raise TableError(
            f"{file} is protected by a password. Save it without one, or as CSV, and drop that."
        ) from None
    except (TableError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 (calamine raises what its parsers do, and panics)
        raise TableError(
            f"{file} is a workbook that cannot be read: it is damaged, or another document of "
            "Office. Save the sheet as CSV and drop that."
        ) from None
    if not data.strip() and not requested:
        raise TableError(f"{file} has no cells. Choose a workbook with a header and rows.")
    return data, names, sheet_read


def _opened(raw: bytes) -> Any:
    """The workbook, also an OpenDocument as pandas or others write it."""
    try:
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
    except python_calamine.CalamineError:
        if _CONTENT.encode() not in raw:
            raise
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(_plain_document(raw)))


def _plain_document(raw: bytes) -> bytes:
    """The OpenDocument, whose parts are not compressed, and whose texts are not called numbers."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as package, zipfile.ZipFile(written, "w") as plain:
        for name in package.namelist():
            part = package.read(name)
            is_content = name == _CONTENT
            plain.writestr(name, _VALUE_OF_TEXT.sub(rb"\1", part) if is_content else part)
    return written.getvalue()


def _likely_table(
    book: Any, names: Sequence[str], limits: tuple[float, float, int]
) -> tuple[bytes, str]:
    """The first sheet that holds a table, or a far longer one, as `_first_table` returns it."""
    first = _first_table(book, names, limits)
    longest = _longest(book, names, first[1], limits)
    longer = _first_table(book, [longest], limits) if longest else first
    return longer if _is_table(longer[0]) else first


def _first_table(
    book: Any, names: Sequence[str], limits: tuple[float, float, int]
) -> tuple[bytes, str]:
    """The text and name of the first sheet that holds a table, else of the first with cells."""
    first = b"", names[0]
    for name in names:
        text = TextWriter(*limits)
        text.add_all(_rows(book.get_sheet_by_name(name), limits[1]))
        if _is_table(text.data):
            return text.data, name
        if not first[0].strip():
            first = text.data, name
    return first


def _longest(book: Any, names: Sequence[str], first: str, limits: tuple[float, float, int]) -> str:
    """Find the sheet of most rows, of many times as many as the few of the first and as wide.

    Empty if there is none that may be read; explanations are as long as they like.
    """
    most_rows, most_columns, _ = limits
    n_rows, n_columns = _extent(book, first)
    if not 0 < n_rows <= FEW_ROWS:
        return ""
    others = {name: _extent(book, name) for name in names if name != first and not _explains(name)}
    heights = {
        name: height
        for name, (height, width) in others.items()
        if n_columns <= width <= most_columns and MANY_TIMES * n_rows <= height <= most_rows
    }
    return max(heights, key=heights.__getitem__, default="")


def _extent(book: Any, name: str) -> tuple[int, int]:
    """The numbers of rows and columns of a sheet; (1, 0) of one that is damaged."""
    try:
        sheet = book.get_sheet_by_name(name)
        return sheet.total_height, sheet.total_width
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 (as above; who chooses it is told that it is damaged)
        return 1, 0


def _explains(name: str) -> bool:
    """Return whether a sheet is named as one that says what the others hold."""
    words = words_of(name.casefold())
    return not _EXPLAINING.isdisjoint({*words, "".join(words)})


def _is_table(data: bytes) -> bool:
    """Return whether the first lines have two rows of several cells, as explanations have not.

    Nor are they a pivot table, which sums up another sheet.
    """
    lines = data[:_PROBED_BYTES].splitlines()
    if any(line.split(b"\t")[0] in _PIVOTS for line in lines[:_MOST_ABOVE]):
        return False
    return sum(len(line.split(b"\t")) - line.split(b"\t").count(b"") > 1 for line in lines) > 1


def _reject_large(raw: bytes, file: str, max_bytes: int) -> None:
    """Refuse a workbook that would unpack to more than `max_bytes`, before it is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            n_bytes = sum(part.file_size for part in parts.infolist())
            if n_bytes > max_bytes:
                raise TableError(
                    f"{file} holds {number(n_bytes // 2**20)} MB when it is unpacked, and at most "
                    f"{number(max_bytes // 2**20)} MB can be read. Save the sheet as CSV and drop "
                    "that."
                )
            names, folder = parts.namelist(), _SHEETS if _is_as_usual(raw) else ""
            strings = b"".join(parts.read(name) for name in names if name.endswith(_STRINGS))
            for name in names:
                if name.startswith(folder) and name.endswith(".xml"):
                    _reject_far(parts.read(name))
    except TableError:
        raise
    except DAMAGED_ARCHIVE:
        raise TableError(
            f"{file} is a damaged workbook. Save it again, or as CSV, and drop that."
        ) from None
    if sum(1 for _ in _STRING.finditer(strings)) > MAX_STRINGS:
        raise TableError(
            f"{file} has more than {number(MAX_STRINGS)} texts, the most that can be read from a "
            "workbook. Save the sheet as CSV and drop that."
        )


def _reject_far(sheet: bytes) -> None:
    """Refuse a sheet whose cells span a larger area than can be read, most of it empty."""
    sheet = _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", sheet))
    places = {(letters, int(row)) for letters, row in _PLACE.findall(sheet)}
    # Rows without a number stand behind the one before.
    n_rows = max(sheet.count(b"<row"), *(row for _, row in places), 0)
    n_columns = max((_column(letters) for letters, _ in places), default=0)
    if n_rows > MAX_ROWS or n_rows * n_columns > MAX_CELLS:
        raise TableError(
            f"The sheet has cells beyond row {number(MAX_ROWS)}, or more than "
            f"{number(MAX_CELLS)} cells. Delete what is far from the table, or save the sheet "
            "as CSV."
        )


def _column(letters: bytes) -> int:
    """The number of a column named as in AB7, from 1."""
    place = 0
    for letter in letters:
        place = 26 * place + letter - ord("A") + 1
    return place


def _rows(sheet: Any, max_columns: float) -> Iterator[list[str]]:
    """The rows as text, without the empty cells at their ends, which then are as many in each."""
    given = sheet.to_python(skip_empty_area=False)
    rows = [_trimmed([_text(cell) for cell in row]) for row in given]
    while rows and not rows[-1]:
        rows.pop()
    width = max(map(len, rows), default=0)
    for row in rows:
        missing = [""] * (width - len(row)) if row else []
        yield [*row, *missing] if width <= max_columns else [""] * width


def _trimmed(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row.pop()
    return row


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, int | float):
        return number_text(cell)
    if isinstance(cell, dt.datetime):
        is_day = cell.time() == dt.time()
        return cell.date().isoformat() if is_day else cell.isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)

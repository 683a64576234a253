"""Title lines that some programs write above the header."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

from melm_studio.tables.formatting import count
from melm_studio.tables.records import NUMBERS
from melm_studio.tables.text import DELIMITERS

SAMPLE_LINES = 200
MAX_TITLES = 20
BLANK = b" \r\n\t,;|"
FEW = 3  # a title fills at most one in so many cells of a row


def without_titles(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the title lines, so that the rows keep their numbers.

    A title has fewer cells than the rows below, which begin with a header: text in every cell,
    above numbers.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were skipped.
    """
    stream = io.BytesIO(data)
    lines = [line for _, line in zip(range(SAMPLE_LINES), stream, strict=False)]
    n_lines = _n_above(lines)
    titles = [line for line in lines[:n_lines] if line.strip(BLANK)]
    if not titles:
        return data, ()
    rest = data[sum(map(len, lines[:n_lines])) :]
    return b"\n" * n_lines + rest, (f"Skipped: {count(len(titles), 'title line')} at the top.",)


def _n_above(lines: Sequence[bytes]) -> int:
    """The number of lines above the header."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    if not texts or any(text.count('"') % 2 for text in texts[:MAX_TITLES]):
        return 0  # a cell with a line break
    n_cells, rows = max(
        (_as_split(texts, mark) for mark in DELIMITERS), key=lambda split: split[2]
    )[:2]
    for at, row in enumerate(rows[: MAX_TITLES + 1]):
        if len(row) == n_cells and not _is_sparse(row):
            is_title = at > 0 and _is_header(row, rows[at + 1 :], n_cells)
            is_plain = all(len(above) <= 1 or len(above) == n_cells for above in rows[:at])
            has_numbers = _has_numbers(rows[at + 1 :], n_cells)
            return at if is_title and (is_plain or has_numbers) else 0
    return 0


def _as_split(texts: Sequence[str], mark: str) -> tuple[int, list[list[str]], int]:
    """The most frequent number of cells, the cells of each line, and how many lines have it."""
    rows = [_cells(text, mark) for text in texts]
    lengths = Counter(len(row) for row in rows if len(row) > 1)
    n_cells, n_rows = max(lengths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return n_cells, rows, n_rows


def _cells(text: str, mark: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=mark), [])]
    except csv.Error:
        return []


def _is_sparse(row: list[str]) -> bool:
    return len(row) >= FEW and sum(map(bool, row)) <= len(row) // FEW


def _is_header(row: list[str], below: Sequence[list[str]], n_cells: int) -> bool:
    is_text = not any(_is_number(cell) for cell in row) and all(row)
    return is_text and any(len(other) == n_cells for other in below)


def _has_numbers(rows: Sequence[list[str]], n_cells: int) -> bool:
    return any(_is_number(cell) for row in rows if len(row) == n_cells for cell in row)


def _is_number(cell: str) -> bool:
    return any(pattern.fullmatch(cell) for pattern in NUMBERS.values())

"""Lines below the rows of a table: footnotes, sources, remarks."""

from __future__ import annotations

import io
import re
from collections import Counter

from melm_studio.tables.formatting import count
from melm_studio.tables.text import DELIMITERS

SAMPLE_LINES = 200
LAST_BYTES = 20_000
MAX_NOTES = 200
SHORT = 4  # a line below an empty row has at most a fourth of the cells of a row
LEAST_COLUMNS = 3  # a note is a single cell: of two columns, it could be a row
NOTE = re.compile(
    r'"?\s*(?:[*†‡§]|(?:notes?|source|sources|remarks?|footnotes?|quelle|anmerkung|hinweis|legend)'
    r"\b[\w /]*[:.])",
    re.IGNORECASE,
)


def without_notes(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Leave out the notes at the end: lines of one cell of text below the rows, or far too short.

    A line is a note if it begins as one ("* measured twice", "Source: ...") or an empty row parts
    it from the table, as below events the settings of a cytometer.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were left out.
    """
    mark, n_cells = _form(data)
    if n_cells < LEAST_COLUMNS:
        return data, ()
    start = max(0, len(data) - LAST_BYTES)
    lines = data[start:].split(b"\n")[start > 0 :]
    if sum(line.count(b'"') for line in lines) % 2:
        return data, ()
    n_lines_kept, n_notes, n_kept = len(lines), 0, len(lines)
    is_parted = False
    while n_lines_kept > 1 and n_notes <= MAX_NOTES:
        text = lines[n_lines_kept - 1].decode("utf-8", "replace")
        is_empty = not text.strip(f" {mark}")
        is_short = SHORT * (text.count(mark) + 1) <= n_cells
        if not is_empty and not is_short and not _is_one_text(text, mark):
            break
        n_lines_kept -= 1
        n_notes += not is_empty
        is_parted = is_empty and n_notes > 0
        if is_parted or NOTE.match(text):
            n_kept, n_found = n_lines_kept, n_notes
    if n_kept == len(lines) or not n_found or n_notes > MAX_NOTES:
        return data, ()
    n_bytes = sum(len(line) + 1 for line in lines[n_kept:])
    step = f"Left out: {count(n_found, 'line')} of notes below the rows."
    return data[: len(data) - n_bytes + 1], (step,)


def _form(data: bytes) -> tuple[str, int]:
    """The delimiter of most lines, and into how many cells it splits them."""
    lines = [line for _, line in zip(range(SAMPLE_LINES), io.BytesIO(data), strict=False)]
    best = "", 0, 0
    for mark in DELIMITERS:
        counts = Counter(line.count(mark.encode()) for line in lines)
        counts.pop(0, None)
        n_marks, n_lines = max(counts.items(), key=lambda item: item[1], default=(0, 0))
        best = max(best, (mark, n_marks + 1, n_lines), key=lambda line: line[2])
    return best[:2]


def _is_one_text(text: str, mark: str) -> bool:
    """Return whether a line is one cell of text, with nothing or empty cells behind it."""
    cell = text.rstrip(f" {mark}")
    is_cell = mark not in cell or (cell.startswith('"') and cell.find('"', 1) == len(cell) - 1)
    return is_cell and any(map(str.isalpha, cell)) and not text.startswith(mark)

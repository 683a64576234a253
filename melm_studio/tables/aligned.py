"""Columns that are aligned by spaces, as programs print tables."""

from __future__ import annotations

import csv
import io
import re
from itertools import groupby, islice, pairwise

from melm_core.base import NUMBERS
from melm_studio.tables.text import DELIMITERS

SAMPLE_LINES = 200
LEAST_LINES = 3
LEAST_CELLS = 2
LEAST_RECURRING = 5  # rows of each word, on average
_QUOTED = re.compile('"[^"]*"')
GAPS = (re.compile(r" {2,}"), re.compile(r" +"))  # names may have single spaces


def as_tabs(data: bytes) -> tuple[bytes, bool]:
    """Write tabs between columns that are aligned by spaces.

    Returns
    -------
    data : bytes
    is_aligned : bool
        Whether they are: all lines have as many cells, or cells at the same places, of which some
        may be empty, a column is numbers or all are categories, and no line has a delimiter, or the
        first has none and names are in quotes or others within cells.
    """
    lines = [*islice(io.BytesIO(data), SAMPLE_LINES)]
    if len(lines) == SAMPLE_LINES and not any(mark.encode() in lines[0] for mark in DELIMITERS):
        every = data.split(b"\n")  # a file may be sorted by its words
        lines = every[:: -(-len(every) // SAMPLE_LINES)]
    texts = [line.decode("utf-8", "replace").strip() for line in lines if line.strip()]
    if texts and all(text.count("\t") == 1 and GAPS[0].search(text) for text in texts):
        # Numbers apart by spaces, and a name behind a tab.
        return as_tabs(data.replace(b"\t", b" "))
    unquoted = _QUOTED.sub("", texts[0]) if texts else ""
    if len(texts) < LEAST_LINES or any(mark in unquoted for mark in DELIMITERS):
        return data, False
    if any(mark in text for text in texts for mark in (*DELIMITERS, '"')):
        return _quoted_as_tabs(data, texts)
    all_lines = data.decode("utf-8", "replace").split("\n")
    gap = next((gap for gap in GAPS if _is_split(texts, gap)), None)
    if gap is None:
        rows = _of_fixed_width([line.rstrip() for line in all_lines if line.strip()])
        return ("\n".join(map("\t".join, rows)).encode(), True) if rows else (data, False)
    return "\n".join(gap.sub("\t", line.strip()) for line in all_lines).encode(), True


def _quoted_as_tabs(data: bytes, texts: list[str]) -> tuple[bytes, bool]:
    """As `as_tabs`, of cells that may be quoted."""
    rows = csv.reader(texts, delimiter=" ", skipinitialspace=True, strict=True)
    written = io.StringIO()
    try:
        if not _are_columns([*rows]):
            return data, False
        lines = (line.strip() for line in data.decode("utf-8", "replace").split("\n"))
        every = csv.reader(lines, delimiter=" ", skipinitialspace=True, strict=True)
        csv.writer(written, delimiter="\t", lineterminator="\n").writerows(every)
    except csv.Error:
        return data, False
    return written.getvalue().encode(), True


def _is_split(texts: list[str], gap: re.Pattern[str]) -> bool:
    return _are_columns([gap.split(text) for text in texts])


def _of_fixed_width(lines: list[str]) -> list[list[str]]:
    """The cells of lines whose columns lie between characters that are blank in every line."""
    sample = lines[:SAMPLE_LINES]
    width = max(map(len, sample))
    is_blank = [
        not any(line[place : place + 1].strip() for line in sample) for place in range(width)
    ]
    runs = [[*run] for blank, run in groupby(range(width), is_blank.__getitem__) if not blank]
    starts = [run[0] for run in runs if sample[0][run[0] : run[-1] + 1].strip()]
    if len(starts) < LEAST_CELLS or starts[0] != runs[0][0]:
        return []
    gaps = [slice(start - 1, start) for start in starts[1:]]
    if any(line[gap].strip() for line in lines for gap in gaps):
        return []
    places = [slice(*ends) for ends in pairwise([*starts, None])]
    rows = [[line[place].strip() for place in places] for line in lines]
    return rows if any(map(_is_numbers, zip(*rows[1:], strict=True))) else []


def _is_numbers(column: tuple[str, ...]) -> bool:
    return all(map(NUMBERS["."].fullmatch, column))


def _are_columns(rows: list[list[str]]) -> bool:
    if len(set(map(len, rows))) > 1 or len(rows[0]) == 1:
        return False
    columns = [*zip(*rows[1:], strict=True)]
    return any(map(_is_numbers, columns)) or _are_categories(columns)


def _are_categories(columns: list[tuple[str, ...]]) -> bool:
    """Return whether words of each column recur beside others, rather than make up one name."""
    n_words = [len({*column}) for column in columns]
    n_rows = len({*zip(*columns, strict=True)})
    return (
        LEAST_RECURRING * max(n_words) <= len(columns[0])
        and min(n_words) > 1
        and max(n_words) < n_rows
    )

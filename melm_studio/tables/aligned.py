"""Columns that are aligned by spaces, as programs print tables."""

from __future__ import annotations

import csv
import io
import re

from melm_core.base import NUMBERS
from melm_studio.tables.text import DELIMITERS

SAMPLE_LINES = 200
LEAST_LINES = 3
GAPS = (re.compile(r" {2,}"), re.compile(r" +"))  # names may have single spaces


def as_tabs(data: bytes) -> tuple[bytes, bool]:
    """Write tabs between columns that are aligned by spaces.

    Returns
    -------
    data : bytes
    is_aligned : bool
        Whether they are: all lines have as many cells, a column is numbers, and no line has a
        delimiter, or the first has none and names are in quotes or others within cells.
    """
    lines = [line for _, line in zip(range(SAMPLE_LINES), io.BytesIO(data), strict=False)]
    texts = [line.decode("utf-8", "replace").strip() for line in lines if line.strip()]
    if len(texts) < LEAST_LINES or any(mark in texts[0] for mark in DELIMITERS):
        return data, False
    if any(mark in text for text in texts for mark in (*DELIMITERS, '"')):
        return _quoted_as_tabs(data, texts)
    gap = next((gap for gap in GAPS if _is_split(texts, gap)), None)
    if gap is None:
        return data, False
    all_lines = data.decode("utf-8", "replace").split("\n")
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


def _are_columns(rows: list[list[str]]) -> bool:
    if len(set(map(len, rows))) > 1 or len(rows[0]) == 1:
        return False
    columns = zip(*rows[1:], strict=True)
    return any(all(map(NUMBERS["."].fullmatch, column)) for column in columns)

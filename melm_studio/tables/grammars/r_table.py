"""A header that is one field short, as R writes it, or one long, by a delimiter at its end."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from melm_studio.tables.grammars.features_in_rows import below_alike_names
from melm_studio.tables.grammars.layout import FirstLines, Layout, header_line, is_number
from melm_studio.tables.questions import USE
from melm_studio.tables.roles import Use

_MARKS = (",", "\t", ";", " ")
_LEAST_ROWS = 2
_ROWS_COMPARED = 50
ROW = "row"


def _is_shifted(header: list[str], below: list[list[str]]) -> bool:
    """Return whether names stand left of their columns, as where a sheet opened R's table."""
    numbers = [str(number) for number in range(1, len(below) + 1)]
    is_open = len(header) > 2 and all(header[:-1]) and not header[-1]
    return is_open and [row[0] for row in below if row] == numbers


def _is_aligned(header: list[str], aligned: list[str], below: list[list[str]]) -> bool:
    """Return whether spaces part the names of a shorter header, as many as the fields."""
    has_gap = any("  " in name for name in header)
    return has_gap and {len(row) for row in below} == {len(aligned)} and len(aligned) > len(header)


def _may_be_shifted(start: list[list[str]]) -> bool:
    """Return whether two records allow it: for nearly all tables, no other row is split."""
    if len(start) < 2:
        return False
    header, row = start
    is_open = not (any(header) and any(row) and header[-1])
    return is_open if len(row) == len(header) else abs(len(row) - len(header)) == 1


def r_table(first: FirstLines) -> Layout | None:
    """A header with a field less than all rows, whose first fields are the names of the rows.

    Also where an empty field was added to it.
    """
    for mark in _MARKS:
        start = [record for record, _ in islice(first.records(mark), 2)]
        if not _may_be_shifted(start):
            continue
        records = [record for record, _ in islice(first.records(mark), _ROWS_COMPARED)]
        rows = [record for record in records if any(record)]
        if len(rows) <= _LEAST_ROWS:
            continue
        header, *below = rows
        if _is_shifted(header, below):
            header = header[:-1]
        n_above = next(line for line, text in enumerate(first.texts) if text.strip()) + 1
        aligned = first.texts[n_above - 1].split()
        if _is_aligned(header, aligned, below):
            step = "Read as a header whose names spaces part where tabs part the rows."
            return Layout(step, tuple(aligned), n_above, mark)
        is_short = {len(row) for row in below} == {len(header) + 1} and len(header) > 1
        are_named = len({*header}) == len(header) and not any(is_number(row[0]) for row in below)
        is_header = all(header) and (are_named or not any(map(is_number, header)))
        # A delimiter at the end of every row is no field.
        if is_short and is_header and any(row[-1] for row in below) and not _is_parted(first, mark):
            name = ROW if ROW not in header else f"{ROW} name"
            return _with_names(first, (name, *header), n_above, mark)
    return None


def _is_parted(first: FirstLines, mark: str) -> bool:
    """Return whether another mark than spaces, which words have, parts all records evenly."""
    others = _MARKS[:-1] if mark == " " else ()
    for other in others:
        n_cells = {len(record) for record, _ in islice(first.records(other), _ROWS_COMPARED)}
        if len(n_cells - {0}) == 1 and max(n_cells) > 1:
            return True
    return False


def _with_names(first: FirstLines, names: tuple[str, ...], n_above: int, mark: str) -> Layout:
    """The layout of a table whose rows have names; these may be features, its columns samples."""
    below = (header_line(record, "\t") for record, _ in first.records(mark, n_above))
    if turned := below_alike_names(FirstLines(b"".join([header_line(names, "\t"), *below]))):
        return replace(turned, n_above=n_above, delimiter=mark)
    step = "Read as R writes tables: the first field of every row is its name."
    return Layout(step, names, n_above, mark, answers={USE + names[0]: Use.NAME.value})

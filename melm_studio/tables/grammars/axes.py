"""Spectra and other curves: rows that are an axis, and samples beside a column that is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from melm_studio.tables.grammars.layout import FirstLines, Layout, Turned, is_number
from melm_studio.tables.questions import LABEL
from melm_studio.tables.roles import NO_LABEL

LEAST_NUMBERS = 6  # of an axis with its name
LEAST_ALONE = 8  # without: as many random numbers ascend or descend once in 20,160 times
MOST_ALIKE = 0.2  # share of the other rows that ascend or descend too
NEARLY_ALL = 0.8
MOST_AXES = 3
LEAST_EVEN, EVEN = 20, 0.01  # numbers of an axis without a name, whose steps differ by this share
SMOOTH = 0.2  # of the range of a curve, its mean step; of random numbers a third
COLUMNS_PROBED = 60
_AXIS = re.compile(
    r"wave ?-?(?:length|number)s?|\bwl\b|\bwvl\b|\blambda\b|raman"
    r"|\bshift|m/z|\bmz\b|\bppm\b|\bnm\b|cm-?(?:1|\^-1|⁻¹)|µm"
    r"|\bum\b"
    r"|2 ?-?theta|\bfrequenc|\bhz\b|\bev\b|\benergy|\bretention|\bchannel|\baxis\b",
    re.IGNORECASE,
)


def axis_rows(first: FirstLines) -> Layout | None:
    """Rows that ascend or descend where the rows below do not: they name the features."""
    rows = first.rows
    if (
        len(rows) < 4
        or len({*map(len, rows)}) > 1
        or not any(map(_may_be_axis, rows[: MOST_AXES + 1]))
    ):
        return None
    columns = [j for j in range(len(rows[0])) if _are_numbers([row[j] for row in rows[-5:]])]
    axes = [
        row_number
        for row_number in range(min(MOST_AXES + 1, len(rows) - 2))
        if _is_axis(rows[row_number], columns)
    ]
    below = rows[axes[-1] + 1 :] if axes else []
    n_alike = sum(_is_axis(row, columns, named=True) for row in below)
    is_first = axes == [*range(len(axes))]
    are_below = axes == [*range(1, len(axes) + 1)]
    if not below or n_alike > MOST_ALIKE * len(below) or not (is_first or are_below):
        return None
    if is_first and len(axes) == 1 and not all(map(is_number, rows[0])):
        return None  # a header as any other
    if are_below and any(map(is_number, filter(None, rows[0]))):
        return None
    axis = rows[axes[0]]
    names = tuple(
        cell if row_number in columns and is_number(cell) else above or cell
        for row_number, (above, cell) in enumerate(zip(rows[0], axis, strict=True))
    )
    n_above = axes[-1] + 1
    if is_first and len(axes) == 1:
        return Layout("The first row is an axis: it names the features.", names, 1, first.delimiter)
    others = axes[1:]
    what = " and ".join(rows[row_number][0] or f"row {row_number + 1}" for row_number in others)
    step = f"Rows of an axis name the features{f'; {what} is left out' if others else ''}."
    asked = {"header": f"Row {axes[-1] + 1} ascends or descends, as an axis does"}
    n_others = len(names) - sum(is_number(axis[j]) for j in columns)
    answers = {LABEL: NO_LABEL} if n_others <= 1 else {}  # names of the rows at most
    return Layout(step, names, n_above, first.delimiter, answers, asked=asked)


def samples_beside_an_axis(first: FirstLines) -> Layout | None:
    """A first column named as an axis that ascends or descends, with a column for each sample."""
    rows = first.rows
    if len(rows) <= LEAST_NUMBERS or len(rows[0]) < 4 or len({*map(len, rows)}) > 1:
        return None
    header, below = rows[0], rows[1:]
    numbers = [*map(str, range(len(rows)))]
    place = int(not header[0] and [row[0] for row in below] == numbers[:-1])  # behind an index
    axis = [row[place] for row in below]
    names = header[place + 1 :]
    curves = [*zip(*below, strict=True)][place + 1 :]
    if not _is_monotone(axis) or not (
        _AXIS.search(header[place]) or (not header[place] and _are_curves(axis, curves))
    ):
        return None
    are_counted = names == [*map(str, range(len(names)))]
    if len({*names}) < len(names) or not all(names):
        return None
    if any(map(is_number, names)) and not are_counted:
        return None
    if not all(map(_are_numbers, curves)):
        return None
    columns = tuple(range(place + 1, len(header)))
    name = header[place] or "The first column"
    step = f"Turned: the columns are samples beside an axis ({name})."
    asked = {"samples": f"{name} ascends or descends along the rows, as an axis does"}
    turned = Turned(columns, tuple(names), (place,))
    return Layout(step, tuple(header), 1, first.delimiter, asked=asked, turned=turned)


def _are_curves(axis: Sequence[str], curves: Sequence[Sequence[str]]) -> bool:
    """Return whether an axis has even steps and counts no rows, and all else is smooth along it."""
    is_index = len(axis) < LEAST_EVEN or axis[0] in ("0", "1")
    if is_index or not all(is_number(cell) for column in curves for cell in column):
        return False
    numbers = np.array([[float(cell.replace(",", ".")) for cell in row] for row in (axis, *curves)])
    steps, spans = np.abs(np.diff(numbers)), np.ptp(numbers, axis=1)
    is_even = np.ptp(steps[0]) <= EVEN * steps[0, 0]
    return bool(is_even and (steps[1:].mean(axis=1) <= SMOOTH * spans[1:]).all())


def _may_be_axis(row: Sequence[str]) -> bool:
    """Return whether the first numbers of a row ascend or descend, which is quickly seen."""
    numbers = [cell for cell in row[:COLUMNS_PROBED] if is_number(cell)]
    return len(numbers) >= min(LEAST_NUMBERS, len(row) - 1) and _is_monotone(numbers)


def _is_axis(row: Sequence[str], columns: Sequence[int], *, named: bool = False) -> bool:
    """Return whether a row ascends or descends along nearly all columns of numbers."""
    numbers = [row[j] for j in columns if is_number(row[j])]
    named = named or any(_AXIS.search(cell) for cell in row if not is_number(cell))
    least = LEAST_NUMBERS if named else LEAST_ALONE
    return len(numbers) >= max(least, NEARLY_ALL * len(columns)) and _is_monotone(numbers)


def _is_monotone(cells: Sequence[str]) -> bool:
    if not all(map(is_number, cells)):
        return False
    numbers = [float(cell.replace(",", ".")) for cell in cells]
    pairs = [*pairwise(numbers)]
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _are_numbers(cells: Sequence[str]) -> bool:
    return any(cells) and all(not cell or is_number(cell) for cell in cells)

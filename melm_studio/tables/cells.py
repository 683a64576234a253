"""The type of each column, numeric or text, and its missing cells."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray, IntArray
from melm_studio.tables.formatting import NAMES_SHOWN, count, listed, number, place, shortened
from melm_studio.tables.records import NUMBERS, THOUSANDS

MAX_TEXT_SHARE = 0.05  # below this share of non-numeric text, a column is numeric
MOSTLY = 0.5  # above this share of numbers, non-numeric text is reported

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-")
LIMIT = re.compile(r"(?P<sign>[<>≤≥])=? ?(?P<number>[0-9].*)")  # beyond what was measured
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def infer_columns(
    cells: pd.DataFrame, decimal: str, file_rows: IntArray, limits: str = "text"
) -> tuple[pd.DataFrame, list[str]]:
    """Convert every column to float64 or text.

    Parameters
    ----------
    cells : pandas.DataFrame, (n_rows, n_columns)
        As pandas inferred them.
    decimal : str
        The decimal mark, a point or a comma.
    file_rows : ndarray of int64, (n_rows,)
        The row of the file that each row is.
    limits : str
        As in `ReadOptions`.

    Returns
    -------
    frame : pandas.DataFrame, (n_rows, n_columns)
    steps : list of str
        Which cells became missing, a sentence each.
    """
    inferred = {str(name): _infer(column, decimal, limits) for name, column in cells.items()}
    frame = pd.DataFrame({name: one.cells for name, one in inferred.items()}, index=cells.index)
    infinity_steps = _infinity_steps(frame)
    if infinity_steps:
        frame = frame.replace([np.inf, -np.inf], np.nan)
    steps = [
        *_text_steps(inferred, file_rows),
        *_limit_steps(inferred, limits),
        *_thousands_steps(inferred),
        *infinity_steps,
    ]
    return frame, steps


@dataclass(frozen=True)
class _NonNumericText:
    """Cells of text in a column with numbers: their number, and the first of them."""

    n_cells: int
    n_present: int
    first: str
    position: int


@dataclass(frozen=True, eq=False)
class _Inferred:
    """A column, its non-numeric text, and how its numbers were written."""

    cells: FloatArray | pd.Series
    text: _NonNumericText | None = None
    has_thousands: bool = False
    n_limits: int = 0  # cells such as <0.5


def _infer(column: pd.Series, decimal: str, limits: str) -> _Inferred:
    if column.dtype.kind in "iuf":
        return _Inferred(column.to_numpy(np.float64))
    codes, distinct = pd.factorize(column.astype("str"))
    levels = [level.strip() for level in distinct]
    markers = set(MISSING) - ({"-"} if "+" in levels else set())
    missing = np.array([level in markers for level in levels] + [True])  # code -1 is missing
    at_limits = np.array([_limit(level, decimal, limits) for level in levels] + [math.nan])
    n_limits = int(np.count_nonzero(~np.isnan(at_limits[codes])))
    numbers = np.array([_number(level, decimal) for level in levels] + [math.nan])
    if limits != "text":
        numbers = np.where(np.isnan(numbers), at_limits, numbers)
    is_text = (np.isnan(numbers) & ~missing)[codes]
    text = _non_numeric_text(column, is_text, int(np.count_nonzero(~missing[codes])))
    if text is None or text.n_cells < MAX_TEXT_SHARE * text.n_present:
        has_thousands = any(THOUSANDS[decimal].fullmatch(level) for level in levels)
        return _Inferred(numbers[codes], text, has_thousands, n_limits)
    texts = np.array([*levels, ""], dtype=object)
    texts[missing] = np.nan
    is_mostly_text = text.n_cells > (1 - MOSTLY) * text.n_present
    cells = pd.Series(texts[codes], column.index, dtype="str")
    return _Inferred(cells, None if is_mostly_text else text, n_limits=n_limits)


def _non_numeric_text(
    column: pd.Series, is_text: npt.NDArray[np.bool_], n_present: int
) -> _NonNumericText | None:
    positions = np.flatnonzero(is_text)
    if len(positions) == 0:
        return None
    first = int(positions[0])
    return _NonNumericText(len(positions), n_present, str(column.iloc[first]), first)


def _text_steps(inferred: dict[str, _Inferred], file_rows: IntArray) -> list[str]:
    steps = [
        _text_step(name, one.text, file_rows, is_numeric=one.cells.dtype.kind == "f")
        for name, one in inferred.items()
        if one.text is not None
    ]
    unnamed = len(steps[NAMES_SHOWN:])
    rest = [f"The same in {count(unnamed, 'further column')}."] if unnamed else []
    return [*steps[:NAMES_SHOWN], *rest]


def _text_step(name: str, text: _NonNumericText, file_rows: IntArray, *, is_numeric: bool) -> str:
    cells = count(text.n_cells, "cell")
    first = f'first "{shortened(text.first)}" in {place(int(file_rows[text.position]))}'
    if is_numeric:
        return f"Counted as missing: {cells} of {shortened(name)} with text among numbers, {first}."
    return (
        f"{shortened(name)} is read as text: {cells} of {number(text.n_present)} are not numbers, "
        f"{first}. Empty these cells to have numbers."
    )


def _limit_steps(inferred: dict[str, _Inferred], limits: str) -> list[str]:
    names = [name for name, one in inferred.items() if one.n_limits]
    if not names:
        return []
    cells = count(sum(inferred[name].n_limits for name in names), "cell")
    if limits == "text":
        return [
            f"{cells} such as <0.5 or >100 ({listed(names)}) are no numbers. To read them as "
            "numbers, choose how in Columns, File."
        ]
    value = "as the limit" if limits == "limit" else "as half the limit below it, else as the limit"
    return [f"{cells} such as <0.5 or >100 ({listed(names)}) are read {value}."]


def _thousands_steps(inferred: dict[str, _Inferred]) -> list[str]:
    names = [name for name, one in inferred.items() if one.has_thousands]
    return [f"Thousands separators were removed ({listed(names)})."] if names else []


def _infinity_steps(frame: pd.DataFrame) -> list[str]:
    counts = np.isinf(frame.select_dtypes(np.float64)).sum()
    names = list(counts.index[counts > 0])
    infinite = count(int(counts.sum()), "infinite value")
    return [f"Counted as missing: {infinite} ({listed(names)})."] if names else []


def _number(cell: str, decimal: str) -> float:
    if NUMBERS[decimal].fullmatch(cell):
        return float(cell.replace(decimal, "."))
    if grouped := THOUSANDS[decimal].fullmatch(cell):
        return float(cell.replace(grouped["separator"], "").replace(decimal, "."))
    return float(cell) if INFINITY.fullmatch(cell) else math.nan


def _limit(cell: str, decimal: str, limits: str) -> float:
    """The number for a cell such as <0.5, NaN for every other cell."""
    found = LIMIT.fullmatch(cell)
    if found is None:
        return math.nan
    value = _number(found["number"], decimal)
    return value / 2 if limits == "half" and found["sign"] in "<≤" else value

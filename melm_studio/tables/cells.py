"""What the cells of a column are: numbers, or text; and which of them are missing."""

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

STRAY_SHARE = 0.05  # below this share of text cells, a column is numeric
MOSTLY = 0.5  # above this share of numbers, text among them is worth a word

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-")
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def settle(
    cells: pd.DataFrame, decimal: str, file_rows: IntArray
) -> tuple[pd.DataFrame, list[str]]:
    """Make every column float64 or text, and tell which cells became missing on the way.

    Parameters
    ----------
    cells : pandas.DataFrame, (n_rows, n_columns)
        As pandas inferred them.
    decimal : str
        The decimal mark, a point or a comma.
    file_rows : ndarray of int64, (n_rows,)
        The row of the file behind each row.
    """
    settled = {str(name): _settle(column, decimal) for name, column in cells.items()}
    frame = pd.DataFrame({name: one.cells for name, one in settled.items()}, index=cells.index)
    infinity_steps = _infinity_steps(frame)
    if infinity_steps:
        frame = frame.replace([np.inf, -np.inf], np.nan)
    steps = [*_stray_steps(settled, file_rows), *_thousands_steps(settled), *infinity_steps]
    return frame, steps


@dataclass(frozen=True)
class _Stray:
    """Text among numbers: how much there is, and the first of it."""

    n_cells: int
    n_present: int
    text: str
    position: int


@dataclass(frozen=True, eq=False)
class _Settled:
    """A column, what there was of text among its numbers, and whether thousands were parted."""

    cells: FloatArray | pd.Series
    stray: _Stray | None = None
    has_thousands: bool = False


def _settle(column: pd.Series, decimal: str) -> _Settled:
    if column.dtype.kind in "iuf":
        return _Settled(column.to_numpy(np.float64))
    codes, distinct = pd.factorize(column.astype("str"))
    levels = [level.strip() for level in distinct]
    markers = set(MISSING) - ({"-"} if "+" in levels else set())
    missing = np.array([level in markers for level in levels] + [True])  # code -1 is missing
    numbers = np.array([_number(level, decimal) for level in levels] + [math.nan])
    is_text = (np.isnan(numbers) & ~missing)[codes]
    stray = _stray(column, is_text, int(np.count_nonzero(~missing[codes])))
    if stray is None or stray.n_cells < STRAY_SHARE * stray.n_present:
        has_thousands = any(THOUSANDS[decimal].fullmatch(level) for level in levels)
        return _Settled(numbers[codes], stray, has_thousands)
    texts = np.array([*levels, ""], dtype=object)
    texts[missing] = np.nan
    is_mostly_text = stray.n_cells > (1 - MOSTLY) * stray.n_present
    cells = pd.Series(texts[codes], column.index, dtype="str")
    return _Settled(cells, None if is_mostly_text else stray)


def _stray(column: pd.Series, is_text: npt.NDArray[np.bool_], n_present: int) -> _Stray | None:
    positions = np.flatnonzero(is_text)
    if len(positions) == 0:
        return None
    first = int(positions[0])
    return _Stray(len(positions), n_present, str(column.iloc[first]), first)


def _stray_steps(settled: dict[str, _Settled], file_rows: IntArray) -> list[str]:
    steps = [
        _stray_step(name, one.stray, file_rows, is_numeric=one.cells.dtype.kind == "f")
        for name, one in settled.items()
        if one.stray is not None
    ]
    unnamed = len(steps[NAMES_SHOWN:])
    rest = [f"The same in {count(unnamed, 'further column')}."] if unnamed else []
    return [*steps[:NAMES_SHOWN], *rest]


def _stray_step(name: str, stray: _Stray, file_rows: IntArray, *, is_numeric: bool) -> str:
    cells = count(stray.n_cells, "cell")
    first = f'first "{shortened(stray.text)}" in {place(int(file_rows[stray.position]))}'
    if is_numeric:
        return f"Counted as missing: {cells} of {shortened(name)} with text among numbers, {first}."
    return (
        f"{shortened(name)} is read as text: {cells} of {number(stray.n_present)} are no numbers, "
        f"{first}. Empty such cells to have numbers."
    )


def _thousands_steps(settled: dict[str, _Settled]) -> list[str]:
    names = [name for name, one in settled.items() if one.has_thousands]
    return (
        [f"Thousands that are set apart were read as numbers ({listed(names)})."] if names else []
    )


def _infinity_steps(frame: pd.DataFrame) -> list[str]:
    counts = np.isinf(frame.select_dtypes(np.float64)).sum()
    names = list(counts.index[counts > 0])
    infinite = count(int(counts.sum()), "infinite value")
    return [f"Counted as missing: {infinite} ({listed(names)})."] if names else []


def _number(cell: str, decimal: str) -> float:
    if NUMBERS[decimal].fullmatch(cell):
        return float(cell.replace(decimal, "."))
    if parted := THOUSANDS[decimal].fullmatch(cell):
        return float(cell.replace(parted["gap"], "").replace(decimal, "."))
    return float(cell) if INFINITY.fullmatch(cell) else math.nan

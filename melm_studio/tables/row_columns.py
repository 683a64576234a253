"""Columns beside the features: names, groups, batches, order and further information."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray, IntArray, known_type
from melm_studio.tables.classes import sort_key
from melm_studio.tables.formatting import DAY, number_text
from melm_studio.tables.readers import is_picture
from melm_studio.tables.roles import KEPT, Column, Role

_MONTHS = {name.lower(): str(place) for place, name in enumerate(calendar.month_abbr) if name}
_LAST_OF_20 = "68"  # of years with two digits, as POSIX has it; 69 is of 1969


@dataclass(frozen=True, eq=False)
class RowColumn:
    """A column that is kept beside the features.

    Attributes
    ----------
    name : str
    role : Role
        Name, Info, Group, Batch or Order.
    values : ndarray of float64, (n_samples,)
        Numbers, NaN where missing; of a text column, positions in `levels`.
    levels : tuple of str or None
        The texts, sorted; those of an Order column that are dates in order of time. None for a
        numeric column.
    """

    name: str
    role: Role
    values: FloatArray
    levels: tuple[str, ...] | None = None

    @property
    def texts(self) -> list[str]:
        """Every cell as text, empty where it is missing."""
        if self.levels is None:
            return ["" if np.isnan(value) else number_text(value) for value in self.values]
        codes = np.where(np.isnan(self.values), -1, self.values).astype(int)
        return [self.levels[code] if code >= 0 else "" for code in codes]

    @property
    def codes(self) -> IntArray:
        """Codes from 0 of the values, shape (n_samples,); missing ones are one more value."""
        return np.unique(self.values, return_inverse=True)[1].astype(np.int64)

    @property
    def is_pictures(self) -> bool:
        """True if the cells are pictures."""
        return self.levels is not None and any(map(is_picture, self.levels[:1]))

    def rows(self, chosen: IntArray | npt.NDArray[np.bool_]) -> RowColumn:
        """The column in these rows."""
        return replace(self, values=self.values[chosen])


def row_columns(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[RowColumn, ...]:
    """The columns of a table that are kept beside the features, in order."""
    return tuple(
        _row_column(column, frame[column.name]) for column in columns if column.role in KEPT
    )


def pack(columns: Sequence[RowColumn], key: str) -> dict[str, npt.NDArray[np.generic]]:
    """Arrays from which `unpack` restores the columns; none without columns."""
    if not columns:
        return {}
    heads = [_Head(column.name, column.role, column.levels) for column in columns]
    return {
        key: np.stack([column.values for column in columns]),
        f"{key}_words": np.frombuffer(msgspec.json.encode(heads), np.uint8),
    }


def unpack(arrays: dict[str, npt.NDArray[np.generic]], key: str) -> tuple[RowColumn, ...]:
    """Take the columns that `pack` packed out of the arrays."""
    if key not in arrays:
        return ()
    values = arrays.pop(key).astype(np.float64)
    heads = msgspec.json.decode(arrays.pop(f"{key}_words").tobytes(), type=known_type(list[_Head]))
    return tuple(
        RowColumn(head.name, head.role, row, head.levels)
        for head, row in zip(heads, values, strict=True)
    )


class _Head(msgspec.Struct):
    """Header of a column: what it has besides its values, as JSON."""

    name: str
    role: Role
    levels: tuple[str, ...] | None


def _row_column(column: Column, cells: pd.Series) -> RowColumn:
    if cells.dtype.kind == "f":
        return RowColumn(column.name, column.role, cells.to_numpy(np.float64))
    codes, distinct = pd.factorize(cells)
    texts = [str(text) for text in distinct]
    order = np.argsort(_sort_ranks(texts, is_time=column.role is Role.ORDER), kind="stable")
    ranks = np.empty(len(order) + 1)
    ranks[order] = np.arange(len(order))
    ranks[-1] = np.nan  # code -1 is missing
    levels = tuple(texts[position] for position in order)
    return RowColumn(column.name, column.role, ranks[codes], levels)


def _sort_ranks(texts: Sequence[str], *, is_time: bool) -> npt.NDArray[np.generic]:
    if is_time and not (times := times_of(texts)).isna().any():
        return times.to_numpy()
    ranks = np.empty(len(texts))
    ranks[sorted(range(len(texts)), key=lambda i: sort_key(texts[i]))] = np.arange(len(texts))
    return ranks


def times_of(texts: Sequence[str]) -> pd.Series[pd.Timestamp]:
    """The times that texts are, missing where one is none.

    Of 03/04/2021, the month comes first, unless one of the texts says otherwise.

    Examples
    --------
    >>> times_of(["24.12.2021 08:30", "1.1.2022"]).dt.strftime("%Y-%m-%d %H:%M").tolist()
    ['2021-12-24 08:30', '2022-01-01 00:00']
    >>> times_of(["4-Jan-17", "5-Dec-69"]).dt.year.tolist()
    [2017, 1969]
    """
    written = pd.Series(texts, dtype="str")
    times = pd.to_datetime(written, errors="coerce", format="ISO8601", utc=True)
    if not times.isna().all():
        return times
    parts = written.str.extract(DAY)
    numbers = parts[["first", "second"]].apply(pd.to_numeric, errors="coerce").max()
    is_day_first = parts["mark"].isin((".", "-")).any() or numbers["first"] > 12
    is_day_first &= not numbers["second"] > 12
    day, month = ("first", "second") if is_day_first else ("second", "first")
    months = parts[month].str.lower().replace(_MONTHS).str.zfill(2)
    centuries = np.where(parts["year"].gt(_LAST_OF_20), "19", "20")
    years = parts["year"].where(parts["year"].str.len().eq(4), centuries + parts["year"])
    days = years + "-" + months + "-" + parts[day].str.zfill(2)
    clock = parts["clock"].where(parts["clock"].isna(), "T" + parts["clock"].str.zfill(5))
    half, is_twelve = parts["half"].str.upper(), parts["clock"].str.startswith("12", na=False)
    hours = 12 * (half.eq("P") & ~is_twelve) - 12 * (half.eq("A") & is_twelve)
    times = pd.to_datetime(days + clock.fillna(""), errors="coerce", format="ISO8601", utc=True)
    return times + pd.to_timedelta(hours, unit="h")

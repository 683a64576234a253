"""The role of every column of a table, inferred or chosen by the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray, IntArray
from melm_studio.tables.classes import Classes, find_classes, no_such_column
from melm_studio.tables.formatting import count, listed, number, shortened
from melm_studio.tables.labels import words_of
from melm_studio.tables.ordered_levels import ordered_levels
from melm_studio.tables.read import Table, TableError
from melm_studio.tables.role_guesses import guess_roles
from melm_studio.tables.roles import SINGLE_USES, Column, Role, Use

MAX_LEVELS = 20  # of a text column, for it to be a feature by default
MAX_CHOSEN_LEVELS = 200
MAX_LEVEL_LENGTH = 200  # characters, since every level becomes part of a feature name

LARGEST = 1e150  # squares of larger values overflow
SMALLEST_SPREAD = 1e-150  # squares of smaller ones vanish
RESOLUTION = 1e-13  # a spread below this share of the values is rounding error
DISTINCT_SHARE = 0.9  # text that differs in more than this share of the rows is an identifier

ID_WORDS = {"id", "ids", "idx", "index", "identifier", "key", "no", "nr", "number", "uuid"}
CHOSEN = "as you chose"


def column_roles(
    table: Table, label: str, roles: Mapping[str, Use | str] | None = None
) -> tuple[Column, ...]:
    """Infer the role of each column, in the order of the table.

    Parameters
    ----------
    table : Table
    label : str
        The column that contains the classes.
    roles : mapping of str to Use, optional
        The user's choices; the other roles are inferred.

    Raises
    ------
    TableError
        If the label column does not exist or has fewer than two classes, or a column cannot be
        used as `roles` says.
    """
    return find_roles(table.frame, label, find_classes(table.frame, label), roles or {})


def find_roles(
    frame: pd.DataFrame, label: str, classes: Classes, roles: Mapping[str, Use | str]
) -> tuple[Column, ...]:
    """As `column_roles`, with known classes."""
    uses = {name: _checked(frame, label, name, use) for name, use in roles.items()}
    _reject_several(uses)
    columns = [
        _label_column(label, column, classes)
        if name == label
        else _column(str(name), column, classes.rows, uses.get(str(name)))
        for name, column in frame.items()
    ]
    return guess_roles(frame, columns, classes, uses)


def _checked(frame: pd.DataFrame, label: str, name: str, use: str) -> Use:
    if name not in frame.columns:
        raise TableError(no_such_column(frame, name))
    if name == label:
        raise TableError(f'"{shortened(name)}" is the label. Choose another label first.')
    if use not in tuple(Use):
        raise TableError(
            f'"{shortened(name)}" cannot be "{shortened(use)}". Choose one of {", ".join(Use)}.'
        )
    return Use(use)


def _reject_several(uses: Mapping[str, Use]) -> None:
    for use in SINGLE_USES:
        chosen = [name for name, other in uses.items() if other is use]
        if len(chosen) > 1:
            raise TableError(
                f"{listed(chosen)} cannot all be the {use}: only one column can. Choose another "
                "role for the others."
            )


def _label_column(label: str, column: pd.Series, classes: Classes) -> Column:
    reason = count(len(classes.names), "class", "classes")
    return Column(label, Role.LABEL, reason, column.nunique(), int(column.isna().sum()))


def _column(name: str, column: pd.Series, rows: IntArray, use: Use | None) -> Column:
    cells = _Cells.of(name, column, rows)
    exclusion = _exclusion(cells)
    why = exclusion[1] if exclusion else ""
    if use in (Use.FEATURE, Use.ORDERED) and why:
        raise TableError(
            f'"{shortened(name)}" cannot be a feature: {why.partition(":")[0]}. Leave it out.'
        )
    chosen = _chosen_role(cells, use) if use else None
    role, reason = chosen or exclusion or _usable(cells, use)
    return Column(name, role, reason, cells.n_values, cells.n_missing, why)


def _chosen_role(cells: _Cells, use: Use) -> tuple[Role, str] | None:
    if use is Use.FEATURE:
        return None
    if use is Use.ORDERED and cells.numbers is not None:
        return Role.NUMERIC, f"numeric, so ordered already, {CHOSEN}"
    why = _CHOICE_REASONS.get(use)
    return Role(use), f"{why}, {CHOSEN}" if why else CHOSEN


_CHOICE_REASONS = {
    Use.GROUP: "rows with the same value stay together",
    Use.ORDERED: "the position of its category",
}


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a column in the rows that have a class.

    Attributes
    ----------
    name : str
    numbers : ndarray of float64 or None
        Of all rows, including those without a class; None for a text column.
    present : ndarray
        Numbers or texts that are not missing, in the rows that have a class.
    n_values, n_missing : int
    """

    name: str
    numbers: FloatArray | None
    present: npt.NDArray[Any]
    n_values: int
    n_missing: int

    @classmethod
    def of(cls, name: str, column: pd.Series, rows: IntArray) -> _Cells:
        values = column.to_numpy()  # pandas is slow for each of ten thousand columns
        cells = values[rows]
        present = cells[~pd.isna(cells)]
        numbers = values if column.dtype.kind == "f" else None
        return cls(name, numbers, present, len(pd.unique(present)), len(cells) - len(present))


def _exclusion(cells: _Cells) -> tuple[Role, str] | None:
    """Why a column cannot be a feature."""
    if len(cells.present) == 0:
        return Role.IGNORED, "every value is missing"
    return _text_exclusion(cells) if cells.numbers is None else _numeric_exclusion(cells.present)


def _numeric_exclusion(present: FloatArray) -> tuple[Role, str] | None:
    low, high = float(present.min()), float(present.max())
    if max(-low, high) > LARGEST:
        return Role.IGNORED, "its values are too large to compute with"
    if high - low <= max(RESOLUTION * max(-low, high), SMALLEST_SPREAD):
        return Role.CONSTANT, "every value is the same"
    return None


def _text_exclusion(cells: _Cells) -> tuple[Role, str] | None:
    n_levels, n_present = cells.n_values, len(cells.present)
    if n_levels > max(2, DISTINCT_SHARE * n_present):
        nearly = "" if n_levels == n_present else "nearly "
        return Role.ID, f"{nearly}every value differs: an identifier"
    if n_levels > MAX_CHOSEN_LEVELS:
        return Role.IGNORED, _too_many(n_levels, MAX_CHOSEN_LEVELS)
    if n_levels == 1 and not cells.n_missing:
        return Role.CONSTANT, "every value is the same"
    if max(map(len, pd.unique(cells.present))) > MAX_LEVEL_LENGTH:
        return Role.IGNORED, f"it has values of more than {MAX_LEVEL_LENGTH} characters"
    return None


def _usable(cells: _Cells, use: Use | None) -> tuple[Role, str]:
    exclusion = _soft_exclusion(cells)
    if exclusion and use is None:
        return exclusion
    role, reason = _feature(cells, use)
    return role, f"{reason}, {CHOSEN}" if exclusion else reason


def _soft_exclusion(cells: _Cells) -> tuple[Role, str] | None:
    """Why a column is not a feature unless the user chooses it."""
    if cells.numbers is not None:
        # Of all rows, since consecutive numbers may have gaps where a row is left out.
        is_id = _is_identifier(cells.name, cells.numbers[~np.isnan(cells.numbers)])
        return (Role.ID, "every value differs: an identifier") if is_id else None
    is_long = cells.n_values > MAX_LEVELS
    return (Role.IGNORED, _too_many(cells.n_values, MAX_LEVELS)) if is_long else None


def _too_many(n_levels: int, limit: int) -> str:
    return f"{number(n_levels)} categories, more than {limit}"


def _feature(cells: _Cells, use: Use | None) -> tuple[Role, str]:
    missing = cells.n_missing
    if cells.numbers is not None:
        filled = f", {count(missing, 'missing value')} filled with the median" if missing else ""
        return Role.NUMERIC, f"numeric{filled}"
    levels = count(cells.n_values, "category", "categories")
    if use is None and (order := ordered_levels(pd.unique(cells.present))):
        return Role.ORDERED, f"ordered: {listed(order, ' < ')}"
    return Role.CATEGORICAL, f"{levels}{' and missing' if missing else ''}, one-hot encoded"


def _is_identifier(name: str, values: FloatArray) -> bool:
    """Whether the values number the rows, or are distinct integers under an identifier's name."""
    if not np.array_equal(values, np.floor(values)):
        return False
    if np.all(np.diff(values) == 1):
        return True
    words = words_of(name)
    is_named = bool(words) and not ID_WORDS.isdisjoint({words[0], words[-1]})
    return is_named and len(np.unique(values)) == len(values)

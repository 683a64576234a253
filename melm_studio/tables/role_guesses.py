"""Guesses which columns name, group or order the rows, or only describe them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.classes import Classes
from melm_studio.tables.formatting import count
from melm_studio.tables.labels import words_of
from melm_studio.tables.roles import Column, Role
from melm_studio.tables.row_columns import times_of

NAME_WORDS = {"id", "identifier", "key", "name", "names", "sample", "specimen", "title", "uuid"}
GROUP_WORDS = {"animal", "donor", "participant", "patient", "person", "subject"}
BATCH_WORDS = {"batch", "lot", "plate"}
ORDER_WORDS = {"date", "datetime", "injection", "order", "time", "timestamp"}
MAX_INFO = 30  # columns kept by a guess: hovering shows them all
LEAST_REPEATS = 2  # rows for each group or batch, on average
MIN_GROUPS = 2  # of every class: with one, no rows of the class could be held out


def guess_roles(
    frame: pd.DataFrame, columns: Sequence[Column], classes: Classes, chosen: Collection[str]
) -> tuple[Column, ...]:
    """Give columns the roles Name, Group, Batch, Order and Info.

    Parameters
    ----------
    frame : DataFrame
    columns : sequence of Column
        With the roles that each has by itself.
    classes : Classes
    chosen : collection of str
        Columns whose role the user chose; it stays, and no other column gets a role of which there
        is one only.
    """
    guesses = _Guesses(frame, columns, classes, chosen)
    found = {**guesses.groups(), **guesses.orders()}
    found = {**guesses.info(found), **found}
    return tuple(
        _with_role(column, *found[column.name]) if column.name in found else column
        for column in columns
    )


def _with_role(column: Column, role: Role, reason: str) -> Column:
    return Column(
        column.name, role, reason, column.n_values, column.n_missing, column.exclusion_reason
    )


class _Guesses:
    """The guesses for the columns of one table whose role is not chosen."""

    def __init__(
        self,
        frame: pd.DataFrame,
        columns: Sequence[Column],
        classes: Classes,
        chosen: Collection[str],
    ) -> None:
        self._frame = frame
        self._classes = classes
        self._taken = {column.role for column in columns if column.name in chosen}
        unusable = (Role.LABEL, Role.CONSTANT)
        self._open = [c for c in columns if c.name not in chosen and c.role not in unusable]

    def groups(self) -> dict[str, tuple[Role, str]]:
        """At most one group and one batch."""
        found: dict[str, tuple[Role, str]] = {}
        for role, words, why in (
            (Role.GROUP, GROUP_WORDS, "rows with the same value stay together"),
            (Role.BATCH, BATCH_WORDS, "not a property of the rows"),
        ):
            if role in self._taken:
                continue
            for column in self._named(words):
                if column.name not in found and self._repeats(column):
                    n_rows = len(self._classes.rows)
                    found[column.name] = (role, f"{_repeated(column, n_rows)}: {why}")
                    break
        return found

    def orders(self) -> dict[str, tuple[Role, str]]:
        """At most one order: dates, or a number that grows along the file."""
        if Role.ORDER in self._taken:
            return {}
        for column in self._named(ORDER_WORDS):
            if why := _order_reason(self._frame[column.name]):
                return {column.name: (Role.ORDER, f"{why}: the order of the rows")}
        return {}

    def info(self, found: Collection[str]) -> dict[str, tuple[Role, str]]:
        """At most one name; the other columns that are left out describe rows."""
        left_out = [
            c for c in self._open if c.role in (Role.ID, Role.IGNORED) and c.name not in found
        ]
        kept = {c.name: (Role.INFO, c.reason) for c in self._describing(left_out)}
        names = [column for column in left_out if column.role is Role.ID]
        if names and Role.NAME not in self._taken:
            best = max(names, key=self._name_preference)
            kept[best.name] = (Role.NAME, f"{best.reason.partition(':')[0]}: it names the rows")
        return kept

    def _named(self, words: set[str]) -> Iterator[Column]:
        return (column for column in self._open if not words.isdisjoint(words_of(column.name)))

    def _repeats(self, column: Column) -> bool:
        """Whether the values repeat, and every class has several."""
        if not 2 <= column.n_values <= len(self._classes.rows) / LEAST_REPEATS:
            return False
        cells = self._frame[column.name].iloc[self._classes.rows]
        if cells.dtype.kind == "f" and not (cells.dropna() % 1 == 0).all():
            return False
        return fewest_values(pd.factorize(cells)[0], self._classes.y) >= MIN_GROUPS

    def _describing(self, columns: Sequence[Column]) -> Sequence[Column]:
        usable = [c for c in columns if c.n_values and not _is_unreadable(c)]
        return usable[:MAX_INFO]

    def _name_preference(self, column: Column) -> tuple[bool, bool]:
        is_text = self._frame[column.name].dtype.kind != "f"
        return is_text, not NAME_WORDS.isdisjoint(words_of(column.name))


def fewest_values(codes: IntArray, y: IntArray) -> int:
    """The number of values in the class that has the fewest; missing ones have the code -1."""
    pairs = pd.DataFrame({"y": y, "value": codes})
    counts = pairs[pairs["value"] >= 0].drop_duplicates().groupby("y").size()
    return int(counts.reindex(range(int(y.max()) + 1), fill_value=0).min())


def _repeated(column: Column, n_rows: int) -> str:
    return f"repeats, {count(round(n_rows / column.n_values), 'row')} for each value"


def _order_reason(cells: pd.Series) -> str:
    present = cells.dropna()
    if len(present) < 2 or len(present) < len(cells):
        return ""
    if cells.dtype.kind == "f":
        return "grows along the file" if bool((np.diff(present) > 0).all()) else ""
    times = times_of([str(text) for text in present])
    return "dates" if not times.isna().any() and times.min() < times.max() else ""


def _is_unreadable(column: Column) -> bool:
    return "characters" in column.exclusion_reason or "too large" in column.exclusion_reason

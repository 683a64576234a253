"""Some rows of a table: who they are, what distinguishes them, and all of them as a table.

The rows are selected, or found: outliers, suspect labels, and rows by name.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import SuspectLabels, standardized_differences
from melm_studio.rows.details import in_units, table_values, value_text
from melm_studio.rows.held_out_probabilities import KnownProbabilities
from melm_studio.rows.new_rows_report import placement_columns
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import (
    ChosenRows,
    RowSummary,
    judged_out_of_fold,
    names_of,
    row_summaries,
    unlabeled_names,
    unlabeled_placement,
    unlabeled_summaries,
)
from melm_studio.tables import LabeledData, Role, RowColumn, count, listed

MAX_LISTED = 200
UNLABELED = "without a label"
MAX_DIFFERENCES = 5
MAX_FOUND = 200


class Difference(Struct, frozen=True):
    """A feature that distinguishes the selected rows.

    Attributes
    ----------
    feature : str
    deviations : float or None
        Difference of the means in pooled standard deviations; None if the feature varies in
        neither part.
    selected, others : str
        The means, in the units of the table.
    """

    feature: str
    deviations: float | None
    selected: str
    others: str


class Selection(Struct, frozen=True, kw_only=True):
    """The selected rows.

    Attributes
    ----------
    n_rows : int
    classes : tuple of (str, int)
        The number of rows of each class that has some, and of those without a class.
    rows : tuple of RowSummary
        The first ones, in the order of the file.
    differences : tuple of Difference
        Largest first; none if all rows are selected.
    """

    n_rows: int
    classes: tuple[tuple[str, int], ...]
    rows: tuple[RowSummary, ...]
    differences: tuple[Difference, ...]


def selection(
    data: LabeledData,
    placer: RowPlacer,
    chosen_rows: ChosenRows,
    probabilities: KnownProbabilities | None = None,
) -> Selection:
    """Return what is to be known about rows; see `row_summaries`."""
    counts = np.bincount(data.y[chosen_rows.labeled], minlength=len(data.class_names))
    names, numbers = [*data.class_names, UNLABELED], [*counts, len(chosen_rows.unlabeled)]
    rows = [
        *row_summaries(data, placer, chosen_rows.labeled[:MAX_LISTED], probabilities),
        *unlabeled_summaries(data, placer, chosen_rows.unlabeled[:MAX_LISTED]),
    ]
    return Selection(
        n_rows=len(chosen_rows),
        classes=tuple((name, int(n)) for name, n in zip(names, numbers, strict=True) if n),
        rows=tuple(sorted(rows, key=lambda row: row.row)[:MAX_LISTED]),
        differences=_differences(data, chosen_rows),
    )


def selection_table(
    data: LabeledData,
    placer: RowPlacer,
    chosen_rows: ChosenRows,
    columns: pd.DataFrame,
    probabilities: KnownProbabilities | None = None,
) -> pd.DataFrame:
    """Return rows with their names, all columns of their file, predictions and coordinates.

    Parameters
    ----------
    data : LabeledData
    placer : RowPlacer
    chosen_rows : ChosenRows
    columns : DataFrame
        Every row and column of the file; the first row is 0.
    probabilities : KnownProbabilities, optional
        See `row_summaries`.
    """
    labeled, unlabeled, others = chosen_rows.labeled, chosen_rows.unlabeled, data.unlabeled
    parts = []
    if len(labeled) or not len(unlabeled):
        is_held_out = placer.is_held_out[labeled]
        rows = placer.rows(data, labeled)
        placement = placer.place(rows, is_new=False)
        placement = judged_out_of_fold(placement, labeled, ~is_held_out, probabilities)
        flags = np.where(is_held_out, "yes", "no")
        who = _who(data.row_numbers[labeled], names_of(data, labeled), flags)
        parts.append((who, placement))
    if others is not None and len(unlabeled):
        placement = unlabeled_placement(placer, unlabeled)
        names = unlabeled_names(others, unlabeled)
        who = _who(others.row_numbers[unlabeled], names, np.full(len(unlabeled), ""))
        parts.append((who, placement))
    tables = []
    for who, placement in parts:
        placed = pd.DataFrame(placement_columns(data, placement))
        cells = columns.loc[who["row"].to_numpy() - 1].reset_index(drop=True)
        tables.append(pd.concat([who, cells, placed], axis=1))
    return pd.concat(tables).sort_values("row", ignore_index=True)


def _who(rows: IntArray, names: list[str], is_held_out: npt.NDArray[np.str_]) -> pd.DataFrame:
    """Tabulate the numbers, names and held-out flags of rows."""
    named = {"name": names} if names else {}
    return pd.DataFrame({"row": rows, **named, "held out": is_held_out})


def _differences(data: LabeledData, chosen_rows: ChosenRows) -> tuple[Difference, ...]:
    X, is_chosen = data.X, _flags(len(data.y), chosen_rows.labeled)
    others = data.unlabeled
    # The values before other steps than filling and scaling are kept of rows with a class alone.
    if others is not None and data.raw is None:
        X = np.concatenate([X, others.X])
        is_chosen = np.concatenate([is_chosen, _flags(len(others.X), chosen_rows.unlabeled)])
    if is_chosen.all() or not is_chosen.any():
        return ()
    X = X[:, : len(data.own_feature_names)]
    differences = standardized_differences(X, is_chosen)

    def values(feature: int) -> FloatArray:
        if len(X) == len(data.y):
            return table_values(data, feature)
        return in_units(data, feature, X[:, feature])

    largest = np.argsort(-np.abs(differences), kind="stable")[:MAX_DIFFERENCES]
    return tuple(
        Difference(
            data.feature_names[feature],
            float(differences[feature]) if np.isfinite(differences[feature]) else None,
            value_text(values(feature)[is_chosen]),
            value_text(values(feature)[~is_chosen]),
        )
        for feature in largest
        if differences[feature] != 0
    )


def _flags(n_rows: int, indices: IntArray) -> npt.NDArray[np.bool_]:
    is_chosen: npt.NDArray[np.bool_] = np.zeros(n_rows, dtype=bool)
    is_chosen[indices] = True
    return is_chosen


class RowList(Struct, frozen=True):
    """Rows of the file, the most remarkable first, and a sentence that says how they were found."""

    rows: tuple[int, ...]
    words: str


def outliers(data: LabeledData, placer: RowPlacer) -> RowList:
    """Return the rows beyond the 99 % limit of T² or Q, farthest first."""
    everything = placer.rows(data, np.arange(len(data.y)))
    fitted, new = (placer.place(everything, is_new=is_new) for is_new in (False, True))
    excess = np.where(placer.is_held_out, new.excess, fitted.excess)
    beyond = np.flatnonzero(excess > 1)
    expected = max(1, round(0.02 * len(data.y)))
    words = (
        f"{count(len(beyond), 'row')} beyond the 99 % limit of T² (in the plane) or Q (off it); "
        f"about {expected:,} are expected by chance."
    )
    return _rows(data, beyond[np.argsort(-excess[beyond], kind="stable")], words)


def suspect_labels(data: LabeledData, log_mixtures: FloatArray) -> RowList:
    """Return the rows that are probably mislabeled, and about how many of them are not.

    Parameters
    ----------
    data : LabeledData
    log_mixtures : ndarray of shape (n_samples, n_classes)
        Of the classes, by planes fitted without the row.
    """
    suspects = SuspectLabels.of(log_mixtures, data.y)
    words = suspects.words[0].upper() + suspects.words[1:]
    return _rows(data, suspects.rows, f"{words}; judged by planes fitted without each row.")


def rows_named(data: LabeledData, text: str) -> RowList:
    """Return the rows whose number a text is, or that have it in their name or another text.

    The row of that number comes first, then rows by name, then by the texts of other columns.
    """
    wanted = text.strip().casefold()
    columns = sorted(data.row_columns, key=lambda column: column.role is not Role.NAME)
    texts = [each for each in columns if each.levels is not None or each.role is Role.NAME]
    searched = [each for each in texts if not each.is_pictures]
    matches = {each.name: _has_text(each, wanted) for each in searched} if wanted else {}
    by = [*matches.values()]
    if wanted.isdecimal():
        by.insert(0, data.row_numbers == int(wanted[:18]))
    has_text = np.array(by, dtype=bool).reshape(len(by), len(data.y))
    rows = np.flatnonzero(has_text.any(axis=0))
    if not len(rows):
        words = f'No row has "{text.strip()}" as its number, or in its name or another text.'
        return _rows(data, rows, words)
    rows = rows[np.argsort(has_text[:, rows].argmax(axis=0), kind="stable")]
    columns_with = [name for name, rows_with in matches.items() if rows_with.any()]
    where = f" in {listed(columns_with)}" if columns_with else ""
    return _rows(data, rows, f"{count(len(rows), 'row')} found{where}")


def _has_text(column: RowColumn, wanted: str) -> npt.NDArray[np.bool_]:
    """Return which rows have a text in a column; each distinct one is searched once."""
    if column.levels is None:
        return np.array([wanted in text for text in column.texts])
    has_text = np.array([*(wanted in level.casefold() for level in column.levels), False])
    codes = np.where(np.isnan(column.values), -1, column.values).astype(np.int64)
    matches: npt.NDArray[np.bool_] = has_text[codes]
    return matches


def _rows(data: LabeledData, indices: IntArray, words: str) -> RowList:
    return RowList(tuple(data.row_numbers[indices[:MAX_FOUND]].tolist()), words)

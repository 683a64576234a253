"""Some rows of a table: who they are, what distinguishes them, and all of them as a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import standardized_differences
from melm_studio.rows.details import in_units, table_values, value_text
from melm_studio.rows.held_out_probabilities import KnownProbabilities
from melm_studio.rows.new_rows_report import placement_columns
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import RowSummary, judged_out_of_fold, names_of, row_summaries
from melm_studio.rows.unlabeled_rows import (
    ChosenRows,
    unlabeled_names,
    unlabeled_placement,
    unlabeled_summaries,
)
from melm_studio.tables import LabeledData

MAX_LISTED = 200
UNLABELED = "without a label"
MAX_DIFFERENCES = 5


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
        Every row and column of the file.
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
        cells = columns.iloc[who["row"].to_numpy() - 1].reset_index(drop=True)
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

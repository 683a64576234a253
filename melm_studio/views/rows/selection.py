"""Some rows of a table: who they are, what distinguishes them, and all of them as a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import standardized_differences
from melm_studio.tables import LabeledData
from melm_studio.views.rows.details import table_values, value_text
from melm_studio.views.rows.new_rows_report import placement_columns
from melm_studio.views.rows.placement import RowPlacer
from melm_studio.views.rows.row_summaries import RowSummary, names_of, row_summaries

MAX_LISTED = 200
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
        The number of rows of each class that has some.
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
    data: LabeledData, placer: RowPlacer, chosen: IntArray, out_of_fold: FloatArray | None = None
) -> Selection:
    """Return what is to be known about rows, by index."""
    counts = np.bincount(data.y[chosen], minlength=len(data.class_names))
    return Selection(
        n_rows=len(chosen),
        classes=tuple(
            (name, int(n)) for name, n in zip(data.class_names, counts, strict=True) if n
        ),
        rows=tuple(row_summaries(data, placer, chosen[:MAX_LISTED], out_of_fold)),
        differences=_differences(data, chosen),
    )


def selection_table(
    data: LabeledData, placer: RowPlacer, chosen: IntArray, columns: pd.DataFrame
) -> pd.DataFrame:
    """Return rows with their names, all columns of their file, predictions and coordinates.

    Parameters
    ----------
    data : LabeledData
    placer : RowPlacer
    chosen : ndarray of shape (n_chosen,)
        Indices of the rows.
    columns : DataFrame
        Every column of the file, a row for each of `data`.
    """
    placement = placer.place(placer.rows(data, chosen), is_new=False)
    names = names_of(data, chosen)
    known = pd.DataFrame(
        {
            "row": data.row_numbers[chosen],
            **({"name": names} if names else {}),
            "held out": np.where(placer.is_held_out[chosen], "yes", "no"),
        }
    )
    placed = pd.DataFrame(placement_columns(data.class_names, placement))
    cells = columns.iloc[chosen].reset_index(drop=True)
    return pd.concat([known, cells, placed], axis=1)


def _differences(data: LabeledData, chosen: IntArray) -> tuple[Difference, ...]:
    is_chosen: npt.NDArray[np.bool_] = np.zeros(len(data.y), dtype=bool)
    is_chosen[chosen] = True
    if is_chosen.all() or not is_chosen.any():
        return ()
    found = standardized_differences(data.X, is_chosen)
    largest = np.argsort(-np.abs(found), kind="stable")[:MAX_DIFFERENCES]
    return tuple(
        Difference(
            data.feature_names[feature],
            float(found[feature]) if np.isfinite(found[feature]) else None,
            value_text(table_values(data, feature)[is_chosen]),
            value_text(table_values(data, feature)[~is_chosen]),
        )
        for feature in largest
        if found[feature] != 0
    )

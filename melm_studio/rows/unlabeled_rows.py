"""Rows without a class among the chosen ones: what their plane takes them for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import IntArray
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.rows.row_summaries import (
    RowSummary,
    basis_words,
    predicted_classes,
    probability_words,
    unlike_words,
)
from melm_studio.tables import LabeledData, Role, UnlabeledRows

NO_ROWS: IntArray = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """Rows of the file by their indices among those with a class, and among those without one.

    Attributes
    ----------
    labeled : ndarray of int, shape (n_labeled,)
    unlabeled : ndarray of int, shape (n_unlabeled,)
    """

    labeled: IntArray
    unlabeled: IntArray

    @classmethod
    def of(cls, data: LabeledData, rows: Sequence[int]) -> ChosenRows:
        """Return those of the rows that the data have, by their numbers in the file."""
        numbers = np.asarray(rows, dtype=np.int64)
        others = data.unlabeled
        return cls(
            np.flatnonzero(np.isin(data.row_numbers, numbers)),
            NO_ROWS if others is None else np.flatnonzero(np.isin(others.row_numbers, numbers)),
        )

    def __len__(self) -> int:
        return len(self.labeled) + len(self.unlabeled)


def unlabeled_placement(placer: RowPlacer, indices: IntArray) -> Placement:
    """Place rows without a class, by index, as rows that the plane was not fitted to."""
    return placer.place(placer.unlabeled_rows(indices), is_new=True)


def unlabeled_summaries(
    data: LabeledData, placer: RowPlacer, indices: IntArray
) -> list[RowSummary]:
    """Return summaries of rows without a class, by index."""
    if not len(indices) or data.unlabeled is None:
        return []
    placement = unlabeled_placement(placer, indices)
    unlike = unlike_words(placement)
    names = unlabeled_names(data.unlabeled, indices) or [""] * len(indices)
    return [
        RowSummary(
            row=int(data.unlabeled.row_numbers[index]),
            name=name,
            label="",
            predicted=predicted,
            probability=probability,
            basis=basis_words(data, placement, is_new=True),
            unlike=where,
        )
        for index, name, predicted, probability, where in zip(
            indices,
            names,
            predicted_classes(data, placement, unlike),
            probability_words(placement, unlike),
            unlike,
            strict=True,
        )
    ]


def unlabeled_names(others: UnlabeledRows, indices: IntArray) -> list[str]:
    """Return the names of rows without a class, by index; empty without a column of names."""
    named = (column for column in others.row_columns if column.role is Role.NAME)
    column = next(named, None)
    return [] if column is None else column.rows(indices).texts

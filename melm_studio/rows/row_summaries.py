"""Rows in one line each: name, class, predicted class with its probability, and whether unlike.

Of rows without a class too, which the plane takes for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from melm_core.base import IntArray, percent
from melm_studio.rows.held_out_probabilities import KnownProbabilities
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.tables import LabeledData, Role, UnlabeledRows, number

HELD_OUT = "held out"
OUT_OF_FOLD = "out of fold"
UNKNOWN = "no probability"
NO_CLASS = "no class"

_SURE = 0.95  # more than a table tells of one row
_SURE_WORDS = f"over {percent(_SURE)}"
NO_ROWS: IntArray = np.empty(0, dtype=np.int64)


class RowSummary(Struct, frozen=True, kw_only=True):
    """One row in a plane.

    Attributes
    ----------
    row : int
        Of the file, counted from 1 without the header.
    name, label : str
        Empty where they are not known.
    predicted : str
        The most probable class; empty of a row that is unlike those of the fit.
    probability : str
        Of that class, with equal priors, no finer than rows tell; empty without a class.
    basis : str
        What the probability rests on: "held out" or, where the row itself was part of the fit,
        "out of fold", and by how many rows it is calibrated if not by all; "no probability"
        where no refits of the plane without its rows are known.
    unlike : str
        Where it is unlike the rows of the fit: "in the plane", "off the plane", or empty.
    possible : str
        The classes that it may be of, where that is not the most probable one alone: "Barolo or
        Grignolino", "no class"; empty otherwise, and where it is not known.
    """

    row: int
    name: str
    label: str
    predicted: str
    probability: str
    basis: str
    unlike: str
    possible: str = ""


def row_summaries(
    data: LabeledData,
    placer: RowPlacer,
    indices: IntArray,
    probabilities: KnownProbabilities | None = None,
) -> list[RowSummary]:
    """Return summaries of rows of the table, by index.

    Parameters
    ----------
    data : LabeledData
    placer : RowPlacer
    indices : ndarray of shape (n_rows,)
    probabilities : KnownProbabilities, optional
        Of the plane: training rows have theirs out of fold.
    """
    is_held_out = placer.is_held_out[indices]
    rows = placer.rows(data, indices)
    as_fitted, as_new = (placer.place(rows, is_new=is_new) for is_new in (False, True))
    unlike = np.where(is_held_out, unlike_words(as_new), unlike_words(as_fitted))
    judged = judged_out_of_fold(as_new, indices, ~is_held_out, probabilities)
    judged = judged.with_sets(None if probabilities is None else probabilities.p_values(indices))
    basis = [basis_words(data, judged, is_new=bool(is_new)) for is_new in is_held_out]
    names = names_of(data, indices) or [""] * len(indices)
    return [
        RowSummary(
            row=int(data.row_numbers[index]),
            name=name,
            label=data.class_names[data.y[index]],
            predicted=predicted,
            probability=probability,
            basis=kind,
            unlike=str(where),
            possible=possible,
        )
        for index, name, predicted, probability, kind, where, possible in zip(
            indices,
            names,
            predicted_classes(data, judged, unlike),
            probability_words(judged, unlike),
            basis,
            unlike,
            other_sets(data, judged, unlike),
            strict=True,
        )
    ]


def judged_out_of_fold(
    placement: Placement,
    indices: IntArray,
    is_fitted: npt.NDArray[np.bool_],
    probabilities: KnownProbabilities | None,
) -> Placement:
    """Replace the probabilities of fitted rows in a placement by those out of fold.

    Parameters
    ----------
    placement : Placement
    indices : ndarray of int, shape (n_rows,)
        The indices of its rows in the table.
    is_fitted : ndarray of bool, shape (n_rows,)
        Which of them the plane was fitted to.
    probabilities : KnownProbabilities or None
    """
    if probabilities is None:
        return placement
    shares = placement.probabilities
    if shares is None:  # the refits that were kept say nothing of other rows
        shares = probabilities.of_rows(indices)
    elif is_fitted.any():
        shares = shares.copy()
        shares[is_fitted] = probabilities.of_rows(indices[is_fitted])
    predicted = np.where(is_fitted, shares.argmax(axis=1), placement.predicted)
    return replace(
        placement, probabilities=shares, predicted=predicted, n_calibrating=probabilities.n_rows
    )


def predicted_classes(
    data: LabeledData, placement: Placement, unlike: Sequence[str] | npt.NDArray[np.str_]
) -> list[str]:
    """Name the most probable class of each row; empty if it is unlike the fit's rows."""
    rows = zip(placement.predicted, unlike, strict=True)
    return ["" if where else data.class_names[code] for code, where in rows]


def set_words(data: LabeledData, placement: Placement) -> list[str]:
    """Name the classes in the set of each row: "Barolo or Grignolino"; "no class" of none."""
    if placement.sets is None:
        return [""] * len(placement.predicted)
    names = np.array(data.class_names, dtype=object)
    return [" or ".join(names[codes]) if codes.any() else NO_CLASS for codes in placement.sets]


def other_sets(
    data: LabeledData, placement: Placement, unlike: Sequence[str] | npt.NDArray[np.str_]
) -> list[str]:
    """Name the sets that are not the most probable class alone; empty of an unlike row."""
    alone = [data.class_names[code] for code in placement.predicted]
    rows = zip(set_words(data, placement), alone, unlike, strict=True)
    return ["" if where or words == predicted else words for words, predicted, where in rows]


def probability_words(
    placement: Placement, unlike: Sequence[str] | npt.NDArray[np.str_]
) -> list[str]:
    """Say how probable the class of each row is: "82 %", "over 95 %"; empty if unknown."""
    if placement.probabilities is None:
        return [""] * len(unlike)
    largest = zip(placement.probabilities.max(axis=1).tolist(), unlike, strict=True)
    return ["" if where else _words_of(share) for share, where in largest]


def _words_of(share: float) -> str:
    return _SURE_WORDS if share > _SURE else percent(share)


def basis_words(data: LabeledData, placement: Placement, *, is_new: bool) -> str:
    """Say what probabilities of rows rest on, see `RowSummary`."""
    if placement.probabilities is None:
        return UNKNOWN
    basis = HELD_OUT if is_new else OUT_OF_FOLD
    return f"{basis}{sample_words(data, placement)}"


def sample_words(data: LabeledData, placement: Placement) -> str:
    """By how many rows probabilities are calibrated, if that is a sample of those of a run."""
    n_rows = placement.n_calibrating
    # Held-out rows calibrate nothing; a sample is smaller than what is left without them.
    return f", calibrated by {number(n_rows)} rows" if n_rows < len(data.y) / 2 else ""


def unlike_words(placement: Placement) -> list[str]:
    """Say where each row exceeds a limit: "in the plane", "off the plane", or empty."""
    off = placement.residuals / placement.residual_limit
    within = placement.score_distances / placement.score_limit
    kinds = np.where(off >= within, "off the plane", "in the plane")
    words: list[str] = np.where(np.maximum(off, within) > 1, kinds, "").tolist()
    return words


def names_of(data: LabeledData, indices: IntArray) -> list[str]:
    """Return the names of rows, by index; empty without a column of names."""
    column = data.row_column(Role.NAME)
    return [] if column is None else column.rows(indices).texts


def indices_of(data: LabeledData, rows: Sequence[int]) -> IntArray:
    """Return the indices of the rows of a file that the data have, in its order."""
    indices: IntArray = np.flatnonzero(np.isin(data.row_numbers, np.asarray(rows, dtype=np.int64)))
    return indices


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

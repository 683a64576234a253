"""Rows in one line each: name, class, predicted class with its probability, and whether unlike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from melm_core.base import FloatArray, IntArray, percent
from melm_studio.rows.held_out_probabilities import HeldOutProbabilities
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.tables import LabeledData, Role

HELD_OUT = "held out"
OUT_OF_FOLD = "out of fold"
TRAINING = "training"
UNCALIBRATED = ", uncalibrated"

_SURE = 0.95  # more than a table tells of one row
_SURE_WORDS = f"over {percent(_SURE)}"


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
        What the probability rests on: "held out", "out of fold" or, where the row itself was part
        of the fit, "training"; and whether it is uncalibrated.
    unlike : str
        Where it is unlike the rows of the fit: "in the plane", "off the plane", or empty.
    """

    row: int
    name: str
    label: str
    predicted: str
    probability: str
    basis: str
    unlike: str


def row_summaries(
    data: LabeledData,
    placer: RowPlacer,
    chosen: IntArray,
    known: HeldOutProbabilities | None = None,
) -> list[RowSummary]:
    """Return summaries of rows of the table, by index.

    Parameters
    ----------
    data : LabeledData
    placer : RowPlacer
    chosen : ndarray of shape (n_chosen,)
    known : HeldOutProbabilities, optional
        Of the plane: training rows have theirs out of fold, and others are calibrated.
    """
    is_held_out = placer.is_held_out[chosen]
    rows = placer.rows(data, chosen)
    as_fitted, as_new = (
        placer.place(rows, is_new=is_new, calibration=known.calibration if known else None)
        for is_new in (False, True)
    )
    unlike = np.where(is_held_out, unlike_words(as_new), unlike_words(as_fitted))
    if known is None:
        shares = as_fitted.probabilities
        basis = np.where(is_held_out, HELD_OUT + UNCALIBRATED, TRAINING + UNCALIBRATED)
    else:
        shares = np.where(is_held_out[:, None], as_new.probabilities, known.probabilities[chosen])
        basis = np.where(is_held_out, HELD_OUT, OUT_OF_FOLD)
    names = names_of(data, chosen) or [""] * len(chosen)
    return [
        RowSummary(
            row=int(data.row_numbers[index]),
            name=name,
            label=data.class_names[data.y[index]],
            predicted=predicted_class(data.class_names, share, where),
            probability=probability_words(share, where),
            basis=str(kind),
            unlike=str(where),
        )
        for index, name, share, kind, where in zip(
            chosen, names, shares, basis, unlike, strict=True
        )
    ]


def predicted_class(class_names: Sequence[str], shares: FloatArray, unlike: str) -> str:
    """The most probable class of a row; empty of one that is unlike those of the fit."""
    return "" if unlike else class_names[int(shares.argmax())]


def probability_words(shares: FloatArray, unlike: str) -> str:
    """How probable that class is, to what rows tell: "82 %", "over 95 %"."""
    if unlike:
        return ""
    largest = float(shares.max())
    return _SURE_WORDS if largest > _SURE else percent(largest)


def held_out_basis(placement: Placement) -> str:
    """What probabilities of rows rest on that the plane was not fitted to."""
    return HELD_OUT if placement.is_calibrated else HELD_OUT + UNCALIBRATED


def unlike_words(placement: Placement) -> list[str]:
    """Where each row exceeds a limit: "in the plane", "off the plane", or empty."""
    off = placement.residuals / placement.residual_limit
    within = placement.score_distances / placement.score_limit
    kinds = np.where(off >= within, "off the plane", "in the plane")
    words: list[str] = np.where(np.maximum(off, within) > 1, kinds, "").tolist()
    return words


def names_of(data: LabeledData, chosen: IntArray) -> list[str]:
    """The names of rows, by index; empty without a column of names."""
    column = data.row_column(Role.NAME)
    return [] if column is None else column.rows(chosen).texts


def indices_of(data: LabeledData, rows: Sequence[int]) -> IntArray:
    """The indices of the rows of a file that the data have, in the order of the file."""
    indices: IntArray = np.flatnonzero(np.isin(data.row_numbers, np.asarray(rows, dtype=np.int64)))
    return indices

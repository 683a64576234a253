"""Rows in one line each: name, class, predicted class with its probability, and whether unlike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.tables import LabeledData, Role

HELD_OUT = "held out"
OUT_OF_FOLD = "out of fold"
TRAINING = "training"


class RowSummary(Struct, frozen=True, kw_only=True):
    """One row in a plane.

    Attributes
    ----------
    row : int
        Of the file, counted from 1 without the header.
    name, label : str
        Empty where they are not known.
    predicted : str
        The most probable class.
    probability : float
        Of that class, with equal priors.
    basis : str
        What the probability rests on: "held out", "out of fold" or, where the row itself was part
        of the fit, "training".
    unlike : str
        Where it is unlike the rows of the fit: "in the plane", "off the plane", or empty.
    """

    row: int
    name: str
    label: str
    predicted: str
    probability: float
    basis: str
    unlike: str


def row_summaries(
    data: LabeledData, placer: RowPlacer, chosen: IntArray, out_of_fold: FloatArray | None = None
) -> list[RowSummary]:
    """Return summaries of rows of the table, by index.

    Parameters
    ----------
    data : LabeledData
    placer : RowPlacer
    chosen : ndarray of shape (n_chosen,)
    out_of_fold : ndarray of shape (n_samples, n_classes), optional
        Probabilities by planes fitted without the row; used for training rows where known.
    """
    is_held_out = placer.is_held_out[chosen]
    rows = placer.rows(data, chosen)
    as_fitted, as_new = (placer.place(rows, is_new=is_new) for is_new in (False, True))
    unlike = np.where(is_held_out, unlike_words(as_new), unlike_words(as_fitted))
    shares, basis = as_fitted.probabilities, np.where(is_held_out, HELD_OUT, TRAINING)
    if out_of_fold is not None:
        is_known = ~is_held_out & ~np.isnan(out_of_fold[chosen]).any(axis=1)
        shares = np.where(is_known[:, None], out_of_fold[chosen], shares)
        basis = np.where(is_known, OUT_OF_FOLD, basis)
    names = names_of(data, chosen) or [""] * len(chosen)
    return [
        RowSummary(
            row=int(data.row_numbers[index]),
            name=name,
            label=data.class_names[data.y[index]],
            predicted=data.class_names[int(share.argmax())],
            probability=float(share.max()),
            basis=str(kind),
            unlike=str(where),
        )
        for index, name, share, kind, where in zip(
            chosen, names, shares, basis, unlike, strict=True
        )
    ]


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

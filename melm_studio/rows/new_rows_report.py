"""New rows in the plane of a run: where they are drawn, what they are taken for, how well."""

from __future__ import annotations

import numpy as np
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_studio.rows.new_rows import NewRows, ScaleQuestion
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.rows.row_summaries import (
    RowSummary,
    basis_words,
    other_sets,
    predicted_classes,
    probability_words,
    sample_words,
    set_words,
    unlike_words,
)
from melm_studio.scores import new_rows_sentence
from melm_studio.tables import LabeledData, count

MAX_LISTED = 200

_SHARE_OF = "probability of "
_SET = "classes at 90 %"
_NO_CLASS = "no class, as most new rows are unlike the training rows"
_NO_PROBABILITIES = (
    "No probabilities: they need refits that leave rows out, of the plane that its run found, and "
    "enough rows for these; for a nonlinear method, Suspect labels computes them."
)
_SAMPLED = "Their probabilities are{sample} of the run."


class NewRowsReport(Struct, frozen=True, kw_only=True):
    """New rows in a plane.

    Attributes
    ----------
    name : str
        Of their table.
    headline : str
        How many were placed, and how well they are told apart or what they are taken for.
    notes : tuple of str
        What else is to be known, a sentence each.
    class_names : tuple of str
    confusion : tuple of tuple of int
        The number of labeled rows of each class (first) taken for each class; empty without labels.
    rows : tuple of RowSummary
        The first ones.
    n_rows : int
    scales : tuple of ScaleQuestion
        Columns that seem to be in another unit.
    """

    name: str
    headline: str
    notes: tuple[str, ...]
    class_names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    rows: tuple[RowSummary, ...]
    n_rows: int
    scales: tuple[ScaleQuestion, ...] = ()


def new_rows_report(
    data: LabeledData, placer: RowPlacer, new: NewRows, placement: Placement
) -> NewRowsReport:
    """Return the report of new rows.

    Parameters
    ----------
    data : LabeledData
        Of the run.
    placer : RowPlacer
    new : NewRows
    placement : Placement
        Of the new rows.
    """
    confusion = _confusion(new, placement, len(data.class_names))
    if is_mostly_unlike(placement):
        confusion = np.zeros_like(confusion)
    return NewRowsReport(
        name=new.name,
        headline=_headline(data, new, placement, confusion),
        notes=(
            *new.notes,
            *_unlike_notes(data, placer, placement),
            *_probability_notes(data, placement),
        ),
        class_names=data.class_names,
        confusion=tuple(map(tuple, confusion.tolist())) if confusion.any() else (),
        rows=tuple(_summaries(data, new, placement)),
        n_rows=len(new.row_numbers),
        scales=new.scales,
    )


def new_rows_table(data: LabeledData, new: NewRows, placement: Placement) -> pd.DataFrame:
    """Return every new row: prediction, probabilities, distances with limits, coordinates.

    Where most rows are unlike those of the table, none has a class.
    """
    placed = placement_columns(data, placement)
    if is_mostly_unlike(placement):
        none = np.full(len(new.row_numbers), np.nan)
        shares = {name: none for name in placed if name.startswith(_SHARE_OF)}
        sets = {name: [""] * len(none) for name in placed if name == _SET}
        placed |= {"predicted": [""] * len(none), **sets, **shares}
    labels = [data.class_names[code] if code >= 0 else "" for code in new.labels]
    return pd.DataFrame(
        {
            "row": new.row_numbers,
            **({"name": new.names} if new.names else {}),
            **({"label": labels} if (new.labels >= 0).any() else {}),
            **placed,
        }
    )


def placement_columns(data: LabeledData, placement: Placement) -> dict[str, FloatArray | list[str]]:
    """Return the columns of a table that describe placed rows; of unlike ones, no class.

    Probabilities have the digits that a share of the rows has that calibrate them.
    """
    unlike = unlike_words(placement)
    return {
        "predicted": predicted_classes(data, placement, unlike),
        **_set_column(data, placement),
        **_probability_columns(data, placement),
        "T2": placement.score_distances,
        "Q": placement.residuals,
        "unlike the others": unlike,
        **{
            f"component_{i + 1}": placement.coordinates[:, i]
            for i in range(placement.coordinates.shape[1])
        },
    }


def is_mostly_unlike(placement: Placement) -> bool:
    """Return whether so many rows are unlike the table's that no classes are reported."""
    return bool(2 * placement.is_unlike.sum() > len(placement.is_unlike))


def taken_for(data: LabeledData, placement: Placement, indices: IntArray) -> list[str]:
    """Return the predicted class of each row, in words: "Barolo 82 %"."""
    unlike, hides = unlike_words(placement), is_mostly_unlike(placement)
    predicted, shares = _said(data, placement, unlike)
    return [
        "unlike the training rows"
        if unlike[i]
        else _NO_CLASS
        if hides
        else f"{predicted[i]} {shares[i]}".rstrip()
        for i in indices
    ]


def _probability_notes(data: LabeledData, placement: Placement) -> tuple[str, ...]:
    if placement.probabilities is None:
        return (_NO_PROBABILITIES,)
    sample = sample_words(data, placement)
    return (_SAMPLED.format(sample=sample.removeprefix(",")),) if sample else ()


def _set_column(data: LabeledData, placement: Placement) -> dict[str, FloatArray | list[str]]:
    """Without it where sets are unknown."""
    return {} if placement.sets is None else {_SET: set_words(data, placement)}


def _probability_columns(data: LabeledData, placement: Placement) -> dict[str, FloatArray]:
    """None of a plane whose probabilities are unknown, and nan of rows that have no class."""
    if placement.probabilities is None:
        return {}
    shares = np.where(placement.is_unlike[:, None], np.nan, placement.probabilities)
    shares = shares.round(len(str(placement.n_calibrating)))
    return {f"{_SHARE_OF}{name}": shares[:, i] for i, name in enumerate(data.class_names)}


def _said(
    data: LabeledData, placement: Placement, unlike: list[str]
) -> tuple[list[str], list[str]]:
    """Return class and probability of each row; of none where most rows are unlike."""
    if is_mostly_unlike(placement):
        return [""] * len(unlike), [""] * len(unlike)
    return predicted_classes(data, placement, unlike), probability_words(placement, unlike)


def _summaries(data: LabeledData, new: NewRows, placement: Placement) -> list[RowSummary]:
    unlike = unlike_words(placement)
    predicted, shares = _said(data, placement, unlike)
    hides = is_mostly_unlike(placement)
    possible = [""] * len(unlike) if hides else other_sets(data, placement, unlike)
    return [
        RowSummary(
            row=int(new.row_numbers[i]),
            name=new.names[i] if new.names else "",
            label=data.class_names[new.labels[i]] if new.labels[i] >= 0 else "",
            predicted=predicted[i],
            probability=shares[i],
            basis=basis_words(data, placement, is_new=True),
            unlike=unlike[i],
            possible=possible[i],
        )
        for i in range(min(len(unlike), MAX_LISTED))
    ]


def _confusion(new: NewRows, placement: Placement, n_classes: int) -> np.ndarray:
    is_labeled = new.labels >= 0
    pairs = new.labels[is_labeled] * n_classes + placement.predicted[is_labeled]
    counts: np.ndarray = np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)
    return counts


def _headline(data: LabeledData, new: NewRows, placement: Placement, confusion: np.ndarray) -> str:
    rows = count(len(new.row_numbers), "new row")
    sizes = confusion.sum(axis=1)
    if is_mostly_unlike(placement):
        n_unlike = int(placement.is_unlike.sum())
        return f"{n_unlike:,} of {rows} are unlike the training rows, so no classes are given"
    if not sizes.any():
        alike: IntArray = placement.predicted[~placement.is_unlike]
        taken = np.bincount(alike, minlength=len(data.class_names))
        parts = [f"{n} {name}" for n, name in zip(taken, data.class_names, strict=True) if n]
        n_unlike = len(placement.predicted) - len(alike)
        if n_unlike:
            parts.append(f"{n_unlike} unlike the training rows")
        return f"{rows}: {', '.join(parts)}"
    present = sizes > 0
    accuracy = np.mean(np.diagonal(confusion)[present] / sizes[present])
    return new_rows_sentence(float(accuracy), int(sizes.sum()), len(data.class_names))


def _unlike_notes(data: LabeledData, placer: RowPlacer, placement: Placement) -> tuple[str, ...]:
    """Count unlike rows beside those among held-out rows or, without any, training rows."""
    if not placer.has_distances:
        return ()
    n_unlike = int(placement.is_unlike.sum())
    is_held_out = placer.is_held_out
    kind = "held-out" if is_held_out.any() else "training"
    references = np.flatnonzero(is_held_out if is_held_out.any() else ~is_held_out)
    others = placer.place(placer.rows(data, references), is_new=bool(is_held_out.any())).is_unlike
    are = "is" if n_unlike == 1 else "are"
    return (
        f"{n_unlike:,} of {len(placement.predicted):,} {are} unlike anything in the run's table "
        f"(beyond the 99 % limit of T² or Q), as {int(others.sum()):,} of its {len(references):,} "
        f"{kind} rows are.",
    )

"""Separation that remains without the columns, or the rows, that may decide alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from melm_core.base import UserError
from melm_core.evaluation import Refits
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.check_report import Without
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import (
    LabeledData,
    kept_twins,
    listed,
    row_sources,
    shortened,
    without_columns,
)

MOST_PARTS = 12  # values of a column of sites or batches
LEAST_ROWS = 5  # of every class among the others
# What is left without the rows of one value must be less by so much, and hardly above guessing.
LEAST_LOSS, CLEARLY = 0.2, 2.0


def left_without(
    refits: Refits, data: LabeledData, record: RunRecord, callback: Callable[[Refits], None]
) -> Iterator[Without]:
    """Yield the separation without the columns that repeat the label, and without rows.

    Parameters
    ----------
    refits : Refits
        Of the run, of all rows of the data.
    data : LabeledData
    record : RunRecord
    callback : callable
        Called with the refits without those columns after each fold.
    """
    whole, chance = refits.share, 1.0 / len(data.class_names)
    if whole.balanced_accuracy - chance <= CLEARLY * whole.standard_error:
        return  # nothing is told apart with them either
    if names := kept_twins(data.questions):
        yield from _without_columns(names, data, record, callback)
    yield from _without_rows(refits, data)


def _without_columns(
    names: tuple[str, ...],
    data: LabeledData,
    record: RunRecord,
    callback: Callable[[Refits], None],
) -> Iterator[Without]:
    what = listed([shortened(name) for name in names])
    n_classes = len(data.class_names)
    try:
        study = study_of(without_columns(data, names), record)
    except UserError:  # there is no other feature
        yield Without(what, 1.0 / n_classes, 0.0, is_one=len(names) == 1, columns=names)
        return
    share = Refits.of(study, gamma=record.density_gamma, callback=callback).share
    yield Without(
        what, share.balanced_accuracy, share.standard_error, is_one=len(names) == 1, columns=names
    )


def _without_rows(refits: Refits, data: LabeledData) -> Iterator[Without]:
    """Yield the batch, group or site without whose rows least is left, if that is nothing."""
    whole, chance = refits.share, 1.0 / len(data.class_names)
    shares = [
        (score, f"the rows of {shortened(name)} {shortened(text)}")
        for name, texts in row_sources(data)
        for text, is_of in _parts(texts, refits.held_out)
        if (score := _share(refits, ~is_of)) is not None
    ]
    if not shares:
        return
    (share, error), what = min(shares)
    is_lost = whole.balanced_accuracy - share >= max(LEAST_LOSS, CLEARLY * error)
    if is_lost and share - chance <= CLEARLY * error:
        yield Without(what, share, error, is_one=False)


def _parts(
    of_rows: Sequence[str], rows: npt.NDArray[np.int64]
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Return the texts of a column of few values, and the rows that have each."""
    texts = np.array(of_rows, dtype=object)[rows]
    distinct = sorted(set(texts.tolist()) - {""})
    if 2 <= len(distinct) <= MOST_PARTS:
        for text in distinct:
            yield text, texts == text


def _share(refits: Refits, is_kept: npt.NDArray[np.bool_]) -> tuple[float, float] | None:
    """Compute the balanced accuracy of some held-out rows; None where a class has too few."""
    right, y = refits.right[is_kept].astype(np.float64), refits.y[is_kept]
    counts = np.bincount(y, minlength=refits.study.n_classes)
    if counts.min() < LEAST_ROWS:
        return None
    recall = np.bincount(y, weights=right, minlength=len(counts)) / counts
    error = float(np.sqrt((recall * (1.0 - recall) / counts).sum()) / len(counts))
    return float(recall.mean()), error

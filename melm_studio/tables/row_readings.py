"""Readings of rows that may depend on each other, each plausible way, where nobody has chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from melm_core.base import IntArray, UserError
from melm_core.folds import dependence_length, near_doubles
from melm_studio.tables.dependence import FEWEST_BLOCKS, neighbor_blocks
from melm_studio.tables.formatting import number, shortened
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.questions import DOUBLES, NEIGHBORS, SUBJECTS, TOGETHER, Question
from melm_studio.tables.without_columns import without_columns

FEWEST_RUNS = 10  # that the file is divided into
# Adjacent runs of so many times the length over which rows resemble each other are hardly alike.
FEWEST_LENGTHS = 2
MOST_LENGTHS = 4  # of runs


@dataclass(frozen=True, eq=False)
class Reading:
    """One way in which rows may belong together.

    Attributes
    ----------
    question : Question
        That asks whether they do.
    answer : str
        By which that would be said: "runs:20".
    data : LabeledData
        As that answer would make them: with groups, and without the column that names these.
    together : str
        In words: "runs of 20 neighboring rows".
    """

    question: Question
    answer: str
    data: LabeledData
    together: str

    @property
    def n_rows(self) -> int:
        """Rows of the largest group."""
        groups = self.data.groups
        return 1 if groups is None else int(np.bincount(groups).max())


def readings(data: LabeledData) -> tuple[Reading, ...]:
    """In which ways rows may belong together, besides that they do not.

    Runs of neighboring rows go up from the length over which these resemble each other to about
    a tenth of the file, and begin with the longest, as shorter ones prove less. A question has no
    reading where rows resemble each other too far along the file for runs of it, or where the
    column that it asks about is no longer there or is the only feature.

    Parameters
    ----------
    data : LabeledData
        All rows, in the order of the file.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from melm_studio.tables import Table, prepare, readings
    >>> rng = np.random.default_rng(0)
    >>> walk = np.repeat(rng.normal(size=(60, 2)), 3, axis=0) + 0.5 * rng.normal(size=(180, 2))
    >>> frame = pd.DataFrame(walk, columns=["x", "y"]).assign(label=["a"] * 90 + ["b"] * 90)
    >>> [one.together for one in readings(prepare(Table("sorted", frame, ()), "label"))]
    ['runs of 18 neighboring rows', 'runs of 8 neighboring rows', 'runs of 4 neighboring rows']
    """
    plausible: list[Reading] = []
    for question in data.suspicions:
        if question.id == NEIGHBORS:
            plausible += _of_neighbors(question, data)
        elif question.id == DOUBLES:
            plausible += _of_doubles(question, data)
        else:
            plausible += _of_subjects(question, data)
    return tuple(plausible)


def _of_neighbors(question: Question, data: LabeledData) -> Iterator[Reading]:
    n_known = 0
    for n_rows in run_lengths(data):
        groups = neighbor_blocks(data.y, n_rows)
        n_groups = int(groups.max()) + 1
        if n_groups != n_known:  # where runs end with those of the labels, longer ones are the same
            n_known, largest = n_groups, int(np.bincount(groups).max())
            words = f"runs of {number(largest)} neighboring rows"
            yield Reading(question, f"runs:{n_rows}", replace(data, groups=groups), words)


def run_lengths(data: LabeledData) -> tuple[int, ...]:
    """Numbers of neighboring rows that may belong together, the largest first; empty if too many.

    Parameters
    ----------
    data : LabeledData
    """
    length = dependence_length(data.X, data.y)
    longest = min(len(data.y) // FEWEST_RUNS, int(np.bincount(data.y).min()) // FEWEST_BLOCKS)
    if longest < FEWEST_LENGTHS * length:
        return ()
    n_lengths = min(MOST_LENGTHS, 1 + int(np.ceil(np.log2(longest / length))))
    lengths = np.round(np.geomspace(longest, length, n_lengths)).astype(int)
    return tuple(lengths.tolist())


def _of_doubles(question: Question, data: LabeledData) -> Iterator[Reading]:
    if (doubles := near_doubles(data.X, data.y)) is not None:
        reading = replace(data, groups=doubles.groups)
        yield Reading(question, TOGETHER, reading, "nearly equal rows")


def _of_subjects(question: Question, data: LabeledData) -> Iterator[Reading]:
    name = question.id.removeprefix(SUBJECTS)
    groups = _subjects(name, data)
    if groups is None:
        return
    try:  # as a group, it is no feature any more
        reading = without_columns(data, [name])
    except UserError:
        return
    reading = replace(reading, groups=groups)
    yield Reading(question, TOGETHER, reading, f"rows of one {shortened(name)}")


def _subjects(name: str, data: LabeledData) -> IntArray | None:
    """Codes of the values of a column, each missing one by itself; None if they are not kept."""
    values = [column.values for column in data.row_columns if column.name == name]
    owners = [encoding.name for encoding in data.encodings for _ in encoding.feature_names]
    cells = (
        np.column_stack(values)
        if values
        else data.unprepared[:, [owner == name for owner in owners]]
    )
    if not cells.shape[1]:
        return None
    is_missing = np.isnan(cells).any(axis=1)
    codes = np.unique(np.nan_to_num(cells), axis=0, return_inverse=True)[1].reshape(-1)
    codes[is_missing] = len(codes) + np.arange(is_missing.sum())
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)

"""Classes that stand in columns of their own: of class_A and class_B, each row has one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby, takewhile

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_studio.tables.formatting import listed, n_shared, shortened, words_of
from melm_studio.tables.frames import free_name
from melm_studio.tables.identifiers import names_label
from melm_studio.tables.subjects_in_names import is_known

LEAST_ROWS, LEAST_OF_EACH = 10, 2
LEAST_UNNAMED, MOST_CLASSES = 3, 50  # columns at the end whose names do not say that they are
_ONES = {"1.0": "0.0", "true": "false"}  # and what each other row has
_MARKS = " _.-=:"


def with_joined_classes(frame: pd.DataFrame) -> tuple[pd.DataFrame, str, str]:
    """Join columns of 0 and 1 into that of the classes, where each row has one of them.

    Their names begin with a word of labels, or they are the last columns, and no other looks like
    a label, nor has a second such group, as categories have that were encoded.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    frame : DataFrame
        With one column in the place of these, or as it was.
    step : str
        What was joined, a sentence; empty without.
    asked : str
        Why this may be the label, where names do not say it.

    Examples
    --------
    >>> hot = {"class_A": [1.0, 0.0] * 5, "class_B": [0.0, 1.0] * 5}
    >>> frame, step, _ = with_joined_classes(pd.DataFrame({"x": range(10), **hot}))
    >>> step, frame["class"].tolist()[:3]
    ('Joined: class_A, class_B into class, which says which of them is 1.', ['A', 'B', 'A'])
    """
    names = [*map(str, frame)]
    runs = ([*run] for words, run in groupby(names, _words_of_label) if words)
    named = next((run for run in runs if _one_hot(frame, run) == run), [])
    columns = named or _one_hot(frame, names)
    others = [name for name in names if name not in columns]
    least = 2 if named else LEAST_UNNAMED
    is_other = _is_label if named else partial(_may_be_label, frame)
    if len(columns) < least or len(frame) < LEAST_ROWS or any(map(is_other, others)):
        return frame, "", ""
    ends = () if named else range(len(others), 1, -1)
    stem, rest = _stem(columns), frame[others]
    classes = np.array([name[len(stem) :] for name in columns], dtype=object)
    cells = classes[np.column_stack([_marks(frame[name]) for name in columns]).argmax(axis=1)]
    is_of_several = any(len(_one_hot(frame, others[:end])) >= LEAST_UNNAMED for end in ends)
    if is_of_several or is_known(rest, cells.tolist()):  # such are features, of another column
        return frame, "", ""
    name = free_name(stem.strip(_MARKS) or f"{columns[0]} to {columns[-1]}", rest)
    text, place = pd.Series(cells, frame.index, dtype="str", name=name), names.index(columns[0])
    joined = pd.concat([rest.iloc[:, :place], text, rest.iloc[:, place:]], axis=1)
    into = f"{shortened(name)}, which says which of them is 1"
    asked = "" if named else f"{name} says which of the last columns is 1"
    return joined, f"Joined: {listed(columns)} into {into}.", asked


def _words_of_label(name: str) -> tuple[str, ...]:
    """The first words of a name, as far as they name labels."""
    return tuple(takewhile(names_label, words_of(name)))


def _is_label(name: str) -> bool:
    """Return whether all words of a name say that it is a label."""
    return 0 < len(_words_of_label(name)) == len(words_of(name))


def _may_be_label(frame: pd.DataFrame, name: str) -> bool:
    """Return whether the last word of a name says it, or a column has few words."""
    is_text = frame[name].dtype.kind != "f"
    are_few = is_text and 2 <= frame[name].nunique() <= min(MOST_CLASSES, len(frame) // 2)
    return are_few or any(map(names_label, words_of(name)[-1:]))


def _one_hot(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """The last of these columns, of which each row has one; none if there are no such."""
    total = np.zeros(len(frame))
    for n_columns, name in enumerate(reversed(names[-MOST_CLASSES:]), start=1):
        marks = _marks(frame[name])
        total += marks
        if marks.sum() < LEAST_OF_EACH or total.max() > 1:
            break
        if n_columns > 1 and total.min() == 1:
            return [*names[-n_columns:]]
    return []


def _marks(cells: pd.Series) -> npt.NDArray[np.bool_]:
    """Mark the rows with a 1 or True, of a column of nothing else than these and 0 or False."""
    values = {str(value).casefold(): value for value in pd.unique(cells)}
    mark = next((values[text] for text in _ONES if {*values} == {text, _ONES[text]}), None)
    return (cells == mark).to_numpy(np.bool_)


def _stem(names: Sequence[str]) -> str:
    """The words that all names begin with."""
    shared = names[0][: n_shared(names)]
    are_numbered = all(name[len(shared) :].isdecimal() for name in names)
    is_word = (_is_label(shared) or are_numbered) and shared not in names
    n_last = sum(1 for _ in takewhile(str.isalnum, reversed(shared)))  # of a word that may go on
    return shared if is_word else shared[: len(shared) - n_last]

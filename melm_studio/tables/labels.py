"""The label column, and the class of every row."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.formatting import count, listed, number, number_text, shortened
from melm_studio.tables.read import Table, TableError

MAX_CLASSES = 20
MAX_CLASS_NAME = 200  # characters, since legends show it
PROBE_ROWS = 10_000

# The best hint first.
LABEL_WORDS = (
    "label", "class", "target", "y", "species", "diagnosis", "outcome", "category", "type",
    "cultivar", "digit", "variety", "group", "survived", "response", "result",
)  # fmt: skip
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")  # splits sample_id and SampleId


@dataclass(frozen=True, eq=False)
class Classes:
    """Class names, the rows that have one of them, and their codes.

    Attributes
    ----------
    names : tuple of str, (n_classes,)
    rows : ndarray of int64, (n_samples,)
        Positions in the table, ascending.
    y : ndarray of int64, (n_samples,)
    steps : tuple of str
        What was found and excluded, a sentence each.
    """

    names: tuple[str, ...]
    rows: IntArray
    y: IntArray
    steps: tuple[str, ...]


def guess_label(table: Table, without: Collection[str] = ()) -> str:
    """Guess the label column by its name, else by its position and type.

    Parameters
    ----------
    table : Table
    without : collection of str
        Columns that must not be the label.

    Raises
    ------
    TableError
        If no column could be a label.
    """
    candidates = [name for name in label_candidates(table) if name not in without]
    if not candidates:
        raise TableError(
            f"No column could be the label, which has 2 to {MAX_CLASSES} different values with "
            "several rows each. Add a column with the class of every row and drop the file again."
        )
    return candidates[0]


def label_candidates(table: Table) -> tuple[str, ...]:
    """Return the columns that could be the label, the guess first, the others in order."""
    usable = [str(name) for name, column in table.frame.items() if _could_be_label(column)]
    if not usable:
        return ()
    guess = min(usable, key=lambda name: _label_preference(table.frame, name))
    return (guess, *(name for name in usable if name != guess))


def find_classes(frame: pd.DataFrame, label: str) -> Classes:
    """Find the classes with two rows or more in a column.

    Raises
    ------
    TableError
        If the column does not exist or does not have 2 to 20 of them.
    """
    if label not in frame.columns:
        raise TableError(no_such_column(frame, label))
    cells = frame[label]
    counts = cells.value_counts()
    _reject_label(label, counts)
    values = sorted(counts.index[counts > 1], key=sort_key)
    codes = np.asarray(pd.Index(values).get_indexer(pd.Index(cells)), dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)
    names = tuple(_class_name(value) for value in values)
    single = [_class_name(value) for value in counts.index[counts == 1]]
    sizes = dict(zip(names, np.bincount(codes[rows]).tolist(), strict=True))
    n_missing = int(cells.isna().sum())
    return Classes(names, rows, codes[rows], _class_steps(label, sizes, single, n_missing))


def no_such_column(frame: pd.DataFrame, name: str) -> str:
    """Return the message that a column does not exist."""
    columns = listed([str(column) for column in frame.columns])
    return f'There is no column "{shortened(name)}". The columns are {columns}.'


def sort_key(value: float | str) -> tuple[float | str, float | str]:
    """Sort key: numbers by value, text alphabetically."""
    return (value.casefold(), value) if isinstance(value, str) else (value, value)


def words_of(name: str) -> list[str]:
    """Return the words in a column name, in lower case."""
    return [word.lower() for word in WORD.findall(name)]


def _could_be_label(column: pd.Series) -> bool:
    values = column.to_numpy()
    # One more for missing, which is not a class.
    if len(pd.unique(values[:PROBE_ROWS])) > MAX_CLASSES + 1:
        return False
    codes, levels = pd.factorize(values)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    return len(levels) <= MAX_CLASSES and int((counts > 1).sum()) > 1


def _label_preference(frame: pd.DataFrame, name: str) -> tuple[int, bool, bool, bool, int]:
    """Sort key: the lowest is the most likely label."""
    ranks = [
        LABEL_WORDS.index(word) if word in LABEL_WORDS else len(LABEL_WORDS)
        for word in words_of(name)
    ]
    hint = min(ranks) if ranks and max(ranks) < len(LABEL_WORDS) else len(LABEL_WORDS)
    column = frame[name]
    is_last, is_first = name == frame.columns[-1], name == frame.columns[0]
    return hint, not is_last, not is_first, column.dtype.kind == "f", column.nunique()


def _reject_label(label: str, counts: pd.Series[int]) -> None:
    found = count(len(counts), "different value")
    way_out = f"Choose a label with 2 to {MAX_CLASSES} different values and several rows of each."
    if not 2 <= len(counts) <= MAX_CLASSES:
        is_measure = counts.index.dtype.kind == "f" and len(counts) > MAX_CLASSES
        if is_measure:
            way_out += " To use a quantity, split it into ranges such as low and high."
        raise TableError(f'The label column "{shortened(label)}" has {found}. {way_out}')
    if (counts > 1).sum() < 2:
        raise TableError(
            f'The label column "{shortened(label)}" has {found}, but fewer than two of them occur '
            f"in more than one row. {way_out}"
        )
    longest = max(len(_class_name(value)) for value in counts.index)
    if longest > MAX_CLASS_NAME:
        raise TableError(
            f'The label column "{shortened(label)}" has a value of {number(longest)} characters, '
            f"but at most {MAX_CLASS_NAME} can be shown. Shorten it, or choose another label."
        )


def _class_name(value: float | str) -> str:
    return value if isinstance(value, str) else number_text(value)


def _class_steps(
    label: str, sizes: dict[str, int], single: Sequence[str], n_missing: int
) -> tuple[str, ...]:
    shares = ", ".join(
        f"{shortened(name)}{':' if name[-1:].isdigit() else ''} {number(size)}"
        for name, size in sizes.items()
    )
    steps = [f"Label: {shortened(label)}, {len(sizes)} classes ({shares})."]
    if n_missing:
        steps.append(f"Left out: {count(n_missing, 'row')} without a label.")
    if single:
        noun = count(len(single), "class", "classes")
        steps.append(f"Left out: {noun} with a single row ({listed(single)}).")
    return tuple(steps)

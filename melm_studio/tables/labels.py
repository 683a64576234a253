"""The guess of the label column."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from melm_studio.tables.above_rows import NO_GROUPS
from melm_studio.tables.classes import MAX_CLASSES, MAX_VALUES, is_measure
from melm_studio.tables.read import Table
from melm_studio.tables.readers import is_picture, names_picture
from melm_studio.tables.roles import NO_LABEL

PROBE_ROWS = 10_000
MAX_LABELS = 200  # of a column that is named label
MIN_COLUMNS = 2  # besides a number that is cut into classes

# The best hint first.
LABEL_WORDS = (
    "label", "class", "target", "y", "species", "diagnosis", "outcome", "category", "type",
    "cultivar", "digit", "variety", "group", "survived", "response", "result",
)  # fmt: skip
# Names of what things are told apart by, rather than classes of them.
NO_CLASS_WORDS = {
    "animal", "batch", "donor", "file", "id", "identifier", "individual", "lot", "name",
    "participant", "patient", "person", "plate", "replicate", "subject", "visit",
}  # fmt: skip
MOST_MISSING = 0.9  # of the cells of a column that could as well be the label
PLAIN_NAMES = ("label", "class", "target")  # of a column that can be nothing else
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")  # splits sample_id and SampleId


def guess_label(table: Table, without: Collection[str] = ()) -> str:
    """Guess the label column by its name, else by its position and type.

    Parameters
    ----------
    table : Table
    without : collection of str
        Columns that must not be the label.

    Returns
    -------
    str
        `NO_LABEL` if no column could be one.
    """
    return likely_labels(table, without)[0]


def likely_labels(table: Table, without: Collection[str] = ()) -> list[str]:
    """Return the columns among which the label is guessed, the guess first.

    Those that look like a label; of a table without any, numbers that can be cut into classes;
    else `NO_LABEL` alone.
    """
    candidates = [name for name in label_candidates(table) if name not in without]
    if not candidates or _is_plain_number(table.frame, candidates[0]):
        of_one_class = [name for name in _labels_of_one_class(table.frame) if name not in without]
        if of_one_class:
            return of_one_class
    if not candidates and table.frame.shape[1] > MIN_COLUMNS:
        candidates = [name for name in _measures(table.frame) if name not in without]
    if table.asked.get("samples") == NO_GROUPS and _are_numbers(table.frame, candidates):
        return [NO_LABEL]
    return candidates or [NO_LABEL]


def _are_numbers(frame: pd.DataFrame, names: Sequence[str]) -> bool:
    return all(_is_plain_number(frame, name) for name in names)


def way_to_a_label(table: Table) -> str:
    """How a table without a label gets one, a sentence or two."""
    if table.asked.get("samples") == NO_GROUPS:
        return (
            "Its numbers are all of one kind. If its columns are the samples, add a row with the "
            "group of each, or drop a .zip of this table and of one with a row for each sample. If "
            "its rows are, add a column with the class of each."
        )
    return "To ask whether classes can be told apart, add a column with the class of every row."


def rival_labels(table: Table, candidates: Sequence[str]) -> list[str]:
    """Return the columns that could as well be the label as the first, which was guessed.

    Those of text beside text, or of numbers beside numbers, unless the name of the first says it.
    """
    guess, *others = candidates
    if guess == NO_LABEL:
        return []
    others = [name for name in others if not _tells_things_apart(table.frame[name])]
    if guess.lower() in PLAIN_NAMES:
        return []
    if _is_hinted(guess):
        return [name for name in others if _is_hinted(name)]
    kinds = {name: table.frame[name].dtype.kind == "f" for name in candidates}
    return [name for name in others if _is_hinted(name) or kinds[name] == kinds[guess]]


def _tells_things_apart(column: pd.Series) -> bool:
    """Whether the name says that the values are of subjects or batches, or nearly none is there."""
    is_named = not NO_CLASS_WORDS.isdisjoint(words_of(str(column.name)))
    return is_named or column.isna().mean() > MOST_MISSING


def label_candidates(table: Table) -> tuple[str, ...]:
    """Return the columns that look like a label, the guess first, the others in order."""
    usable = [
        str(name)
        for name, column in table.frame.items()
        if _could_be_label(column, _most_values(str(name), column))
    ]
    if not usable:
        return ()
    guess = min(usable, key=lambda name: _label_preference(table.frame, name))
    return (guess, *(name for name in usable if name != guess))


def words_of(name: str) -> list[str]:
    """Return the words in a column name, in lower case."""
    return [word.lower() for word in WORD.findall(name)]


def _is_plain_number(frame: pd.DataFrame, name: str) -> bool:
    return frame[name].dtype.kind in "iuf" and not _is_hinted(name)


def _labels_of_one_class(frame: pd.DataFrame) -> list[str]:
    """Columns named as a label that hold one class, before numbers are taken for one."""
    return [
        str(name)
        for name, column in frame.items()
        if str(name).lower() in PLAIN_NAMES and len(column.dropna().unique()) == 1
    ]


def _measures(frame: pd.DataFrame) -> list[str]:
    """Numbers that can be cut into classes: with the name of a label first, then the last."""
    names = [str(name) for name, column in frame.items() if is_measure(column)][::-1]
    return sorted(names, key=lambda name: not _is_hinted(name))


def _is_hinted(name: str) -> bool:
    return not set(LABEL_WORDS).isdisjoint(words_of(name))


def _most_values(name: str, column: pd.Series) -> int:
    """The number of values that a label of this name may have; the smallest classes are merged."""
    if name.lower() in PLAIN_NAMES and column.dtype.kind != "f":
        return min(MAX_LABELS, len(column) // 2)
    return MAX_CLASSES if _is_hinted(name) else MAX_VALUES


def _could_be_label(column: pd.Series, max_values: int) -> bool:
    values = column.to_numpy()
    # One more for missing, which is not a class.
    if len(pd.unique(values[:PROBE_ROWS])) > max_values + 1:
        return False
    codes, levels = pd.factorize(values)
    if any(is_picture(level) or names_picture(level) for level in levels):
        return False
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    return len(levels) <= max_values and int((counts > 1).sum()) > 1


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

"""Classes in columns of their own, of class_A and class_B each row has one, and ticked answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from itertools import groupby, pairwise, takewhile

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import TICKED, is_ticked, ticked_answers
from melm_studio.tables.formatting import listed, n_shared, shortened, words_of
from melm_studio.tables.frames import free_name
from melm_studio.tables.identifiers import names_label
from melm_studio.tables.records import Limits
from melm_studio.tables.subjects_in_names import is_known

LEAST_ROWS, LEAST_OF_EACH = 10, 2
LEAST_UNNAMED, MOST_CLASSES = 3, 50  # columns at the end whose names do not say that they are
_ONES = {"1.0": "0.0", "true": "false"}  # and what each other row has
_MARKS = " _.-=:"
LEAST_OPTIONS, MOST_OPTIONS = 3, 30  # of a question of which several answers may be ticked
LEAST_TOGETHER, MOST_FREE = 3, 0.1  # texts of several answers, and answers in words of one's own
LEAST_COMMON, MOST_OWN = 0.1, 0.4  # of rows, for an answer beside which others are left out
LEAST_OF_COMMON = 5  # rows
NEARLY_ALL = 0.8  # rows of one answer, for these to be classes
MOST_READ, LONGEST_OPTION = 2_000, 200  # different texts of one column, and characters
_LETTER = re.compile(r"[^\W\d_]")


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


def with_ticks(
    frame: pd.DataFrame, limits: Limits, beside: Collection[str] = ()
) -> tuple[pd.DataFrame, str]:
    """Put a column for each answer in the place of one with all answers that somebody ticked.

    These stand by themselves in some cells and, parted by commas, with others in more of them.

    Parameters
    ----------
    frame : DataFrame
    limits : Limits
        Of the table with its new columns.
    beside : collection of str
        Columns that are no features, which stay as they are.

    Returns
    -------
    frame : DataFrame
    step : str
        What was parted, a sentence; empty without.

    Examples
    --------
    >>> eaten = ["eggs", "milk", "nuts", "eggs, milk", "milk, nuts", "eggs, nuts"] * 2
    >>> with_ticks(pd.DataFrame({"eaten": eaten}), Limits(50, 50))[0].columns.tolist()
    ['eaten ticked: eggs', 'eaten ticked: milk', 'eaten ticked: nuts']
    """
    texts = [
        name
        for name in frame.select_dtypes(exclude=np.float64)
        if not (_is_label(str(name)) or name in beside)
    ]
    read = {name: _options(frame[name]) for name in texts if not _has_classes(frame[name])}
    options = {name: parts for name, (parts, _) in read.items() if parts}
    ticks = [f"{name}{TICKED}{part}" for name, parts in options.items() for part in parts]
    n_columns = frame.shape[1] + len(ticks)
    is_within = n_columns <= limits.n_columns and n_columns * len(frame) <= limits.n_cells
    if not (ticks and is_within) or len({*ticks, *frame}) < n_columns:
        return frame, ""
    parts_of_frame = [
        _ticks(cells, options[name]) if name in options else cells for name, cells in frame.items()
    ]
    parted = [
        f"{shortened(str(name))} into {len(parts)}{', without rarer answers' * (read[name][1] > 0)}"
        for name, parts in options.items()
    ]
    step = "Parted, as answers of which several were ticked, into columns of 0 and 1"
    return pd.concat(parts_of_frame, axis=1), f"{step}: {listed(parted, '; ')}."


def _has_classes(cells: pd.Series) -> bool:
    """Return whether nearly all rows have one answer, to what the name says is a kind of them."""
    if not any(map(names_label, words_of(str(cells.name))[-1:])):
        return False
    n_answers = [len(ticked_answers(str(text))) for text in cells.dropna()]
    return n_answers.count(1) >= NEARLY_ALL * len(n_answers)


def _ticks(cells: pd.Series, options: Sequence[str]) -> pd.DataFrame:
    """1 where an answer was ticked, and 0 where others were or, in an empty cell, none was."""
    codes, texts = pd.factorize(cells)
    answers = [*(ticked_answers(str(text)) for text in texts), []]
    columns = {
        f"{cells.name}{TICKED}{option}": np.array(
            [float(is_ticked(option, parts)) for parts in answers]
        )
        for option in options
    }
    return pd.DataFrame({name: ticked[codes] for name, ticked in columns.items()}, cells.index)


def _options(cells: pd.Series) -> tuple[list[str], int]:
    """The answers that were ticked, as first met, and the number of others that were given.

    None if a column is no such question.
    """
    codes, texts = pd.factorize(cells)
    if len(texts) > MOST_READ or len(cells) < LEAST_ROWS:
        return [], 0
    answers = _whole([ticked_answers(str(text)) for text in texts])
    together = [parts for parts in answers if len(parts) > 1]
    if len(together) < LEAST_TOGETHER or any(len({*parts}) < len(parts) for parts in together):
        return [], 0
    n_rows: Counter[str] = Counter()
    for parts, n in zip(answers, np.bincount(codes[codes >= 0]).tolist(), strict=True):
        n_rows.update(dict.fromkeys(parts, n))
    options = [part for part, n in n_rows.items() if n >= LEAST_OF_EACH]
    n_free, most_free = n_rows.total() - sum(n_rows[part] for part in options), MOST_FREE
    if n_free > most_free * n_rows.total():  # of many words of one's own
        least = max(LEAST_OF_COMMON, LEAST_COMMON * np.count_nonzero(codes >= 0))
        options, most_free = [part for part in options if n_rows[part] >= least], MOST_OWN
        n_free = n_rows.total() - sum(n_rows[part] for part in options)
    alone = {parts[0] for parts in answers if len(parts) == 1}.intersection(options)
    in_several = {part for parts in together for part in parts}.intersection(options)
    is_such = LEAST_OPTIONS <= len(options) <= MOST_OPTIONS
    is_such &= 2 * len(alone & in_several) > len(options)  # as no town of a country is
    is_such &= n_free <= most_free * n_rows.total() and all(map(_LETTER.search, options))
    is_such &= all(len(option) <= LONGEST_OPTION for option in options)
    return (options, n_free) if is_such else ([], 0)


def _whole(answers: Sequence[list[str]]) -> list[list[str]]:
    """The answers, in one piece where they have commas of their own.

    Their parts never come first, and what stands before them never without them.
    """
    before: dict[str, set[str]] = {}
    behind: dict[str, set[str]] = {}
    for parts in answers:
        for part, following in pairwise(["", *parts, ""]):
            before.setdefault(following, set()).add(part)
            behind.setdefault(part, set()).add(following)
    tails = {
        part
        for part, others in before.items()
        if part and "" not in others and all(behind[other] == {part} for other in others)
    }
    whole: list[list[str]] = []
    for parts in answers:
        joined: list[str] = []
        for part in parts:
            if part in tails:
                joined[-1] += f", {part}"
            else:
                joined.append(part)
        whole.append(joined)
    return whole


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

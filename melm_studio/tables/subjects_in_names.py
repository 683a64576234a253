"""Subjects within the names of rows: P12_V1 and P12_V2 are two visits of one person.

The part of the names that says so becomes a column, about which it is asked whether rows with the
same value belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.formatting import DAY, number, shortened, words_of

SUBJECT = "subject in "  # and the name of the column of names
LEAST_ROWS = 10
LEAST_SUBJECTS = 5
MOST_OF_EACH = 8  # rows, on average: more are those of a class
FEWEST_OF_EACH = 1.6
MOST_OCCASIONS, NEARLY_ALL = 20, 0.9
NAMES_PROBED = 1_000  # before all are split
MOST_NAMES = 200_000
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
# Names of what is measured several times.
SUBJECT_WORDS = {
    "animal", "donor", "embryo", "individual", "infant", "listener", "mouse", "participant",
    "patient", "person", "pupil", "rat", "respondent", "speaker", "student", "subj", "subject",
    "talker", "volunteer", "worker",
}  # fmt: skip
_NO_SUBJECTS = {  # times and places
    "date", "day", "month", "period", "quarter", "time", "timestamp", "week", "year",
    "location", "pos", "position", "well",
}  # fmt: skip
_ROWS_OF_PLATES = {"ABCDEFGH", "ABCDEFGHIJKLMNOP"}


def with_subjects(frame: pd.DataFrame) -> tuple[pd.DataFrame, str, str]:
    """Add the column of subjects that the names of rows contain, if any.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    frame : DataFrame
        With one more column, behind the others, or as it was.
    name : str
        That of the column; empty if there is none.
    step : str
        What was added, a sentence.

    Examples
    --------
    >>> names = [f"P{at // 2}_V{at % 2}" for at in range(12)]
    >>> frame, name, _ = with_subjects(pd.DataFrame({"sample": names, "x": range(12)}))
    >>> frame[name].tolist()[:4]
    ['P0', 'P0', 'P1', 'P1']
    """
    if not LEAST_ROWS <= len(frame) <= MOST_NAMES:
        return frame, "", ""
    for place, (column, kind) in enumerate(frame.dtypes.items()):
        if kind == np.float64 or not _NO_SUBJECTS.isdisjoint(words_of(str(column))):
            continue
        cells = frame.iloc[:, place]
        if DAY.match(str(cells.iloc[0])):
            continue
        if (subjects := _subjects(cells)) is not None and not is_known(frame, subjects):
            name = f"{SUBJECT}{column}"
            if name in frame or _has_subjects(frame):
                return frame, "", ""
            n_subjects = len(set(subjects))
            step = (
                f"Added: {shortened(name)}, the {number(n_subjects)} beginnings or numbers that "
                f"names such as {shortened(str(cells.iloc[0]))} share."
            )
            added = pd.Series(subjects, frame.index, dtype="str", name=name)
            return pd.concat([frame, added], axis=1), name, step
    return frame, "", ""


def _has_subjects(frame: pd.DataFrame) -> bool:
    """Return whether the name of a column is one of subjects, which several rows share."""
    return any(
        not SUBJECT_WORDS.isdisjoint(words_of(str(name))) and frame[name].duplicated().any()
        for name in frame.columns
    )


def _subjects(cells: pd.Series) -> list[str] | None:
    """The subject in each name; None if these are no names, or of one subject each."""
    if not cells.iloc[:NAMES_PROBED].is_unique or cells.isna().any():
        return None
    probed = _Names.of(cells.iloc[:NAMES_PROBED])
    if probed is None or probed.subjects() is None or not cells.is_unique:
        return None
    names = probed if len(cells) <= NAMES_PROBED else _Names.of(cells)
    return None if names is None else names.subjects()


@dataclass(frozen=True, eq=False)
class _Names:
    """Names that have equally many words and numbers.

    Attributes
    ----------
    names : sequence of str
    tokens : list of list of str
    ends : list of list of int
        Where in its name each of them ends.
    varying : list of int
        The places where names differ.
    """

    names: Sequence[str]
    tokens: list[list[str]]
    ends: list[list[int]]
    varying: list[int]

    @classmethod
    def of(cls, cells: pd.Series) -> _Names | None:
        names = [str(cell) for cell in cells]
        matches = [[*_TOKEN.finditer(name)] for name in names]
        if len({*map(len, matches)}) > 1:
            return None
        tokens = [[match[0] for match in name] for name in matches]
        varying = [
            place for place, words in enumerate(zip(*tokens, strict=True)) if len({*words}) > 1
        ]
        return cls(names, tokens, [[match.end() for match in name] for name in matches], varying)

    def subjects(self) -> list[str] | None:
        if len(self.varying) < 2:
            return None
        *before, last = self.varying
        occasions = [tokens[last] for tokens in self.tokens]
        starts = [
            name[: ends[before[-1]]] for name, ends in zip(self.names, self.ends, strict=True)
        ]
        if _are_crossed(starts, occasions):
            return None if "".join(sorted({*starts})) in _ROWS_OF_PLATES else starts
        # "mix 1 a", "pure 1 b": the number, whatever stands before it.
        numbers = [tokens[before[-1]] for tokens in self.tokens]
        is_number = all(text.isdigit() for text in numbers)
        return (
            numbers if len(before) > 1 and is_number and _are_crossed(numbers, occasions) else None
        )


def _are_crossed(subjects: Sequence[str], occasions: Sequence[str]) -> bool:
    """Return whether few occasions recur, each of several subjects, once for each.

    Many of each are of a class, unless nearly all subjects, of which there are more, have each.
    """
    n_rows, n_subjects, n_occasions = len(subjects), len({*subjects}), len({*occasions})
    if n_subjects < LEAST_SUBJECTS or not 2 <= n_occasions <= MOST_OCCASIONS:
        return False
    is_whole = n_occasions < n_subjects and n_rows >= NEARLY_ALL * n_subjects * n_occasions
    most = MOST_OCCASIONS if is_whole else MOST_OF_EACH
    if not FEWEST_OF_EACH <= n_rows / n_subjects <= most:
        return False
    if len({*zip(subjects, occasions, strict=True)}) < n_rows:
        return False
    return min(_counts(occasions)) >= 2


def _counts(words: Sequence[str]) -> Iterator[int]:
    codes: IntArray = pd.factorize(np.array(words, dtype=object))[0].astype(np.int64)
    yield from np.bincount(codes).tolist()


def is_known(frame: pd.DataFrame, subjects: Sequence[str]) -> bool:
    """Return whether a column of the table parts its rows in the same way."""
    codes = pd.factorize(np.array(subjects, dtype=object))[0]
    n_subjects = int(codes.max()) + 1
    for place in np.flatnonzero(frame.nunique() == n_subjects).tolist():
        others, _ = pd.factorize(frame.iloc[:, place])
        if bool((others == codes).all()):
            return True
    return False

"""Subjects that are numbered anew in each place: plot 1 of two sites is two plots.

The places and the numbers together become a column, about which it is asked whether rows with the
same value belong together. Places are known by their names, or as each occasion has each of their
numbers once: pair 3 of a generation, in the field and in the laboratory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.distinct import distinct_values
from melm_studio.tables.formatting import count, number_text, shortened, words_of
from melm_studio.tables.identifiers import GROUP_WORDS, names_identifier
from melm_studio.tables.subjects_in_names import (
    FEWEST_OF_EACH,
    LEAST_SUBJECTS,
    MOST_OCCASIONS,
    NAMES_PROBED,
    SUBJECT,
    SUBJECT_WORDS,
    is_known,
)

LEAST_PLACES = 1.5  # where each number recurs, on average
AND = " and "  # between the columns in the name of the new one
# A person or an animal is in one house, but may be measured at several sites.
_HOUSES = {
    "barn", "cage", "center", "centre", "clinic", "farm", "herd", "hospital", "household", "litter",
    "pen", "school", "tank", "ward",
}  # fmt: skip
_LANDS = {
    "block", "field", "forest", "garden", "location", "region", "site", "stand", "station",
    "transect",
}  # fmt: skip
_OF_LANDS = {"plant", "plot", "quadrat", "subplot", "tree"}
_PLACES_OF = {
    **dict.fromkeys(SUBJECT_WORDS | GROUP_WORDS, _HOUSES),
    **dict.fromkeys(_OF_LANDS, _HOUSES | _LANDS),
}
_THINGS = {*_PLACES_OF, *_HOUSES, *_LANDS}
_OF_NUMBERS = {"code", "id", "name", "no", "nos", "nr", "num", "number"}
MOST_COLUMNS = 200  # of a table whose places may have any name
MOST_PLACES = 4  # columns
THERE = 0.8  # share of the occasions of all subjects that have a row


def with_subjects_of_places(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...], str]:
    """Add the column of subjects that are numbered anew in each place, if any.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    frame : DataFrame
        With one more column, behind the others, or as it was.
    names : tuple of str
        That of the column and of the numbers, which are both no features; empty without.
    step : str
        What was added, a sentence.

    Examples
    --------
    >>> rows = [(site, plot, year) for site in "NS" for plot in (1, 2, 3) for year in (8, 9)]
    >>> frame = pd.DataFrame(rows, columns=["site", "plot", "year"])
    >>> frame, (name, _), _ = with_subjects_of_places(frame)
    >>> name, frame[name].tolist()[:3]
    ('subject in site and plot', ['N 1', 'N 1', 'N 2'])
    """
    things = {str(name): _thing(str(name)) for name in frame}
    # Few of many columns, whose names are not compared with each other.
    things = {name: thing for name, thing in things.items() if thing in _THINGS}
    places_of = (
        ([name for name in things if things[name] in _PLACES_OF[thing]], numbers)
        for numbers, thing in things.items()
        if thing in _PLACES_OF
    )
    by_name = (
        (places, numbers)
        for places, numbers in places_of
        if frame[[*places, numbers]].notna().all(axis=None)
        and {*distinct_values(frame[numbers])} != {0.0, 1.0}  # which say yes or no
    )
    for places, numbers in chain(by_name, _keys_of_occasions(frame)):
        columns = [*places, numbers]
        name = SUBJECT + AND.join(columns)
        if not 1 <= len(places) <= MOST_PLACES or name in frame:
            continue
        cells = frame[columns]
        codes = cells.groupby(columns, sort=False, dropna=False).ngroup()
        parts = [
            (column.map(number_text) if column.dtype.kind == "f" else column.astype(str)).where(
                column.notna(), "none"
            )
            for _, column in cells.drop_duplicates().items()
        ]
        n_subjects = len(parts[0])
        are_anew = n_subjects >= LEAST_PLACES * cells[numbers].nunique()
        recur = len(frame) >= FEWEST_OF_EACH * n_subjects >= FEWEST_OF_EACH * LEAST_SUBJECTS
        named = np.array([*map(" ".join, zip(*parts, strict=True))], dtype=object)
        subjects = named[codes].tolist()
        if are_anew and recur and not is_known(frame, subjects):
            added = pd.Series(subjects, frame.index, dtype="str", name=name)
            since = f"as {shortened(numbers)} starts again in each {shortened(AND.join(places))}"
            step = f"Added: {shortened(name)}, {count(n_subjects, 'value')}, {since}."
            return pd.concat([frame, added], axis=1), (name, numbers), step
    return frame, (), ""


def _keys_of_occasions(frame: pd.DataFrame) -> Iterator[tuple[list[str], str]]:
    """Numbers that start again in each of some places, of which each occasion has nearly all once.

    Places have different numbers of them, so that these are not who was in all of the places.
    """
    numeric = [str(name) for name, kind in frame.dtypes.items() if kind == np.float64]
    named = numeric if frame.shape[1] <= MOST_COLUMNS else []
    named = [name for name in named if names_identifier(name) or _thing(name) in _THINGS]
    named = [name for name in named if frame[name].min() == 1 and frame[name].notna().all()]
    if not named:  # as of most tables
        return
    few = [name for name in frame if frame[name].head(NAMES_PROBED).nunique() <= MOST_OCCASIONS]
    codes = {str(name): _codes(frame[name]) for name in few}
    codes = {name: cells for name, cells in codes.items() if 1 <= cells.max() < MOST_OCCASIONS}
    for numbers in named:
        things = _codes(frame[numbers])
        for times in (codes[occasion] for occasion in codes if occasion != numbers):
            others = {n: cells for n, cells in codes.items() if cells is not times and n != numbers}
            places = _places(things, times, others)
            if places and _start_again(frame, places, numbers):
                yield places, numbers
                break


def _start_again(frame: pd.DataFrame, places: list[str], numbers: str) -> bool:
    """Return whether places have numbers from 1 on, and not all as many."""
    last = frame.groupby(places, dropna=False)[numbers].agg(["max", "nunique"])
    return bool((last["max"] == last["nunique"]).all()) and len({*last["max"]}) > 1


def _codes(cells: pd.Series) -> IntArray:
    return pd.factorize(cells, use_na_sentinel=False)[0].astype(np.int64)


def _are_all_there(things: IntArray, times: IntArray) -> bool:
    """Return whether nearly all things have as many rows at each time."""
    n_things, n_times = int(things.max()) + 1, int(times.max()) + 1
    if THERE * n_things * n_times > len(times):
        return False
    n_rows = np.bincount(things * n_times + times, minlength=n_things * n_times)
    return len(times) >= THERE * n_times * int(n_rows.reshape(-1, n_times).max(axis=1).sum())


def _places(things: IntArray, times: IntArray, others: dict[str, IntArray]) -> list[str]:
    """The columns with which things are there once at each time; none if there are no such."""
    subjects, places = things, list[str]()
    others = {name: cells for name, cells in others.items() if _are_all_there(cells, times)}
    while _are_all_there(subjects, times):
        if len(pd.unique(subjects * MOST_OCCASIONS + times)) == len(times):
            return [name for name in others if name in places]
        finer = {
            name: subjects * MOST_OCCASIONS + cells
            for name, cells in others.items()
            if name not in places
        }
        if not finer or len(places) == MOST_PLACES:
            break
        places.append(max(finer, key=lambda name: len(pd.unique(finer[name]))))
        subjects = pd.factorize(finer[places[-1]])[0].astype(np.int64)
    return []


def _thing(name: str) -> str:
    """The only word of a name that does not say that it is a number or a name; empty if several."""
    words = [word for word in words_of(name) if word not in _OF_NUMBERS]
    return words[0] if len(words) == 1 else ""

"""Subjects that are numbered anew in each place: plot 1 of two sites is two plots.

The places and the numbers together become a column, about which it is asked whether rows with the
same value belong together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.tables.formatting import count, number_text, shortened, words_of
from melm_studio.tables.identifiers import GROUP_WORDS
from melm_studio.tables.subjects_in_names import (
    FEWEST_OF_EACH,
    LEAST_SUBJECTS,
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
_OF_NUMBERS = {"code", "id", "name", "no", "nr", "number"}


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
    for numbers, thing in things.items():
        places = [name for name in things if things[name] in _PLACES_OF.get(thing, ())]
        columns = [*places, numbers]
        name = SUBJECT + AND.join(columns)
        if not places or name in things or frame[columns].isna().any(axis=None):
            continue
        cells = frame[columns]
        codes = cells.groupby(columns, sort=False).ngroup()
        parts = [
            column.map(number_text) if column.dtype.kind == "f" else column.astype(str)
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


def _thing(name: str) -> str:
    """The only word of a name that does not say that it is a number or a name; empty if several."""
    words = [word for word in words_of(name) if word not in _OF_NUMBERS]
    return words[0] if len(words) == 1 else ""

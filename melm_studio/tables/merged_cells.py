"""Names that are written once for a block of rows, as merged cells of spreadsheets are saved."""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.tables.formatting import words_of
from melm_studio.tables.subjects_in_names import SUBJECT_WORDS

MOST_COLUMNS = 20  # looked at, from the left
LEAST_ROWS = 10
LEAST_EMPTY, MOST_EMPTY = 0.3, 0.98  # share of the cells
_NAMED = SUBJECT_WORDS | {"id", "plant", "plot", "sample", "site", "specimen"}


def written_once(frame: pd.DataFrame) -> list[str]:
    """The columns whose cells are filled in the first row of each block of rows.

    The first cell is filled, and what is filled are words or whole numbers. In blocks of one length
    none follows itself. In those of other lengths, of which most have several rows, none recurs,
    and they are words in the first columns, or the column is named as subjects and samples are:
    labels of some of the rows recur, and of ids of some rows many stand right below another.

    Examples
    --------
    >>> mice = ["a", None, None, None, "b", None, None, "c", None, None]
    >>> written_once(pd.DataFrame({"mouse": mice, "weight": range(10)}))
    ['mouse']
    """
    if len(frame) < LEAST_ROWS:
        return []
    names: list[str] = []
    for place, name in enumerate(frame.columns[:MOST_COLUMNS]):
        cells = frame[name]
        filled = np.flatnonzero(cells.notna())
        is_empty = 1.0 - len(filled) / len(frame)
        if not LEAST_EMPTY <= is_empty <= MOST_EMPTY or len(filled) < 2 or filled[0] > 0:
            continue
        values = cells.iloc[filled]
        is_number = cells.dtype.kind == "f"
        if (values == values.shift()).any() or (is_number and (values % 1 != 0).any()):
            continue
        lengths = np.diff(filled, append=len(frame))
        is_first = not is_number and place == len(names)
        is_said = is_first or not _NAMED.isdisjoint(words_of(str(name)))
        are_blocks = np.median(lengths) > 1
        if (lengths == lengths[0]).all() or (is_said and are_blocks and values.is_unique):
            names.append(str(name))
    return names

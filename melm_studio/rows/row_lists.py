"""Lists of rows worth a look: outliers, suspect labels, and rows by name."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from melm_core import diagnostics
from melm_core.base import FloatArray, IntArray
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import names_of
from melm_studio.tables import LabeledData, count

MAX_FOUND = 200


class RowList(Struct, frozen=True):
    """Rows of the file, the most remarkable first, and a sentence that says how they were found."""

    rows: tuple[int, ...]
    words: str


def outliers(data: LabeledData, placer: RowPlacer) -> RowList:
    """Return the rows beyond the 99 % limit of T² or Q, farthest first."""
    everything = placer.rows(data, np.arange(len(data.y)))
    fitted, new = (placer.place(everything, is_new=is_new) for is_new in (False, True))
    excess = np.where(placer.is_held_out, new.excess, fitted.excess)
    found = np.flatnonzero(excess > 1)
    expected = max(1, round(0.02 * len(data.y)))
    words = (
        f"{count(len(found), 'row')} beyond the 99 % limit of T² (in the plane) or Q (off it); "
        f"about {expected:,} would be by chance."
    )
    return _rows(data, found[np.argsort(-excess[found], kind="stable")], words)


def suspect_labels(data: LabeledData, log_densities: FloatArray) -> RowList:
    """Return the rows that are probably mislabeled, and about how many of them are not.

    Parameters
    ----------
    data : LabeledData
    log_densities : ndarray of shape (n_samples, n_classes)
        Of the classes, by planes fitted without the row.
    """
    found = diagnostics.suspect_labels(log_densities, data.y)
    words = found.words[0].upper() + found.words[1:]
    return _rows(data, found.rows, f"{words}; judged by planes fitted without each row.")


def rows_named(data: LabeledData, text: str) -> RowList:
    """Return the rows whose name contains a text, or whose number in the file it is."""
    wanted = text.strip().casefold()
    names = names_of(data, np.arange(len(data.y)))
    found = [i for i, name in enumerate(names) if wanted and wanted in name.casefold()]
    if wanted.isdecimal():
        numbered = np.flatnonzero(data.row_numbers == int(wanted[:18])).tolist()
        found = [*numbered, *(i for i in found if i not in numbered)]
    words = f"{count(len(found), 'row')} found" if found else f'No row is called "{text.strip()}".'
    return _rows(data, np.array(found, dtype=np.int64), words)


def _rows(data: LabeledData, found: IntArray, words: str) -> RowList:
    return RowList(tuple(data.row_numbers[found[:MAX_FOUND]].tolist()), words)

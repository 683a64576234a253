"""Lists of rows worth a look: outliers, suspect labels, and rows by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from melm_core import diagnostics
from melm_core.base import FloatArray, IntArray
from melm_studio.rows.placement import RowPlacer
from melm_studio.tables import LabeledData, Role, RowColumn, count, listed

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
    beyond = np.flatnonzero(excess > 1)
    expected = max(1, round(0.02 * len(data.y)))
    words = (
        f"{count(len(beyond), 'row')} beyond the 99 % limit of T² (in the plane) or Q (off it); "
        f"about {expected:,} would be by chance."
    )
    return _rows(data, beyond[np.argsort(-excess[beyond], kind="stable")], words)


def suspect_labels(data: LabeledData, log_mixtures: FloatArray) -> RowList:
    """Return the rows that are probably mislabeled, and about how many of them are not.

    Parameters
    ----------
    data : LabeledData
    log_mixtures : ndarray of shape (n_samples, n_classes)
        Of the classes, by planes fitted without the row.
    """
    suspects = diagnostics.suspect_labels(log_mixtures, data.y)
    words = suspects.words[0].upper() + suspects.words[1:]
    return _rows(data, suspects.rows, f"{words}; judged by planes fitted without each row.")


def rows_named(data: LabeledData, text: str) -> RowList:
    """Return the rows whose number a text is, or that have it in their name or another text.

    The row of that number comes first, then rows by name, then by the texts of other columns.
    """
    wanted = text.strip().casefold()
    columns = sorted(data.row_columns, key=lambda column: column.role is not Role.NAME)
    texts = [each for each in columns if each.levels is not None or each.role is Role.NAME]
    searched = [each for each in texts if not each.is_pictures]
    matches = {each.name: _has_text(each, wanted) for each in searched} if wanted else {}
    by = [*matches.values()]
    if wanted.isdecimal():
        by.insert(0, data.row_numbers == int(wanted[:18]))
    has_text = np.array(by, dtype=bool).reshape(len(by), len(data.y))
    rows = np.flatnonzero(has_text.any(axis=0))
    if not len(rows):
        words = f'No row has "{text.strip()}" as its number, or in its name or another text.'
        return _rows(data, rows, words)
    rows = rows[np.argsort(has_text[:, rows].argmax(axis=0), kind="stable")]
    columns_with = [name for name, rows_with in matches.items() if rows_with.any()]
    where = f" in {listed(columns_with)}" if columns_with else ""
    return _rows(data, rows, f"{count(len(rows), 'row')} found{where}")


def _has_text(column: RowColumn, wanted: str) -> npt.NDArray[np.bool_]:
    """Return which rows have a text in a column; each distinct one is searched once."""
    if column.levels is None:
        return np.array([wanted in text for text in column.texts])
    has_text = np.array([*(wanted in level.casefold() for level in column.levels), False])
    codes = np.where(np.isnan(column.values), -1, column.values).astype(np.int64)
    matches: npt.NDArray[np.bool_] = has_text[codes]
    return matches


def _rows(data: LabeledData, indices: IntArray, words: str) -> RowList:
    return RowList(tuple(data.row_numbers[indices[:MAX_FOUND]].tolist()), words)

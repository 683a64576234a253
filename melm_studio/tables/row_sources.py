"""Sources of rows, as columns of batches, groups and sites say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from melm_core.base import ColumnEncoding, FloatArray
from melm_studio.tables.column_roles import BATCH_WORDS
from melm_studio.tables.formatting import words_of
from melm_studio.tables.identifiers import GROUP_WORDS
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.roles import Role

# Of features; without rows of one category, any other one of them would tell nothing either.
SOURCE_WORDS = BATCH_WORDS | GROUP_WORDS | {
    "center", "centre", "clinic", "cohort", "country", "device", "facility", "farm", "hospital",
    "instrument", "lab", "laboratory", "location", "machine", "operator", "region", "run",
    "scanner", "school", "site", "source", "station", "study", "ward",
}  # fmt: skip


def row_sources(data: LabeledData) -> Iterator[tuple[str, Sequence[str]]]:
    """The columns that may say where rows come from, with the text of each row.

    Batches, groups and information and, among features, categories with the name of a source.

    Parameters
    ----------
    data : LabeledData

    Returns
    -------
    iterator of (str, sequence of str of shape (n_samples,))
        Empty texts where one is missing.
    """
    for column in data.row_columns:
        if column.role in (Role.BATCH, Role.GROUP, Role.INFO) and not column.is_pictures:
            yield column.name, column.texts
    start = 0
    for encoding in data.encodings:
        stop = start + len(encoding.feature_names)
        if encoding.levels and not SOURCE_WORDS.isdisjoint(words_of(encoding.name)):
            yield encoding.name, _category_texts(encoding, data.unprepared[:, start:stop])
        start = stop


def _category_texts(encoding: ColumnEncoding, encoded: FloatArray) -> list[str]:
    """The categories that were encoded, empty where one is missing."""
    if encoding.is_ordered or encoded.shape[1] == 1:
        codes = np.where(np.isnan(encoded[:, 0]), -1, np.rint(encoded[:, 0]))
    else:
        codes = encoded.argmax(axis=1)
    texts = [*(level or "" for level in encoding.levels), ""]
    return [texts[code] for code in codes.astype(int).tolist()]

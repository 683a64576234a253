"""A fit to all rows of a registered table, prepared as its sample was."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import (
    BlockSource,
    ColumnEncoding,
    FloatArray,
    IntArray,
    UserError,
    blocks_of,
)
from melm_core.methods import AUTO, METHODS
from melm_core.recipe import FittedPreparation
from melm_studio.operator_tables.descriptions import TableFolder
from melm_studio.operator_tables.parts import (
    OpenedTable,
    Part,
    PartReader,
    dask_scheduler,
    opened_table,
)
from melm_studio.operator_tables.published import (
    NOT_HERE,
    sample_of,
    sampled_table,
    visible_table,
)
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData, Table, has_chosen_groups, is_measure, number_text

# Prepared rows that take no more are prepared once and kept; others anew in each pass.
KEPT_BYTES = 2**30
# Those whose fit takes rows in blocks: MELM, and what depends on the moments of the classes alone.
METHODS_OF_ALL_ROWS = frozenset(
    {"melm", "gem", "pca", "lda", "rlda", "plsda", "oplsda", "cpca", "2epca", "ppca", "vca", "sir"}
    | {"opca"}
)

_CHANGED = (
    "The files of {name} have changed since its rows were read for this run. Choose the table "
    "again and run again."
)


@dataclass(frozen=True)
class RegisteredTables:
    """The folder of the operator's tables and the cluster that reads them; both may be empty.

    Attributes
    ----------
    folder : str
        A path or an address.
    dask : str
        The address of the scheduler.
    """

    folder: str = ""
    dask: str = ""

    def has_all_rows(self, store: RunStore, record: RunRecord, data: LabeledData) -> bool:
        """Return whether all rows of a run's table can be prepared like the sample.

        Chosen or edited rows, rows that stay together and ranges of a number as classes need the
        rows in memory; so do the coordinates of nonlinear methods.
        """
        source = record.source
        if not record.is_of_sample or not METHODS[record.method].is_linear:
            return False
        if not self.folder and not is_fitted_to_all_rows(record):
            return False  # the sample is all that the method needs
        is_whole = not (source.filters or source.left_out or source.marks)
        if not is_whole or has_chosen_groups(data.columns):
            return False
        published = visible_table(store, record.owner, source.key)
        cells = sampled_table(store, published).frame[data.label]
        rules = source.classes
        return not rules.is_cut and (bool(rules.names) or not is_measure(cells))

    @contextmanager
    def rows(
        self, store: RunStore, record: RunRecord, data: LabeledData, held_out: LabeledData
    ) -> Generator[BlockSource]:
        """Return all rows of a table except those held out, prepared; computed within the block.

        Parameters
        ----------
        store : RunStore
        record : RunRecord
            Of which `has_all_rows` is true.
        data, held_out : LabeledData
            The sample, and the rows of it that no plane may see.

        Yields
        ------
        BlockSource
            The class codes are its labels.

        Raises
        ------
        UserError
            If the table is gone, changed or damaged, or the cluster does not answer.
        """
        key = record.source.key
        if not self.folder:
            raise UserError(NOT_HERE.format(key=key))
        published = visible_table(store, record.owner, key)
        sample = sample_of(store, published)
        folder = TableFolder(self.folder)
        descriptions = folder.descriptions()
        current = folder.table(key, descriptions[key]) if key in descriptions else None
        is_same = current is not None and current.version == record.table_version
        if current is None or not is_same or sample is None or published.version != current.version:
            raise UserError(_CHANGED.format(name=published.name))
        opened = opened_table(folder.files, current)
        block = _Block.of(opened.reader, data, held_out, sampled_table(store, published))
        begins = np.cumsum([0, *sample.lengths[:-1]]).tolist()
        with dask_scheduler(self.dask):
            frame = _prepared(opened, block, begins, data.X.shape[1])
            if 8 * sample.n_rows * data.X.shape[1] <= KEPT_BYTES:
                frame = frame.persist()
            yield blocks_of(frame[list(frame.columns[:-1])], frame[frame.columns[-1]])


NO_TABLES = RegisteredTables()


def is_fitted_to_all_rows(record: RunRecord) -> bool:
    """Return whether the method of a run takes rows in blocks, with the settings of the run."""
    is_plain = record.parameters.gamma != AUTO and not record.batch_weight
    return record.method in METHODS_OF_ALL_ROWS and is_plain


@dataclass(frozen=True, eq=False)
class _Block:
    """Prepares a part of a table as its sample was; it is sent to other processes."""

    reader: PartReader
    encodings: tuple[ColumnEncoding, ...]
    preparation: FittedPreparation
    label: str
    codes: Mapping[Any, int]
    is_number: bool
    held_out: IntArray  # row numbers, from 0
    equal_to: npt.NDArray[np.uint64] | None  # hashes of rows held out, where rows are equal

    @classmethod
    def of(
        cls, reader: PartReader, data: LabeledData, held_out: LabeledData, sample: Table
    ) -> _Block:
        frame = sample.frame[~sample.frame.index.duplicated()]
        labels = frame[data.label].reindex(data.row_numbers - 1)
        preparation = data.fitted_preparation
        equal_to = None
        if data.groups is not None:  # prepared by the same arithmetic as the rows of a part
            rows = frame.reindex(held_out.row_numbers - 1)
            equal_to = _hashes(preparation.apply(_encoded(data.encodings, rows)[0]))
        return cls(
            reader,
            data.encodings,
            preparation,
            data.label,
            dict(zip(labels, data.y.tolist(), strict=True)),
            frame[data.label].dtype.kind == "f",
            np.sort(held_out.row_numbers - 1),
            equal_to,
        )

    @property
    def columns(self) -> list[str]:
        return [*(encoding.name for encoding in self.encodings), self.label]

    def __call__(self, part: Part, begin: int) -> pd.DataFrame:
        """Return the features, and the class codes in the last column."""
        frame = self.reader.read(part, self.columns)
        codes = self._codes(frame[self.label])
        numbers = np.arange(begin, begin + len(frame))
        used = (codes >= 0) & ~np.isin(numbers, self.held_out)
        frame, codes = frame[used], codes[used]
        encoded, is_known = _encoded(self.encodings, frame)
        X = self.preparation.apply(encoded)
        used = is_known & np.isfinite(X).all(axis=1)
        if self.equal_to is not None:
            used &= ~np.isin(_hashes(X), self.equal_to)
        return _framed(X[used], codes[used])

    def _codes(self, cells: pd.Series) -> IntArray:
        """Return class codes; -1 without a class that the sample has."""
        values = pd.to_numeric(cells, errors="coerce") if self.is_number else cells.str.strip()
        positions, distinct = pd.factorize(values)
        codes = np.array([*(self.codes.get(value, -1) for value in distinct), -1], dtype=np.int64)
        return codes[positions]


def _encoded(
    encodings: Sequence[ColumnEncoding], frame: pd.DataFrame
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Encode columns, NaN where a number is missing; flag rows whose categories are known."""
    columns, is_encoded = [], np.ones(len(frame), dtype=bool)
    for encoding in encodings:
        cells = frame[encoding.name]
        if not encoding.levels:
            numbers = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64)
            columns.append(np.where(np.isfinite(numbers), numbers, np.nan)[:, None])
            continue
        codes, distinct = pd.factorize(cells, use_na_sentinel=False)
        levels = [_text(level) for level in distinct]
        is_known = np.asarray(encoding.can_encode(levels), dtype=bool)
        usable = [level for level, fine in zip(levels, is_known, strict=True) if fine]
        table = np.zeros((len(levels), len(encoding.feature_names)))
        if usable:
            table[is_known] = encoding.with_gaps.encode(usable)
        columns.append(table[codes])
        is_encoded &= is_known[codes]
    return np.hstack(columns), is_encoded


def _text(cell: Any) -> str | None:
    """Return a cell as categories are named; None where it is missing."""
    if pd.isna(cell):
        return None
    return number_text(cell) if isinstance(cell, float) else str(cell).strip()


def _prepared(opened: OpenedTable, block: _Block, begins: Sequence[int], n_features: int) -> Any:
    """Return the prepared rows as a frame of Dask, with the class codes in the last column."""
    making = import_module("dask").delayed(block, pure=False, traverse=False)
    parts = [making(part, begin) for part, begin in zip(opened.parts, begins, strict=True)]
    meta = _framed(np.empty((0, n_features)), np.empty(0, dtype=np.int64))
    return import_module("dask.dataframe").from_delayed(parts, meta=meta, verify_meta=False)


def _framed(X: FloatArray, codes: IntArray) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"x{feature}" for feature in range(X.shape[1])])
    return frame.assign(code=codes)


def _hashes(X: FloatArray) -> npt.NDArray[np.uint64]:
    """Hash each row, equal for equal rows."""
    hashes = pd.util.hash_pandas_object(pd.DataFrame(X + 0.0), index=False)  # -0.0 equals 0.0
    return np.asarray(hashes, dtype=np.uint64)

"""Annotated matrices (.h5ad, .biom, 10x) by h5py: what was measured, what is known of rows beside.

The format may name other files and plugins, from which nothing is read: links lead within the file,
and data sets are in it.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from melm_core.base import FloatArray
from melm_studio.installation import install_command
from melm_studio.tables.formatting import number
from melm_studio.tables.frames import BESIDE
from melm_studio.tables.readers.unpack import (
    DAMAGED_ARCHIVE,
    MAX_UNPACKED,
    archived_files,
    unpacked,
)
from melm_studio.tables.records import Limits
from melm_studio.tables.text import ZIP, TableError

HDF5 = b"\x89HDF"
_MISSING_PACKAGE = (
    "To read .h5ad files, the studio needs h5py: {install}. Until then, save the table as CSV and "
    "drop that."
)
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, IndexError)
_BESIDE = ("layers", "obsm", "obsp", "raw", "uns", "varm", "varp")
_SPARSE = {"csr_matrix": csr_matrix, "csc_matrix": csc_matrix}
# The files of Cell Ranger: counts, their columns, and their rows, which older versions call genes.
_MATRIX, _BARCODES, _FEATURES = "matrix.mtx", "barcodes.tsv", ("features.tsv", "genes.tsv")


def is_h5ad(raw: bytes) -> bool:
    """Return whether these are the bytes of an HDF5 file."""
    return raw.startswith(HDF5)


def h5ad_cells(
    raw: bytes, file: str, limits: Limits, max_bytes: int = MAX_UNPACKED
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read X, the names of its columns, and obs of an annotated matrix.

    Returns
    -------
    cells : pandas.DataFrame
        The names of the rows, a column of X for each variable, then those of obs.
    steps : tuple of str
        What was read and what was left out, a sentence each.

    Raises
    ------
    TableError
        If the file cannot be read or is too large.

    References
    ----------
    The on-disk format of anndata 0.7 and later.
    """
    try:
        import h5py  # noqa: PLC0415 (an extra)
    except ImportError:
        raise TableError(_MISSING_PACKAGE.format(install=install_command("h5ad"))) from None
    try:
        with h5py.File.in_memory(raw) as opened:
            matrix = _Annotated(opened, limits, max_bytes)
            if "barcodes" in opened.get("matrix", ()):
                return matrix.cells_of_10x()
            return matrix.cells_of_biom() if "observation" in opened else matrix.cells()
    except (TableError, MemoryError):
        raise
    except _UNREADABLE:
        raise TableError(
            f"{file} is an HDF5 file that cannot be read as .h5ad: that has X, obs and var, as "
            "anndata 0.7 and later write them. Save the table as CSV and drop that."
        ) from None


class _Annotated:
    """An open file, of which no more is read than may be."""

    def __init__(self, opened: Any, limits: Limits, max_bytes: int) -> None:
        self._file, self._limits, self._left = opened, limits, max_bytes

    def cells(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        variables, observations = self._part(self._file, "var"), self._part(self._file, "obs")
        names, rows = self._index(variables), self._index(observations)
        _reject(self._limits, len(rows), len(names))
        matrix = self._matrix(len(rows), len(names))
        index = str(observations.attrs["_index"])
        columns: dict[str, Any] = {"name" if index == "_index" else index: rows}
        columns |= dict(zip(names.tolist(), matrix.T, strict=True))
        if len(columns) <= len(names):
            raise ValueError(names)  # names of variables repeat
        for name in observations.attrs["column-order"]:
            columns[_free(str(name), columns)] = self._column(observations, str(name), len(rows))
        beside = [name for name in _BESIDE if name in self._file and len(self._file[name])]
        left = f" Left out: {', '.join(beside)}." if beside else ""
        said = f"Read X, {number(len(names))} variables, and obs.{left}"
        return _known_beside(columns, names), (said,)

    def cells_of_biom(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """As `cells`, of BIOM 2: a row for each sample, and what is known of these."""
        samples, features = self._part(self._file, "sample"), self._part(self._file, "observation")
        names, rows = self._values(features, "ids"), self._values(samples, "ids")
        _reject(self._limits, len(rows), len(names))
        matrix = self._sparse(self._part(samples, "matrix"), csr_matrix, len(rows), len(names))
        columns: dict[str, Any] = {
            "sample": rows,
            **dict(zip(names.tolist(), matrix.T, strict=True)),
        }
        metadata = self._part(samples, "metadata") if "metadata" in samples else {}
        for name in metadata:
            values = self._values(metadata, name)
            if values.shape == (len(rows),):
                columns[_free(str(name), columns)] = values
        said = f"Read as BIOM 2, {number(len(names))} features of {number(len(rows))} samples."
        return _known_beside(columns, names), (said,)

    def cells_of_10x(self) -> tuple[pd.DataFrame, tuple[str, ...]]:
        """As `cells`, of counts of Cell Ranger 3 and later: a row for each cell."""
        matrix = self._part(self._file, "matrix")
        features = self._part(matrix, "features")
        rows, names = self._values(matrix, "barcodes"), self._values(features, "name")
        _reject(self._limits, len(rows), len(names))
        counts = self._sparse(matrix, csr_matrix, len(rows), len(names))
        return _counted(rows, names, self._values(features, "id"), counts)

    def _sparse(self, part: Any, kind: Any, n_rows: int, n_columns: int) -> FloatArray:
        arrays = tuple(self._values(part, name) for name in ("data", "indices", "indptr"))
        sparse = kind(arrays, shape=(n_rows, n_columns), dtype=np.float64)
        sparse.check_format(full_check=True)  # else positions could lie anywhere in memory
        dense: FloatArray = sparse.toarray()
        return dense

    def _part(self, group: Any, name: str) -> Any:
        """A group or data set in this file."""
        import h5py  # noqa: PLC0415

        link = group.get(name, getlink=True)
        if isinstance(link, (h5py.ExternalLink, h5py.SoftLink)):
            raise OSError(name)
        return group[name]

    def _values(self, group: Any, name: str) -> npt.NDArray[Any]:
        """The numbers or texts of a data set."""
        part = self._part(group, name)
        if part.is_virtual or part.external:
            raise ValueError(name)
        self._left -= part.size * part.dtype.itemsize
        if self._left < 0:
            raise TableError(
                f"The file holds more than {number(MAX_UNPACKED // 2**20)} MB. Remove rows or "
                "columns and drop it again."
            )
        is_text = part.dtype.kind in "OS"
        values: npt.NDArray[Any] = (part.asstr() if is_text else part)[()]
        return values

    def _index(self, frame: Any) -> npt.NDArray[Any]:
        return self._values(frame, str(frame.attrs["_index"]))

    def _matrix(self, n_rows: int, n_columns: int) -> FloatArray:
        part = self._part(self._file, "X")
        kind = _SPARSE.get(str(part.attrs.get("encoding-type", "")))
        if kind is None:
            dense = self._values(self._file, "X").astype(np.float64)
        else:
            dense = self._sparse(part, kind, n_rows, n_columns)
        if dense.shape != (n_rows, n_columns):
            raise ValueError(dense.shape)
        return dense

    def _column(self, frame: Any, name: str, n_rows: int) -> npt.NDArray[Any]:
        """A column of obs: numbers, or texts of which some may be missing."""
        part = self._part(frame, name)
        if "categories" in part.attrs:  # of anndata 0.7
            levels = self._values(self._part(frame, "__categories"), name)
            values = _named(self._values(frame, name), levels)
        elif hasattr(part, "shape"):
            values = self._values(frame, name)
        elif "codes" in part:
            values = _named(self._values(part, "codes"), self._values(part, "categories"))
        else:
            values = self._values(part, "values").astype(object)
            values[self._values(part, "mask").astype(np.bool_)] = None
        if values.shape != (n_rows,):
            raise ValueError(name)
        is_number = values.dtype.kind in "iuf"
        cells: npt.NDArray[Any] = values.astype(np.float64 if is_number else object)
        return cells


def is_10x(raw: bytes) -> bool:
    """Return whether these are the bytes of a .zip of counts, barcodes and features."""
    if not raw.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return bool(_parts_of_10x(archive))
    except DAMAGED_ARCHIVE:
        return False


def cells_of_10x(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the counts of Cell Ranger, a row for each cell.

    Raises
    ------
    TableError
        If a file is missing, or they do not fit each other or are too large.
    """
    files = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for name, part in _parts_of_10x(archive).items():
                with archive.open(part) as opened:
                    files[name] = unpacked(opened.read(MAX_UNPACKED), name, MAX_UNPACKED // 3)[0]
        about = next(files[name] for name in _FEATURES if name in files).decode().split("\n")
        rows = np.array(files[_BARCODES].decode().splitlines(), dtype=object)
        ids = [line.split("\t") for line in about if line]
        names = np.array([line[1] if len(line) > 1 else line[0] for line in ids], dtype=object)
        _reject(limits, len(rows), len(names))
        lines = io.BytesIO(files[_MATRIX])
        entries = pd.read_csv(lines, sep=" ", comment="%", header=None, dtype=np.float64)
        size, counts = entries.iloc[0].tolist(), entries.iloc[1:].to_numpy()
        if size != [len(names), len(rows), len(counts)] or not np.isfinite(counts).all():
            raise ValueError(file)
        columns, cells = counts[:, :2].T.astype(np.int64) - 1
        sparse = coo_matrix((counts[:, 2], (cells, columns)), (len(rows), len(names)))
    except TableError:
        raise
    except (StopIteration, IndexError, *DAMAGED_ARCHIVE):
        raise TableError(
            f"{file} has no counts that fit its barcodes and features. Compress the folder of "
            "Cell Ranger again and drop that."
        ) from None
    return _counted(rows, names, np.array([line[0] for line in ids], object), sparse.toarray())


def _parts_of_10x(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The three files of Cell Ranger by their names; none if there are others."""
    parts = {
        part.filename.rpartition("/")[2].removesuffix(".gz"): part
        for part in archived_files(archive)
    }
    is_such = len(parts) == 3 and {*parts} <= {_MATRIX, _BARCODES, *_FEATURES}
    return parts if is_such else {}


def _counted(
    rows: npt.NDArray[Any], names: npt.NDArray[Any], ids: npt.NDArray[Any], counts: FloatArray
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Counts of cells, named by their genes, or by ids of these where names recur."""
    recurs = pd.Series(names).duplicated(keep=False)
    columns = pd.Index(np.where(recurs, ids, names), dtype=object)
    cells = pd.DataFrame(counts, columns=columns)
    cells.insert(0, "barcode", rows)
    said = f"Read as counts of {number(len(names))} features in {number(len(rows))} cells."
    return cells, (said,)


def _reject(limits: Limits, n_rows: int, n_columns: int) -> None:
    if n_rows > limits.n_rows or n_columns > limits.n_columns:
        raise TableError(
            f"The file has {number(n_rows)} rows and {number(n_columns)} variables, and at "
            f"most {number(int(limits.n_rows))} and "
            f"{number(int(limits.n_columns))} can be read. Keep the most variable ones, "
            "or fewer rows, and drop it again."
        )
    limits.reject_cells(n_rows, n_columns)


def _known_beside(columns: dict[str, Any], measured: npt.NDArray[Any]) -> pd.DataFrame:
    """The names of the rows, what was measured of them, and behind it what is known of them."""
    cells = pd.DataFrame(columns)
    cells.attrs[BESIDE] = tuple(cells.columns[1 + len(measured) :])
    return cells


def _named(codes: npt.NDArray[Any], levels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The category of each code, None of a negative one."""
    named = np.array([*levels.tolist(), None], dtype=object)
    cells: npt.NDArray[Any] = named[np.where(codes < 0, len(levels), codes)]
    return cells


def _free(name: str, taken: dict[str, Any]) -> str:
    return name if name not in taken else f"{name} (obs)"

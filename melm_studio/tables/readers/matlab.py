"""MATLAB's files up to version 7, by scipy: arrays of numbers and text."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.io import loadmat, whosmat

from melm_studio.tables.formatting import number
from melm_studio.tables.readers.arrays import columns_of_arrays
from melm_studio.tables.records import Limits
from melm_studio.tables.text import TableError

_START = b"MATLAB 5.0"
_READ = {"double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64", "logical", "char", "cell", "sparse"}  # fmt: skip


def is_matlab(raw: bytes) -> bool:
    """Return whether these are the bytes of a .mat file of version 5 to 7."""
    return raw.startswith(_START)


def matlab_cells(
    raw: bytes, file: str, limits: Limits, wanted: str = ""
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the arrays with as many rows as most have, as those of .npz files.

    Raises
    ------
    TableError
        If the file cannot be read, has no array, or is too large.
    """
    try:
        variables = whosmat(io.BytesIO(raw))
        names = [name for name, _, kind in variables if kind in _READ]
        n_cells = sum(
            int(np.prod(shape, dtype=float)) for name, shape, _ in variables if name in names
        )
        if n_cells > limits.n_cells:
            raise TableError(
                f"{file} has arrays of more than {number(limits.n_cells)} cells. Save fewer and "
                "drop the file again."
            )
        values = loadmat(io.BytesIO(raw), variable_names=names, chars_as_strings=True)
    except (TableError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (damaged files raise any type)
        raise TableError(
            f"{file} is a MATLAB file that cannot be read: it may be cut off. Save it again, or "
            "its table as CSV (writetable), and drop that."
        ) from None
    arrays = {name: array for name in names if (array := _array(values[name])) is not None}
    if not arrays:
        raise TableError(
            f"{file} is a MATLAB file without an array of numbers or text, such as of tables and "
            "structures. Save the table as CSV (writetable) and drop that."
        )
    return columns_of_arrays(arrays, file, limits, wanted)


def _array(value: Any) -> npt.NDArray[Any] | None:
    """An array of numbers or texts; vectors, which MATLAB has as a row or column, as such."""
    dense = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
    if dense.dtype == object:
        texts = [_text(cell) for cell in dense.reshape(-1)]
        if any(text is None for text in texts):
            return None
        dense = np.array(texts, dtype=str).reshape(dense.shape)
    if dense.dtype.kind not in "biufUS":
        return None
    return dense.reshape(-1) if dense.ndim == 2 and 1 in dense.shape else dense


def _text(cell: Any) -> str | None:
    flat = np.asarray(cell).reshape(-1)
    if flat.dtype == object:  # cells within cells
        return None
    return str(flat[0]) if len(flat) == 1 else "" if not len(flat) else None

"""The rows of a new lot, as an analysis of new rows takes them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, UserError
from melm_studio.analyses.analysis import Work
from melm_studio.rows.new_rows import NewRows
from melm_studio.runs.records.stored_files import FileKind

_GONE = "The rows of the new lot are no longer stored. Drop their file on the picture again."


@dataclass(frozen=True, eq=False)
class LotRows:
    """The rows of a new lot, as the data of a run are prepared.

    Attributes
    ----------
    name : str
        Of their file.
    X : ndarray of shape (n_rows, n_features)
    labels : ndarray of int of shape (n_rows,)
        Class codes, -1 of a row without a class of the run.
    row_numbers : ndarray of int of shape (n_rows,)
        In their file, from 1 without the header.
    is_filled : ndarray of bool of shape (n_rows,)
        Whether numbers are missing in the file, in whose place are those of the run's table.
    groups : tuple of str
        Of each row; empty if the file says none.

    Examples
    --------
    >>> import numpy as np
    >>> new = np.array([1, 2])
    >>> rows = LotRows("b.csv", np.ones((2, 1)), new - 2, new, new > 1, ("ann", "bob"))
    >>> LotRows.from_bytes(rows.to_bytes()).groups
    ('ann', 'bob')
    """

    name: str
    X: FloatArray
    labels: IntArray
    row_numbers: IntArray
    is_filled: npt.NDArray[np.bool_]
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, new: NewRows) -> Self:
        """Return the rows of a second table."""
        is_filled = np.atleast_1d(np.isnan(new.encoded).any(axis=1))
        return cls(new.name, new.X, new.labels, new.row_numbers, is_filled, new.groups)

    @classmethod
    def of_work(cls, work: Work) -> Self:
        """Return the rows that the analysis of a worker is about.

        Raises
        ------
        UserError
            If they are no longer stored.
        """
        raw = work.store.get_file(work.record.owner, FileKind.DATA, work.record.new_rows)
        if raw is None:
            raise UserError(_GONE)
        return cls.from_bytes(raw)

    def to_bytes(self) -> bytes:
        """Pack as npz; equal rows give equal bytes."""
        words = np.frombuffer(msgspec.json.encode((self.name, self.groups)), np.uint8)
        file = io.BytesIO()
        np.savez(
            file,
            X=self.X,
            labels=self.labels,
            row_numbers=self.row_numbers,
            is_filled=self.is_filled,
            words=words,
        )
        return file.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Unpack what `to_bytes` packed."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as file:
            name, groups = msgspec.json.decode(file["words"].tobytes())
            is_filled = file["is_filled"]
            return cls(
                name, file["X"], file["labels"], file["row_numbers"], is_filled, tuple(groups)
            )

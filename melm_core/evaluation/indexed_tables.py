"""Tables that are indexed by rows and otherwise left to an estimator: frames, texts, pictures."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import is_lazy


class IndexedTable:
    """A table whose rows are asked for by number, so that folds need not know what it holds.

    Copies of it, as those of the parameters of an estimator, are itself.

    Parameters
    ----------
    X : frame, sparse matrix, list or array of n_samples rows
    """

    def __init__(self, X: Any) -> None:
        self._X = X.tocsr() if issparse(X) else X

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __len__(self) -> int:
        return int(self._X.shape[0]) if hasattr(self._X, "shape") else len(self._X)

    @property
    def numbers(self) -> FloatArray:
        """Stand-ins of the rows, shape (n_samples, 1): their numbers."""
        return np.arange(len(self), dtype=np.float64)[:, None]

    def rows(self, numbers: FloatArray) -> Any:
        """The rows that stand-ins stand for."""
        indices = numbers[:, 0].astype(np.int64)
        return self._X.iloc[indices] if hasattr(self._X, "iloc") else self._X[indices]

    @property
    def values(self) -> FloatArray | None:
        """The numbers of a frame that has nothing else, nan where one is missing; else None."""
        if not hasattr(self._X, "iloc"):
            return None
        try:
            return np.asarray(self._X.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            return None

    def equal_rows(self, y: IntArray) -> IntArray:
        """Codes of the groups of rows that are equal and of one class, shape (n_samples,)."""
        codes: dict[Hashable, int] = {}
        keys = zip(y.tolist(), self._keys(), strict=True)
        return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)

    def _keys(self) -> Iterator[Hashable]:
        """Return keys that are equal for equal rows."""
        if issparse(self._X):
            rows = self._X.copy()
            rows.sum_duplicates()
            for first, last in pairwise(rows.indptr):
                yield rows.indices[first:last].tobytes(), rows.data[first:last].tobytes()
        elif hasattr(self._X, "iloc"):
            for row in self._X.itertuples(index=False, name=None):
                yield tuple(map(str, row))  # nan equals itself
        else:
            for row in self._X:
                yield str(row) if self._X.dtype.kind in "OUS" else row.tobytes()


def indexed(X: Any) -> IndexedTable | None:
    """The rows as a table that is only indexed; None of arrays of numbers, which need no such.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation.indexed_tables import indexed
    >>> indexed(np.ones((3, 2))) is None, len(indexed(["a text", "another"]))
    (True, 2)
    """
    if is_lazy(X):
        return None
    if (hasattr(X, "iloc") and X.ndim > 1) or issparse(X):
        return IndexedTable(X)
    array = X if isinstance(X, np.ndarray) else _array(X)
    is_numbers = array.ndim == 2 and array.dtype.kind in "fiub"
    return None if is_numbers or array.ndim == 0 else IndexedTable(array)


def _array(X: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError as error:
        raise UserError(f"X is no table: {error}. Give as many values in every row.") from error

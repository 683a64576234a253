"""Samples that represent all rows, of tables in memory and in blocks."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.row_blocks import BlockSource, Merge, T, Task

Value = TypeVar("Value", bound=np.generic)


def stratified_sample(y: IntArray, share: float, n_classes: int) -> IntArray:
    """Draw a sample with the same share of every class.

    The rows are evenly spaced within each class, so the same data always give
    the same sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    share : float
        Share of each class to keep, at least two of its rows; 1 or more keeps all rows.
    n_classes : int

    Returns
    -------
    ndarray of int of shape (n_kept,)
        Ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import stratified_sample
    >>> stratified_sample(np.repeat([0, 1], [8, 4]), 0.5, n_classes=2)
    array([ 0,  2,  4,  7,  8, 11])
    """
    if share >= 1.0 or len(y) == 0:
        return np.arange(len(y))
    indices = [
        rows[evenly_spaced(len(rows), share)]
        for rows in (np.flatnonzero(y == code) for code in range(n_classes))
        if len(rows)
    ]
    return np.unique(np.concatenate(indices))


def thinned(rows: npt.NDArray[Value], most: int) -> npt.NDArray[Value]:
    """Keep every n-th row, from the first, so that no more than so many are left.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, ...)
    most : int

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> thinned(np.arange(7), 3)
    array([0, 3, 6])
    """
    return rows[:: max(1, -(-len(rows) // most))]


def evenly_spaced(n_rows: int, share: float) -> IntArray:
    """Return evenly spaced indices of a share of rows, at least two of them.

    Parameters
    ----------
    n_rows : int
    share : float

    Examples
    --------
    >>> evenly_spaced(8, 0.5)
    array([0, 2, 4, 7])
    """
    if share >= 1.0:
        return np.arange(n_rows)
    n_kept = max(2, round(share * n_rows))
    return np.unique(np.linspace(0, n_rows - 1, n_kept).astype(np.int64))


@dataclass(frozen=True, eq=False)
class BlockSample:
    """Some rows of a table, in memory, in the order of the table.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
    y : ndarray of int of shape (n_kept,)
        Class codes.
    positions : ndarray of int of shape (n_kept,)
        Which rows of the table they are, ascending.
    """

    X: FloatArray
    y: IntArray
    positions: IntArray


def stratified_block_sample(source: BlockSource, share: float) -> BlockSample:
    """Draw the rows that `stratified_sample` takes of the same rows in memory, in one pass.

    Parameters
    ----------
    source : BlockSource
    share : float
        Share of each class to keep, at least two of its rows; 1 or more keeps all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base.block_sources import ArrayBlocks
    >>> y = np.repeat([0, 1], [8, 4])
    >>> sample = stratified_block_sample(ArrayBlocks(np.eye(12), y, n_block_rows=5), 0.5)
    >>> sample.positions
    array([ 0,  2,  4,  7,  8, 11])
    """
    indices = [evenly_spaced(int(count), share) for count in source.counts.sum(axis=0)]
    begins = np.cumsum(source.counts, axis=0) - source.counts
    parts = source.map_reduce(_Sampling(indices, begins), operator.add)
    first_rows = _first_rows(source)
    return BlockSample(
        X=np.concatenate([X for X, _, _ in parts]),
        y=np.concatenate([y for _, y, _ in parts]),
        positions=np.concatenate(
            [rows + begin for (_, _, rows), begin in zip(parts, first_rows, strict=True)]
        ),
    )


class BlocksWithout:
    """A table in blocks without some rows.

    Parameters
    ----------
    source : BlockSource
    positions : ndarray of int of shape (n_left_out,)
        Ascending.
    codes : ndarray of int of shape (n_left_out,)
        Their classes.

    Attributes
    ----------
    counts, n_features, classes
        See `BlockSource`.
    """

    def __init__(self, source: BlockSource, positions: IntArray, codes: IntArray) -> None:
        self._source = source
        first_rows = _first_rows(source)
        blocks = np.searchsorted(first_rows, positions, side="right") - 1
        self._left_out = [positions[blocks == n] - row for n, row in enumerate(first_rows)]
        self.n_features, self.classes = source.n_features, source.classes
        self.counts = source.counts.copy()
        np.subtract.at(self.counts, (blocks, codes), 1)

    def map_reduce(self, task: Task[T], merge: Merge[T]) -> T:
        """See `BlockSource`."""
        result: T = self._source.map_reduce(_Without(task, self._left_out), merge)
        return result


class BlocksApplied:
    """A table in blocks whose rows are the values of a function of other rows.

    Parameters
    ----------
    source : BlockSource
    function : callable
        Takes rows of shape (n_rows, n_features) and returns as many, of the same shape.

    Attributes
    ----------
    counts, n_features, classes
        See `BlockSource`.
    """

    def __init__(self, source: BlockSource, function: Callable[[FloatArray], FloatArray]) -> None:
        self._source, self._function = source, function
        self.counts, self.n_features, self.classes = (
            source.counts,
            source.n_features,
            source.classes,
        )

    def map_reduce(self, task: Task[T], merge: Merge[T]) -> T:
        """See `BlockSource`."""
        result: T = self._source.map_reduce(_Applied(task, self._function), merge)
        return result


def _first_rows(source: BlockSource) -> IntArray:
    """Return the position of the first row of each block."""
    counts = source.counts.sum(axis=1)
    first_rows: IntArray = np.cumsum(counts) - counts
    return first_rows


class _Sampling:
    """The chosen rows of a block, their codes and their positions in it, as a list of one entry."""

    def __init__(self, indices: Sequence[IntArray], begins: IntArray) -> None:
        self._indices, self._begins = indices, begins

    def __call__(
        self, number: int, X: FloatArray, codes: IntArray
    ) -> list[tuple[FloatArray, IntArray, IntArray]]:
        parts = []
        for code, indices in enumerate(self._indices):
            rows, begin = np.flatnonzero(codes == code), self._begins[number, code]
            first, last = np.searchsorted(indices, [begin, begin + len(rows)])
            parts.append(rows[indices[first:last] - begin])
        rows = np.sort(np.concatenate(parts))
        return [(X[rows], codes[rows], rows)]


class _Without:
    def __init__(self, task: Task[Any], left_out: Sequence[IntArray]) -> None:
        self._task, self._left_out = task, left_out

    def __call__(self, number: int, X: FloatArray, codes: IntArray) -> Any:
        rows = self._left_out[number]
        return self._task(number, np.delete(X, rows, axis=0), np.delete(codes, rows))


class _Applied:
    def __init__(self, task: Task[Any], function: Callable[[FloatArray], FloatArray]) -> None:
        self._task, self._function = task, function

    def __call__(self, number: int, X: FloatArray, codes: IntArray) -> Any:
        return self._task(number, self._function(X), codes)

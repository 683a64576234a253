"""Rows of classes that need not be in memory at once, and reductions over them.

What the divergence needs of all rows are sums, smallest and largest values. So a table may
be larger than memory: `reduce_rows` takes one block of it after the other and merges what a
function returns for each. For rows in memory the function is called once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError

T = TypeVar("T")
Merge: TypeAlias = Callable[[T, T], T]
Task: TypeAlias = Callable[[int, FloatArray, IntArray], T]


class BlockSource(Protocol):
    """A table of rows with class codes, in blocks.

    Attributes
    ----------
    counts : ndarray of int of shape (n_blocks, n_classes)
        Rows of each class in each block.
    n_features : int
    classes : ndarray of shape (n_classes,)
        The sorted labels; class code c is the label `classes[c]`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import BlockSource
    >>> from melm_core.base.block_sources import ArrayBlocks
    >>> source: BlockSource = ArrayBlocks(np.eye(4), np.array([0, 0, 1, 1]), n_block_rows=3)
    >>> source.counts.tolist()
    [[2, 1], [0, 1]]
    >>> float(source.map_reduce(lambda number, X, codes: X.sum(), lambda a, b: a + b))
    4.0
    """

    counts: IntArray
    n_features: int
    classes: npt.NDArray[Any]

    def map_reduce(self, task: Task[T], merge: Merge[T]) -> T:
        """Apply a task to the rows and codes of every block, and merge the results in order.

        Parameters
        ----------
        task : callable
            Takes the number of the block, rows of shape (n_rows, n_features) and codes of
            shape (n_rows,).
        merge : callable
            Takes two results of neighboring blocks. The order of the merges depends on the
            number of blocks only, so that equal calls give equal bits.
        """


@dataclass(frozen=True, eq=False)
class RowView:
    """The rows of one class in coordinates (x - origin) matrix; holds no rows."""

    code: int
    origin: FloatArray
    matrix: FloatArray | None = None

    def of(self, X: FloatArray) -> FloatArray:
        """Return the coordinates of rows of the class."""
        offsets = X - self.origin
        return offsets if self.matrix is None else offsets @ self.matrix


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of one class of a table in blocks, in linear coordinates; not in memory.

    Attributes
    ----------
    source : BlockSource
    view : RowView
    """

    source: BlockSource
    view: RowView

    def __len__(self) -> int:
        return int(self.source.counts[:, self.view.code].sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of coordinates."""
        matrix = self.view.matrix
        return len(self), self.source.n_features if matrix is None else matrix.shape[1]

    def __matmul__(self, matrix: FloatArray) -> ClassRows:
        transform = self.view.matrix
        product = matrix if transform is None else transform @ matrix
        return replace(self, view=replace(self.view, matrix=product))


Rows: TypeAlias = FloatArray | ClassRows


def is_lazy(X: Any) -> bool:
    """Return whether a table is not in memory: a collection of Dask, or a BlockSource."""
    return type(X).__module__.partition(".")[0] == "dask" or hasattr(type(X), "map_reduce")


def check_in_memory(estimator: object, X: Any) -> None:
    """Check that the rows are no Dask collection, for a method that needs all of them at once.

    Parameters
    ----------
    estimator : object
    X : array-like or Dask collection

    Raises
    ------
    ValueError
        If they are.
    """
    if is_lazy(X):
        raise UserError(
            f"{type(estimator).__name__} needs the rows in memory, and X is a Dask collection. "
            "Fit a sample of it, for example X.sample(frac=0.01).compute(), or choose a method "
            "that sums over the rows, such as MELM, LDA, PCA or GEM."
        )


def class_rows(source: BlockSource) -> tuple[ClassRows, ...]:
    """Return the rows of each class of a table, in the units of the table."""
    origin = np.zeros(source.n_features)
    n_classes = source.counts.shape[1]
    return tuple(ClassRows(source, RowView(code, origin)) for code in range(n_classes))


def added(first: Any, second: Any) -> Any:
    """Add two results; tuples entry by entry."""
    if isinstance(first, tuple):
        return tuple(map(operator.add, first, second))
    return first + second


def extended(first: Any, second: Any) -> Any:
    """Extend a pair of lower and upper bounds by another."""
    return np.minimum(first[0], second[0]), np.maximum(first[1], second[1])


def in_memory(rows: Sequence[Rows]) -> TypeGuard[Sequence[FloatArray]]:
    """Return whether the rows are arrays."""
    return not any(isinstance(part, ClassRows) for part in rows)


def blocks_among(rows: Sequence[Rows]) -> list[ClassRows]:
    """Return the rows that are not in memory."""
    return [part for part in rows if isinstance(part, ClassRows)]


def reduce_rows(function: Callable[..., T], merge: Merge[T], *views: Sequence[Rows]) -> list[T]:
    """Apply a function to the rows of each class, and merge its results over the blocks.

    Parameters
    ----------
    function : callable
        Takes the number of a class and its rows in one block, in the coordinates of each view.
        It must not refer to rows itself, because it may be sent to other processes.
    merge : callable
        Takes two results.
    *views : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
        One entry a class. All ClassRows are of one table.

    Returns
    -------
    list
        One result a class.

    Examples
    --------
    >>> import numpy as np
    >>> rows = [np.ones((4, 2)), np.zeros((3, 2))]
    >>> reduce_rows(lambda code, block: float(block.sum()), added, rows)
    [8.0, 0.0]
    """
    pieces = list(zip(*views, strict=True))
    if in_memory(views[0]):
        return [function(number, *parts) for number, parts in enumerate(pieces)]
    task = _ClassTask(function, [[part.view for part in blocks_among(parts)] for parts in pieces])
    source = blocks_among(views[0])[0].source
    results: list[T] = source.map_reduce(task, _ByClass(merge))
    return results


def bounds_of(rows: Sequence[Rows]) -> tuple[FloatArray, FloatArray]:
    """Compute the smallest and largest value of each coordinate over all classes."""
    bounds = class_bounds(rows)
    return bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)


def class_bounds(rows: Sequence[Rows]) -> FloatArray:
    """Compute the bounds of each class and coordinate, (n_classes, 2, n_coordinates)."""
    return np.array(reduce_rows(_bounds, extended, rows))


def _bounds(_: int, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    # Column by column, ten times as fast as along the first axis of a narrow array.
    least, most = ([getattr(c, end)() for c in rows.T] for end in ("min", "max"))
    return np.array(least), np.array(most)


def take_rows(rows: Sequence[Rows], indices: Sequence[IntArray]) -> tuple[FloatArray, ...]:
    """Take some rows of each class into memory.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
    indices : sequence of ndarray of int
        Ascending, into the rows of each class.
    """
    if in_memory(rows):
        return tuple(part[drawn] for part, drawn in zip(rows, indices, strict=True))
    blocks = blocks_among(rows)
    source = blocks[0].source
    begins = np.cumsum(source.counts, axis=0) - source.counts
    task = _Taking([part.view for part in blocks], list(indices), begins)
    taken = source.map_reduce(task, operator.add)
    return tuple(np.concatenate([block[number] for block in taken]) for number in range(len(rows)))


class _ClassTask:
    """A task for one block: a function of the rows of each class that has some."""

    def __init__(self, function: Callable[..., Any], views: Sequence[Sequence[RowView]]) -> None:
        self._function, self._views = function, views

    def __call__(self, number: int, X: FloatArray, codes: IntArray) -> list[Any]:
        return [self._of_class(place, views, X, codes) for place, views in enumerate(self._views)]

    def _of_class(
        self, place: int, views: Sequence[RowView], X: FloatArray, codes: IntArray
    ) -> Any:
        rows = X[codes == views[0].code]
        return self._function(place, *(view.of(rows) for view in views)) if len(rows) else None


class _ByClass:
    """Merges the results of each class; None where a block has no rows of it."""

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self._merge = merge

    def __call__(self, first: list[Any], second: list[Any]) -> list[Any]:
        return [
            b if a is None else a if b is None else self._merge(a, b)
            for a, b in zip(first, second, strict=True)
        ]


class _Taking:
    """The chosen rows of each class in a block, as a list of one entry."""

    def __init__(
        self, views: Sequence[RowView], indices: Sequence[IntArray], begins: IntArray
    ) -> None:
        self._views, self._indices, self._begins = views, indices, begins

    def __call__(self, number: int, X: FloatArray, codes: IntArray) -> list[list[FloatArray]]:
        taken = []
        for view, indices in zip(self._views, self._indices, strict=True):
            rows = X[codes == view.code]
            begin = self._begins[number, view.code]
            first, last = np.searchsorted(indices, [begin, begin + len(rows)])
            taken.append(view.of(rows[indices[first:last] - begin]))
        return [taken]


def partitions_of(collection: Any) -> npt.NDArray[Any]:
    """Return the delayed partitions of a Dask collection, one for each that it was made of.

    Dask joins the partitions of files of which few columns are read, so that those of the
    features and those of the labels no longer match. These are not joined; only the columns of
    the collection are read.

    Parameters
    ----------
    collection : dask.array.Array, dask.dataframe.DataFrame or dask.dataframe.Series

    Returns
    -------
    ndarray of dask.delayed.Delayed of shape (n_partitions,)

    Examples
    --------
    >>> import dask.array as array
    >>> [part.compute() for part in partitions_of(array.arange(4, chunks=2))]
    [array([0, 1]), array([2, 3])]
    """
    if hasattr(collection, "to_frame") or hasattr(collection, "columns"):
        return np.array(collection.simplify().to_delayed(optimize_graph=False), dtype=object)
    return np.ravel(np.asarray(collection.to_delayed(), dtype=object))


def lazy_array(X: Any, n_features: int) -> Any:
    """Convert a Dask collection to an array with so many columns and the same partitions.

    Raises
    ------
    ValueError
        If it has more or fewer columns.
    """
    if X.ndim != 2 or X.shape[1] != n_features:
        columns = f"{X.shape[1]} columns" if X.ndim == 2 else f"{X.ndim} dimensions"
        raise UserError(f"X has {columns}; the plane was fitted to {n_features} features.")
    if not hasattr(X, "columns"):
        return X
    arrays, delayed = import_module("dask.array"), import_module("dask").delayed
    parts = [
        arrays.from_delayed(delayed(_values)(part), (np.nan, n_features), dtype=np.float64)
        for part in partitions_of(X)
    ]
    return arrays.concatenate(parts, allow_unknown_chunksizes=True)


def _values(frame: Any) -> npt.NDArray[np.float64]:
    # Missing values of nullable columns are no NaN.
    values: npt.NDArray[np.float64] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return values

"""Tables in blocks: an array read piece by piece, collections of Dask, files of Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import is_numeric, missing_values
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_magnitudes
from melm_core.base.row_blocks import (
    BlockSource,
    Merge,
    T,
    Task,
    bounds_of,
    class_rows,
    is_lazy,
    partitions_of,
)
from melm_core.base.written_cells import listed

_FEWEST_OF_CLASS = 2

# The column of the labels in a frame that holds both.
_LABEL = "label of the rows"

# Labels of one block, how many rows have each, and what else is checked.
_PartSummary = tuple[npt.NDArray[Any], IntArray, int, int]


class ArrayBlocks:
    """An array or a memory-mapped file, of which one block is read at a time.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    codes : ndarray of int of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    n_block_rows : int
    """

    def __init__(self, X: FloatArray, codes: IntArray, n_block_rows: int) -> None:
        self._X, self._codes, self._n_block_rows = X, codes, n_block_rows
        self.n_features = X.shape[1]
        n_classes = int(codes.max()) + 1
        self.classes = np.arange(n_classes)
        self.counts = np.stack(
            [np.bincount(codes[part], minlength=n_classes) for part in self._parts()]
        )

    def map_reduce(self, task: Task[T], merge: Merge[T]) -> T:
        """See `BlockSource`."""
        results = [
            task(number, np.asarray(self._X[part], dtype=np.float64), self._codes[part])
            for number, part in enumerate(self._parts())
        ]
        result: T = merged(results, merge)
        return result

    def _parts(self) -> Iterator[slice]:
        return (
            slice(begin, begin + self._n_block_rows)
            for begin in range(0, len(self._codes), self._n_block_rows)
        )


class DaskBlocks:
    """The partitions of a Dask array or DataFrame, which the current scheduler reads.

    Nothing is kept between two reductions; `persist()` collections that the cluster can hold.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
    y : dask.array.Array, dask.dataframe.Series of shape (n_samples,) or None
        With the same partitions; None where all rows are of one class.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The sorted labels; class code c is the label `classes[c]`.

    Raises
    ------
    ValueError
        If the partitions differ, or a value is missing or not finite.
    """

    def __init__(self, X: Any, y: Any = None) -> None:
        _check_columns(X)
        if y is None:
            y = _one_label(X)
        if not is_lazy(y):
            raise UserError(
                f"X is a Dask collection and y is a {type(y).__name__}; take both from one "
                "collection, or use dask.array.from_array(y, chunks=X.chunks[0])."
            )
        self.n_features = X.shape[1]
        self._parts = _frame_parts(X, y) if _are_frames(X, y) else _array_parts(X, y)
        summaries = self._each(_examined)
        self._check(summaries)
        self.classes = np.unique(np.concatenate([labels for labels, *_ in summaries]))
        self.counts = np.zeros((len(summaries), len(self.classes)), dtype=np.int64)
        for number, (part_labels, counts, *_) in enumerate(summaries):
            self.counts[number, np.searchsorted(self.classes, part_labels)] = counts

    def map_reduce(self, task: Task[T], merge: Merge[T]) -> T:
        """See `BlockSource`."""
        dask = import_module("dask")  # an extra, which is there if there is a collection
        delayed = dask.delayed
        shared = delayed(_Coded(task, self.classes), pure=False, traverse=False)
        results = [
            delayed(_called)(shared, number, *part, dask_key_name=f"block-{number}-{shared.key}")
            for number, part in enumerate(self._parts)
        ]
        merge_two = delayed(merge, pure=False, traverse=False)
        result: T = dask.compute(merged(results, merge_two))[0]
        return result

    def _each(self, function: Callable[..., _PartSummary]) -> list[_PartSummary]:
        dask = import_module("dask")
        results = [dask.delayed(function)(*part) for part in self._parts]
        return list(dask.compute(*results))

    def _check(self, summaries: Sequence[_PartSummary]) -> None:
        for number, (*_, n_more, _) in enumerate(summaries):
            if n_more:
                raise UserError(
                    f"Partition {number} of X has {abs(n_more):,} rows "
                    f"{'more' if n_more > 0 else 'fewer'} than that of y; take both from one "
                    "collection."
                )
        lost = sum(n_lost for *_, n_lost in summaries)
        if lost:
            raise UserError(
                f"{lost:,} rows have values or labels that are missing or infinite. Fill them or "
                "leave these rows out first, for example with dropna()."
            )


def table_of(estimator: Any, X: Any, y: Any, in_memory_only: Sequence[str] = ()) -> BlockSource:
    """Return the blocks of a Dask collection, checked.

    Sets what estimators know of their input: `classes_`, `n_features_in_`, `feature_names_in_`.

    Parameters
    ----------
    estimator : BaseEstimator
    X, y : Dask collections of shape (n_samples, n_features), (n_samples,)
    in_memory_only : sequence of str
        What was given and needs the rows in memory; must be empty.

    Raises
    ------
    ValueError
        If the data are invalid, or a parameter needs the rows in memory.
    """
    check_none_in_memory(in_memory_only)
    table = blocks_of(X, y)
    check_magnitudes(np.stack(bounds_of(class_rows(table))))
    estimator.classes_ = table.classes
    describe(estimator, table, X)
    return table


def check_none_in_memory(names: Sequence[str]) -> None:
    """Raise UserError if something was asked for that needs the rows in memory."""
    for name in names:
        raise UserError(
            f"{name} needs the rows in memory, and X is a Dask collection. Fit a sample of it, "
            f"for example X.sample(frac=0.01).compute(), or leave {name} out."
        )


def blocks_of(X: Any, y: Any) -> BlockSource:
    """Return the blocks of a Dask collection or a table, with at least two rows of each class.

    Parameters
    ----------
    X : Dask collection of shape (n_samples, n_features), or BlockSource
    y : Dask collection of shape (n_samples,); None beside a BlockSource

    Raises
    ------
    ValueError
        If the data are invalid.

    Examples
    --------
    >>> import dask.array as array
    >>> from melm_core.base import blocks_of
    >>> blocks_of(array.ones((4, 2), chunks=(2, 2)), array.arange(4, chunks=2) % 2).counts.tolist()
    [[1, 1], [1, 1]]
    """
    table = X if hasattr(X, "map_reduce") else DaskBlocks(X, y)
    few = table.counts.sum(axis=0) < _FEWEST_OF_CLASS
    if few.any() or len(few) < _FEWEST_OF_CLASS:
        label = f"class {table.classes[few][0]} has one" if few.any() else "all have one label"
        raise UserError(f"Two or more classes need two or more rows each; {label}.")
    return table


def describe(estimator: Any, table: BlockSource, X: Any) -> None:
    """Set what estimators know of their input: `n_features_in_`, and `feature_names_in_` of frames.

    Parameters
    ----------
    estimator : BaseEstimator
    table : BlockSource
    X : Dask collection
        The rows of the table.
    """
    estimator.n_features_in_ = table.n_features
    if hasattr(X, "columns"):
        estimator.feature_names_in_ = np.asarray(X.columns, dtype=object)


def share_equal(predicted: Any, y: Any) -> float:
    """Compute the share of equal entries of two Dask collections with equal partitions.

    Parameters
    ----------
    predicted : dask.array.Array of shape (n_samples,)
    y : dask.array.Array or dask.dataframe.Series of shape (n_samples,)

    Raises
    ------
    ValueError
        If the partitions differ.
    """
    if not is_lazy(y):
        raise UserError(
            f"X is a Dask collection and y is a {type(y).__name__}; take both from one collection."
        )
    pairs = [partitions_of(of) for of in (predicted, y)]
    if len(pairs[0]) != len(pairs[1]):
        raise UserError(
            f"X has {len(pairs[0])} partitions and y has {len(pairs[1])}; take both from one "
            "collection, or rechunk y like X."
        )
    dask = import_module("dask")
    counted = dask.compute(*[dask.delayed(_equal)(*pair) for pair in zip(*pairs, strict=True)])
    n_equal, n_rows = np.sum(counted, axis=0)
    return float(n_equal / n_rows)


def _equal(predicted: npt.NDArray[Any], y: Any) -> tuple[int, int]:
    if len(predicted) != len(y):
        raise UserError("A partition of X and that of y differ in their rows.")
    return int((predicted == np.asarray(y)).sum()), len(predicted)


def merged(results: Sequence[Any], merge: Callable[[Any, Any], Any]) -> Any:
    """Merge several results into one, two neighbors at a time.

    Parameters
    ----------
    results : sequence, at least one
    merge : callable
    """
    level = list(results)
    while len(level) > 1:
        pairs = [merge(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = [*pairs, *level[2 * len(pairs) :]]
    return level[0]


def _check_columns(X: Any) -> None:
    """Raise UserError unless the collection is a table of numbers."""
    if X.ndim != 2:
        raise UserError(f"X has {X.ndim} dimensions; rows of features have 2.")
    kinds = dict(X.dtypes) if hasattr(X, "dtypes") else {"X": X.dtype}
    others = [str(name) for name, kind in kinds.items() if not is_numeric(kind)]
    if others:
        raise UserError(
            f"{', '.join(others[:3])} {'are' if len(others) > 1 else 'is'} not numeric; leave such "
            "columns out, or encode them as numbers first."
        )


def _one_label(X: Any) -> Any:
    """Label every row 0, in the partitions of the rows."""
    first = X.iloc[:, 0] if hasattr(X, "iloc") else X[:, 0]
    return first * 0


def _are_frames(X: Any, y: Any) -> bool:
    return hasattr(X, "assign") and hasattr(y, "to_frame")


def _frame_parts(X: Any, y: Any) -> list[tuple[Any, ...]]:
    """Return the delayed partitions of a frame with its labels in the last column.

    In one frame, so that Dask reads both in one go.
    """
    try:
        joined = X.assign(**{_LABEL: y})
    except (AttributeError, TypeError, ValueError) as error:
        raise UserError(
            "The rows of X and y cannot be matched; take both from one Dask DataFrame."
        ) from error
    return [(part,) for part in partitions_of(joined)]


def _array_parts(X: Any, y: Any) -> list[tuple[Any, ...]]:
    """Return the delayed partitions of rows, each with all of its columns, and of labels."""
    whole = X.rechunk({1: -1}) if hasattr(X, "rechunk") else X
    rows, labels = partitions_of(whole), partitions_of(y)
    if len(rows) != len(labels):
        raise UserError(
            f"X has {len(rows)} partitions and y has {len(labels)}; take both from one "
            "collection, or rechunk y like X."
        )
    return list(zip(rows, labels, strict=True))


def _split(*part: Any) -> tuple[Any, npt.NDArray[Any]]:
    """Split a partition, which may be one frame, into rows and labels."""
    X, y = part if len(part) > 1 else (part[0].iloc[:, :-1], part[0].iloc[:, -1])
    if hasattr(X, "iloc"):  # whose missing values need not be NaN
        return X.to_numpy(dtype=np.float64, na_value=np.nan), np.asarray(y)
    return np.asarray(X, dtype=np.float64), np.asarray(y)


def _called(task: Callable[..., Any], number: int, *part: Any) -> Any:
    return task(number, *_split(*part))


class _Coded:
    """A task of rows and class codes, called with rows and labels of any kind."""

    def __init__(self, task: Callable[..., Any], classes: npt.NDArray[Any]) -> None:
        self._task, self._classes = task, classes

    def __call__(self, number: int, X: FloatArray, y: npt.NDArray[Any]) -> Any:
        return self._task(number, X, np.searchsorted(self._classes, y))


def _examined(*part: Any) -> _PartSummary:
    """Return the labels of a block, its rows with each, and counts of faulty rows."""
    rows, given = _split(*part)
    unknown: npt.NDArray[np.bool_] = np.ravel(missing_values(given))
    lost = ~np.isfinite(rows).all(axis=1)
    if len(unknown) == len(lost):
        lost |= unknown
    labels, counts = np.unique(given[~unknown], return_counts=True)
    return labels, counts, len(rows) - len(given), int(lost.sum())


def read_rows(
    path: str | PathLike[str], label: str, features: Sequence[str] | None = None
) -> tuple[Any, Any]:
    """Open features and labels of a table in Parquet files, for `fit`; nothing is read yet.

    Parameters
    ----------
    path : str or path
        A Parquet file, a folder of them, or an address that Dask reads, such as
        "s3://bucket/measurements/".
    label : str
        The column of the class labels.
    features : sequence of str or None, default=None
        The columns of the features; None for all but the labels.

    Returns
    -------
    X : dask.dataframe.DataFrame of shape (n_samples, n_features)
    y : dask.dataframe.Series of shape (n_samples,)

    Raises
    ------
    ValueError
        If there are no such files or columns, or a feature is not numeric.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane, read_rows
    >>> iris = load_iris(as_frame=True).frame
    >>> with TemporaryDirectory() as folder:
    ...     for number in range(3):
    ...         iris[number::3].to_parquet(Path(folder) / f"part-{number}.parquet")
    ...     X, y = read_rows(folder, label="target")
    ...     plane = DiscriminantPlane().fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """
    table = _table(path)
    columns = [str(name) for name in table.columns]
    names = [name for name in columns if name != label] if features is None else list(features)
    for name in (label, *names):
        if name not in columns:
            raise UserError(f"There is no column {name!r} in {path}; it has {listed(columns)}.")
    if not names:
        raise UserError(f"{path} has no column besides the labels, {label!r}; name another label.")
    texts = [name for name in names if not is_numeric(table.dtypes[name])]
    if texts:
        raise UserError(
            f"Not numeric in {path}: {listed(texts)}. Name the features, for example "
            f"features={[name for name in names if name not in texts][:2]}."
        )
    return table[names], table[label]


def _table(path: str | PathLike[str]) -> Any:
    try:
        frames = import_module("dask.dataframe")
    except ImportError as error:
        raise UserError(
            'Reading a folder of files needs Dask: pip install "melm-core[dask]".'
        ) from error
    try:
        return frames.read_parquet(str(path))
    except (OSError, ValueError, IndexError) as error:
        raise UserError(
            f"{path} is no Parquet file and no folder of Parquet files that can be read ({error})."
        ) from error

"""The distinct values of columns, and of which classes their rows are: of many columns at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray, IntArray
from melm_studio.tables.frames import columns_of, number_columns

COUNTING = 0.9  # of the numbers of rows, those that are the one above and 1, or begin again
MOST_AT_ONCE = 100_000  # cells, which the cache of a processor holds


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Slices of the columns of which each has a bounded number of cells, or is one column.

    Examples
    --------
    >>> [*blocks(40_000, 5)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    step = max(1, MOST_AT_ONCE // max(1, n_rows))
    return (slice(start, start + step) for start in range(0, n_columns, step))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Summary of the numbers of columns, each of shape (n_columns,).

    Attributes
    ----------
    names : sequence of str
        The columns of numbers, in order.
    n_values, n_repeated, n_missing : ndarray of int64
        Distinct values, those of more than one row, and missing ones.
    low, high : ndarray of float64
        NaN where every value is missing.
    is_whole : ndarray of bool
    is_counting, is_rising : ndarray of bool
        Whether each present value is the one above and 1, or each is greater than all above.
    """

    names: Sequence[str]
    n_values: IntArray
    n_repeated: IntArray
    n_missing: IntArray
    low: FloatArray
    high: FloatArray
    is_whole: npt.NDArray[np.bool_]
    is_counting: npt.NDArray[np.bool_]
    is_rising: npt.NDArray[np.bool_]

    def which(self, are_such: npt.NDArray[np.bool_]) -> list[str]:
        """The names of the columns of which something is true."""
        return [self.names[place] for place in np.flatnonzero(are_such).tolist()]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Numbers:
        """Of the columns of a table that are numbers.

        Examples
        --------
        >>> found = Numbers.of(pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": [0.5, 0.5, 0.5]}))
        >>> found.n_values, found.is_counting
        (array([2, 1]), array([ True, False]))
        """
        numeric = frame.select_dtypes(np.float64)
        pairs = [
            _number_facts(np.ascontiguousarray(numeric.iloc[:, block].to_numpy().T))
            for block in blocks(len(frame), numeric.shape[1])
        ]
        facts = [np.concatenate(fact) for fact in zip(*pairs, strict=True)]
        if not facts:
            facts = [np.empty(0, kind) for kind in (*["i8"] * 3, *["f8"] * 2, *["?"] * 3)]
        return cls(numeric.columns.tolist(), *facts)


def _number_facts(numbers: FloatArray) -> tuple[npt.NDArray[Any], ...]:
    ascending = np.sort(numbers, axis=1)  # NaN last
    is_present = ~np.isnan(ascending)
    n_present = is_present.sum(axis=1)
    is_new = is_present.copy()
    is_new[:, 1:] &= ascending[:, 1:] != ascending[:, :-1]
    is_again = is_present & ~is_new
    is_repeated = is_again[:, 1:] & is_new[:, :-1]  # the second of each value
    every = np.arange(len(numbers))
    low = ascending[:, 0]
    high = ascending[every, np.maximum(n_present - 1, 0)]
    is_whole = np.asarray(~(np.floor(ascending) < ascending).any(axis=1))
    # Where some are missing, the present ones are as far apart as they would be in order.
    is_ascending = _is_ascending(numbers)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest
        is_dense = (n_present == 0) | (high - low == n_present - 1)
    n_values = is_new.sum(axis=1)
    is_rising = np.asarray((n_values == n_present) & is_ascending)
    is_counting = is_whole & is_dense & is_rising
    n_missing = numbers.shape[1] - n_present
    n_repeated = is_repeated.sum(axis=1)
    return n_values, n_repeated, n_missing, low, high, is_whole, is_counting, is_rising


def _is_ascending(numbers: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether the present numbers of each row ascend."""
    most = np.fmax.accumulate(numbers, axis=1)
    return np.asarray(~(numbers[:, 1:] <= most[:, :-1]).any(axis=1))


def distinct_values(cells: pd.Series) -> npt.NDArray[Any]:
    """The values of a column that are not missing, in the order of their first rows.

    Examples
    --------
    >>> distinct_values(pd.Series(["b", None, "a", "b"]))
    array(['b', 'a'], dtype=object)
    """
    values = np.asarray(cells.unique())
    return values[~pd.isna(values)]


def value_counts(cells: pd.Series) -> dict[Any, int]:
    """The values of a column that are not missing, and their rows, the most frequent first.

    Examples
    --------
    >>> value_counts(pd.Series(["b", None, "a", "a"]))
    {'a': 2, 'b': 1}
    """
    codes, values = cells.array.factorize()  # pandas takes several times as long for few rows
    sizes = np.bincount(codes[codes >= 0], minlength=len(values))
    order = np.argsort(-sizes, kind="stable")
    return dict(zip(np.asarray(values)[order].tolist(), sizes[order].tolist(), strict=True))


def n_equal_pairs(cells: pd.Series) -> float:
    """The number of pairs of rows with the same value of a column, which is not missing.

    Examples
    --------
    >>> n_equal_pairs(pd.Series(["a", "b", "a", "a", None, None]))
    3.0
    """
    n_rows = np.fromiter(value_counts(cells).values(), dtype=np.float64)
    return float((n_rows * (n_rows - 1)).sum() / 2)


def value_codes(frame: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Codes of the values of each column, -1 where one is missing.

    Parameters
    ----------
    frame : DataFrame
    names : sequence of str

    Returns
    -------
    codes : ndarray of int64, (n_columns, n_rows)
        Ascending with the numbers of a numeric column, else in the order of their first row.
    """
    codes = np.empty((len(names), len(frame)), dtype=np.int64)
    cells = columns_of(frame, names)
    is_number = number_columns(cells)
    for index in np.flatnonzero(~is_number).tolist():
        codes[index] = cells.iloc[:, index].array.factorize()[0]
    if is_number.any():
        codes[is_number] = _ranks(cells.loc[:, is_number].to_numpy(np.float64).T)
    return codes


def _ranks(numbers: FloatArray) -> IntArray:
    """The rank of each number among the distinct ones of its row, -1 for NaN."""
    order = np.argsort(numbers, axis=1)
    ascending = np.take_along_axis(numbers, order, axis=1)
    ranks = np.zeros(numbers.shape, dtype=np.int64)
    np.cumsum(ascending[:, 1:] != ascending[:, :-1], axis=1, out=ranks[:, 1:])
    ranks[np.isnan(ascending)] = -1
    codes = np.empty_like(ranks)
    np.put_along_axis(codes, order, ranks, axis=1)
    return codes


def numbered_parts(numbers: FloatArray) -> IntArray:
    """The lengths of the parts of a file along which whole numbers count up; empty if they do not.

    But for gaps, each is the one above and 1, or begins again.

    Examples
    --------
    >>> numbered_parts(np.array([1.0, 2.0, 3.0, 4.0, 1.0, 2.0]))
    array([4, 2])
    """
    steps = np.diff(numbers)
    begins = np.flatnonzero(steps < 0) + 1
    is_counting = ((steps == 1) | (steps < 0)).mean() >= COUNTING and len(numbers) > 2 * len(begins)
    lengths: IntArray = np.diff(begins, prepend=0, append=len(numbers))
    return lengths if is_counting else lengths[:0]


def fewest_values(codes: IntArray, y: IntArray) -> IntArray:
    """The number of values in the class that has the fewest; missing ones have the code -1.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
    y : ndarray of shape (n_rows,)

    Returns
    -------
    ndarray of shape (n_columns,)

    Examples
    --------
    >>> fewest_values(np.array([[0, 1, 2, 2], [0, 1, 0, -1]]), np.array([0, 0, 1, 1]))
    array([1, 1])
    """
    pairs = _Pairs(codes, y)
    cells = np.bincount(pairs.columns * pairs.n_classes + pairs.classes, minlength=pairs.n_cells)
    fewest: IntArray = cells.reshape(len(codes), pairs.n_classes).min(axis=1)
    return fewest


def clustering(codes: IntArray, y: IntArray) -> FloatArray:
    """Measure how nearly values of columns have rows of one class each: 0 by none, 1 for all.

    How far the mean share of the most frequent class of each value is on the way from the share of
    the most frequent class of all to 1.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        -1 where a value is missing.
    y : ndarray of shape (n_rows,)

    Returns
    -------
    ndarray of shape (n_columns,)

    Examples
    --------
    >>> clustering(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), np.array([0, 0, 1, 1]))
    array([1., 0.])
    """
    pairs = _Pairs(codes, y)
    n_columns = len(codes)
    n_present = np.maximum((codes >= 0).sum(axis=1), 1)
    most = np.bincount(pairs.columns[pairs.value_starts], pairs.most_of_value, minlength=n_columns)
    of_class = np.bincount(
        pairs.columns * pairs.n_classes + pairs.classes, pairs.sizes, minlength=pairs.n_cells
    )
    base = of_class.reshape(n_columns, pairs.n_classes).max(axis=1) / n_present
    shares = (most / n_present - base) / np.where(base < 1.0, 1.0 - base, 1.0)
    return np.where(base < 1.0, shares, 0.0)


def neighbor_kappa(codes: IntArray, y: IntArray, least_differing: int) -> FloatArray:
    """Measure how nearly equal values of columns stand together, within classes.

    Cohen's kappa of the rows of each class and those that follow them there: how far the share of
    equal values is on the way from that in random order, 0, to 1.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        In the order of the file; missing values have one code.
    y : ndarray of shape (n_rows,)
    least_differing : int
        0 where fewer neighboring rows would differ in random order.

    Returns
    -------
    ndarray of shape (n_columns,)

    References
    ----------
    J. Cohen: A Coefficient of Agreement for Nominal Scales, Educational and Psychological
    Measurement 20, 1960.

    Examples
    --------
    >>> season, sex = np.repeat([0, 1, 2], 20), np.arange(60) % 2
    >>> neighbor_kappa(np.array([season, sex]), np.zeros(60, dtype=np.int64), 20).round(2)
    array([ 0.95, -0.97])
    """
    pairs = _Pairs(codes + 1, y)
    n_chances = pairs.sizes * (pairs.sizes - 1) / np.bincount(y)[pairs.classes]
    expected = np.bincount(pairs.columns, n_chances, minlength=len(codes))
    in_order = np.argsort(y, kind="stable")
    is_class, placed = np.diff(y[in_order]) == 0, codes[:, in_order]
    n_equal = ((placed[:, 1:] == placed[:, :-1]) & is_class).sum(axis=1)
    n_differing = is_class.sum() - expected
    kappa = (n_equal - expected) / np.maximum(n_differing, least_differing)
    return np.where(n_differing >= least_differing, kappa, 0.0)


class _Pairs:
    """The pairs of value and class that occur in each column, sorted, and how many rows have each.

    Attributes
    ----------
    columns, classes, sizes : ndarray of int64, (n_pairs,)
    value_starts, most_of_value : ndarray of int64, (n_values_of_all_columns,)
        The first pair of each value, and the most rows that a class has of it.
    """

    def __init__(self, codes: IntArray, y: IntArray) -> None:
        n_columns, n_rows = codes.shape
        self.n_classes = int(y.max()) + 1
        self.n_cells = n_columns * self.n_classes
        keys = np.sort(np.where(codes < 0, -1, codes * self.n_classes + y), axis=1)
        is_new = np.ones(keys.shape, dtype=np.bool_)
        is_new[:, 1:] = keys[:, 1:] != keys[:, :-1]
        starts = np.flatnonzero(is_new)
        sizes = np.diff(starts, append=n_columns * n_rows)
        of_pairs = keys.reshape(-1)[starts]
        is_present = of_pairs >= 0
        self.columns = (starts // n_rows)[is_present]
        self.sizes = sizes[is_present]
        values, self.classes = np.divmod(of_pairs[is_present], self.n_classes)
        is_other = np.diff(self.columns, prepend=-1) != 0
        is_other |= np.diff(values, prepend=-1) != 0
        self.value_starts: npt.NDArray[np.int64] = np.flatnonzero(is_other)
        self.most_of_value = (
            np.maximum.reduceat(self.sizes, self.value_starts)
            if len(self.value_starts)
            else self.sizes
        )

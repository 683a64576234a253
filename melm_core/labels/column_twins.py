"""Columns that are the label in other words: each alone against the label, before any plane.

Folds and shuffles cannot see them. A code beside its word, a coarser class beside a finer one or a
later measurement of the same outcome is as good in rows that were held out as in those that were
not, and every method finds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.folds.folds import sampled_rows, stratified_folds

# Of more rows and cells a stratified sample says as much.
_MOST_ROWS, _LEAST_ROWS, _MOST_CELLS = 2_000, 200, 1_000_000
_CELLS_AT_ONCE = 32_768
_N_FOLDS = 5
_FOLDS_AT_FIRST = 2  # in which nearly all columns of noise fail to tell as many rows as a twin does
_NEIGHBORS = 5  # rows of a number on either side that vote, at most

# A column that alone tells this share of the rows that were held out tells nearly all of them.
_NEARLY_ALL = 0.98
# So do those that tell this share, and of the way from guessing so much more than the next one.
_MOST, _FAR_MORE = 0.9, 0.35
_MOST_NUMBERS_OUTSTANDING = 2
# Rows that may say otherwise where two columns say the same: errors of typing.
_SAME = 0.98
# Rows for each value of a column that may be the label in other words, and values for each class
# of one that is finer: more of numbers are those of subjects or sites.
_FEWEST_ROWS_OF_A_VALUE, _MOST_VALUES_OF_A_CLASS = 3, 3
# Words that are features each, though all rows of one have one class: strains within species.
_MOST_NESTED = 20
_MOST_DUMMIES = 30  # of one column, beside each other
_LOOSEST_CODES = 2  # whole numbers of the range for each that occurs
# Filled cells, of a column that says the same where it says anything; and words of empty ones.
_LEAST_FILLED = 0.5
_NO_WORDS = ("", "nan", "None", "<NA>")
# Of as many columns of noise as the table has, one would say the same as the label so rarely.
_CHANCE = 1e-4
# Of as many with as many values as there are classes, one would part the rows as these do.
_CHANCE_OF_COPY = 0.5


class Twin(StrEnum):
    """Relation of a column that follows from the label, or the other way; see `ColumnAlone`.

    Examples
    --------
    >>> from melm_core.labels import Twin
    >>> bool(Twin.CODE), bool(Twin.NONE)
    (True, False)
    """

    EQUAL = "equal"
    CODE = "code"
    COARSER = "coarser"
    FINER = "finer"
    RANGES = "ranges"
    FOLLOWS = "follows"
    NONE = ""


@dataclass(frozen=True)
class ColumnAlone:
    """Prediction of the label by one column.

    Attributes
    ----------
    names : tuple of str
        One name, or those of dummies that are one column together.
    share : float
        Balanced accuracy in rows that were held out, by this column alone.
    error : float
        Standard error of the share.
    twin : Twin
        Equal to the label; another code of it; a coarser class, of which every class of the label
        has one; a finer one, each of whose values has one class; ranges that do not overlap; a
        column from which the label follows otherwise. `Twin.NONE` of any other column.
    n_same : int
        Rows in which it says what a twin says of them.
    n_rows : int
        Rows that it was looked at in.
    is_words : bool
        Whether its values are words or codes, not measured numbers.

    Notes
    -----
    The share is of one column, before any plane: below that of guessing it is noise. It compares
    columns of one table, and of many columns the best is too high.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.labels import ColumnAlone, label_twins
    >>> y = np.repeat([0, 1], 20)
    >>> (found,) = label_twins([np.repeat(["b", "a"], 20)], y, ["group"])
    >>> isinstance(found, ColumnAlone), found.name, found.share, found.n_same
    (True, 'group', 1.0, 40)
    """

    names: tuple[str, ...]
    share: float
    error: float
    twin: Twin
    n_same: int
    n_rows: int
    is_words: bool

    @property
    def name(self) -> str:
        """Its name, or those of dummies separated by commas."""
        return ", ".join(self.names)


def label_twins(
    X: Any,
    y: Any,
    columns: Sequence[str] | None = None,
    *,
    groups: IntArray | None = None,
    random_state: int = 0,
    only_twins: bool = False,
) -> tuple[ColumnAlone, ...]:
    """Judge every column of a table alone against the label.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns), or sequence of array-like of shape (n_samples,)
        The columns as they are in the table, before they are encoded: numbers, in which NaN is a
        value of its own, or words.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    columns : sequence of str, (n_columns,), optional
        Their names; by default their numbers.
    groups : ndarray of int of shape (n_samples,), optional
        Rows of a group are held out together.
    random_state : int, default=0
        Of the folds, and of the sample of a table of more than 2,000 rows.
    only_twins : bool, default=False
        Whether columns that are no twins are left out, nearly all of a wide table.

    Returns
    -------
    tuple of ColumnAlone
        One of each column and of each set of dummies, the largest share first.

    Raises
    ------
    ValueError
        If lengths differ, or there are fewer than two classes.

    Notes
    -----
    A column of words tells the class that its value has among the other folds, a column of numbers
    that of the rows of equal value or, of a value that is rare, of the nearest ones. A column of
    which up to half is empty is a twin, too, if it is one in its other rows. A twin is no
    mistake by itself: a measurement may decide alone. It is one where the column was made from the
    label, or the label from it, and only the owner of the table knows that. Twins of several
    columns together, such as a sum that is the label, are not looked for.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.labels import label_twins
    >>> y = np.repeat(["healthy", "mild", "severe"], 20)
    >>> noise = np.random.default_rng(0).standard_normal(60)
    >>> found = label_twins([noise, np.repeat([2, 0, 1], 20)], y, ["sugar", "grade"])
    >>> [(one.name, str(one.twin)) for one in found]
    [('grade', 'code'), ('sugar', '')]
    """
    names, codes = np.unique(np.asarray(y), return_inverse=True)
    values = list(np.asarray(X).T) if isinstance(X, np.ndarray) else [np.asarray(x) for x in X]
    if len(names) < 2:
        raise UserError(f"The label has {len(names)} class; twins of it need two or more.")
    if not {*map(len, values)} <= {len(codes)}:
        raise UserError(f"Every column must have one value for each of the {len(codes)} labels.")
    column_names = [str(name) for name in (range(len(values)) if columns is None else columns)]
    most = min(_MOST_ROWS, max(_LEAST_ROWS, _MOST_CELLS // max(len(values), 1)))
    sample = sampled_rows(codes, most, groups)
    if len(sample) < len(codes):
        values = [column[sample] for column in values]
    codes = codes[sample].astype(np.int64)
    own_groups = None if groups is None else groups[sample]
    table = [_Column.of(name, column) for name, column in zip(column_names, values, strict=True)]
    if not table:
        return ()
    cells = np.concatenate([column.values for column in table]).reshape(len(table), -1)
    dummies = _joined_dummies(table, cells)
    named_alike = {column.names for column in dummies}
    adjacent = _adjacent_dummies(table, cells, codes)
    dummies += [column for column in adjacent if column.names not in named_alike]
    if dummies:
        table += dummies
        cells = np.vstack([cells, *(column.values for column in dummies)])
    marks = _mark_classes(cells, codes)
    may_be_weak = ~marks if only_twins else np.zeros(len(table), dtype=np.bool_)
    shares, errors = _alone(table, cells, codes, own_groups, random_state, may_be_weak=may_be_weak)
    kinds = _kinds(table, cells, codes, names.astype(str), shares, errors=errors, marks=marks)
    # Most columns of a wide table range too far for codes, which is seen of all at once.
    are_codes = np.fmax.reduce(cells, axis=1) - np.fmin.reduce(cells, axis=1) <= _most_extent(cells)
    are_codes[are_codes] = _are_codes(cells[are_codes])
    judged = [
        ColumnAlone(
            column.names,
            share,
            error,
            twin,
            n_same,
            len(codes),
            column.texts is not None or (is_code and twin is not Twin.COARSER),
        )
        for column, share, error, (twin, n_same), is_code in zip(
            table, shares.tolist(), errors.tolist(), kinds, are_codes.tolist(), strict=True
        )
        if twin is not Twin.NONE or not only_twins
    ]
    return tuple(sorted(judged, key=lambda column: (-column.share, column.twin == Twin.NONE)))


class _Column(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A column as numbers: those that it has, or codes of its words."""

    names: tuple[str, ...]
    values: FloatArray
    texts: npt.NDArray[Any] | None  # of each code

    @classmethod
    def of(cls, name: str, values: npt.NDArray[Any]) -> _Column:
        if values.dtype.kind in "fiub":
            return cls((name,), np.asarray(values, dtype=np.float64), None)
        texts, codes = np.unique(values.astype(str), return_inverse=True)
        return cls((name,), codes.astype(np.float64), texts)

    @property
    def has_value(self) -> npt.NDArray[np.bool_]:
        """True where each cell is filled."""
        if self.texts is None:
            return ~np.isnan(self.values)
        return ~np.isin(self.texts, _NO_WORDS)[self.values.astype(np.int64)]

    @property
    def is_words(self) -> bool:
        return self.texts is not None or bool(_are_codes(self.values[None])[0])


def _are_codes(cells: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether numbers of each column, a row here, are codes: whole, near, many rows each."""
    most = max(cells.shape[1] // 20, 2)
    ranked = np.sort(cells, axis=1)  # missing ones last
    n_known = (np.diff(ranked, axis=1) > 0).sum(axis=1) + 1
    extent = np.fmax.reduce(cells, axis=1) - ranked[:, 0]
    are_whole = ((ranked % 1 == 0) | np.isnan(ranked)).all(axis=1)
    are_codes: npt.NDArray[np.bool_] = (
        (extent <= _most_extent(cells))
        & (extent <= _LOOSEST_CODES * n_known)
        & (n_known <= most)
        & are_whole
    )
    return are_codes


def _most_extent(cells: FloatArray) -> int:
    """The largest range of numbers that are codes of so many rows."""
    return _LOOSEST_CODES * max(int(cells.shape[-1]) // 20, 2)


def _joined_dummies(table: Sequence[_Column], cells: FloatArray) -> list[_Column]:
    """Columns of zeros and ones of one prefix, of which each row has one at most, as one of words.

    A row has none of them where the value left out is the label itself, or stands for the others.
    """
    families: dict[str, list[_Column]] = {}
    is_one = cells == 1.0
    is_of_both = ((cells == 0.0) | is_one).all(axis=1) & is_one.any(axis=1) & ~is_one.all(axis=1)
    for index in np.flatnonzero(is_of_both).tolist():
        prefix = re.match(r"(.+)[_.=: -].", table[index].names[0])
        if prefix and table[index].texts is None:
            families.setdefault(prefix[1], []).append(table[index])
    joined = []
    for family in families.values():
        values = np.stack([column.values for column in family])
        n_had = values.sum(axis=0)
        is_common = min(*values.sum(axis=1), (n_had == 0.0).sum()) >= values.shape[1] // 20
        if len(family) > 1 and ((n_had == 1.0).all() or ((n_had <= 1.0).all() and is_common)):
            joined.append(_joined(family, values))
    return joined


def _adjacent_dummies(
    table: Sequence[_Column], cells: FloatArray, y: IntArray
) -> Iterator[_Column]:
    """Columns of zeros and ones beside each other, of which every row has one, as one of words.

    Or every row but those of one class, whose own column is the label or is left out.
    """
    is_number = np.array([column.texts is None for column in table])
    are_both = ((cells == 0.0) | (cells == 1.0)).all(axis=1) & (np.ptp(cells, axis=1) == 1.0)
    are_dummies, sizes = are_both & is_number, np.bincount(y)
    behind = 0
    for start in np.flatnonzero(are_dummies).tolist():
        if start < behind:
            continue
        n_had = np.zeros(len(y))
        for stop in range(start, min(start + _MOST_DUMMIES, len(table))):
            n_had += cells[stop]
            if not are_dummies[stop] or n_had.max() > 1.0:
                break
            lacking = np.bincount(y[n_had == 0.0], minlength=len(sizes))
            is_whole = ((lacking == 0) | (lacking == sizes)).all() and (lacking > 0).sum() <= 1
            behind = stop + 1 if is_whole and stop > start else behind
        if behind > start:
            yield _joined(table[start:behind], cells[start:behind])


def _joined(family: Sequence[_Column], values: FloatArray) -> _Column:
    """Dummies as one column of words."""
    names = tuple(column.names[0] for column in family)
    codes = np.where(values.any(axis=0), values.argmax(axis=0), len(names))
    return _Column(names, codes.astype(float), np.array([*names, "none of them"]))


def _alone(
    table: Sequence[_Column],
    cells: FloatArray,
    y: IntArray,
    groups: IntArray | None,
    seed: int,
    *,
    may_be_weak: npt.NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    """Share of held-out rows that each column tells by itself, and its standard error.

    That of numbers that may be weak is a bound, by the first folds, where no column is strong.
    """
    counts = np.bincount(y)
    n_classes, smallest = len(counts), int(counts.min())
    n_folds = min(_N_FOLDS, smallest)
    if n_folds < 2:
        return np.full(len(table), 1.0 / n_classes), np.zeros(len(table))
    try:
        folds = stratified_folds(y, n_folds, seed, groups)
    except UserError:  # a class is of one group: better its rows apart than no answer
        folds = stratified_folds(y, n_folds, seed)
    fold_of = np.empty(len(y), dtype=np.int64)
    for number, fold in enumerate(folds):
        fold_of[fold.test] = number
    is_number = np.array([column.texts is None for column in table])
    small_codes = y.astype(np.int16), fold_of.astype(np.int16)  # more of which a cache holds
    rows = _HeldOut(*small_codes, min(_NEIGHBORS, max(smallest // 4, 1)))

    def told(columns: npt.NDArray[np.bool_], n_asked: int) -> FloatArray:
        right = rows.rights(is_number[columns], cells[columns], n_asked)
        return np.stack([right[:, y == code].mean(axis=1) for code in range(n_classes)])

    of_class, is_weak = np.zeros((n_classes, len(table))), is_number & may_be_weak
    of_class[:, is_weak] = told(is_weak, _FOLDS_AT_FIRST)
    is_weak &= of_class.mean(axis=0) < _MOST * _filled(cells)
    of_class[:, ~is_weak] = told(~is_weak, n_folds)
    if (of_class.mean(axis=0) >= _MOST).any():  # by far, or not
        of_class[:, is_weak] = told(is_weak, n_folds)
    spread = (of_class * (1.0 - of_class) / counts[:, None]).sum(axis=0)
    return of_class.mean(axis=0), np.sqrt(spread) / n_classes


def _filled(cells: FloatArray) -> FloatArray:
    """The share of filled cells of each column, a row here."""
    return np.asarray(1.0 - np.isnan(cells).mean(axis=1))


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Rows that are held out in folds, and how many neighbors of a number vote on either side."""

    y: npt.NDArray[np.int16]
    fold_of: npt.NDArray[np.int16]
    reach: int

    def rights(
        self, is_number: npt.NDArray[np.bool_], values: FloatArray, n_folds: int
    ) -> FloatArray:
        """1.0 where a column predicts a row, (n_columns, n_rows); between, where it guesses.

        And of rows of further folds than so many, which are not asked.
        """
        step = max(1, _CELLS_AT_ONCE // len(self.y))
        blocks = [slice(start, start + step) for start in range(0, len(values), step)]
        rights = [self._rights_of(is_number[part], values[part], n_folds) for part in blocks]
        return np.concatenate([np.empty((0, len(self.y))), *rights])

    def _rights_of(
        self, is_number: npt.NDArray[np.bool_], values: FloatArray, n_folds: int
    ) -> FloatArray:
        """As `rights`, of so few columns that the cache of a processor holds them.

        Places are those in the flat cells of all of them, over which sums are taken at once.
        """
        n_columns, n_rows = values.shape
        rows, first, behind = _ascending(values)
        order = (rows + np.arange(0, values.size, n_rows)[:, None]).reshape(-1)
        labels, folds = self.y.take(rows.ravel()), self.fold_of.take(rows.ravel())
        n_classes, right = int(self.y.max()) + 1, np.ones(values.size)
        for fold in range(n_folds):
            is_known = folds != fold
            train_labels, asked = labels[is_known], np.flatnonzero(~is_known)
            n_known, n_asked = len(train_labels) // n_columns, len(asked) // n_columns
            n_of_class = np.maximum(np.bincount(train_labels[:n_known], minlength=n_classes), 1)
            low = np.repeat(np.arange(0, len(train_labels), n_known), n_asked)
            before = _counted(is_known)
            here, begin = before.take(asked), before.take(first.take(asked))
            end = before.take(behind.take(asked))
            is_rare = np.repeat(is_number, n_asked) & (end - begin < 2 * self.reach)
            begin = np.where(is_rare, np.maximum(np.minimum(begin, here - self.reach), low), begin)
            end = np.where(
                is_rare, np.minimum(np.maximum(end, here + self.reach), low + n_known), end
            )
            told, most = np.zeros_like(asked), np.zeros(len(asked))
            for code in range(n_classes):  # of equal votes the first class is told
                counted = _counted(train_labels == code)
                votes = (counted.take(end) - counted.take(begin)) / n_of_class[code]
                told = np.where(votes > most, code, told)
                most = np.maximum(most, votes)
            right[order[asked]] = np.where(most > 0, told == labels[asked], 1.0 / n_classes)
        return right.reshape(values.shape)


def _counted(is_such: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return the count of true values before each place, and of all."""
    counted = np.zeros(len(is_such) + 1, dtype=np.int32)
    np.cumsum(is_such, out=counted[1:], dtype=np.int32)
    return counted


def _ascending(values: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the rows of each column in ascending order, equal values in that of the rows.

    And where, in the flat cells of all columns, the equal values around each place begin, and end
    before. Sorting twice takes a fifth of a stable sort.
    """
    rows = np.argsort(values, axis=1)
    along = np.take_along_axis(values, rows, axis=1)
    gaps = np.isnan(along)
    is_new = np.ones(along.shape, dtype=bool)
    is_new[:, 1:] = ~((along[:, 1:] == along[:, :-1]) | (gaps[:, 1:] & gaps[:, :-1]))
    starts = np.flatnonzero(is_new)
    runs = np.cumsum(is_new) - 1
    earlier = (runs * values.shape[1]).reshape(values.shape)
    rows = np.sort(earlier + rows, axis=1) - earlier
    return rows, starts[runs], np.append(starts[1:], values.size)[runs]


def _kinds(
    table: Sequence[_Column],
    cells: FloatArray,
    y: IntArray,
    names: npt.NDArray[Any],
    shares: FloatArray,
    *,
    errors: FloatArray,
    marks: npt.NDArray[np.bool_],
) -> list[tuple[Twin, int]]:
    """The twin that each column is, and the rows in which it says so."""
    kinds = [(Twin.NONE, 0)] * len(table)
    can_stand_out = np.zeros(len(table), dtype=bool)
    is_weak = shares < _MOST * _filled(cells)
    joined = {name for column in table if len(column.names) > 1 for name in column.names}
    is_joined = np.array([column.names[0] in joined for column in table], dtype=bool)
    is_weak &= is_joined | ~marks
    n_columns_of = cache(partial(_n_columns_of, cells))  # which a table of many rows does not need
    for index, (column, share) in enumerate(zip(table, shares.tolist(), strict=True)):
        if column.texts is None and is_weak[index]:
            continue  # most columns of a wide table
        has_value = column.has_value
        pairs = _rows_of_pairs(column, y)
        can_stand_out[index] = _is_measure(pairs) if column.texts is None else _are_few(pairs)
        if _is_beyond_chance(pairs, column, len(table)) or _is_copy(pairs, column, n_columns_of):
            kinds[index] = _twin(column, pairs, names, share)
        if kinds[index][0] is Twin.NONE and _LEAST_FILLED <= has_value.mean() < 1.0:
            kinds[index] = _twin_where_known(column, has_value, y, names, len(table))
    best = _outstanding(table, kinds, shares, can_stand_out, len(names), errors=errors)
    for index in best:
        kinds[index] = (Twin.FOLLOWS, round(float(shares[index]) * len(y)))
    return kinds


def _mark_classes(cells: FloatArray, y: IntArray) -> npt.NDArray[np.bool_]:
    """Return whether each column, a row here, has two values, of which every class has one."""
    high, low = cells.max(axis=1, keepdims=True), cells.min(axis=1, keepdims=True)
    is_high, sizes = cells == high, np.bincount(y)
    are_two = (is_high | (cells == low)).all(axis=1) & (low < high)[:, 0]
    n_high = is_high[are_two].astype(np.float64) @ np.eye(len(sizes))[y]
    are_two[are_two] = ((n_high == 0) | (n_high == sizes)).all(axis=1)
    return np.asarray(are_two)


def _twin_where_known(
    column: _Column,
    has_value: npt.NDArray[np.bool_],
    y: IntArray,
    names: npt.NDArray[Any],
    n_columns: int,
) -> tuple[Twin, int]:
    """The twin that a column with gaps is in the rows that have a value."""
    if len(np.unique(y[has_value])) < len(names):
        return Twin.NONE, 0
    filled = msgspec.structs.replace(column, values=column.values[has_value])
    pairs = _rows_of_pairs(filled, y[has_value])
    pairs = pairs[pairs.sum(axis=1) > 0]
    told = float(pairs.max(axis=1).sum() / pairs.sum())
    twin = _twin(filled, pairs, names, told)
    is_sure = _is_beyond_chance(pairs, filled, n_columns) and twin[0] is not Twin.FOLLOWS
    return twin if is_sure else (Twin.NONE, 0)


def _is_beyond_chance(
    pairs: IntArray, column: _Column, n_columns: int, chance: float = _CHANCE
) -> bool:
    """Return whether so many rows would hardly ever agree by chance; of few rows some columns do.

    Every row beyond the first of its value has the class of that by a chance of one in the number
    of classes.
    """
    n_values, n_classes = pairs.shape
    n_rows = int(pairs.sum())
    if column.texts is None and n_values > n_rows / _FEWEST_ROWS_OF_A_VALUE:
        n_values = n_classes  # of measured numbers, the ranges
    n_agreeing = max(n_rows - n_values, 0)
    return bool(n_agreeing * np.log(n_classes) >= np.log(n_columns / chance))


def _is_copy(pairs: IntArray, column: _Column, n_columns_of: Callable[[], IntArray]) -> bool:
    """Return whether each class has one value, in more rows than chance alone makes likely.

    That of the columns with as many values, since no measured number could be such a copy.
    """
    return _is_one_of_each(pairs) and _is_beyond_chance(
        pairs, column, int(n_columns_of()[len(pairs)]), _CHANCE_OF_COPY
    )


def _n_columns_of(cells: FloatArray) -> IntArray:
    """The number of columns of each number of values, (n_rows + 1,)."""
    n_values = (np.diff(np.sort(cells, axis=1), axis=1) > 0).sum(axis=1) + 1
    return np.bincount(n_values, minlength=cells.shape[1] + 1)


def _rows_of_pairs(column: _Column, y: IntArray) -> IntArray:
    """The rows of each value of a column, ascending, and each class, (n_values, n_classes)."""
    _, codes = np.unique(column.values, return_inverse=True)
    shape = int(codes.max()) + 1, int(y.max()) + 1
    counted = np.bincount(codes * shape[1] + y, minlength=shape[0] * shape[1])
    return counted.reshape(shape).astype(np.int64)


def _twin(
    column: _Column, pairs: IntArray, names: npt.NDArray[Any], share: float
) -> tuple[Twin, int]:
    """The twin that a column is by itself, and the rows in which it says so."""
    n_rows, (n_values, n_classes) = int(pairs.sum()), pairs.shape
    if n_values < 2:
        return Twin.NONE, 0
    is_repeated = n_values * _FEWEST_ROWS_OF_A_VALUE <= n_rows
    are_words = column.is_words or n_values == 2 or _is_one_of_each(pairs)
    if is_repeated and are_words and (twin := _of_words(column, pairs, names, share)):
        return twin
    if share >= _MOST and column.texts is None:
        by_value = int(pairs.max(axis=1).sum())
        if by_value == n_rows and _n_ranges(pairs) == n_classes:
            return Twin.RANGES, n_rows
        if share >= _NEARLY_ALL and _is_measure(pairs):
            return Twin.FOLLOWS, round(share * n_rows)
    return Twin.NONE, 0


def _of_words(
    column: _Column, pairs: IntArray, names: npt.NDArray[Any], share: float
) -> tuple[Twin, int] | None:
    """The twin that words or codes are; None if they are none."""
    n_rows, (n_values, n_classes) = int(pairs.sum()), pairs.shape
    by_value, by_class = int(pairs.max(axis=1).sum()), int(pairs.max(axis=0).sum())
    tells = share >= _MOST and by_value >= _SAME * n_rows
    follows = by_class >= _SAME * n_rows
    if tells and follows:
        is_equal = column.texts is not None and set(column.texts) == set(names)
        return (Twin.EQUAL if is_equal else Twin.CODE), by_value
    is_nested = column.texts is not None and by_value == n_rows and n_values <= _MOST_NESTED
    if tells and (is_nested or _are_few(pairs)):
        return Twin.FINER, by_value
    is_marked = column.texts is not None or (n_values == 2 and by_class == n_rows)
    # Of a value that nearly every row has, each class has most, whatever it is.
    n_common = int(pairs.sum(axis=1).max())
    is_more = by_class - n_common >= _MOST * (n_rows - n_common)
    is_coarser = follows and is_more and is_marked and n_classes > n_values
    return (Twin.COARSER, by_class) if is_coarser else None


def _is_one_of_each(pairs: IntArray) -> bool:
    """Return whether each class has one value, and no other: no measurement of rows is so even."""
    is_row = pairs > 0
    return bool((is_row.sum(axis=0) == 1).all() and (is_row.sum(axis=1) == 1).all())


def _are_few(pairs: IntArray) -> bool:
    """Return whether there are as few words as of a class that is finer, each of several rows."""
    n_values, n_classes = pairs.shape
    is_repeated = n_values * _FEWEST_ROWS_OF_A_VALUE <= int(pairs.sum())
    return bool(is_repeated and n_values <= _MOST_VALUES_OF_A_CLASS * n_classes)


def _n_ranges(pairs: IntArray) -> int:
    """The ranges of values in which one class has most rows."""
    return 1 + int(np.count_nonzero(np.diff(pairs.argmax(axis=1))))


def _is_measure(pairs: IntArray) -> bool:
    """Return whether what tells the class is how much a number is, not whose rows these are.

    Repeated numbers that have their classes in no order tell subjects apart.
    """
    n_values, n_classes = pairs.shape
    is_repeated = n_values * 2 <= int(pairs.sum())
    return not is_repeated or _n_ranges(pairs) <= _MOST_VALUES_OF_A_CLASS * n_classes


def _outstanding(
    table: Sequence[_Column],
    kinds: Sequence[tuple[Twin, int]],
    shares: FloatArray,
    can_stand_out: npt.NDArray[np.bool_],
    n_classes: int,
    *,
    errors: FloatArray,
) -> list[int]:
    """The columns that tell far more than all others that are no twins.

    Several of words may, and two numbers: of three, good measurements are likelier. Of few rows, a
    share may be as large by chance.
    """
    is_other = [twin is Twin.NONE for twin, _ in kinds]
    others = np.flatnonzero(is_other & (can_stand_out | (shares < _MOST)))
    ranked: list[int] = others[np.argsort(-shares[others], kind="stable")].tolist()
    far = _FAR_MORE * (1.0 - 1.0 / n_classes)
    most_numbers = min(_MOST_NUMBERS_OUTSTANDING, len(ranked) // 2)
    n_numbers = 0
    for n_best, (last, following) in enumerate(pairwise(ranked), 1):
        n_numbers += not table[last].is_words
        if shares[last] - errors[last] < _MOST or n_numbers > most_numbers:
            return []
        if shares[last] - shares[following] >= far:
            return ranked[:n_best]
    return []

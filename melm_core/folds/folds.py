"""Class codes, groups of dependent rows, and the stratified folds of refits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import class_counts, group_codes, nuisance_codes, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_integer, check_magnitudes
from melm_core.base.sampling import stratified_sample
from melm_core.base.validated_data import checked_rows


def check_groups(classes: npt.NDArray[Any], y: IntArray, groups: IntArray) -> None:
    """Check that every class has rows of two groups or more.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes.

    Raises
    ------
    ValueError
        If the rows of a class are all of one group.
    """
    n_groups = units_of_classes(y, groups)
    smallest = int(n_groups.argmin())
    if n_groups[smallest] < 2:
        raise UserError(
            f"All rows of class {classes.tolist()[smallest]!r} are of one group, so what is common "
            "to the class cannot be distinguished from what is common to the group. Add rows of a "
            "second group or leave the class out."
        )


def group_strata(y: IntArray, groups: IntArray) -> IntArray:
    """Code of each group: equal for groups that contain the same classes, shape (n_groups,).

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import group_strata
    >>> group_strata(np.array([0, 0, 1, 0, 1]), np.array([0, 1, 1, 2, 3]))
    array([1, 2, 1, 0])
    """
    has_class = class_counts(y, groups) > 0
    codes: IntArray = np.unique(has_class, axis=0, return_inverse=True)[1]
    return codes.reshape(-1)


def sampled_by_group(y: IntArray, groups: IntArray, max_rows: int) -> IntArray:
    """Sample about `max_rows` rows: some of every group, or whole groups if there are many.

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes 0 .. n_groups-1.
    max_rows : int
    """
    share = max_rows / len(y)
    n_groups, n_classes = int(groups.max()) + 1, int(y.max()) + 1
    if 2 * n_groups * n_classes <= max_rows:
        return stratified_sample(groups * n_classes + y, share, n_groups * n_classes)
    of_group = group_strata(y, groups)
    sample = stratified_sample(of_group, share, int(of_group.max()) + 1)
    return np.flatnonzero(np.isin(groups, sample))


def label_runs(y: Any) -> IntArray:
    """Groups of neighboring rows with the same label.

    In a time series whose labels come in blocks, the rows of a block depend on
    each other: each block is a group.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        In the order of time.

    Returns
    -------
    ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> from melm_core.folds import label_runs
    >>> label_runs(["rest", "rest", "task", "task", "rest"])
    array([0, 0, 1, 1, 2])
    """
    labels = np.asarray(y)
    changes = labels[1:] != labels[:-1]
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows with their class codes.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    classes : ndarray of shape (n_classes,)
        Labels; code c stands for `classes[c]`.
    groups : ndarray of shape (n_samples,) or None
        Group codes; None if all rows are independent.
    nuisance : ndarray of shape (n_samples,) or None
        Codes of what planes are to be blind to.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import CodedRows
    >>> rows = CodedRows(np.eye(2), np.array([1, 0]), np.array(["no", "yes"]))
    >>> rows.classes[rows.y].tolist()
    ['yes', 'no']
    """

    X: FloatArray
    y: IntArray
    classes: npt.NDArray[Any]
    groups: IntArray | None = None
    nuisance: IntArray | None = None

    def take(self, rows: IntArray) -> CodedRows:
        """Return some of the rows, by their indices."""
        groups = None if self.groups is None else self.groups[rows]
        nuisance = None if self.nuisance is None else self.nuisance[rows]
        return CodedRows(self.X[rows], self.y[rows], self.classes, groups, nuisance)

    def in_groups(self, groups: IntArray | None) -> CodedRows:
        """Return the rows in other groups."""
        return CodedRows(self.X, self.y, self.classes, groups, self.nuisance)

    def without(self, rows: IntArray) -> CodedRows:
        """Return the rows except some and, with groups, except all rows of their groups."""
        left_out = np.zeros(len(self.y), dtype=bool)
        left_out[rows] = True
        if self.groups is not None:
            left_out = np.isin(self.groups, self.groups[rows])
        return self.take(np.flatnonzero(~left_out))


@dataclass(frozen=True, eq=False)
class Fold:
    """Indices of the training rows and of the test rows, ascending.

    Attributes
    ----------
    train, test : ndarray of int

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import Fold
    >>> Fold(train=np.array([0, 2]), test=np.array([1])).test
    array([1])
    """

    train: IntArray
    test: IntArray


def coded_rows(
    X: Any, y: Any, groups: Any = None, *, nuisance: Any = None, may_miss: bool = False
) -> CodedRows:
    """Validate rows, labels, groups and a nuisance, and encode them.

    Parameters
    ----------
    X, y, groups, nuisance
        See `melm_core.evaluation.Study`.
    may_miss : bool, default=False
        Whether values may be NaN.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or a class has fewer than two rows or groups.
    """
    X, y = checked_rows(X, y, may_miss=may_miss)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    check_class_sizes(classes, codes)
    check_magnitudes(np.nan_to_num(X) if may_miss else X)
    if groups is not None:
        groups = group_codes(groups, len(codes))
        check_groups(classes, codes, groups)
    if nuisance is not None:
        nuisance = nuisance_codes(nuisance, len(codes))
    return CodedRows(X, codes.astype(np.int64), classes, groups, nuisance)


def stratified_folds(
    y: IntArray, n_folds: int, random_state: int, groups: IntArray | None = None
) -> tuple[Fold, ...]:
    """Split the rows into shuffled, stratified folds.

    The number of folds is at most the number of rows, or groups, of the
    smallest class, so that every fold contains every class.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_folds : int
        At least 2.
    random_state : int
    groups : ndarray of shape (n_samples,) or None, default=None
        Groups whose rows stay together, two or more for each class.

    Returns
    -------
    tuple of Fold

    Raises
    ------
    ValueError
        If n_folds is less than 2, or the groups cannot be divided.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import stratified_folds
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> [len(fold.test) for fold in stratified_folds(y, n_folds=5, random_state=0)]
    [3, 3]
    """
    check_integer("n_folds", n_folds, minimum=2)
    if groups is not None:
        fold = fold_of_groups(y, groups, n_folds, random_state)
    else:
        possible = min(n_folds, int(np.bincount(y).min()))
        fold = _fold_of_rows(y, possible, random_state)
    return tuple(
        Fold(np.flatnonzero(fold != number), np.flatnonzero(fold == number))
        for number in range(int(fold.max()) + 1)
    )


def _fold_of_rows(y: IntArray, n_folds: int, random_state: int) -> IntArray:
    """Assign each row to a fold, as `StratifiedKFold` of scikit-learn does.

    That checks its labels for longer than a small plane is sought, and every shuffle has folds of
    its own.
    """
    firsts = np.unique(y, return_index=True)[1]
    codes = np.argsort(np.argsort(firsts))[y]  # in the order of their first rows
    ordered = np.sort(codes)
    counts = [np.bincount(ordered[k::n_folds], minlength=len(firsts)) for k in range(n_folds)]
    sizes = tuple(map(tuple, np.transpose(counts).tolist()))
    fold = np.empty(len(y), dtype=np.int64)
    for code, of_class in enumerate(_shuffled(sizes, random_state)):
        fold[codes == code] = of_class
    return fold


@lru_cache(maxsize=64)  # all shuffles of some labels have the same few; a generator takes longer
def _shuffled(sizes: tuple[tuple[int, ...], ...], random_state: int) -> list[IntArray]:
    """Shuffle the folds of the rows of each class, given the sizes of its folds."""
    stream = check_random_state(random_state)
    drawn = [np.repeat(np.arange(len(counts)), counts) for counts in sizes]
    for of_class in drawn:
        stream.shuffle(of_class)
    return drawn


def sampled_rows(y: IntArray, max_rows: int, groups: IntArray | None = None) -> IntArray:
    """Return indices of a stratified sample of about `max_rows` rows, or of all rows if fewer.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    max_rows : int
        At least 4.
    groups : ndarray of shape (n_samples,) or None, default=None
        Codes of groups: some rows of every group are kept or, of many groups, whole groups.

    Returns
    -------
    ndarray of shape (n_kept,)

    Raises
    ------
    ValueError
        If max_rows is less than 4.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import sampled_rows
    >>> sampled_rows(np.repeat([0, 1], [8, 4]), 6)
    array([ 0,  2,  4,  7,  8, 11])
    """
    check_integer("max_rows", max_rows, minimum=4)
    if groups is not None:
        return sampled_by_group(y, groups, max_rows)
    return stratified_sample(y, max_rows / len(y), int(y.max()) + 1)


def fold_of_groups(y: IntArray, groups: IntArray, n_folds: int, random_state: int) -> IntArray:
    """Assign rows to folds, equal for all rows of a group, shape (n_samples,).

    As scikit-learn's StratifiedGroupKFold, groups are distributed so that the
    classes are spread evenly. The number of folds is reduced until every fold
    contains every class, which StratifiedGroupKFold does not ensure.

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and groups; each class has rows of two groups or more.
    n_folds : int
    random_state : int

    Raises
    ------
    ValueError
        If not even two such folds exist.
    """
    counts = class_counts(y, groups)
    order = _large_groups_first(counts, random_state)
    most = min(n_folds, int((counts > 0).sum(axis=0).min()))
    for n_possible in range(most, 1, -1):
        folds, loads = _distributed(counts, order, n_possible)
        if (loads > 0).all():
            return folds[np.unique(groups, return_inverse=True)[1]]
    raise UserError(
        f"{len(counts)} groups cannot be divided into two folds that both contain every class. "
        "Add groups, or leave out the class with the fewest."
    )


def _large_groups_first(counts: IntArray, random_state: int) -> IntArray:
    shuffled = np.random.default_rng(random_state).permutation(len(counts))
    return shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]


def _distributed(counts: IntArray, order: IntArray, n_folds: int) -> tuple[IntArray, IntArray]:
    """Assign groups to folds; also count the rows of each fold and class.

    Each group joins the fold with the fewest rows of its classes, and of these
    the one with the fewest rows.
    """
    folds = np.zeros(len(counts), dtype=np.int64)
    loads = np.zeros((n_folds, counts.shape[1]), dtype=np.int64)
    ties = int(counts.sum()) + 1
    for group in order:
        cost = ties * (loads @ (counts[group] > 0)) + loads.sum(axis=1)
        folds[group] = cost.argmin()
        loads[folds[group]] += counts[group]
    return folds, loads

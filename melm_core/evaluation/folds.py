"""Labels as codes, and the folds that every honest figure is taken over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_class_sizes, check_integer
from melm_core.base.sampling import stratified_sample


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows with the code of their class.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    classes : ndarray of shape (n_classes,)
        Labels; code c stands for `classes[c]`.
    """

    X: FloatArray
    y: IntArray
    classes: npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Fold:
    """Indices of the rows that train and of the rows that test, ascending."""

    train: IntArray
    test: IntArray


def coded_rows(X: Any, y: Any) -> CodedRows:
    """Checked rows and class codes.

    Raises
    ------
    ValueError
        If a value is missing or not finite, or a class has fewer than two rows.
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    check_class_sizes(classes, codes)
    return CodedRows(X, codes.astype(np.int64), classes)


def stratified_folds(y: IntArray, n_folds: int, random_state: int) -> tuple[Fold, ...]:
    """Shuffled folds that hold out an even share of every class.

    As many as asked for, but no more than the smallest class has rows, so that
    every class is tested in every fold and trained on in every other one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_folds : int
    random_state : int
    """
    check_integer("n_folds", n_folds, minimum=2)
    possible = min(n_folds, int(np.bincount(y).min()))
    splitter = StratifiedKFold(possible, shuffle=True, random_state=random_state)
    return tuple(Fold(train, test) for train, test in splitter.split(np.empty((len(y), 0)), y))


def sampled_rows(y: IntArray, max_rows: int) -> IntArray:
    """Indices of about `max_rows` rows, an even share of every class; all where they are fewer."""
    check_integer("max_rows", max_rows, minimum=4)
    return stratified_sample(y, max_rows / len(y), int(y.max()) + 1)

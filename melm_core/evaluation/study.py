"""The study: a method, the rows it is fitted to, and their folds.

Everything that refits takes a `Study`: its folds, its preparation and what must stay together are
the same for all questions, so that their answers are of one thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import blocks_of, check_none_in_memory
from melm_core.base.codes import class_counts, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import SupervisedPlaneEstimator, check_integer
from melm_core.base.progress import Callback
from melm_core.base.row_blocks import BlockSource, is_lazy
from melm_core.base.sampling import BlocksApplied, BlocksWithout, stratified_block_sample
from melm_core.evaluation.refitting import (
    ChosenPreparation,
    FittedProjection,
    MethodLike,
    Preparation,
    Standardization,
    Unchanged,
    fit_projection,
    make_estimator,
)
from melm_core.folds.folds import CodedRows, Fold, coded_rows, stratified_folds
from melm_core.folds.row_dependence import duplicate_rows, near_doubles
from melm_core.recipe import centered_within

FoldCount: TypeAlias = int | Literal["auto"]

# Of few rows every one that is left out costs: five folds of 80 rows lose .02 to .04 of the share.
_MANY_FOLDS, _FEW_FOLDS = 10, 5
_ROWS_OF_MANY_FOLDS = 200
# Of more rows one split says as much, for a fifth of the work.
_MOST_ROWS_IN_FOLDS = 5_000
_PARTS_OF_A_SPLIT = 4  # of which one is held out
# Held out of a table that is not in memory.
_MOST_ROWS_OF_BLOCKS = 5_000


class Study:
    """A method, and the rows for which it is judged.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator with fit(X, y) and transform(X), or one with
        predict_proba.
    X : array-like or Dask collection of shape (n_samples, n_features)
        Values may be NaN if there is a preparation.
    y : array-like or Dask collection of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    parameters : mapping or None
        Of the method.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows that depend on each other, such as those of a patient, two groups or more for each
        class. They stay in one fold. By default rows of a class that are equal or far nearer to
        each other than others are a group; number the rows to take them as independent.
    within : bool, default=False
        Whether classes are compared within groups, as before and after treatment within patients:
        of every row the mean of its group is subtracted, before the preparation, and shuffles
        exchange labels within each group. Every group has rows of two classes or more. New rows
        are to be centered likewise; see `melm_core.recipe.centered_within`.
    nuisance : array-like of shape (n_samples,) or None, default=None
        What the plane is to be blind to, for methods whose fit takes a nuisance.
    preparation : Preparation or None, default=None
        `fit(X)` learns from the rows that a plane is fitted to and returns an object whose
        `apply(X)` prepares any rows. By default features are standardized; `Unchanged()` leaves
        them as they are.
    random_state : int, default=0
        Of the folds, and of an estimator whose `random_state` is None.

    Attributes
    ----------
    estimator : estimator
        Unfitted.
    rows : CodedRows
        Rows, class codes and groups; of a Dask collection those that are held out.
    preparation : Preparation
    random_state : int
    n_samples : int
    is_within : bool
        Whether classes are compared within groups.
    has_twins : bool
        Whether groups are rows that are equal or nearly so, as none were given.

    Raises
    ------
    ValueError
        If a parameter or the data are invalid; the message names the class, group or value.

    Notes
    -----
    All that follows is as honest as what is said here. Whatever is learned from the rows belongs
    into the method or its preparation, where folds repeat it: features that were chosen, or values
    that were filled, with all rows at hand have seen the rows that are held out. Rows that depend
    on each other need `groups`: without them each is told by its twin in another fold.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from melm_core.evaluation import Study
    >>> study = Study("lda", *load_wine(return_X_y=True))
    >>> [len(fold.test) for fold in study.folds()]
    [18, 18, 18, 18, 18, 18, 18, 18, 17, 17]
    """

    def __init__(
        self,
        method: MethodLike,
        X: Any,
        y: Any,
        *,
        parameters: Mapping[str, Any] | None = None,
        groups: Any = None,
        within: bool = False,
        nuisance: Any = None,
        preparation: Preparation | None = None,
        random_state: int = 0,
    ) -> None:
        self.estimator = make_estimator(method, parameters, random_state)
        self.preparation: Preparation = Standardization if preparation is None else preparation
        self.random_state = random_state
        self._table: BlockSource | None = None
        self.has_twins, self.is_within = False, within
        if is_lazy(X):
            arguments = {"groups": groups, "nuisance": nuisance, "preparation": preparation}
            absent = [
                name
                for name, value in arguments.items()
                if value is not None and not isinstance(value, Unchanged)
            ]
            check_none_in_memory(absent)
            self._table = blocks_of(X, y)
            self.n_samples = int(self._table.counts.sum())
            share = min(1.0 / _PARTS_OF_A_SPLIT, _MOST_ROWS_OF_BLOCKS / self.n_samples)
            sample = stratified_block_sample(self._table, share)
            self.rows = CodedRows(sample.X, sample.y, self._table.classes)
            self._positions = sample.positions
            return
        rows = coded_rows(X, y, groups, nuisance=nuisance, may_miss=preparation is not None)
        self.n_samples = len(rows.y)
        if within:
            rows = _within_groups(rows, groups)
        if groups is None:
            rows = rows.in_groups(twins_of_rows(rows))
            self.has_twins = rows.groups is not None
        elif rows.groups is not None and len(np.unique(rows.groups)) == self.n_samples:
            rows = rows.in_groups(None)
        self.rows = rows

    @property
    def is_in_memory(self) -> bool:
        """True if the rows are arrays, not a Dask collection."""
        return self._table is None

    @property
    def rows_in_memory(self) -> CodedRows:
        """All rows, for what cannot be said of a part of them.

        Raises
        ------
        ValueError
            If the rows are a Dask collection.
        """
        if not self.is_in_memory:
            raise UserError(
                "This needs the rows in memory, and X is a Dask collection. Take a sample of it, "
                "for example X.sample(frac=0.01).compute()."
            )
        return self.rows

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.rows.classes)

    def with_labels(self, y: IntArray) -> Study:
        """The same study of other class codes, such as permuted ones; nothing is checked again."""
        return self._with(rows=replace(self.rows, y=y))

    def named(self, classes: npt.NDArray[Any]) -> Study:
        """The same study whose messages have other names of its classes, in their order."""
        return self._with(rows=replace(self.rows, classes=classes))

    def with_occasions(self) -> Study:
        """The same study within groups, whose rows are less the mean of their group already."""
        return self._with(is_within=True)

    def take(self, rows: IntArray) -> Study:
        """The same study of some of its rows, by index; nothing is checked again."""
        return self._with(rows=self.rows.take(rows), n_samples=len(rows))

    def folds(self, n_folds: FoldCount = "auto") -> tuple[Fold, ...]:
        """Folds of the rows: stratified, with groups whole.

        Parameters
        ----------
        n_folds : int or "auto", default="auto"
            1 is a single split that holds a quarter of the rows out. Of "auto", tables of up to 200
            rows have ten folds, of up to 5,000 five, larger ones the split. More are never made
            than the smallest class has rows, or groups.

        Raises
        ------
        ValueError
            If a fold leaves fewer than two rows of a class for the fit.
        """
        n_made = self.n_wanted(n_folds)
        if not self.is_in_memory:
            every = np.arange(len(self.rows.y))
            return (Fold(train=every[:0], test=every),)
        folds = self.parts(_PARTS_OF_A_SPLIT if n_made == 1 else n_made, self.random_state)
        return folds[:1] if n_made == 1 else folds

    def parts(self, n_parts: int, random_state: int) -> tuple[Fold, ...]:
        """Folds of rows in memory, of another seed than that of the study; see `folds`."""
        folds = stratified_folds(self.rows.y, n_parts, random_state, self.rows.groups)
        self._check_training_rows(folds)
        return folds

    def n_wanted(self, n_folds: FoldCount) -> int:
        """Number of folds requested, of which a small class may allow fewer; see `folds`."""
        if not self.is_in_memory:
            return 1
        if n_folds != "auto":
            check_integer("n_folds", n_folds, minimum=1)
            return n_folds
        if self.n_samples > _MOST_ROWS_IN_FOLDS:
            return 1
        return _MANY_FOLDS if self.n_samples <= _ROWS_OF_MANY_FOLDS else _FEW_FOLDS

    @property
    def folds_of_all_rows(self) -> FoldCount:
        """A number of folds with which every row is held out once, however many rows there are."""
        return _FEW_FOLDS if self.n_samples > _MOST_ROWS_IN_FOLDS else "auto"

    def followed(self, callback: Callback) -> Study:
        """The same study of a method that streams; each fit has a copy of the callback."""
        return self._with(estimator=clone(self.estimator).set_params(callback=callback))

    def _with(self, **attributes: Any) -> Study:
        other = copy(self)
        vars(other).update(attributes)
        return other

    def fitted(self) -> FittedProjection:
        """The method, with its preparation, fitted to all rows."""
        return self._fitted_to(self._table) if self._table else self.fitted_to(self.rows)

    def without(self, fold: Fold) -> FittedProjection:
        """The method, with its preparation, fitted without the rows of a fold."""
        if self._table is None:
            return self.fitted_to(self.rows.take(fold.train))
        test = fold.test
        return self._fitted_to(BlocksWithout(self._table, self._positions[test], self.rows.y[test]))

    def fitted_to(self, rows: CodedRows) -> FittedProjection:
        """The method, with its preparation, fitted to some rows in memory."""
        return fit_projection(self.estimator, rows, self.preparation)

    def preparation_for(self, rows: CodedRows) -> Preparation:
        """The preparation of a fit to some rows, which these may choose."""
        if isinstance(self.preparation, ChosenPreparation):
            return self.preparation.chosen(rows.X, rows.y, rows.groups)
        return self.preparation

    def training_blocks(self, fold: Fold, fitted: FittedProjection) -> BlockSource:
        """The rows of a table that is not in memory without those of a fold, prepared.

        Raises
        ------
        ValueError
            If the rows are in memory.
        """
        if self._table is None:
            raise ValueError("The rows of this study are in memory.")
        test = fold.test
        left = BlocksWithout(self._table, self._positions[test], self.rows.y[test])
        return BlocksApplied(left, fitted.preparation.apply)

    def _fitted_to(self, table: BlockSource) -> FittedProjection:
        is_unchanged = isinstance(self.preparation, Unchanged)
        fitted = Unchanged() if is_unchanged else Standardization.of_blocks(table)
        prepared = BlocksApplied(table, fitted.apply)
        return FittedProjection(clone(self.estimator).fit(prepared, None), fitted)

    @property
    def n_units(self) -> IntArray:
        """Rows of each class or, where rows depend on each other, groups, shape (n_classes,)."""
        return units_of_classes(self.rows.y, self.rows.groups, self.n_classes)

    def _check_training_rows(self, folds: tuple[Fold, ...]) -> None:
        """Check that every class keeps two rows in each fold if the estimator needs them."""
        judged = getattr(self.estimator, "estimator", self.estimator)  # in an audit
        if isinstance(judged, Pipeline):
            judged = judged[-1]
        if not isinstance(judged, SupervisedPlaneEstimator):
            return
        y, n_classes = self.rows.y, self.n_classes
        left = np.min([np.bincount(y[fold.train], minlength=n_classes) for fold in folds], axis=0)
        smallest = int(left.argmin())
        if left[smallest] < 2:
            name, count = self.rows.classes.tolist()[smallest], np.bincount(y)[smallest]
            raise UserError(
                f"Class {name!r} has {count} rows, and a fold that holds some of them out leaves "
                f"{left[smallest]} for the fit, which needs 2. Cross-validation needs at least 3 "
                "rows of every class: add rows or leave the class out."
            )


def _within_groups(rows: CodedRows, groups: Any) -> CodedRows:
    """Rows less the mean of their group; refuses groups with nothing to compare."""
    if rows.groups is None:
        raise UserError(
            "within=True compares classes within groups, and no groups were given. Say by groups "
            "which rows are of one subject, or leave within out."
        )
    is_alone = (class_counts(rows.y, rows.groups) > 0).sum(axis=1) < 2
    if is_alone.any():
        row = int(np.flatnonzero(is_alone[rows.groups])[0])
        raise UserError(
            f"Group {np.asarray(groups).tolist()[row]!r} has rows of class "
            f"{rows.classes.tolist()[rows.y[row]]!r} only, and so have {int(is_alone.sum())} of "
            f"{len(is_alone)} groups: nothing can be compared within them. Leave these groups out, "
            "or leave within out."
        )
    return replace(rows, X=centered_within(rows.X, rows.groups))


def twins_of_rows(rows: CodedRows) -> IntArray | None:
    """Groups of rows of a class that are equal or nearly so; None where each row is its own.

    Also where a class would be a single group: then nothing could be held out.
    """
    X = _filled(rows.X)
    repeats = near_doubles(X, rows.y) or duplicate_rows(X, rows.y)
    if not repeats.n_repeats:
        return None
    return repeats.groups if units_of_classes(rows.y, repeats.groups).min() >= 2 else None


def _filled(X: FloatArray) -> FloatArray:
    """Rows with the mean of a feature in the place of its missing values."""
    is_missing = np.isnan(X)
    if not is_missing.any():
        return X
    n_present = np.maximum((~is_missing).sum(axis=0), 1)
    means = np.where(is_missing, 0.0, X).sum(axis=0) / n_present
    filled: FloatArray = np.where(is_missing, means, X)
    return filled

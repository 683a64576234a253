"""Cross-validated separability, of the rows used in the fit and of held-out rows.

In-sample, the projection is fitted to all rows and only the classifiers are
cross-validated (the protocol of Table 3 of the MELM paper). Held out, the
projection is refitted to the training rows of every fold (Table 2). Both use
the same folds, so their difference measures how much the projection overfits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.evaluation.folds import (
    CodedRows,
    Fold,
    RefitFolds,
    refit_folds,
    stratified_folds,
)
from melm_core.evaluation.plane_classifiers import N_INNER_FOLDS, balanced_accuracies
from melm_core.evaluation.plane_separability import (
    DEFAULT_FOLDS,
    DEFAULT_MAX_ROWS,
    Score,
    Separability,
    fold_confusion,
    over_folds,
)
from melm_core.evaluation.refitting import (
    FittedProjection,
    MethodLike,
    Preparation,
    chosen_preparation,
    fit_projection,
    map_in_order,
)

# An inner fold of fewer rows would leave one row of a class, and no estimator can be fitted to it.
_TUNABLE_CLASS_ROWS = 3


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The result of one fold.

    Attributes
    ----------
    number, n_folds : int
        Number of the fold, from 1, and number of folds.
    in_sample, held_out : ndarray of shape (n_classifiers, n_classes, n_classes)
        Confusion of each classifier in the plane fitted to all rows, and in
        the plane fitted to the training rows.
    chosen : mapping
        Tuned parameters of the fold; empty if nothing is tuned.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import cross_validated_separability
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = []
    >>> result = cross_validated_separability("pca", X, y, n_folds=2, callback=folds.append)
    >>> [(fold.number, fold.n_folds) for fold in folds]
    [(1, 2), (2, 2)]
    """

    number: int
    n_folds: int
    in_sample: FloatArray
    held_out: FloatArray
    chosen: Mapping[str, Any]

    @property
    def accuracies(self) -> tuple[float, float]:
        """Balanced accuracies in-sample and held out, averaged over the classifiers."""
        in_sample, held_out = (
            balanced_accuracies(c).mean() for c in (self.in_sample, self.held_out)
        )
        return float(in_sample), float(held_out)


FoldCallback: TypeAlias = Callable[[FoldResult], object]


@dataclass(frozen=True, eq=False)
class CrossValidatedSeparability:
    """Separability in-sample and held out, over the same folds.

    Attributes
    ----------
    in_sample, held_out : Separability
    chosen : mapping
        Parameters tuned on all rows, for the in-sample plane; empty if nothing is tuned.
    fold_chosen : tuple of mapping
        Parameters tuned on the training rows of each fold.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import cross_validated_separability
    >>> X, y = pure_noise(n_rows=30, n_features=30)
    >>> result = cross_validated_separability("lda", X, y)
    >>> result.gap.balanced_accuracy > 0.3  # noise separates in-sample only
    True
    """

    in_sample: Separability
    held_out: Separability
    chosen: Mapping[str, Any]
    fold_chosen: tuple[Mapping[str, Any], ...]

    @property
    def gap(self) -> Score:
        """In-sample minus held-out separability, with the standard error of the difference."""
        difference = self.in_sample.fold_accuracies - self.held_out.fold_accuracies
        return Score.over_folds(difference.mean(axis=1))


def cross_validated_separability(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    parameters: Mapping[str, Any] | None = None,
    tune: Mapping[str, Sequence[Any]] | None = None,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_FOLDS,
    max_rows: int = DEFAULT_MAX_ROWS,
    random_state: int = 0,
    n_jobs: int | None = None,
    callback: FoldCallback | None = None,
) -> CrossValidatedSeparability:
    """Separability of a method's plane, in-sample and held out.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator with fit(X, y) and transform(X).
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that depend on each other, such as the rows of a patient,
        two or more for each class. They stay in one fold.
    parameters : mapping or None
        Parameters of the method.
    tune : mapping of str to sequence or None
        Candidate values of estimator parameters, selected jointly by inner
        cross-validation on the training rows, such as
        ``{"gamma": (0.5, 1.0, 2.0)}`` for MELM in Table 2.
    standardize : bool, default=True
        Whether to standardize the features, in each fold by its training rows.
    preparation : Preparation or None, default=None
        Takes the place of `standardize`: `fit(X)` learns from the rows that a plane is fitted
        to and returns an object whose `apply(X)` prepares any rows. X may then have NaN.
    n_folds : int, default=5
        Reduced, with a note, to the number of rows or groups of the smallest class.
    max_rows : int, default=2000
        Above this, a stratified sample of the rows is scored, with a note. A
        plane is always fitted to all rows except its test rows.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Number of folds processed in parallel. The result does not depend on it.
    callback : callable, default=None
        Called with a `FoldResult` after every fold, in order. An exception it
        raises ends the computation.

    Returns
    -------
    CrossValidatedSeparability

    Raises
    ------
    ValueError
        If a parameter or the data are invalid.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015,
    section 5, Tables 2 and 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import cross_validated_separability
    >>> X, y = load_iris(return_X_y=True)
    >>> result = cross_validated_separability("lda", X, y)
    >>> result.held_out.mean.balanced_accuracy > 0.9
    True
    """
    outer = refit_folds(
        method,
        X,
        y,
        groups,
        parameters=parameters,
        n_folds=n_folds,
        random_state=random_state,
        max_rows=max_rows,
        may_miss=preparation is not None,
    )
    plan = _Plan(
        outer.estimator,
        tune or {},
        chosen_preparation(preparation, standardize=standardize),
        random_state,
    )
    rows, sample = outer.rows, outer.sample
    chosen = plan.tuned(rows)
    work = _FoldWork(plan, outer, plan.fitted(chosen, rows).transform(outer.scored.X))
    results = []
    for result in map_in_order(work.result, enumerate(outer.folds, start=1), n_jobs):
        results.append(result)
        if callback is not None:
            callback(result)
    return CrossValidatedSeparability(
        in_sample=over_folds([result.in_sample for result in results], rows, sample, n_folds),
        held_out=over_folds([result.held_out for result in results], rows, sample, n_folds),
        chosen=chosen,
        fold_chosen=tuple(result.chosen for result in results),
    )


@dataclass(frozen=True, eq=False)
class _Plan:
    """How planes are fitted: estimator, candidates to tune, and preparation."""

    estimator: Any
    candidates: Mapping[str, Sequence[Any]]
    preparation: Preparation
    random_state: int

    def fitted(self, chosen: Mapping[str, Any], rows: CodedRows) -> FittedProjection:
        estimator = clone(self.estimator).set_params(**chosen)
        return fit_projection(
            estimator, rows.X, rows.y, preparation=self.preparation, groups=rows.groups
        )

    def tuned(self, rows: CodedRows) -> Mapping[str, Any]:
        """The candidate values with the best inner cross-validation score; the first of ties."""
        grid: list[Mapping[str, Any]] = list(ParameterGrid(self.candidates))
        if len(grid) == 1 or np.bincount(rows.y).min() < _TUNABLE_CLASS_ROWS:
            return grid[0]
        folds = stratified_folds(rows.y, N_INNER_FOLDS, self.random_state, rows.groups)
        scores = [np.mean([self._score(chosen, rows, fold) for fold in folds]) for chosen in grid]
        return grid[int(np.argmax(scores))]

    def _score(self, chosen: Mapping[str, Any], rows: CodedRows, fold: Fold) -> float:
        projection = self.fitted(chosen, rows.take(fold.train))
        confusion = _confusion(projection.transform(rows.X), rows.y, fold)
        return float(balanced_accuracies(confusion).mean())


@dataclass(frozen=True, eq=False)
class _FoldWork:
    """Inputs shared by all folds; `projected` is the sample in the in-sample plane."""

    plan: _Plan
    outer: RefitFolds
    projected: FloatArray

    def result(self, numbered: tuple[int, Fold]) -> FoldResult:
        """The result of one fold; its plane is fitted to all rows except the test rows."""
        number, fold = numbered
        train, scored = self.outer.training_rows(fold), self.outer.scored
        chosen = self.plan.tuned(train)
        projection = self.plan.fitted(chosen, train)
        return FoldResult(
            number=number,
            n_folds=len(self.outer.folds),
            in_sample=_confusion(self.projected, scored.y, fold),
            held_out=_confusion(projection.transform(scored.X), scored.y, fold),
            chosen=chosen,
        )


def _confusion(Z: FloatArray, y: IntArray, fold: Fold) -> FloatArray:
    return fold_confusion(Z[fold.train], y[fold.train], Z[fold.test], y[fold.test])

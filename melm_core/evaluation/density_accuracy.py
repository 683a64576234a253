"""Held-out accuracy of a method by its class densities: the accuracy that the page shows.

In each fold the method is refitted to the training rows, and rows are assigned to
the class with the largest density in the plane. The densities are those that
MELM optimizes and that are drawn: kernels from the covariances of the training
rows in all features, projected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_samples import (
    BlockSample,
    BlocksApplied,
    BlocksWithout,
    stratified_block_sample,
)
from melm_core.base.block_sources import blocks_of, check_none_in_memory
from melm_core.base.estimator import check_integer
from melm_core.base.row_blocks import BlockSource, is_lazy
from melm_core.density.class_densities import ClassDensities
from melm_core.density.kernel_density import kernel_classes, kernel_classes_in_blocks
from melm_core.density.nuisance import (
    NuisanceAccuracy,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
)
from melm_core.evaluation.folds import (
    CodedRows,
    Fold,
    RefitFolds,
    refit_folds,
    stratified_folds,
)
from melm_core.evaluation.plane_classifiers import balanced_accuracies, confusion_shares
from melm_core.evaluation.plane_separability import Score, fold_notes, sample_notes
from melm_core.evaluation.refitting import (
    FittedProjection,
    MethodLike,
    Preparation,
    Standardization,
    Unchanged,
    chosen_preparation,
    fit_projection,
    make_estimator,
    map_in_order,
)

DEFAULT_FOLDS = 5
DEFAULT_MAX_ROWS = 2_000

# Given the number of the fold, from 1, and the number of folds.
FoldDone: TypeAlias = Callable[[int, int], object]

# Confusion of the scored training rows and of the test rows, how the nuisance is told, and which
# test rows are told rightly.
_FoldResults: TypeAlias = tuple[
    FloatArray, FloatArray, NuisanceAccuracy | None, npt.NDArray[np.bool_]
]


@dataclass(frozen=True, eq=False)
class DensityScores:
    """Confusion of training rows and of held-out rows by the class densities, fold by fold.

    Attributes
    ----------
    train_confusions, held_out_confusions : ndarray of shape (n_folds, n_classes, n_classes)
        Share of the rows of each class (second axis) with the largest density of
        each class (last axis); training and held-out rows of the same planes.
    classes : ndarray of shape (n_classes,)
    notes : tuple of str
        Sentences about deviations from the requested folds or rows.
    right : ndarray of bool of shape (n_scored,)
        Whether each scored row, held out, has the largest density of its class; in their order,
        for `winner_share`. Scored are all rows, unless there are more than `max_rows`.
    nuisance : tuple of NuisanceAccuracy
        With a nuisance: how well its value is told from the position of held-out rows, for
        each fold in which the classes do not coincide with it.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import density_scores
    >>> scores = density_scores("lda", *pure_noise(n_rows=30, n_features=20))
    >>> scores.train.balanced_accuracy - scores.held_out.balanced_accuracy > 0.3
    True
    """

    train_confusions: FloatArray
    held_out_confusions: FloatArray
    classes: npt.NDArray[Any]
    notes: tuple[str, ...]
    right: npt.NDArray[np.bool_]
    nuisance: tuple[NuisanceAccuracy, ...] = ()

    @property
    def train(self) -> Score:
        """Balanced accuracy of the training rows, averaged over the folds."""
        return Score.over_folds(balanced_accuracies(self.train_confusions))

    @property
    def held_out(self) -> Score:
        """Balanced accuracy of the held-out rows, averaged over the folds."""
        return Score.over_folds(balanced_accuracies(self.held_out_confusions))

    @property
    def overlap(self) -> FloatArray:
        """Symmetric held-out confusion of each pair of classes, as `Separability.overlap`."""
        confusion = self.held_out_confusions.mean(axis=0)
        overlap: FloatArray = 0.5 * (confusion + confusion.T)
        np.fill_diagonal(overlap, 0.0)
        return overlap


def density_scores(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    nuisance: Any = None,
    parameters: Mapping[str, Any] | None = None,
    gamma: float = 1.0,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_FOLDS,
    max_rows: int = DEFAULT_MAX_ROWS,
    random_state: int = 0,
    n_jobs: int | None = None,
    callback: FoldDone | None = None,
) -> DensityScores:
    """Cross-validated balanced accuracy of a method's class densities.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator with fit(X, y) and transform(X).
    X : array-like or Dask collection of shape (n_samples, n_features)
        Of a Dask collection, the folds are processed one after the other; the method must be
        one that is fitted to such collections.
    y : array-like or Dask collection of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that depend on each other; they stay in one fold.
    nuisance : array-like of shape (n_samples,) or None, default=None
        What the plane is to be blind to, for methods whose fit takes a nuisance.
    parameters : mapping or None
        Parameters of the method.
    gamma : float, default=1.0
        Kernel width of the densities that classify, relative to Silverman's rule.
    standardize : bool, default=True
        Whether to standardize the features, in each fold by its training rows.
    preparation : Preparation or None, default=None
        Takes the place of `standardize`: `fit(X)` learns from the rows that a plane is fitted
        to and returns an object whose `apply(X)` prepares any rows. X may then have NaN.
    n_folds : int, default=5
        Reduced, with a note, to the number of rows or groups of the smallest class.
    max_rows : int, default=2000
        Above this, a stratified sample of the rows is held out and scored, with a note.
        A plane is always fitted to all rows except its test rows.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Number of folds processed in parallel. The result does not depend on it.
    callback : callable, default=None
        Called after every fold. An exception it raises ends the computation.

    Returns
    -------
    DensityScores

    Raises
    ------
    ValueError
        If a parameter or the data are invalid.

    References
    ----------
    B. W. Silverman: Density Estimation for Statistics and Data Analysis, 1986,
    section 6.1 (discrimination by kernel densities).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import density_scores
    >>> scores = density_scores("lda", *load_iris(return_X_y=True))
    >>> scores.held_out.balanced_accuracy > 0.9
    True
    """
    if is_lazy(X):
        own = {"groups": groups, "nuisance": nuisance, "preparation": preparation}
        check_none_in_memory([name for name, value in own.items() if value is not None])
        work: _FoldWork | _BlockWork = _BlockWork.of(
            make_estimator(method, parameters, random_state),
            blocks_of(X, y),
            gamma=gamma,
            standardize=standardize,
            n_folds=n_folds,
            max_rows=max_rows,
            random_state=random_state,
        )
    else:
        plan = refit_folds(
            method,
            X,
            y,
            groups,
            nuisance=nuisance,
            parameters=parameters,
            n_folds=n_folds,
            random_state=random_state,
            max_rows=max_rows,
            may_miss=preparation is not None,
        )
        work = _FoldWork(plan, gamma, chosen_preparation(preparation, standardize=standardize))
    results = []
    for result in map_in_order(work.results, work.folds, 1 if is_lazy(X) else n_jobs):
        results.append(result)
        if callback is not None:
            callback(len(results), len(work.folds))
    train, held_out, told, own_right = zip(*results, strict=True)
    scored = work.scored
    right = np.zeros(len(scored.y), dtype=np.bool_)
    for fold, values in zip(work.folds, own_right, strict=True):
        right[fold.test] = values
    return DensityScores(
        train_confusions=np.stack(train),
        held_out_confusions=np.stack(held_out),
        classes=scored.classes,
        notes=work.notes(n_folds),
        right=right,
        nuisance=tuple(own for own in told if own is not None),
    )


@dataclass(frozen=True, eq=False)
class _FoldWork:
    """Inputs shared by all folds."""

    plan: RefitFolds
    gamma: float
    preparation: Preparation

    @property
    def folds(self) -> tuple[Fold, ...]:
        return self.plan.folds

    @property
    def scored(self) -> CodedRows:
        return self.plan.scored

    def notes(self, n_folds: int) -> tuple[str, ...]:
        return fold_notes(self.plan.rows, self.plan.sample, len(self.folds), n_folds)

    def results(self, fold: Fold) -> _FoldResults:
        """The result of one fold."""
        train, scored = self.plan.training_rows(fold), self.scored
        projection = fit_projection(
            self.plan.estimator,
            train.X,
            train.y,
            preparation=self.preparation,
            groups=train.groups,
            nuisance=train.nuisance,
        )
        own = _own_classes(scored, fold)
        predicted = class_predictions(projection, train, scored.X, self.gamma, own)
        held_out = scored.take(fold.test)
        told = _nuisance_told(projection, train, held_out, self.gamma)
        right = predicted[fold.test] == held_out.y
        return *_confusions(scored, fold, predicted), told, right


@dataclass(frozen=True, eq=False)
class _BlockWork:
    """The same for a table that need not be in memory."""

    estimator: Any
    table: BlockSource
    sample: BlockSample
    folds: tuple[Fold, ...]
    gamma: float
    standardize: bool

    @classmethod
    def of(
        cls,
        estimator: Any,
        table: BlockSource,
        *,
        gamma: float,
        standardize: bool,
        n_folds: int,
        max_rows: int,
        random_state: int,
    ) -> _BlockWork:
        check_integer("max_rows", max_rows, minimum=4)
        sample = stratified_block_sample(table, max_rows / int(table.counts.sum()))
        folds = stratified_folds(sample.y, n_folds, random_state)
        return cls(estimator, table, sample, folds, gamma, standardize)

    @property
    def scored(self) -> CodedRows:
        return CodedRows(self.sample.X, self.sample.y, self.table.classes)

    def notes(self, n_folds: int) -> tuple[str, ...]:
        n_scored = len(self.sample.y)
        of_folds = fold_notes(self.scored, np.arange(n_scored), len(self.folds), n_folds)
        return (*sample_notes(n_scored, int(self.table.counts.sum())), *of_folds)

    def results(self, fold: Fold) -> _FoldResults:
        held_out = self.sample.positions[fold.test], self.sample.y[fold.test]
        train = BlocksWithout(self.table, *held_out)
        fitted = Standardization.of_blocks(train) if self.standardize else Unchanged()
        prepared = BlocksApplied(train, fitted.apply)
        projection = FittedProjection(clone(self.estimator).fit(prepared, None), fitted)
        components = projection.components
        kernels = kernel_classes_in_blocks(prepared, n_components=len(components), gamma=self.gamma)
        points = fitted.apply(self.sample.X) @ components.T
        own = _own_classes(self.scored, fold)
        predicted = kernels.project(components).most_likely(points, own)
        right = predicted[fold.test] == self.sample.y[fold.test]
        return *_confusions(self.scored, fold, predicted), None, right


def _confusions(
    scored: CodedRows, fold: Fold, predicted: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Confusion of the scored training rows, and of the test rows."""
    in_train, in_test = (
        confusion_shares(scored.y[part], predicted[part], len(scored.classes))
        for part in (fold.train, fold.test)
    )
    return in_train, in_test


def _nuisance_told(
    projection: FittedProjection, train: CodedRows, held_out: CodedRows, gamma: float
) -> NuisanceAccuracy | None:
    """How well the nuisance is told from the position of held-out rows; None without one."""
    if train.nuisance is None or held_out.nuisance is None:
        return None
    points = projection.transform(held_out.X)
    n_components = points.shape[1]
    cells = nuisance_cells(train.y, train.nuisance, n_components=n_components)
    if cells.is_confounded:
        return None
    is_linear = hasattr(projection.estimator, "components_")
    features = projection.preparation.apply if is_linear else projection.transform
    kernels = kernel_cells(features(train.X), cells, n_components=n_components, gamma=gamma)
    if is_linear:
        kernels = tuple(own.project(projection.components) for own in kernels)
        points = features(held_out.X) @ projection.components.T
    return nuisance_accuracy(points, held_out.y, held_out.nuisance, cells, kernels)


def class_predictions(
    projection: FittedProjection,
    train: CodedRows,
    X: FloatArray,
    gamma: float,
    own: IntArray | None = None,
) -> IntArray:
    """The class with the largest density at each row, shape (n_rows,); see `fold_log_densities`.

    Rows that are training rows are left out of the density of their class, `own`; -1 of others.
    """
    points, classes = _points_and_classes(projection, train, X, gamma)
    return classes.most_likely(points, own)


def _own_classes(scored: CodedRows, fold: Fold) -> IntArray:
    """The classes of the training rows of a fold, and -1 of the others."""
    own = np.full(len(scored.y), -1)
    own[fold.train] = scored.y[fold.train]
    return own


def fold_log_densities(
    projection: FittedProjection, train: CodedRows, X: FloatArray, gamma: float
) -> FloatArray:
    """Logarithms of the densities of the training rows of each class, shape (n_rows, n_classes).

    Parameters
    ----------
    projection : FittedProjection
    train : CodedRows
        The rows that it was fitted to.
    X : ndarray of shape (n_rows, n_features)
        Before preparation, as the training rows.
    gamma : float
    """
    points, classes = _points_and_classes(projection, train, X, gamma)
    logs: FloatArray = classes.log_densities(points)
    return logs


def _points_and_classes(
    projection: FittedProjection, train: CodedRows, X: FloatArray, gamma: float
) -> tuple[FloatArray, ClassDensities]:
    """The rows of X in the plane, and the kernels of the training rows there."""
    return fold_points(projection, X), fold_classes(projection, train, gamma)


def fold_points(projection: FittedProjection, X: FloatArray) -> FloatArray:
    """Rows where the kernels of `fold_classes` are, shape (n_rows, n_components)."""
    if hasattr(projection.estimator, "components_"):
        return projection.preparation.apply(X) @ projection.components.T
    return projection.transform(X)


def fold_classes(projection: FittedProjection, train: CodedRows, gamma: float) -> ClassDensities:
    """The kernels of the training rows of a projection, where it projects them."""
    if hasattr(projection.estimator, "components_"):
        prepared, components = projection.preparation.apply(train.X), projection.components
        n_components = len(components)
        classes = kernel_classes(prepared, train.y, n_components=n_components, gamma=gamma)
        return classes.project(components)
    coordinates = projection.transform(train.X)  # which take the place of the features
    n_components = coordinates.shape[1]
    return kernel_classes(coordinates, train.y, n_components=n_components, gamma=gamma)

"""Planes of fewer and fewer features, and the held-out accuracy of each size.

In each fold, the features without which least is lost are left out step by step, and the method is
refitted to those that are left (recursive feature elimination). What is left out depends on the
training rows of the fold alone, so that the accuracies are of rows that took no part in it. The
order is that of `melm_core.evaluation.importance`, as in a list of features; each half of the
training rows is scored by the densities of the other.
A feature that bends is left out whole, with all columns of its curve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.density.kernel_density import kernel_classes
from melm_core.evaluation.density_accuracy import DEFAULT_FOLDS, class_predictions
from melm_core.evaluation.feature_importance import (
    Importance,
    feature_order,
    importance,
    mean_importance,
)
from melm_core.evaluation.folds import (
    CodedRows,
    Fold,
    RefitFolds,
    refit_folds,
    stratified_folds,
)
from melm_core.evaluation.plane_classifiers import balanced_accuracies, confusion_shares
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refitting import (
    FittedProjection,
    MethodLike,
    Preparation,
    Unchanged,
    chosen_preparation,
    feature_groups,
    fit_projection,
    map_in_order,
)

MOST_SIZES = 12
# Rows of the smallest class whose halves have a density each.
_FEWEST_WORTH = 8
# Of each half at each size: a path has up to 180 planes.
_MOST_POINTS = 40_000


@dataclass(frozen=True, eq=False)
class SparsePath:
    """Accuracies and selected features by the number of features that a plane has.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of features, descending; the first is all of them.
    train_accuracies, held_out_accuracies : ndarray of shape (n_refits, n_sizes)
        Balanced accuracy of the class densities in each fold of each repeat; chance is
        1 / n_classes.
    frequencies : ndarray of shape (n_sizes, n_features)
        Share of the refits whose plane of this size has the feature.
    classes : ndarray of shape (n_classes,)
    right : ndarray of shape (n_samples, n_sizes)
        In which share of the repeats each held-out row is assigned to its class, for
        `winner_share` with rule="simplest" on the sizes in ascending order; nan for rows that no
        fold held out so far.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import sparse_path
    >>> path = sparse_path("lda", *load_iris(return_X_y=True), n_repeats=1)
    >>> path.sizes.tolist()
    [4, 3, 2]
    >>> sorted(path.selected(2).tolist())
    [2, 3]
    """

    sizes: IntArray
    train_accuracies: FloatArray
    held_out_accuracies: FloatArray
    frequencies: FloatArray
    classes: npt.NDArray[Any]
    right: FloatArray

    @property
    def held_out(self) -> tuple[Score, ...]:
        """Held-out balanced accuracy by size, over the refits."""
        return tuple(map(Score.over_folds, self.held_out_accuracies.T))

    @property
    def smallest_sufficient(self) -> int:
        """The fewest features within one standard error of the most accurate size.

        It was chosen by the held-out rows, so the accuracy of that size is a little too high.
        """
        scores = self.held_out
        best = max(scores, key=lambda score: score.balanced_accuracy)
        least = best.balanced_accuracy - best.standard_error
        enough = [score.balanced_accuracy >= least for score in scores]
        return int(self.sizes[np.flatnonzero(enough)[-1]])

    def selected(self, size: int) -> IntArray:
        """The features that most planes of a size have, the most frequent first.

        Parameters
        ----------
        size : int
            One of `sizes`.

        Raises
        ------
        ValueError
            If the path has no such size.
        """
        if size not in self.sizes:
            raise UserError(
                f"size={size!r} is not on the path. Choose one of {self.sizes.tolist()}."
            )
        shares = self.frequencies[self.sizes.tolist().index(size)]
        order: IntArray = np.argsort(-shares, kind="stable")[:size]
        return order


def sparse_path(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    parameters: Mapping[str, Any] | None = None,
    sizes: Sequence[int] | None = None,
    gamma: float = 1.0,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_FOLDS,
    n_repeats: int = 3,
    random_state: int = 0,
    n_jobs: int | None = None,
    callback: Callable[[SparsePath, int], None] | None = None,
) -> SparsePath:
    """Leave features out step by step, and score every size on held-out rows.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator with fit(X, y) and `components_`.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that depend on each other; they stay in one fold.
    parameters : mapping or None
        Parameters of the method.
    sizes : sequence of int or None, default=None
        Numbers of features; all of them are added. By default at most twelve, in a geometric
        series down to the number of components.
    gamma : float, default=1.0
        Kernel width of the densities that classify, relative to Silverman's rule.
    standardize : bool, default=True
        Whether to standardize the features, in each fold by its training rows.
    preparation : Preparation or None, default=None
        As in `density_scores`; the features are those that it makes, and the columns of a curve
        are part of their feature.
    n_folds : int, default=5
    n_repeats : int, default=3
        How often the rows are divided into folds.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Number of folds processed in parallel. The result does not depend on it.
    callback : callable or None, default=None
        Given the path of the folds so far, and the number of all folds, after each of them.

    Returns
    -------
    SparsePath

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, or the method is nonlinear.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik: Gene selection for cancer classification using
    support vector machines, Machine Learning 46, 2002 (recursive elimination).
    C. Ambroise, G. J. McLachlan: Selection bias in gene extraction on the basis of microarray
    gene-expression data, PNAS 99, 2002 (why it is repeated within each fold).
    L. Breiman and others: Classification and Regression Trees, 1984 (one standard error).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from melm_core.evaluation import sparse_path
    >>> path = sparse_path("lda", *load_wine(return_X_y=True), sizes=[6, 2], n_repeats=1)
    >>> [round(score.balanced_accuracy, 1) for score in path.held_out]
    [1.0, 1.0, 0.9]
    """
    check_integer("n_repeats", n_repeats, minimum=1)
    plans = [
        refit_folds(
            method,
            X,
            y,
            groups,
            parameters=parameters,
            n_folds=n_folds,
            random_state=random_state + repeat,
            may_miss=preparation is not None,
        )
        for repeat in range(n_repeats)
    ]
    chosen = chosen_preparation(preparation, standardize=standardize)
    all_rows = plans[0].rows
    fitted = chosen.fit(all_rows.X)
    n_features = int(feature_groups(fitted, fitted.apply(all_rows.X).shape[1]).max()) + 1
    n_components = plans[0].estimator.get_params()["n_components"]
    steps = _sizes(sizes, n_features, n_components)
    work = _PathWork(steps, gamma, chosen)
    folds = [(plan, fold) for plan in plans for fold in plan.folds]
    results = []
    for result in map_in_order(work.results, folds, n_jobs):
        results.append(result)
        if callback is not None:
            callback(_path(steps, results, folds, all_rows), len(folds))
    return _path(steps, results, folds, all_rows)


def _path(
    sizes: Sequence[int],
    results: Sequence[_PathResults],
    folds: Sequence[tuple[RefitFolds, Fold]],
    rows: CodedRows,
) -> SparsePath:
    train, held_out, kept = (
        np.array([getattr(result, name) for result in results])
        for name in ("train", "held_out", "kept")
    )
    sums, counts = np.zeros((len(rows.y), len(sizes))), np.zeros((len(rows.y), 1))
    for result, (_, fold) in zip(results, folds, strict=False):  # of those that are done
        sums[fold.test] += result.right.T
        counts[fold.test] += 1.0
    right = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return SparsePath(np.array(sizes), train, held_out, kept.mean(axis=0), rows.classes, right)


def _sizes(sizes: Sequence[int] | None, n_features: int, n_components: int) -> list[int]:
    """The sizes of the path, all features first."""
    fewest = min(n_components, n_features)
    if sizes is None:
        sizes = np.geomspace(fewest, n_features, MOST_SIZES).round().astype(int).tolist()
    for size in sizes:
        if not fewest <= size <= n_features:
            raise UserError(
                f"A plane of {n_components} components and {n_features} features cannot have "
                f"{size!r} of them. Choose sizes from {fewest} to {n_features}."
            )
    return sorted({*map(int, sizes), n_features}, reverse=True)


@dataclass(frozen=True, eq=False)
class _PathResults:
    """Of one fold: accuracies by size, the features of each size, and which rows are told."""

    train: list[float]
    held_out: list[float]
    kept: FloatArray
    right: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _PathWork:
    """Inputs shared by all folds."""

    sizes: Sequence[int]
    gamma: float
    preparation: Preparation

    def results(self, item: tuple[RefitFolds, Fold]) -> _PathResults:
        """The path of one fold."""
        plan, fold = item
        train, test = plan.training_rows(fold), plan.scored.take(fold.test)
        fitted = self.preparation.fit(train.X)
        train, test = (replace(rows, X=fitted.apply(rows.X)) for rows in (train, test))
        groups = feature_groups(fitted, train.X.shape[1])
        n_features = int(groups.max()) + 1
        kept, order = np.arange(n_features), np.arange(n_features)
        accuracies, masks = [], np.zeros((len(self.sizes), n_features))
        right = np.zeros((len(self.sizes), len(test.y)), dtype=np.bool_)
        for step, size in enumerate(self.sizes):
            kept = np.sort(kept[order[:size]])
            masks[step, kept] = 1.0
            columns = np.flatnonzero(np.isin(groups, kept))
            projection, own = self._fit(plan, train, columns)
            of_columns = np.searchsorted(kept, groups[columns])
            if step + 1 < len(self.sizes):
                order = _order(projection.components, own, of_columns, self.gamma)
            predicted = [
                self._predicted(projection, own, train, columns, train.y),
                self._predicted(projection, own, test, columns),
            ]
            accuracies.append(list(map(_accuracy, (train, test), predicted)))
            right[step] = predicted[1] == test.y
        in_train, held_out = zip(*accuracies, strict=True)
        return _PathResults(list(in_train), list(held_out), masks, right)

    def _fit(
        self, plan: RefitFolds, train: CodedRows, columns: IntArray
    ) -> tuple[FittedProjection, CodedRows]:
        own = replace(train, X=train.X[:, columns])
        projection = fit_projection(
            plan.estimator, own.X, own.y, preparation=Unchanged(), groups=own.groups
        )
        return projection, own

    def _predicted(
        self,
        projection: FittedProjection,
        train: CodedRows,
        scored: CodedRows,
        columns: IntArray,
        own_classes: IntArray | None = None,
    ) -> IntArray:
        return class_predictions(projection, train, scored.X[:, columns], self.gamma, own_classes)


def _accuracy(scored: CodedRows, predicted: IntArray) -> float:
    confusion = confusion_shares(scored.y, predicted, len(scored.classes))
    return float(balanced_accuracies(confusion[None])[0])


def _order(
    components: FloatArray, train: CodedRows, of_columns: IntArray, gamma: float
) -> IntArray:
    """The features of a plane by what is lost without them, see `feature_order`.

    The plane has adapted itself to the rows, but the densities by which a half of them is judged
    have not seen it. Of few rows nothing but the lengths of loadings is known.
    """
    lengths = loading_lengths(components, train.X, of_columns)
    if np.bincount(train.y).min() < _FEWEST_WORTH:
        return feature_order(lengths, None)
    halves = stratified_folds(train.y, 2, 0, train.groups)
    # Groups may leave a half without rows of a class.
    if any(_fewest(train.y[half.test], train.y) < 2 for half in halves):
        return feature_order(lengths, None)
    parts = [
        importance(
            kernel_classes(
                train.X[half.train], train.y[half.train], n_components=len(components), gamma=gamma
            ).project(components),
            components,
            train.X[half.test],
            train.y[half.test],
            groups=of_columns,
            most_points=_MOST_POINTS,
        )
        for half in halves
    ]
    _, first = np.unique(of_columns, return_index=True)
    worth = mean_importance(parts)
    numbers = (worth.loss[first], worth.error[first], worth.share_loss[first])
    return feature_order(lengths, Importance(*numbers, worth.n_rows))


def _fewest(y: IntArray, all_y: IntArray) -> int:
    return int(np.bincount(y, minlength=int(all_y.max()) + 1).min())


def loading_lengths(
    components: FloatArray, X: FloatArray, groups: IntArray | None = None
) -> FloatArray:
    """How far features move rows in a plane whose rows have unit covariance.

    Of a straight feature that is the length of its loading, as arrows are drawn. Of one that bends
    it is the root mean square of the steps along its curve, in standard deviations of the feature,
    which is the same where the curve is straight.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
        Any basis of the plane.
    X : ndarray of shape (n_samples, n_columns)
    groups : ndarray of int, shape (n_columns,), optional
        The feature of each column, of which the first is the feature itself; by default every
        column is a feature.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import loading_lengths
    >>> loading_lengths(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0], [-1.0, 0.0]])).round(3)
    array([1.   , 1.333])
    """
    centered = X - X.mean(axis=0)
    projected = centered @ components.T
    covariance = projected.T @ projected / len(X)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    squares = np.einsum("kf,kl,lf->f", components, inverse, components)
    if groups is not None:
        features, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        squares = squares[first]
        for place in np.flatnonzero(sizes > 1):
            columns = np.flatnonzero(groups == features[place])
            steps = centered[:, columns] @ components[:, columns].T
            width = np.square(centered[:, columns[0]]).mean()
            total = np.einsum("nk,kl,nl->", steps, inverse, steps) / len(X)
            squares[place] = total / width if width else 0.0
    lengths: FloatArray = np.sqrt(np.maximum(squares, 0.0))
    return lengths

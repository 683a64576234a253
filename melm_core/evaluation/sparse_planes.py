"""Planes of fewer and fewer features, and the held-out accuracy of each size.

In each fold, the features without which least is lost are left out step by step, and the method is
refitted to those that are left (recursive feature elimination). What is left out depends on the
training rows of the fold alone, so that the accuracies are of rows that took no part in it. The
order is that of `melm_core.evaluation.importance`, as in a list of features; each half of the
training rows is scored by the densities of the other.
A feature that bends is left out whole, with all columns of its curve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.density.class_rules import DensityRule
from melm_core.diagnostics.feature_importance import (
    Importance,
    feature_order,
)
from melm_core.evaluation.fold_frames import Frame
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refits import FoldFit, Refits
from melm_core.evaluation.refitting import (
    Chained,
    FailedFit,
    FittedProjection,
    Unchanged,
    feature_groups,
    fit_or_failure,
    fit_projection,
    map_in_order,
)
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, Fold, stratified_folds
from melm_core.linalg.planes import loading_lengths

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
        `WinnerShare` with rule="simplest" on the sizes in ascending order; nan for rows that no
        fold held out so far.
    notes : tuple of str
        Sentences about folds that could not be fitted, which are left out.

    Notes
    -----
    Each accuracy is honest for its size alone. The best of the sizes is too high, as it was chosen
    by the rows that it is of: `WinnerShare` takes that back. Features that often stay are enough
    for this method; those that rarely do may tell the same, and be left out for another that does.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Study, sparse_path
    >>> path = sparse_path(Study("lda", *load_iris(return_X_y=True)), n_repeats=1)
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
    notes: tuple[str, ...] = ()

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
    study: Study,
    *,
    sizes: Sequence[int] | None = None,
    gamma: float = 1.0,
    n_folds: int = 5,
    n_repeats: int = 3,
    n_jobs: int | None = None,
    callback: Callable[[SparsePath, int], None] | None = None,
) -> SparsePath:
    """Leave features out step by step, and score every size on held-out rows.

    Parameters
    ----------
    study : Study
        Of a linear method and rows in memory. The features are those that its preparation makes,
        and the columns of a curve are part of their feature.
    sizes : sequence of int or None, default=None
        Numbers of features; all of them are added. By default at most twelve, in a geometric
        series down to the number of components.
    gamma : float, default=1.0
        Kernel width of the densities that classify, relative to that of `DensityRule`.
    n_folds : int, default=5
    n_repeats : int, default=3
        How often the rows are divided into folds.
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
    >>> from melm_core.evaluation import Study, sparse_path
    >>> study = Study("lda", *load_wine(return_X_y=True))
    >>> path = sparse_path(study, sizes=[6, 2], n_repeats=1)
    >>> [round(score.balanced_accuracy, 1) for score in path.held_out]
    [1.0, 1.0, 0.9]
    """
    check_integer("n_repeats", n_repeats, minimum=1)
    rows = study.rows_in_memory
    whole = study.fitted()
    columns = whole.preparation.apply(rows.X).shape[1]
    n_features = int(feature_groups(whole.preparation, columns).max()) + 1
    steps = _sizes(sizes, n_features, len(whole.components))
    frame = Frame.of(whole, rows.X)
    repeats = [study.parts(n_folds, study.random_state + repeat) for repeat in range(n_repeats)]
    work = _PathWork(study, steps, gamma, frame, repeats)
    folds = list(enumerate((fold for of_repeat in repeats for fold in of_repeat), 1))
    paths: list[_FoldPath | FailedFit] = []
    for path in map_in_order(partial(fit_or_failure, work.path, "Fold"), folds, n_jobs):
        paths.append(path)
        if callback is not None and isinstance(path, _FoldPath):
            callback(work.found(paths), len(folds))
    return work.found(paths)


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
class _FoldPath:
    """Of one fold: the fit of each size, and the features that it has."""

    fits: list[FoldFit]
    kept: FloatArray


@dataclass(frozen=True, eq=False)
class _PathWork:
    """Inputs shared by all folds."""

    study: Study
    sizes: Sequence[int]
    gamma: float
    frame: Frame
    repeats: Sequence[tuple[Fold, ...]]

    def path(self, fold: Fold) -> _FoldPath:
        """The path of one fold."""
        rows = self.study.rows.take(fold.train)
        fitted = self.study.preparation_for(rows).fit(rows.X)
        prepared = replace(rows, X=fitted.apply(rows.X))
        groups = feature_groups(fitted, prepared.X.shape[1])
        n_features = int(groups.max()) + 1
        features, order = np.arange(n_features), np.arange(n_features)
        fits, masks = [], np.zeros((len(self.sizes), n_features))
        for step, size in enumerate(self.sizes):
            features = np.sort(features[order[:size]])
            masks[step, features] = 1.0
            columns = np.flatnonzero(np.isin(groups, features))
            selected = replace(prepared, X=prepared.X[:, columns])
            plane = fit_projection(self.study.estimator, selected, Unchanged())
            narrowed = Chained(fitted, itemgetter((slice(None), columns)))
            projection = FittedProjection(plane.estimator, narrowed)
            drawn = Frame.of(projection, rows.X).aligned(self.frame, rows.X)
            fits.append(FoldFit(fold, projection, drawn, drawn))
            if step + 1 < len(self.sizes):
                of_columns = np.searchsorted(features, groups[columns])
                order = _order(plane.components, selected, of_columns, self.gamma)
        return _FoldPath(fits, masks)

    def found(self, paths: Sequence[_FoldPath | FailedFit]) -> SparsePath:
        """The path of the folds so far."""
        complete = [path for path in paths if isinstance(path, _FoldPath)]
        failed = [path for path in paths if isinstance(path, FailedFit)]
        if not complete:
            raise UserError(f"No fold could be fitted. The first one: {failed[0].reason}")
        rows, done = self.study.rows, list(paths)
        sums, counts = np.zeros((len(rows.y), len(self.sizes))), np.zeros((len(rows.y), 1))
        train: list[FloatArray] = []
        held_out: list[FloatArray] = []
        for folds in self.repeats:
            of_repeat, done = done[: len(folds)], done[len(folds) :]
            if not any(isinstance(path, _FoldPath) for path in of_repeat):
                continue
            of_sizes = [self._refits(folds, of_repeat, size) for size in range(len(self.sizes))]
            train.append(np.stack([refits.fold_train_shares for refits in of_sizes], axis=1))
            held_out.append(np.stack([refits.fold_shares for refits in of_sizes], axis=1))
            for size, refits in enumerate(of_sizes):
                sums[refits.held_out, size] += refits.right
            counts[of_sizes[0].held_out] += 1.0
        return SparsePath(
            sizes=np.array(self.sizes),
            train_accuracies=np.concatenate(train),
            held_out_accuracies=np.concatenate(held_out),
            frequencies=np.mean([path.kept for path in complete], axis=0),
            classes=rows.classes,
            right=np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0),
            notes=tuple(path.sentence for path in failed),
        )

    def _refits(
        self, folds: tuple[Fold, ...], paths: Sequence[_FoldPath | FailedFit], size: int
    ) -> Refits:
        whole, n_folds = self.frame.projection, len(folds)
        fits = tuple(path if isinstance(path, FailedFit) else path.fits[size] for path in paths)
        return Refits(self.study, folds, whole, fits, n_folds, self.gamma, self.frame)


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
    points = train.X @ components.T
    parts = [
        Importance.of(
            DensityRule.of(points[half.train], train.y[half.train], gamma=gamma),
            components,
            train.X[half.test],
            train.y[half.test],
            groups=of_columns,
            most_points=_MOST_POINTS,
        )
        for half in halves
    ]
    _, first = np.unique(of_columns, return_index=True)
    worth = Importance.mean(parts)
    numbers = (worth.loss[first], worth.error[first], worth.share_loss[first])
    return feature_order(lengths, Importance(*numbers, worth.n_rows))


def _fewest(y: IntArray, all_y: IntArray) -> int:
    return int(np.bincount(y, minlength=int(all_y.max()) + 1).min())

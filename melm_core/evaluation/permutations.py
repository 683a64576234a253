"""Permutation test of the separation that a method achieves, and its statistics.

The complete fit is repeated with permuted labels; the p-value is the share of
permutations that reach the observed statistic. The only assumption is that the
labels are exchangeable under the null hypothesis: those of all rows or, given
groups, those that `melm_core.base.label_permutations` exchanges.

The statistic is the posterior probability of the true class under the class
densities, averaged over the rows of each class and then over the classes: the
expected balanced accuracy of random predictions with these probabilities.
Nothing is tuned, so it costs little more than the fits. The densities are those that a search
compares, with covariances that are shrunk among all features: the balanced accuracy of the class
densities in the plane has half the power where rows are few. It has fewer ties than
the balanced accuracy, which classifiers that name no probabilities are judged by, because it
distinguishes planes that classify the same rows correctly. Ties remain where each class collapses
to a point; they count as exceedances, which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import is_classifier

from melm_core.answers import (
    EarlyEnd,
    early_end,
    p_value,
    p_value_bounds,
)
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer
from melm_core.base.label_permutations import (
    PermutationDesign,
    design_of,
    exchangeable_blocks,
    other_permutations,
    random_permutations,
)
from melm_core.base.sample_weights import balanced_share
from melm_core.density.class_densities import ClassDensities
from melm_core.density.classifier import density_shares
from melm_core.density.covariances import DEFAULT_SHRINKAGE
from melm_core.density.kernel_density import kernel_classes
from melm_core.evaluation.refits import check_placed, log_shares, places_rows
from melm_core.evaluation.refitting import FittedProjection, is_placed, is_plane, map_in_order
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, sampled_rows, stratified_folds
from melm_core.melm.estimator import MELM

# The test is exact with any number of folds. Where features exceed rows, every row withheld from a
# fit costs power; elsewhere ten folds take three times the fits and find about as much.
FEWEST_FOLDS, MOST_FOLDS = 3, 10
_ROWS_FOR_MOST_FOLDS = 60
# Gives a number that increases with separation.
Statistic: TypeAlias = Callable[[Study], float]

# Values within this relative distance of the observed one are ties: rounding may depend on the
# order of the rows.
_TIE = 1e-9


def n_test_folds(n_rows: int, n_features: int) -> int:
    """Number of folds in a permutation test: 3 or, where features exceed rows, up to 10.

    It is 10 for at most 60 rows, and then falls to 3 at 200 rows, so that the number of
    rows that a permutation refits stays about the same.

    Parameters
    ----------
    n_rows, n_features : int

    Examples
    --------
    >>> from melm_core.evaluation.permutations import n_test_folds
    >>> n_test_folds(60, 5), [n_test_folds(n_rows, 2_000) for n_rows in (60, 100, 200)]
    (3, [10, 6, 3])
    """
    if n_features <= n_rows:
        return FEWEST_FOLDS
    affordable = MOST_FOLDS * _ROWS_FOR_MOST_FOLDS // n_rows
    return min(max(affordable, FEWEST_FOLDS), MOST_FOLDS)


# Given a fit, the rows that it was fitted to, and rows that were held out: a number for each, nan
# of rows that have no place.
_Scores = Callable[[FittedProjection, CodedRows, CodedRows], FloatArray]


def _mean_held_out(study: Study, scores: _Scores) -> float:
    """The mean over the classes of the mean of the scores of their held-out rows.

    In each of several folds (see `n_test_folds`), the plane and the class densities are fitted to
    the training rows. Rows without a place, and those of a fold that cannot be fitted, do not
    count.
    """
    rows, reason = study.rows, "No held-out row has a place."
    values = np.full(len(rows.y), np.nan)
    for fold in stratified_folds(rows.y, n_test_folds(*rows.X.shape), 0, rows.groups):
        train = rows.take(fold.train)
        try:
            values[fold.test] = scores(study.fitted_to(train), train, rows.take(fold.test))
        except ValueError as error:
            reason = str(error)
    has_place = ~np.isnan(values)
    if not has_place.any():
        raise UserError(f"No fold of the permutation test could be scored: {reason}")
    return balanced_share(values[has_place], rows.y[has_place])


def _posterior(fitted: FittedProjection, train: CodedRows, test: CodedRows) -> FloatArray:
    if not places_rows(fitted.estimator):
        shares = np.exp(log_shares(fitted, test.X, len(train.y)))
    else:
        densities, center = _search_densities(fitted, train)
        points = fitted.transform(test.X)
        shares = np.full((len(points), len(train.classes)), np.nan)
        has_place = is_placed(points)
        logs = densities.log_densities(points[has_place] - center)
        shares[has_place] = density_shares(logs)
    of_labels: FloatArray = shares[np.arange(len(test.y)), test.y]
    return of_labels


def _is_right(fitted: FittedProjection, train: CodedRows, test: CodedRows) -> FloatArray:
    estimator = fitted.estimator
    if is_classifier(estimator) and not is_plane(estimator):
        return np.asarray(fitted.predict(test.X) == test.y, dtype=np.float64)
    densities, center = _search_densities(fitted, train)
    points = fitted.transform(test.X)
    right, has_place = np.full(len(points), np.nan), is_placed(points)
    predicted = densities.most_likely(points[has_place] - center)
    right[has_place] = predicted == test.y[has_place]
    return right


def _search_densities(
    fitted: FittedProjection, train: CodedRows
) -> tuple[ClassDensities, FloatArray | float]:
    """The densities that a search compares, in the plane of a fit, and the point they begin at.

    Coordinates by `FittedProjection.transform` are not centered; those of a MELM's densities are
    about its mean, which is that point. Densities of the coordinates alone collapse where a plane
    separates all its training rows, and every permutation would be a tie.
    """
    estimator = fitted.estimator
    if type(estimator) is MELM and _has_default_densities(estimator):  # it has just computed them
        return estimator.projected_classes_, fitted.components @ estimator.mean_
    if is_plane(estimator):
        components = fitted.components
        features = fitted.preparation.apply(train.X)
        classes = kernel_classes(features, train.y, n_components=len(components))
        return classes.project(components), 0.0
    points = fitted.transform(train.X)
    has_place = is_placed(points)
    points = points[has_place]
    check_placed(train, train.y[has_place])
    return kernel_classes(points, train.y[has_place], n_components=points.shape[1]), 0.0


def _has_default_densities(estimator: MELM) -> bool:
    return (estimator.shrinkage, estimator.density_gamma) == (DEFAULT_SHRINKAGE, 1.0)


# By name, what is computed of a study; all are 1 for separated classes.
STATISTICS: Mapping[str, Callable[[Study], float]] = MappingProxyType(
    {
        # About 1 / n_classes by chance.
        "held_out": partial(_mean_held_out, scores=_posterior),
        # Classifiers name the class that they predict, planes that of the largest density.
        "held_out_accuracy": partial(_mean_held_out, scores=_is_right),
    }
)


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The result of a permutation test.

    Attributes
    ----------
    observed : float
        The statistic for the observed labels.
    values : ndarray of shape (n_drawn,)
        The statistic for each permutation, in the order drawn.
    n_permutations : int
        Number of permutations without early stopping.
    early : EarlyEnd or None
        The decision that stopped the test early.
    n_samples, n_used : int
        Number of rows, and number of rows in the stratified sample used.
    design : PermutationDesign
        Which labels were exchanged, and the smallest p-value that this allows.

    Notes
    -----
    p is how often a method finds as much where there is nothing to find, not the probability that
    there is nothing, and no measure of how much there is: with many rows a share hardly above that
    of guessing has a small p, and with few rows none can. It is of the rows as they were taken to
    depend on each other: of rows that do and were said not to, it is far too small.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import Study, permutation_test
    >>> study = Study("pca", *pure_noise(n_features=3))
    >>> test = permutation_test(study, n_permutations=9, level=None)
    >>> test.p_value == (test.n_exceeding + 1) / 10
    True
    """

    observed: float
    values: FloatArray
    n_permutations: int
    early: EarlyEnd | None
    n_samples: int
    n_used: int
    design: PermutationDesign

    @property
    def n_exceeding(self) -> int:
        """Number of permutations whose value is at least the observed one."""
        return int((self.values >= self.observed - _TIE * abs(self.observed)).sum())

    @property
    def p_value(self) -> float:
        """The share of the permutations, the observed labels among them, that reach those.

        Exact if `is_exhaustive`.
        """
        if self.early is EarlyEnd.NOT_SIGNIFICANT:
            return self.n_exceeding / len(self.values)
        return p_value(self.n_exceeding, len(self.values))

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the p-value of all permutations, given those so far; see `p_value_bounds`."""
        return p_value_bounds(self.n_exceeding, len(self.values))

    @property
    def is_exhaustive(self) -> bool:
        """True if every distinct permutation of the labels was evaluated."""
        return len(self.values) == self.design.n_distinct - 1


# Given the test so far. A true return value stops it and keeps the permutations drawn so far.
PermutationCallback: TypeAlias = Callable[[PermutationTest], bool | None]


def permutation_test(
    study: Study,
    *,
    statistic: Literal["held_out", "held_out_accuracy"] | Statistic = "held_out",
    n_permutations: int = 999,
    level: float | None = 0.05,
    max_rows: int = 1_000,
    n_jobs: int | None = None,
    callback: PermutationCallback | None = None,
) -> PermutationTest:
    """Permutation test of the separation that a method achieves, with full refits.

    Parameters
    ----------
    study : Study
        Rows in memory. Groups whose rows have the same label exchange it as a whole; where labels
        differ within a group, they are permuted within it; of a study within groups, those of all
        rows of a group that share one.
    statistic : "held_out", "held_out_accuracy" or callable, default="held_out"
        The mean posterior probability of the true class of held-out rows, or the balanced accuracy
        of the classes named for them, in three folds or, where features exceed rows, up to ten. Of
        true and permuted labels alike, a fold whose fit fails and rows without a place are left
        out. A callable takes a `Study`, increases with separation, and must be picklable.
    n_permutations : int, default=999
        If the labels have no more distinct permutations than this, each is
        evaluated once and the p-value is exact.
    level : float in (0, 1) or None, default=0.05
        Stop as soon as it is clear whether p is above or below this level; see
        `melm_core.answers`. None draws all permutations.
        Stopping early for significance errs with probability at most 0.001;
        stopping early against it never errs.
    max_rows : int, default=1000
        Above this, the test uses a stratified sample of the rows.
    n_jobs : int or None, default=None
        Number of permutations evaluated in parallel. The result does not
        depend on it.
    callback : callable, default=None
        Given the test so far after every permutation; a true return value stops it.

    Returns
    -------
    PermutationTest

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, or no fold can be fitted.

    References
    ----------
    B. Phipson, G. K. Smyth: Permutation P-values Should Never Be Zero,
    Statistical Applications in Genetics and Molecular Biology 9, 2010.
    A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith:
    Multi-level Block Permutation, NeuroImage 123, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Study, permutation_test
    >>> study = Study("lda", *load_iris(return_X_y=True))
    >>> permutation_test(study, n_permutations=19, level=None).p_value
    0.05
    """
    _check(statistic, n_permutations, level)
    rows = study.rows_in_memory
    sample = sampled_rows(rows.y, max_rows, rows.groups)
    used = study.take(sample)
    codes, kept_together = used.rows.y, used.rows.groups
    is_within = study.is_within
    design = design_of(codes, kept_together, by_name=callable(statistic), of_occasions=is_within)
    if not callable(statistic):
        used.parts(n_test_folds(*used.rows.X.shape), 0)  # which names a class that is too small
    function = statistic if callable(statistic) else STATISTICS[statistic]
    of_labels = partial(_value, function, used)
    observed = next(map_in_order(of_labels, [codes], None))
    is_exhaustive = design.n_distinct - 1 <= n_permutations
    n_planned = design.n_distinct - 1 if is_exhaustive else n_permutations
    blocks = exchangeable_blocks(codes, kept_together, of_occasions=is_within)
    permutations = (
        other_permutations(blocks)
        if is_exhaustive
        else random_permutations(blocks, n_permutations, study.random_state)
    )
    test = PermutationTest(observed, np.empty(0), n_planned, None, len(rows.y), len(sample), design)
    for value in map_in_order(of_labels, permutations, n_jobs):
        test = replace(test, values=np.append(test.values, value))
        if callback is not None and callback(test):
            break
        n_drawn = len(test.values)
        if level is None or is_exhaustive or n_drawn == n_planned:
            continue
        early = early_end(test.n_exceeding, n_drawn, n_planned, level=level)
        if early is not None:
            return replace(test, early=early)
    return test


def _check(statistic: Any, n_permutations: Any, level: Any) -> None:
    if not callable(statistic):
        check_choice("statistic", statistic, tuple(STATISTICS))
    check_integer("n_permutations", n_permutations, minimum=1)
    if level is not None and not 0 < level < 1:
        raise UserError(
            f"level={level!r} must be between 0 and 1, or None to draw all permutations."
        )


def _value(statistic: Statistic, study: Study, y: IntArray) -> float:
    return statistic(study.with_labels(y))

"""Test statistics of separation for permutation tests.

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
from functools import partial
from types import MappingProxyType

import numpy as np
from sklearn.base import is_classifier

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.sample_weights import balanced_share
from melm_core.density.class_densities import ClassDensities
from melm_core.density.classifier import density_shares
from melm_core.density.covariances import DEFAULT_SHRINKAGE
from melm_core.density.kernel_density import kernel_classes
from melm_core.evaluation.refits import check_placed, log_shares, places_rows
from melm_core.evaluation.refitting import FittedProjection, is_placed, is_plane
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, stratified_folds
from melm_core.melm.estimator import MELM

# The test is exact with any number of folds. Where features exceed rows, every row withheld from a
# fit costs power; elsewhere ten folds take three times the fits and find about as much.
FEWEST_FOLDS, MOST_FOLDS = 3, 10
_ROWS_FOR_MOST_FOLDS = 60


def n_test_folds(n_rows: int, n_features: int) -> int:
    """Number of folds in a permutation test: 3 or, where features exceed rows, up to 10.

    It is 10 for at most 60 rows, and then falls to 3 at 200 rows, so that the number of
    rows that a permutation refits stays about the same.

    Parameters
    ----------
    n_rows, n_features : int

    Examples
    --------
    >>> from melm_core.evaluation.permutation_statistics import n_test_folds
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
        except (ValueError, np.linalg.LinAlgError) as error:
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

    Those of the coordinates alone collapse where a plane separates all its training rows, and every
    permutation would be a tie.
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

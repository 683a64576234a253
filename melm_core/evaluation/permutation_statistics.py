"""Test statistics of separation for permutation tests.

The statistic is the posterior probability of the true class under the class
densities, averaged over the rows of each class and then over the classes: the
expected balanced accuracy of random predictions with these probabilities.
Nothing is tuned, so it costs little more than the fits. It has fewer ties than
the balanced accuracy, because it distinguishes planes that classify the same
rows correctly. Ties remain where each class collapses to a point; they count
as exceedances, which is conservative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.classifier import density_shares
from melm_core.evaluation.density_accuracy import fold_log_densities
from melm_core.evaluation.folds import CodedRows, stratified_folds
from melm_core.evaluation.plane_classifiers import (
    balanced_accuracy,
    class_log_densities,
    unit_covariance,
)
from melm_core.evaluation.refitting import Preparation, chosen_preparation, fit_projection

# The test is exact with any number of folds. Where features exceed rows, every row withheld from a
# fit costs power; elsewhere ten folds take three times the fits and find about as much.
FEWEST_FOLDS, MOST_FOLDS = 3, 10
_ROWS_FOR_MOST_FOLDS = 60

_GAMMA = 1.0  # of the densities: Silverman's rule


def n_test_folds(n_rows: int, n_features: int) -> int:
    """Number of folds in a permutation test: 3 or, where features exceed rows, up to 10.

    It is 10 for at most 60 rows, and then falls to 3 at 200 rows, so that the number of
    rows that a permutation refits stays about the same.

    Parameters
    ----------
    n_rows, n_features : int

    Examples
    --------
    >>> from melm_core.evaluation import n_test_folds
    >>> n_test_folds(60, 5), [n_test_folds(n_rows, 2_000) for n_rows in (60, 100, 200)]
    (3, [10, 6, 3])
    """
    if n_features <= n_rows:
        return FEWEST_FOLDS
    affordable = MOST_FOLDS * _ROWS_FOR_MOST_FOLDS // n_rows
    return min(max(affordable, FEWEST_FOLDS), MOST_FOLDS)


def held_out_share(
    estimator: Any,
    X: FloatArray,
    y: IntArray,
    *,
    standardize: bool = True,
    preparation: Preparation | None = None,
    groups: IntArray | None = None,
    nuisance: IntArray | None = None,
) -> float:
    """Mean posterior probability of the true class of held-out rows.

    In each of several folds (see `n_test_folds`), the plane and the class densities
    are fitted to the training rows. All classes have equal weight. The value is 1 for separated
    classes and about 1 / n_classes by chance.

    Parameters
    ----------
    estimator : estimator
        Unfitted.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes, each with at least two rows.
    standardize : bool, default=True
        Whether to standardize the features by the training rows.
    preparation : Preparation or None, default=None
        Takes the place of `standardize`: `fit(X)` learns from the rows that a plane is fitted
        to and returns an object whose `apply(X)` prepares any rows. X may then have NaN.
    groups : ndarray of shape (n_samples,) or None, default=None
        Groups whose rows stay in one fold.
    nuisance : ndarray of shape (n_samples,) or None, default=None
        What the plane is to be blind to.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane
    >>> from melm_core.evaluation import held_out_share
    >>> held_out_share(DiscriminantPlane(), *load_iris(return_X_y=True)) > 0.9
    True
    """
    chosen = chosen_preparation(preparation, standardize=standardize)
    shares = np.empty(len(y))
    for fold in stratified_folds(y, n_test_folds(*X.shape), 0, groups):
        projection = fit_projection(
            estimator,
            X[fold.train],
            y[fold.train],
            preparation=chosen,
            groups=None if groups is None else groups[fold.train],
            nuisance=None if nuisance is None else nuisance[fold.train],
        )
        train = CodedRows(X[fold.train], y[fold.train], np.unique(y))
        # The densities that classify on the page. Those of the coordinates alone collapse where a
        # plane separates all its training rows, and every permutation would be a tie.
        densities = density_shares(fold_log_densities(projection, train, X[fold.test], _GAMMA))
        shares[fold.test] = densities[np.arange(len(fold.test)), y[fold.test]]
    return _mean_over_classes(shares, y)


def in_sample_share(
    estimator: Any,
    X: FloatArray,
    y: IntArray,
    *,
    standardize: bool = True,
    preparation: Preparation | None = None,
    groups: IntArray | None = None,
    nuisance: IntArray | None = None,
) -> float:
    """As `held_out_share`, in a single plane fitted to all rows.

    Only the class densities are cross-validated.

    Parameters
    ----------
    estimator, X, y, standardize, preparation, groups, nuisance
        See `held_out_share`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from melm_core import DiscriminantPlane
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import in_sample_share
    >>> X, y = pure_noise(n_rows=30, n_features=30)
    >>> in_sample_share(DiscriminantPlane(), X, y) > 0.9  # although there is nothing to separate
    True
    """
    chosen = chosen_preparation(preparation, standardize=standardize)
    fitted = fit_projection(estimator, X, y, preparation=chosen, groups=groups, nuisance=nuisance)
    Z = fitted.transform(X)
    shares = np.empty(len(y))
    for fold in stratified_folds(y, n_test_folds(*X.shape), 0, groups):
        shares[fold.test] = _own_shares(Z[fold.train], y[fold.train], Z[fold.test], y[fold.test])
    return _mean_over_classes(shares, y)


def held_out_accuracy(
    estimator: Any,
    X: FloatArray,
    y: IntArray,
    *,
    standardize: bool = True,
    preparation: Preparation | None = None,
    groups: IntArray | None = None,
    nuisance: IntArray | None = None,
) -> float:
    """Balanced accuracy of what a classifier predicts for held-out rows.

    Parameters
    ----------
    estimator, X, y, standardize, preparation, groups, nuisance
        See `held_out_share`; the estimator has fit and predict.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from melm_core.evaluation.permutation_statistics import held_out_accuracy
    >>> held_out_accuracy(GaussianNB(), *load_iris(return_X_y=True)) > 0.9
    True
    """
    chosen = chosen_preparation(preparation, standardize=standardize)
    predicted = np.empty(len(y), dtype=np.int64)
    for fold in stratified_folds(y, n_test_folds(*X.shape), 0, groups):
        fitted = fit_projection(
            estimator,
            X[fold.train],
            y[fold.train],
            preparation=chosen,
            groups=None if groups is None else groups[fold.train],
            nuisance=None if nuisance is None else nuisance[fold.train],
        )
        points = fitted.preparation.apply(X[fold.test])
        predicted[fold.test] = fitted.estimator.predict(points)
    return balanced_accuracy(y, predicted)


def _own_shares(Z: FloatArray, y: IntArray, points: FloatArray, own: IntArray) -> FloatArray:
    Z, points = unit_covariance(Z, points)
    shares = density_shares(class_log_densities(Z, y, points))
    return shares[np.arange(len(own)), own]


def _mean_over_classes(shares: FloatArray, y: IntArray) -> float:
    return float(np.mean(np.bincount(y, weights=shares) / np.bincount(y)))


STATISTICS = {
    "held_out": held_out_share,
    "in_sample": in_sample_share,
    "held_out_accuracy": held_out_accuracy,
}

"""One figure of separation that is quick to take, for permutation tests.

The probability that the class densities give to the own class of a row, mean
over the rows of a class and then over the classes: the balanced accuracy of
guesses drawn by these probabilities. Nothing is tuned, so it costs little more
than the fits, and it has fewer ties than the balanced accuracy, because it tells
planes apart in which the same rows are recognized. Ties remain where the fit
draws each class together to a point; they count against the finding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.classifier import density_shares
from melm_core.evaluation.folds import stratified_folds
from melm_core.evaluation.plane_classifiers import class_log_densities, unit_covariance
from melm_core.evaluation.refitting import fit_projection

N_FOLDS = 5


def held_out_share(
    estimator: Any, X: FloatArray, y: IntArray, *, standardize: bool = True
) -> float:
    """Probability that the class densities give to the own class of rows no fit has seen.

    The plane and the densities of each fold come from its training rows. Each
    class counts the same; 1 for classes apart, about 1 / n_classes by chance.

    Parameters
    ----------
    estimator : estimator
        Unfitted.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes, each with at least two rows.
    standardize : bool
    """
    shares = np.empty(len(y))
    for fold in stratified_folds(y, N_FOLDS, 0):
        projection = fit_projection(
            estimator, X[fold.train], y[fold.train], standardize=standardize
        )
        Z, points = projection.transform(X[fold.train]), projection.transform(X[fold.test])
        shares[fold.test] = _own_shares(Z, y[fold.train], points, y[fold.test])
    return _mean_over_classes(shares, y)


def in_sample_share(
    estimator: Any, X: FloatArray, y: IntArray, *, standardize: bool = True
) -> float:
    """The same as `held_out_share` in one plane, fitted to all rows: only the densities are new.

    Parameters
    ----------
    estimator, X, y, standardize
        See `held_out_share`.
    """
    Z = fit_projection(estimator, X, y, standardize=standardize).transform(X)
    shares = np.empty(len(y))
    for fold in stratified_folds(y, N_FOLDS, 0):
        shares[fold.test] = _own_shares(Z[fold.train], y[fold.train], Z[fold.test], y[fold.test])
    return _mean_over_classes(shares, y)


def _own_shares(Z: FloatArray, y: IntArray, points: FloatArray, own: IntArray) -> FloatArray:
    Z, points = unit_covariance(Z, points)
    shares = density_shares(class_log_densities(Z, y, points))
    return shares[np.arange(len(own)), own]


def _mean_over_classes(shares: FloatArray, y: IntArray) -> float:
    return float(np.mean(np.bincount(y, weights=shares) / np.bincount(y)))


STATISTICS = {"held_out": held_out_share, "in_sample": in_sample_share}

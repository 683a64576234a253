"""Naive Bayes with kernel densities, a benchmark of the rotations paper."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import log_softmax, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin

from melm_core.base import FloatArray, IntArray

# The median absolute deviation of a standard normal.
_NORMAL_DEVIATION = 0.6745


class KernelNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes with a Gaussian kernel density of each feature in each class.

    The bandwidth is optimal for a normal density with the same median absolute
    deviation.
    """

    def __init__(self, *, has_uniform_priors: bool) -> None:
        self.has_uniform_priors = has_uniform_priors

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Store the rows and the kernel widths of each class."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.rows_ = [X[y == label] for label in self.classes_]
        self.widths_ = [_widths(rows) for rows in self.rows_]
        n_classes = len(counts)
        shares = np.full(n_classes, 1 / n_classes) if self.has_uniform_priors else counts / len(y)
        self.log_priors_ = np.log(shares)
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Posterior probabilities, shape (n_samples, n_classes)."""
        pairs = zip(self.rows_, self.widths_, strict=True)
        densities = np.column_stack([_log_density(X, rows, widths) for rows, widths in pairs])
        posteriors: FloatArray = np.exp(log_softmax(densities + self.log_priors_, axis=1))
        return posteriors

    def predict(self, X: FloatArray) -> Any:
        """The most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _widths(rows: FloatArray) -> FloatArray:
    deviation = np.median(np.abs(rows - np.median(rows, axis=0)), axis=0) / _NORMAL_DEVIATION
    spread = np.where(deviation > 0, deviation, np.ptp(rows, axis=0))
    widths: FloatArray = np.where(spread > 0, spread, 1.0) * (4 / (3 * len(rows))) ** 0.2
    return widths


def _log_density(points: FloatArray, rows: FloatArray, widths: FloatArray) -> FloatArray:
    total = np.zeros(len(points))
    for x, centers, width in zip(points.T, rows.T, widths, strict=True):
        offsets = (x[:, None] - centers) / width
        log_constant = np.log(len(centers) * width * np.sqrt(2 * np.pi))
        total += logsumexp(-0.5 * np.square(offsets), axis=1) - log_constant
    return total

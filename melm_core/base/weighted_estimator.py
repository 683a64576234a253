"""Base class of the estimators of planes whose rows may have weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    as_dense,
    check_class_sizes,
    check_magnitudes,
    check_n_components,
)
from melm_core.base.row_blocks import check_in_memory
from melm_core.base.sample_weights import checked_weights, mean_of


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Valid rows, each with a class and perhaps a weight.

    Attributes
    ----------
    X : ndarray of shape (n_kept, n_features)
    y : ndarray of shape (n_kept,)
        Class codes.
    weights : ndarray of shape (n_kept,) or None
        Above 0; None if each row counts once.
    kept : ndarray of bool of shape (n_samples,)
        Which of the given rows these are: those of weight 0 are left out.
    nuisance : ndarray of int of shape (n_kept,) or None
        Codes of what a plane is to be blind to.
    """

    X: FloatArray
    y: IntArray
    weights: FloatArray | None
    kept: npt.NDArray[np.bool_]
    nuisance: IntArray | None = None

    def part(self, rows: IntArray) -> WeightedRows:
        """Some of the rows, by their indices."""
        weights = None if self.weights is None else self.weights[rows]
        nuisance = None if self.nuisance is None else self.nuisance[rows]
        return WeightedRows(self.X[rows], self.y[rows], weights, self.kept, nuisance)


class WeightedPlaneEstimator(SupervisedPlaneEstimator):
    """A plane fitted to class labels of rows that may have weights.

    A row of weight 2 counts as two rows, and one of weight 0 as none.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A sparse matrix is made dense, which is refused beyond 2 GB.
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        rows = self._validate_weighted(X, y, sample_weight)
        check_n_components(self.n_components, rows.X.shape[1])
        self._check_parameters()
        self._fit_weighted(rows.X, rows.y, rows.weights)
        return self

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        """Set `components_` and what else `fit` finds, from valid rows and class codes."""
        raise NotImplementedError

    def _validate_weighted(self, X: Any, y: Any, sample_weight: Any) -> WeightedRows:
        """Valid rows, dense if X is sparse; sets `classes_` and `mean_`."""
        check_in_memory(self, X)
        rows = validate_weighted(self, as_dense(X), y, sample_weight)
        self.mean_ = mean_of(rows.X, rows.weights)
        return rows


def validate_weighted(estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any) -> WeightedRows:
    """Valid rows with class codes and weights; sets `classes_` of the estimator.

    Parameters
    ----------
    estimator : BaseEstimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), number or None

    Raises
    ------
    ValueError
        If the rows, labels or weights are invalid, or a class has fewer than two rows.
    """
    X, y = validate_data(estimator, X, y, dtype=np.float64, ensure_min_samples=2)
    check_classification_targets(y)
    weights = checked_weights(sample_weight, len(y))
    kept = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    if weights is not None:
        X, y, weights = X[kept], y[kept], weights[kept]
    estimator.classes_, codes = np.unique(y, return_inverse=True)
    check_class_sizes(estimator.classes_, codes, weights)
    check_magnitudes(X)
    return WeightedRows(X, codes.astype(np.int64), weights, kept)

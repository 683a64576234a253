"""Base class of the estimators of planes that depend on the moments of the classes alone."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from melm_core.base.block_sources import table_of
from melm_core.base.estimator import WeightedPlaneEstimator, check_n_components
from melm_core.base.row_blocks import class_rows, is_lazy
from melm_core.linalg.equivalent_rows import equivalent_rows


class MomentPlaneEstimator(WeightedPlaneEstimator):
    """A plane that depends on the count, the mean and the covariance of each class alone.

    It can be fitted to a Dask collection larger than memory: in five passes, whose memory is
    that of a few blocks.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            A sparse matrix is made dense, which is refused beyond 2 GB. A Dask collection may
            exceed the memory.
        y : array-like or Dask collection of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once. Of rows in
            memory only.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        if not is_lazy(X):
            return super().fit(X, y, sample_weight)
        table = table_of(self, X, y, () if sample_weight is None else ("sample_weight",))
        check_n_components(self.n_components, table.n_features)
        self._check_parameters()
        rows = equivalent_rows(class_rows(table))
        # The equivalent rows are about the mean, where they lose no digits to it.
        self.mean_ = np.zeros(table.n_features)
        self._fit_weighted(rows.X, rows.y, rows.weights)
        self.mean_ = rows.mean
        return self

"""Second moments of classes, accumulated over blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import DaskBlocks
from melm_core.base.row_blocks import (
    BlockSource,
    added,
    check_in_memory,
    class_rows,
    is_lazy,
    reduce_rows,
)
from melm_core.base.sample_weights import checked_weights, mean_of
from melm_core.base.validated_data import validate_data
from melm_core.linalg.class_moments import square_sum


@dataclass(frozen=True, eq=False)
class Sums:
    """The number of rows of one class, their sum, and the sum of their outer products.

    Where the rows have weights, all three are weighted.
    """

    count: float
    rows: FloatArray  # (n_features,)
    squares: FloatArray  # (n_features, n_features)

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.count + other.count, self.rows + other.rows, self.squares + other.squares)


class ClassSecondMoments(BaseEstimator):
    """Number of rows, mean and uncentered second moment of every class.

    Data that do not fit in memory can be added block by block; a block may
    contain any classes, including new ones. Rows of weight 2 count as two rows.
    `GEM.fit_moments` fits from them. The estimators of planes have no `partial_fit`:
    their densities and coordinates need all rows at once.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels so far, sorted.
    counts_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    means_ : ndarray of shape (n_classes, n_features)
    moments_ : ndarray of shape (n_classes, n_features, n_features)
        C_c = 1/n_c sum x x' over the rows of class c.
    covariances_ : ndarray of shape (n_classes, n_features, n_features)
        The same about the mean of class c.
    sums_ : dict of label to Sums
        The sums over all blocks so far.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, equation 2.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core import ClassSecondMoments
    >>> moments = ClassSecondMoments()
    >>> for block in ([[1.0], [3.0]], [[3.0], [5.0]]):
    ...     moments = moments.partial_fit(np.array(block), ["low", "high"])
    >>> moments.counts_, moments.means_.ravel()
    (array([2, 2]), array([4., 2.]))
    """

    sums_: dict[Any, Sums]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Discard the sums so far and add these rows.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
        y : array-like or Dask collection of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Of rows in memory.
        """
        if is_lazy(X) and sample_weight is None:
            return self.fit_blocks(DaskBlocks(X, y))
        return self._add(X, y, sample_weight, is_first=True)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add a block of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, which may be new.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Raises
        ------
        ValueError
            If values are so large that their squares overflow.
        """
        return self._add(X, y, sample_weight, is_first=not hasattr(self, "sums_"))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Labels so far, sorted."""
        return np.array(sorted(self.sums_))

    @property
    def counts_(self) -> IntArray | FloatArray:
        """Number of rows of each class, or the sum of their weights."""
        return np.array([self.sums_[label].count for label in sorted(self.sums_)])

    @property
    def means_(self) -> FloatArray:
        """Mean of each class."""
        ordered = [self.sums_[label] for label in sorted(self.sums_)]
        return np.stack([sums.rows / sums.count for sums in ordered])

    @property
    def moments_(self) -> FloatArray:
        """Second moment of each class."""
        ordered = [self.sums_[label] for label in sorted(self.sums_)]
        return np.stack([sums.squares / sums.count for sums in ordered])

    @property
    def covariances_(self) -> FloatArray:
        """Covariance of each class, its second moment less the outer product of its mean.

        The difference loses digits where a class is far from the origin compared to its spread.
        """
        means = self.means_
        return self.moments_ - means[:, :, None] * means[:, None, :]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit_blocks(self, table: BlockSource) -> Self:
        """Discard the sums so far and add the rows of a table in blocks.

        Parameters
        ----------
        table : BlockSource
        """
        sums = reduce_rows(_block_sums, added, class_rows(table))
        self.sums_ = dict(zip(table.classes.tolist(), sums, strict=True))
        self.n_features_in_ = table.n_features
        return self

    def _add(self, X: Any, y: Any, sample_weight: Any, *, is_first: bool) -> Self:
        check_in_memory(self, X)
        X, y = validate_data(self, X, y, dtype=np.float64, reset=is_first)
        check_classification_targets(y)
        previous = {} if is_first else self.sums_
        weights = checked_weights(sample_weight, len(y))
        if weights is not None:
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        block = {}
        for label in np.unique(y):
            members = y == label
            block[label] = _sums(X[members], None if weights is None else weights[members])
        self.sums_ = previous | {
            label: previous[label] + sums if label in previous else sums
            for label, sums in block.items()
        }
        return self


def centered_rows(X: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Subtract their mean from rows, which may have weights.

    The first row is subtracted before, so that a constant feature becomes
    exactly zero: the mean of equal numbers may differ from them by rounding.
    """
    offsets = X - X[0]
    centered: FloatArray = offsets - mean_of(offsets, weights)
    return centered


def _block_sums(_: int, rows: FloatArray) -> Sums:
    return _sums(rows, None)


def _sums(rows: FloatArray, weights: FloatArray | None) -> Sums:
    if weights is None:
        return Sums(len(rows), rows.sum(axis=0), square_sum(rows))
    return Sums(float(weights.sum()), weights @ rows, square_sum(rows, weights))

"""Second moments of classes, accumulated over blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError


@dataclass(frozen=True, eq=False)
class Sums:
    """The number of rows of one class, their sum, and the sum of their outer products."""

    count: int
    rows: FloatArray  # (n_features,)
    squares: FloatArray  # (n_features, n_features)

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.count + other.count, self.rows + other.rows, self.squares + other.squares)


class ClassSecondMoments(BaseEstimator):
    """Number of rows, mean and uncentered second moment of every class.

    Data that do not fit in memory can be added block by block; a block may
    contain any classes, including new ones.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels so far, sorted.
    counts_ : ndarray of shape (n_classes,)
        Number of rows of each class.
    means_ : ndarray of shape (n_classes, n_features)
    moments_ : ndarray of shape (n_classes, n_features, n_features)
        C_c = 1/n_c sum x x' over the rows of class c.
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

    def fit(self, X: Any, y: Any) -> Self:
        """Discard the sums so far and add these rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        return self._add(X, y, is_first=True)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Add a block of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, which may be new.

        Raises
        ------
        ValueError
            If values are so large that their squares overflow.
        """
        return self._add(X, y, is_first=not hasattr(self, "sums_"))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Labels so far, sorted."""
        return np.array(sorted(self.sums_))

    @property
    def counts_(self) -> IntArray:
        """Number of rows of each class."""
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _add(self, X: Any, y: Any, *, is_first: bool) -> Self:
        X, y = validate_data(self, X, y, dtype=np.float64, reset=is_first)
        check_classification_targets(y)
        known = {} if is_first else self.sums_
        block = {label: _sums(X[y == label]) for label in np.unique(y)}
        self.sums_ = known | {
            label: known[label] + sums if label in known else sums for label, sums in block.items()
        }
        return self


def square_sum(rows: FloatArray) -> FloatArray:
    """Sum of the outer products of the rows, shape (n_features, n_features).

    Raises
    ------
    ValueError
        If values are so large that their squares overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        squares: FloatArray = rows.T @ rows
    if not np.isfinite(squares).all():
        raise UserError(
            f"The largest value, {np.abs(rows).max():.3g}, is too large to be squared; scale "
            "the features down first."
        )
    return squares


def centered_rows(X: FloatArray) -> FloatArray:
    """Rows less their mean.

    The first row is subtracted before, so that a constant feature becomes
    exactly zero: the mean of equal numbers may differ from them by rounding.
    """
    offsets = X - X[0]
    centered: FloatArray = offsets - offsets.mean(axis=0)
    return centered


def _sums(rows: FloatArray) -> Sums:
    return Sums(len(rows), rows.sum(axis=0), square_sum(rows))

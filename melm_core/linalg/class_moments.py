"""Moments of classes: means and covariances, and second moments over blocks of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import DaskBlocks
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import (
    BlockSource,
    Rows,
    added,
    check_in_memory,
    class_rows,
    in_memory,
    is_lazy,
    reduce_rows,
)
from melm_core.base.sample_weights import checked_weights, mean_of
from melm_core.base.validated_data import validate_data

# Rows of so many entries in all are copied at once, 2 MB; the moments of more rows are added up.
_MAX_ENTRIES = 1 << 18


def rows_by_class(X: FloatArray, y: IntArray) -> tuple[FloatArray, ...]:
    """Split rows by class, in the order of the class codes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    """
    return tuple(X[y == code] for code in range(int(y.max()) + 1))


def weights_by_class(weights: FloatArray | None, y: IntArray) -> tuple[FloatArray, ...] | None:
    """Split weights by class; None if each row counts once.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,) or None
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    """
    return None if weights is None else rows_by_class(weights, y)


def class_totals(y: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Count the rows of each class, or sum their weights, shape (n_classes,)."""
    return np.bincount(y, weights).astype(np.float64)


def class_means(X: FloatArray, y: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Compute the mean of the rows of each class, shape (n_classes, n_features)."""
    blocks = zip(rows_by_class(X, y), weights_by_class(weights, y) or repeat(None), strict=False)
    return np.stack([mean_of(*block) for block in blocks])


@dataclass(frozen=True, eq=False)
class Moments:
    """Number, mean and sum of products about the mean of some rows; two of them add up.

    Attributes
    ----------
    count : int
    mean : ndarray of shape (n_features,)
    products : ndarray of shape (n_features, n_features)

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque: Algorithms for Computing the Sample Variance,
    The American Statistician 37, 1983.
    """

    count: int
    mean: FloatArray
    products: FloatArray

    @classmethod
    def of(cls, _: int, rows: FloatArray) -> Moments:
        """Compute the moments of rows in memory, at least one."""
        offsets = rows - rows[0]
        mean = offsets.mean(axis=0)
        offsets -= mean
        return cls(len(rows), rows[0] + mean, offsets.T @ offsets)

    def __add__(self, other: Moments) -> Moments:
        """Merge the moments of two sets of rows."""
        count, apart = self.count + other.count, other.mean - self.mean
        share = other.count / count
        products = self.products + other.products + self.count * share * np.outer(apart, apart)
        return Moments(count, self.mean + share * apart, products)


def moments_of_classes(
    classes: Sequence[Rows], weights: Sequence[FloatArray] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Compute means and covariances (divisor N_c) of classes that need not be in memory.

    Parameters
    ----------
    classes : sequence of ndarray of shape (n_samples_of_class, n_features), or of ClassRows
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of rows in memory; None if each counts once.

    Returns
    -------
    means : ndarray of shape (n_classes, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
    """
    if in_memory(classes):
        means, spreads = zip(*_moments_in_memory(classes, weights), strict=True)
        return np.stack(means), np.stack(spreads)
    moments = reduce_rows(Moments.of, added, classes)
    covariances = [each.products / each.count for each in moments]
    return np.stack([each.mean for each in moments]), np.stack(covariances)


def class_covariances(
    classes: Iterable[FloatArray], weights: Sequence[FloatArray] | None = None
) -> FloatArray:
    """Compute covariances with divisor N_c, shape (n_classes, n_features, n_features).

    They are computed relative to a row of the class, so that a feature that is
    constant within the class has exactly zero variance: the mean of equal
    numbers may differ from them by rounding.

    Parameters
    ----------
    classes : iterable of ndarray of shape (n_samples_of_class, n_features)
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.
    """
    return np.stack([covariance for _, covariance in _moments_in_memory(classes, weights)])


def _moments_in_memory(
    classes: Iterable[FloatArray], weights: Sequence[FloatArray] | None
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield mean and covariance of each class, computed relative to one of its rows."""
    for rows, row_weights in zip(classes, weights or repeat(None), strict=False):
        if rows.size > _MAX_ENTRIES:
            yield mean_of(rows, row_weights), _covariance_by_parts(rows, row_weights)
            continue
        offsets = rows - rows[0]
        mean = mean_of(offsets, row_weights)
        offsets -= mean
        yield rows[0] + mean, _mean_product(offsets, row_weights)


def covariance_of(rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Compute the covariance of rows, with divisor N, or the sum of the weights.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        A matrix even for a single feature.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import covariance_of
    >>> covariance_of(np.array([[0.0], [2.0]]))
    array([[1.]])
    """
    if rows.size > _MAX_ENTRIES:
        return _covariance_by_parts(rows, weights)
    return _mean_product(rows - mean_of(rows, weights), weights)


def _mean_product(offsets: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Compute the mean of the outer products of offsets."""
    total = len(offsets) if weights is None else weights.sum()
    scaled = offsets if weights is None else offsets * weights[:, None]
    products: FloatArray = scaled.T @ offsets / total
    return products


def _covariance_by_parts(rows: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Compute the covariance about a row, without a copy of all rows."""
    shares = np.full(len(rows), 1.0 / len(rows)) if weights is None else weights / weights.sum()
    parts = list(row_parts(rows))
    mean = sum(shares[part] @ (rows[part] - rows[0]) for part in parts)
    covariance = np.zeros((rows.shape[1], rows.shape[1]))
    for part in parts:
        offsets = rows[part] - rows[0] - mean
        covariance += (offsets * shares[part, None]).T @ offsets
    return 0.5 * (covariance + covariance.T)


def row_parts(rows: FloatArray) -> Iterator[slice]:
    """Slices of consecutive rows that together are all rows, each small enough to be copied.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
    """
    step = max(_MAX_ENTRIES // max(rows.shape[1], 1), 1)
    return (slice(begin, begin + step) for begin in range(0, len(rows), step))


def pooled_covariance(covariances: FloatArray, counts: Sequence[float] | FloatArray) -> FloatArray:
    """Within-class covariance: the mean of the class covariances, weighted by class size."""
    shares = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    pooled: FloatArray = shares @ covariances.reshape(len(covariances), -1)
    return pooled.reshape(covariances.shape[1:])


def covariance_of_means(means: FloatArray, counts: Sequence[float] | FloatArray) -> FloatArray:
    """Compute the covariance of the class means, weighted by the rows of each.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_features)
    counts : sequence of float
    """
    shares = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    offsets = means - shares @ means
    covariance: FloatArray = (offsets * shares[:, None]).T @ offsets
    return covariance


def total_covariance(
    means: FloatArray, covariances: FloatArray, counts: Sequence[float] | FloatArray
) -> FloatArray:
    """Compute the covariance of all rows from moments of the classes, weighted by size."""
    return pooled_covariance(covariances, counts) + covariance_of_means(means, counts)


def square_sum(rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Compute the sum of the outer products of the rows, shape (n_features, n_features).

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Raises
    ------
    ValueError
        If values are so large that their squares overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        weighted = rows if weights is None else rows * weights[:, None]
        squares: FloatArray = weighted.T @ rows
    if not np.isfinite(squares).all():
        raise UserError(
            f"The largest value, {np.abs(rows).max():.3g}, is too large to be squared; scale "
            "the features down first."
        )
    return squares


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

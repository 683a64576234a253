"""Base classes of the estimators of planes, and the validation of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import check_in_memory, is_lazy, lazy_array
from melm_core.base.sample_weights import checked_weights, mean_of
from melm_core.base.validated_data import validate_data

# Rules that choose how much a class covariance is regularized.
SHRINKAGES = ("auto", "ledoit-wolf")

# Sums of squares of values in between neither overflow nor lose their digits.
LARGEST_VALUE = 1e145
SMALLEST_RANGE = 1e-145

# Sparse rows are made dense up to this many bytes.
LARGEST_DENSE = 2e9


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Valid rows, each with a class and perhaps a weight.

    Attributes
    ----------
    X : ndarray of shape (n_used, n_features)
    y : ndarray of shape (n_used,)
        Class codes.
    weights : ndarray of shape (n_used,) or None
        Above 0; None if each row counts once.
    is_used : ndarray of bool of shape (n_samples,)
        False for given rows of weight 0, which are left out.
    nuisance : ndarray of int of shape (n_used,) or None
        Codes of what a plane is to be blind to.
    """

    X: FloatArray
    y: IntArray
    weights: FloatArray | None
    is_used: npt.NDArray[np.bool_]
    nuisance: IntArray | None = None

    def part(self, rows: IntArray) -> WeightedRows:
        """Return some of the rows, by their indices."""
        weights = None if self.weights is None else self.weights[rows]
        nuisance = None if self.nuisance is None else self.nuisance[rows]
        return WeightedRows(self.X[rows], self.y[rows], weights, self.is_used, nuisance)


class PlaneEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A linear map onto the plane spanned by the rows of `components_`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows, the origin of the plane.
    """

    components_: FloatArray
    mean_: FloatArray

    def transform(self, X: Any) -> FloatArray:
        """Compute coordinates in the plane, (X - mean_) components_'.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            A Dask array, not computed yet, if X is a Dask collection.
        """
        check_is_fitted(self)
        X = lazy_array(X, self.n_features_in_) if is_lazy(X) else rows_as_fitted(self, as_dense(X))
        projected: FloatArray = (X - self.mean_) @ self.components_.T
        return projected

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Return points of the plane in the data space, Z components_ + mean_.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        points: FloatArray = np.asarray(Z, dtype=np.float64) @ self.components_ + self.mean_
        return points

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


class SupervisedPlaneEstimator(PlaneEstimator):
    """A plane fitted to class labels, `fit(X, y)`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; class code c is the label `classes_[c]`.
    """

    n_components: int
    classes_: np.typing.NDArray[Any]

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A sparse matrix is made dense, which is refused beyond 2 GB.
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        X, y = self._validate_labeled(X, y)
        check_n_components(self.n_components, X.shape[1])
        self._check_parameters()
        self._fit_plane(X, y)
        return self

    def _check_parameters(self) -> None:
        """Check the parameters other than n_components."""

    def _fit_plane(self, X: FloatArray, y: IntArray) -> None:
        """Set `components_` and what else `fit` finds, from valid rows and class codes."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _validate_labeled(self, X: Any, y: Any) -> tuple[FloatArray, IntArray]:
        """Valid rows, dense if X is sparse, and class codes; sets `classes_` and `mean_`."""
        check_in_memory(self, X)
        X, y = validate_labeled(self, as_dense(X), y)
        self.mean_ = X.mean(axis=0)
        return X, y


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


def drawn_seed(random_state: Any) -> int:
    """Draw a seed from a random state; of a number always the same.

    Parameters
    ----------
    random_state : int, RandomState instance or None
    """
    if isinstance(random_state, int):
        return _seed_of_number(random_state)
    seed: int = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return seed


@lru_cache
def _seed_of_number(number: int) -> int:
    """Preparing a generator takes longer than many a plane of few rows."""
    seed: int = check_random_state(number).randint(np.iinfo(np.int32).max)
    return seed


def validate_labeled(estimator: BaseEstimator, X: Any, y: Any) -> tuple[FloatArray, IntArray]:
    """Valid rows and class codes; sets `classes_` of the estimator.

    Parameters
    ----------
    estimator : BaseEstimator
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of int of shape (n_samples,)

    Raises
    ------
    ValueError
        If the rows or the labels are invalid, or a class has fewer than two rows.
    """
    rows = validate_weighted(estimator, X, y, None)
    return rows.X, rows.y


def validate_weighted(estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any) -> WeightedRows:
    """Validate rows, class codes and weights; sets `classes_` of the estimator.

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
    if sample_weight is None and _need_no_change(X, y):
        check_magnitudes(X)
        vars(estimator).pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
        estimator.classes_ = np.arange(int(y.max()) + 1)
        return WeightedRows(X, y, None, np.ones(len(y), dtype=bool))
    X, y = validate_data(estimator, X, y, dtype=np.float64, ensure_min_samples=2)
    check_classification_targets(y)
    weights = checked_weights(sample_weight, len(y))
    is_used = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    if weights is not None:
        X, y, weights = X[is_used], y[is_used], weights[is_used]
    estimator.classes_, codes = np.unique(y, return_inverse=True)
    check_class_sizes(estimator.classes_, codes, weights)
    check_magnitudes(X)
    return WeightedRows(X, codes.astype(np.int64), weights, is_used)


def _need_no_change(X: Any, y: Any) -> bool:
    """Return whether no check would change rows and labels, as in a refit.

    The checks of scikit-learn take longer than a small fit, and find nothing in them.
    """
    if type(X) is not np.ndarray or type(y) is not np.ndarray or X.dtype != np.float64:
        return False
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y) or y.dtype != np.int64 or not X.size:
        return False
    if y.min() != 0 or y.max() >= len(y) or not np.isfinite(X.sum()):
        return False
    counts = np.bincount(y)
    return len(counts) > 1 and int(counts.min()) > 1


def as_dense(X: Any) -> Any:
    """Return the rows as they are; those of a sparse matrix as an array.

    The planes need centered rows, which are not sparse, so a sparse matrix saves no memory.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the array would take more than `LARGEST_DENSE` bytes.
    """
    if not issparse(X):
        return X
    n_bytes = float(np.prod(X.shape, dtype=np.float64)) * np.dtype(np.float64).itemsize
    if n_bytes > LARGEST_DENSE:
        size = " x ".join(f"{length:,}" for length in X.shape)
        raise UserError(
            f"X is sparse, {size}, and its centered rows are not: they would take "
            f"{n_bytes / 1e9:,.1f} GB, more than {LARGEST_DENSE / 1e9:g} GB. Reduce the features "
            "first, for example with sklearn.decomposition.TruncatedSVD."
        )
    return X.toarray()


def check_magnitudes(X: FloatArray) -> None:
    """Check that variances neither overflow nor vanish.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the largest value is beyond `LARGEST_VALUE`, or the features vary, but all by
        less than `SMALLEST_RANGE`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import check_magnitudes
    >>> check_magnitudes(np.array([[0.0], [1e160]]))
    Traceback (most recent call last):
    melm_core.base.errors.UserError: The largest value, 1e+160, is too large to be squared; ...
    """
    lowest, highest = X.min(axis=0), X.max(axis=0)
    _check_largest(max(float(highest.max()), -float(lowest.min())))
    widest = float((highest - lowest).max())
    if 0 < widest < SMALLEST_RANGE:
        raise UserError(
            f"All features vary by {widest:.3g} at most, and the square of this is zero to the "
            f"computer; scale the features to a range above {SMALLEST_RANGE:g}."
        )


def _check_largest(largest: float) -> None:
    if largest > LARGEST_VALUE:
        raise UserError(
            f"The largest value, {largest:.3g}, is too large to be squared; scale the features "
            f"to below {LARGEST_VALUE:g}."
        )


def rows_as_fitted(estimator: BaseEstimator, X: Any) -> FloatArray:
    """Return rows as numbers, checked like those to which an estimator was fitted.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    NotFittedError
    ValueError
        If there are other features, by number or by name, or a value is missing, infinite or
        beyond `LARGEST_VALUE`.
    """
    check_is_fitted(estimator)
    X = validate_data(estimator, X, dtype=np.float64, reset=False)
    _check_largest(max(float(X.max()), -float(X.min())))
    rows: FloatArray = X
    return rows


def check_class_sizes(
    classes: np.typing.NDArray[Any], codes: IntArray, weights: FloatArray | None = None
) -> None:
    """Check that there are at least two classes, each of which counts as two rows or more.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.
    codes : ndarray of shape (n_samples,)
        Class codes.
    weights : ndarray of shape (n_samples,) or None
        A row of weight 2 counts as two rows.

    Raises
    ------
    ValueError
        If there are not; the message names the class and its number of rows.
    """
    if len(classes) < 2:
        raise UserError(
            f"The labels hold only one class ({classes.tolist()[0]!r}), so there is nothing to "
            "separate; use rows of at least two classes."
        )
    counts = np.bincount(codes)
    totals = counts if weights is None else np.bincount(codes, weights)
    smallest = int(totals.argmin())
    if totals[smallest] < 2 <= counts[smallest]:
        raise UserError(
            f"Class {classes.tolist()[smallest]!r} counts as {totals[smallest]:.2g} rows by "
            "sample_weight; a density needs at least 2. Weights say how often each row counts: "
            "divide weights that sum to 1 by their mean."
        )
    if totals[smallest] < 2:
        raise UserError(
            f"Class {classes.tolist()[smallest]!r} has {counts[smallest]} row; a density needs at "
            "least 2 rows of every class. Add rows or leave the class out."
        )


def check_n_components(n_components: Any, n_features: int) -> None:
    """Check that the value is an integer between 1 and the number of features."""
    check_integer("n_components", n_components, minimum=1)
    if n_components > n_features:
        raise UserError(
            f"n_components={n_components} exceeds the {n_features} feature(s) of the data; "
            f"choose at most {n_features}."
        )


def check_rank(rank: int, n_dimensions: int) -> None:
    """Check that the classes vary along at least as many directions as a plane has dimensions.

    Parameters
    ----------
    rank : int
        Number of directions in which the classes vary.
    n_dimensions : int

    Raises
    ------
    ValueError
        If they do not.
    """
    if rank < n_dimensions:
        raise UserError(
            f"The classes vary along {rank} direction(s) only, and {n_dimensions} component(s) "
            "need at least as many. Choose fewer components, or add features that vary within "
            "the classes."
        )


def check_components(components: Any, n_features: int) -> FloatArray:
    """Return the components as an array of finite, linearly independent rows.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features)
    n_features : int

    Raises
    ------
    ValueError
        If they have another shape, are not finite or are linearly dependent.
    """
    rows: FloatArray = np.asarray(components, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != n_features or len(rows) == 0:
        raise UserError(
            f"components has shape {rows.shape}; it must be (n_components, {n_features}), one "
            "column for each feature."
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    is_regular = np.isfinite(lengths).all() and (lengths > 0).all()
    if not is_regular or np.linalg.matrix_rank(rows / lengths) < len(rows):
        raise UserError(
            f"The {len(rows)} row(s) of components must be finite and linearly independent, or "
            "they do not span a plane of that dimension."
        )
    return rows


def check_integer(name: str, value: Any, *, minimum: int) -> None:
    """Check that the value is an integer of at least `minimum`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise UserError(f"{name}={value!r} must be a whole number of at least {minimum}.")


def check_positive(name: str, value: Any) -> None:
    """Check that a parameter is a finite number above zero.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> from melm_core.base import check_positive
    >>> check_positive("gamma", 0)
    Traceback (most recent call last):
        ...
    melm_core.base.errors.UserError: gamma=0 must be a finite number above 0.
    """
    if not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise UserError(f"{name}={value!r} must be a finite number above 0.")


def check_not_negative(name: str, value: Any) -> None:
    """Check that the value is a finite number of at least zero."""
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise UserError(f"{name}={value!r} must be a finite number of at least 0.")


def check_shrinkage(value: Any) -> None:
    """Check that shrinkage is a share in [0, 1], or the name of a rule."""
    is_share = isinstance(value, Real) and 0 <= float(value) <= 1
    if not is_share and not (isinstance(value, str) and value in SHRINKAGES):
        words = " or ".join(f'"{name}"' for name in SHRINKAGES)
        raise UserError(f"shrinkage={value!r} must be a number from 0 to 1, or {words}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Check that a parameter is one of the choices.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
    choices : sequence of str

    Raises
    ------
    ValueError
        If it is not.

    Examples
    --------
    >>> from melm_core.base import check_choice
    >>> check_choice("solver", "newton", ("lbfgs", "penalty"))
    Traceback (most recent call last):
        ...
    melm_core.base.errors.UserError: solver='newton' must be one of 'lbfgs', 'penalty'.
    """
    if value not in choices:
        words = ", ".join(repr(choice) for choice in choices)
        raise UserError(f"{name}={value!r} must be one of {words}.")

"""Bent features: each beside a cubic spline of itself, so that a linear method finds curves.

In a plane of such features, a feature moves a row along a curve instead of an arrow, and the place
of a row is still a sum of one step for each feature (flexible discriminant analysis: Hastie,
Tibshirani, Buja, "Flexible Discriminant Analysis by Optimal Scoring", JASA 89, 1994).

The columns of a feature are collinear on purpose. A method that shrinks covariances towards the
identity of the standardized columns, as MELM does by default, then penalizes a curve by the squares
of its B-spline coefficients and of its slope: straight and slowly bending ones are cheap, since
many columns share them. That is a P-spline's ridge (Eilers and Marx, Statistical Science 11, 1996).
An orthonormal basis of the same curves has no cheap directions, and its planes are worse
(`python -m lab.experiments curves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import SplineTransformer
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_magnitudes
from melm_core.base.validated_data import validate_data
from melm_core.recipe.row_arithmetic import with_curves

N_KNOTS = 3
# Features with fewer distinct values, such as indicators and short scales, stay straight.
FEWEST_VALUES = 4
# Where more features could bend, none does: their columns would take four times the memory.
MOST_CURVED = 400

_DEGREE = 3


class Curve(msgspec.Struct, frozen=True):
    """The spline of one feature, in the range of the rows that it was fitted to.

    Attributes
    ----------
    at : int
        The position of the feature.
    low, width : float
        The smallest value, and the largest less this, in the units of the feature.
    knots : tuple of float
        In shares of the range: 0, quantiles of the feature, 1.
    pieces : tuple of tuples of tuples of float
        Coefficients between each two knots, by power of the distance from the first of them, and
        by column: (n_knots - 1, 4, n_columns).
    """

    at: int
    low: float
    width: float
    knots: tuple[float, ...]
    pieces: tuple[tuple[tuple[float, ...], ...], ...]

    @property
    def n_columns(self) -> int:
        """The number of columns beside the feature itself."""
        return len(self.pieces[0][0])


class CurvedFeatures(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Each feature and a cubic spline of it, standardized; new rows are linear beyond the ends.

    Parameters
    ----------
    n_knots : int, default=3
        Knots of each spline, at equally spaced quantiles of the feature; two are its ends. Each
        spline adds ``n_knots + 1`` columns.
    max_curved : int, default=400
        Wide tables are bounded: where more features than this could bend, all stay straight.

    Attributes
    ----------
    groups_ : ndarray of int, shape (n_columns,)
        The feature that each column belongs to, a position in the input: first every feature,
        then the columns of the splines. What is said of a feature is said of its group.
    curves_ : tuple of Curve
        Of the features that bend, those with at least four distinct values.
    mean_, scale_ : ndarray of shape (n_columns,)

    References
    ----------
    T. Hastie, R. Tibshirani, A. Buja: Flexible Discriminant Analysis by Optimal Scoring, Journal
    of the American Statistical Association 89, 1994.
    P. H. C. Eilers, B. D. Marx: Flexible Smoothing with B-splines and Penalties, Statistical
    Science 11, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.recipe import CurvedFeatures
    >>> X = np.column_stack([np.linspace(-1, 1, 9), np.arange(9) % 2])
    >>> curved = CurvedFeatures().fit(X)
    >>> curved.groups_
    array([0, 1, 0, 0, 0, 0])
    >>> curved.get_feature_names_out(["dose", "sex"]).tolist()
    ['dose', 'sex', 'dose, curve 1', 'dose, curve 2', 'dose, curve 3', 'dose, curve 4']
    """

    def __init__(self, n_knots: int = N_KNOTS, *, max_curved: int = MOST_CURVED) -> None:
        self.n_knots = n_knots
        self.max_curved = max_curved

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the knots, and find what columns are centered at and divided by.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        UserError
            If a parameter or the data are invalid.
        """
        X = validate_data(self, X, dtype=np.float64)
        check_integer("n_knots", self.n_knots, minimum=2)
        check_integer("max_curved", self.max_curved, minimum=0)
        check_magnitudes(X)
        self.curves_ = fitted_curves(X, self.n_knots, self.max_curved)
        self.groups_ = curve_groups(X.shape[1], self.curves_)
        columns = self._columns(X)
        self.mean_ = columns.mean(axis=0)
        self.scale_ = np.where(np.ptp(columns, axis=0) == 0, 1.0, columns.std(axis=0))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Compute the standardized columns, shape (n_samples, n_columns).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        standardized: FloatArray = (self._columns(X) - self.mean_) / self.scale_
        return standardized

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            By default those that `fit` saw, or "x0", "x1", ...
        """
        check_is_fitted(self)
        names = list(map(str, super().get_feature_names_out(input_features)))
        return np.array([*names, *curve_names(names, self.curves_)], dtype=object)

    def _columns(self, X: FloatArray) -> FloatArray:
        columns: FloatArray = with_curves(X, curve_literals(self.curves_))
        return columns


def fitted_curves(
    X: FloatArray, n_knots: int = N_KNOTS, max_curved: int = MOST_CURVED
) -> tuple[Curve, ...]:
    """Fit splines of the features with enough distinct values; none if these are too many.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Finite.
    n_knots, max_curved : int
        See `CurvedFeatures`.
    """
    values = [np.unique(column) for column in X.T]
    bending = [feature for feature, distinct in enumerate(values) if _can_bend(distinct)]
    if len(bending) > max_curved:
        return ()
    return tuple(
        _fitted_curve(feature, X[:, feature], values[feature], n_knots) for feature in bending
    )


def _can_bend(values: FloatArray) -> bool:
    """Return whether ascending distinct values are enough, and their range is not zero."""
    return len(values) >= FEWEST_VALUES and bool(values[-1] - values[0] >= np.finfo(float).tiny)


def _fitted_curve(feature: int, x: FloatArray, values: FloatArray, n_knots: int) -> Curve:
    low, width = float(values[0]), float(values[-1] - values[0])
    shares = np.linspace(0.0, 1.0, n_knots)
    knots = np.quantile((x - low) / width, shares)
    if (np.diff(knots) <= 0.0).any():  # a value of many rows: quantiles of the distinct ones
        knots = np.quantile((values - low) / width, shares)
    if (np.diff(knots) <= 0.0).any():  # more knots than distinct values
        knots = shares
    splines = SplineTransformer(
        degree=_DEGREE, knots=knots[:, None], extrapolation="linear", include_bias=False
    )
    (spline,) = splines.fit(knots[:, None]).bsplines_
    # The last column is left out, as by the transformer: with it, they add up to one.
    pieces = [
        [(spline(start, power) / factorial(power))[:-1] for power in range(_DEGREE + 1)]
        for start in knots[:-1]
    ]
    return Curve(feature, low, width, tuple(knots.tolist()), _nested(np.array(pieces)))


def _nested(pieces: FloatArray) -> tuple[tuple[tuple[float, ...], ...], ...]:
    return tuple(tuple(tuple(powers) for powers in piece) for piece in pieces.tolist())


def curve_literals(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return the curves as the arithmetic of rows reads them."""
    return [msgspec.structs.asdict(curve) for curve in curves]


def curve_groups(n_features: int, curves: Sequence[Curve]) -> IntArray:
    """Return the feature of each column: features themselves, then columns of the curves."""
    groups = [feature for curve in curves for feature in [curve.at] * curve.n_columns]
    return np.array([*range(n_features), *groups], dtype=np.int64)


def curve_names(names: Sequence[str], curves: Sequence[Curve]) -> Iterator[str]:
    """Return the names of the columns of the curves, given those of the features."""
    for curve in curves:
        for number in range(1, curve.n_columns + 1):
            yield f"{names[curve.at]}, curve {number}"


def beyond_curves(features: FloatArray, curves: Sequence[Curve]) -> npt.NDArray[np.bool_]:
    """Return whether a feature of each row is beyond the range that its curve was fitted to.

    There the curve goes on as a straight line.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
        Before scaling.
    curves : sequence of Curve

    Returns
    -------
    ndarray of bool, shape (n_rows, n_curves)
    """
    ats, lows, widths = (
        np.array([getattr(curve, name) for curve in curves]) for name in ("at", "low", "width")
    )
    shares = (features[:, ats.astype(np.int64)] - lows) / widths
    beyond: npt.NDArray[np.bool_] = (shares < 0.0) | (shares > 1.0)
    return beyond

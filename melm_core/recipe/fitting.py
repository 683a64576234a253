"""Fitting a recipe: what it learns from the rows that a method is fitted to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec
import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.column_encoding import ColumnEncoding
from melm_core.base.errors import UserError
from melm_core.base.written_cells import listed
from melm_core.recipe.choices import Fill, Recipe, Scaling, Step, StepKind
from melm_core.recipe.curved_features import (
    Curve,
    curve_groups,
    curve_literals,
    curve_names,
    fitted_curves,
)
from melm_core.recipe.row_arithmetic import changed_by, prepared_features, rows_within, with_curves

MAX_NEIGHBOR_ROWS = 1_000  # that are kept, in files and programs too
MAX_NEIGHBOR_CELLS = 100_000
MAX_NEIGHBOR_WORK = 1_000_000_000  # cells compared when a table is filled: some seconds
LEAST_NEIGHBOR_ROWS = 50
_CELLS_AT_ONCE = 1_000_000
_NEEDS = {
    StepKind.LOG: ("The logarithm", "positive numbers"),
    StepKind.LOG_PLUS_ONE: ("The logarithm of 1 + x", "numbers above -1"),
    StepKind.ASINH: ("The inverse hyperbolic sine", "finite numbers"),
    StepKind.ROW_SUM: ("Division by the row sum", "rows with a positive sum"),
    StepKind.SNV: ("SNV", "rows whose values differ"),
    StepKind.DERIVATIVE: ("The derivative", "finite numbers"),
}
_WAY_OUT = "Leave out these rows, choose other columns for the step, or another step."


@dataclass(frozen=True)
class Preparation:
    """A recipe for the encoded columns of a table, which is fitted to some of its rows.

    Attributes
    ----------
    recipe : Recipe
    names : tuple of str
        Of the encoded columns.
    numeric, ordered : tuple of int
        Positions of the numeric columns and of the ordered categories; the others are indicators
        of categories, which only scaling changes.
    indicators : tuple of int or None
        Columns with a further feature that marks missing values, if the recipe asks for it; None
        takes those with missing values among the rows that it is fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.recipe import Preparation, Recipe, Scaling, Step, StepKind
    >>> recipe = Recipe(steps=(Step(StepKind.LOG),), scaling=Scaling.CENTER)
    >>> preparation = Preparation(recipe, names=("a", "b"), numeric=(0, 1))
    >>> training = np.exp([[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]])
    >>> fitted = preparation.fit(training)
    >>> fitted.apply(np.exp([[3.0, 3.0]])).round(3)
    array([[ 1.   , -0.442]])
    """

    recipe: Recipe
    names: tuple[str, ...]
    numeric: tuple[int, ...]
    ordered: tuple[int, ...] = ()
    indicators: tuple[int, ...] | None = None
    curves: bool = False

    @classmethod
    def of(cls, recipe: Recipe, encodings: Sequence[ColumnEncoding]) -> Self:
        """Return the recipe for columns with these encodings."""
        names: list[str] = []
        numeric, ordered = [], []
        for encoding in encodings:
            if encoding.is_ordered:
                ordered.append(len(names))
            elif not encoding.levels:
                numeric.append(len(names))
            names.extend(encoding.feature_names)
        return cls(recipe, tuple(names), tuple(numeric), tuple(ordered))

    def fit(self, X: FloatArray, row_numbers: IntArray | None = None) -> FittedPreparation:
        """Fit the recipe to rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Encoded; NaN or infinite where a value is missing.
        row_numbers : ndarray of shape (n_rows,), optional
            Of the rows, in messages; by default counted from 1.

        Raises
        ------
        UserError
            If a step cannot be computed for these rows, or does not find its columns.
        """
        return self.fit_features(X, row_numbers)[0]

    def fit_features(
        self, X: FloatArray, row_numbers: IntArray | None = None
    ) -> tuple[FittedPreparation, FloatArray]:
        """Fit the recipe, and return the features of these rows before scaling too; see `fit`."""
        if not np.isfinite(X).all():
            X = np.where(np.isfinite(X), X, np.nan)
        rules = self._rules(X)
        features = self._checked_features(rules, X, row_numbers)
        fitted = FittedPreparation(rules, *center_and_scale(features, self.recipe.scaling))
        if self.curves:
            fitted = fitted.with_curves(features)
            features = with_curves(features, curve_literals(fitted.rules.curves))
        return fitted, features

    def _rules(self, X: FloatArray) -> RecipeRules:
        missing, is_missing = self.recipe.missing, np.isnan(X)
        places = [*self.numeric, *self.ordered]
        indicators = self.indicators
        if indicators is None:
            of_missing = np.flatnonzero(is_missing.any(axis=0)).tolist()
            indicators = tuple(sorted({*places}.intersection(of_missing)))
        is_nearest = missing.fill is Fill.NEAREST and is_missing[:, self.numeric].any()
        neighbors = _known_rows(X[:, self.numeric]) if is_nearest else X[:0, self.numeric]
        widths = _widths(X[:, self.numeric]) if is_nearest else np.ones(0)
        return RecipeRules(
            recipe=self.recipe,
            numeric=self.numeric,
            fill=tuple(self._fills(X).tolist()),
            indicators=indicators if missing.indicator else (),
            steps=tuple(self._fitted(step) for step in self.recipe.steps),
            neighbors=tuple(
                tuple(None if np.isnan(cell) else cell for cell in row)
                for row in neighbors.tolist()
            ),
            widths=tuple(widths.tolist()),
            n_neighbors=missing.n_neighbors if is_nearest else 0,
        )

    def _fills(self, X: FloatArray) -> FloatArray:
        fills = np.zeros(X.shape[1])
        numeric = list(self.numeric)
        if self.recipe.missing.fill is Fill.CONSTANT:
            fills[numeric] = self.recipe.missing.constant
        else:
            fills[numeric] = np.nan_to_num(column_medians(X[:, numeric]))
        for column in self.ordered:
            present = X[~np.isnan(X[:, column]), column]
            if len(present):  # a category, not a value between two of them
                fills[column] = np.quantile(present, 0.5, method="lower")
        return fills

    def _fitted(self, step: Step) -> FittedStep:
        columns = self._places(step)
        if step.kind is not StepKind.DERIVATIVE:
            return FittedStep(step.kind, columns, step.cofactor)
        if len(columns) < step.window:
            raise UserError(
                f"The derivative needs at least as many numeric columns as its window, "
                f"{step.window}, and there are {len(columns)}. Choose a smaller window or leave "
                "out the step."
            )
        weights = derivative_filter(step.window, step.degree)
        return FittedStep(step.kind, columns, filter=tuple(map(tuple, weights.tolist())))

    def _places(self, step: Step) -> tuple[int, ...]:
        """Return the positions of the columns that a step changes."""
        if not step.columns:
            return self.numeric
        column_of = {self.names[column]: column for column in self.numeric}
        if unknown := [name for name in step.columns if name not in column_of]:
            raise UserError(
                f"{_NEEDS[step.kind][0]} was chosen for {listed(unknown)}, which the table does "
                "not have as numeric features. Choose other columns for the step."
            )
        return tuple(sorted(column_of[name] for name in step.columns))

    def _checked_features(
        self, rules: RecipeRules, X: FloatArray, row_numbers: IntArray | None
    ) -> FloatArray:
        """Return the features; refuse rows for which a step cannot be computed."""
        features: FloatArray = prepared_features(X, rules.literals)
        if np.isfinite(features).all():
            return features
        before = prepared_features(
            X, {**rules.literals, "steps": [], "indicators": [], "curves": []}
        )
        for step, literal in zip(rules.steps, rules.literals["steps"], strict=True):
            after = changed_by(literal, before[:, step.at])
            if not np.isfinite(after).all():
                raise UserError(self._refusal(step, before, after, row_numbers))
            before[:, step.at] = after
        return features

    def _refusal(
        self, step: FittedStep, before: FloatArray, after: FloatArray, row_numbers: IntArray | None
    ) -> str:
        rows, columns = np.nonzero(~np.isfinite(after))
        number = rows[0] + 1 if row_numbers is None else row_numbers[rows[0]]
        column, (what, needs) = step.at[columns[0]], _NEEDS[step.kind]
        return (
            f"{what} needs {needs}: {len(rows):,} value(s) cannot be computed, first that of "
            f'"{self.names[column]}" in row {number}, {before[rows[0], column]:.4g}. {_WAY_OUT}'
        )


def column_medians(X: FloatArray) -> FloatArray:
    """Compute the median of the present values of each column.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        NaN where a value is missing.

    Returns
    -------
    ndarray of shape (n_columns,)
        NaN where every value is missing.

    Examples
    --------
    >>> column_medians(np.array([[1.0, 4.0], [2.0, np.nan], [9.0, 5.0]]))
    array([2. , 4.5])
    """
    medians = np.full(X.shape[1], np.nan)
    step = max(1, _CELLS_AT_ONCE // max(1, len(X)))
    for start in range(0, X.shape[1] if len(X) else 0, step):
        columns = np.ascontiguousarray(X[:, start : start + step].T)
        ascending = np.sort(columns, axis=1)  # NaN last
        n_present = len(X) - np.isnan(ascending).sum(axis=1)
        every = np.arange(len(ascending))
        low, high = ascending[every, (n_present - 1) // 2], ascending[every, n_present // 2]
        medians[start : start + step] = np.where(low == high, low, (low + high) / 2)
    return medians


def derivative_filter(window: int, degree: int) -> FloatArray:
    """Compute the weights of the first derivative in a window, shape (window, window).

    Savitzky and Golay, "Smoothing and Differentiation of Data by Simplified Least Squares
    Procedures", Analytical Chemistry 36, 1964; the distance between neighbors is one. At the ends
    of a row, the polynomials of the first and the last whole window count.

    Examples
    --------
    >>> from melm_core.recipe.fitting import derivative_filter
    >>> derivative_filter(3, 2)[1].round(6)
    array([-0.5,  0. ,  0.5])
    """
    from scipy.signal import savgol_coeffs, savgol_filter  # noqa: PLC0415 - a tenth of the import

    weights: FloatArray = savgol_filter(np.eye(window), window, degree, deriv=1, axis=0)
    # Of the center, without what the filter of the ends rounds.
    weights[window // 2] = savgol_coeffs(window, degree, deriv=1, use="dot")
    return weights


def center_and_scale(X: FloatArray, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """Compute what to subtract from features and divide them by, each (n_features,).

    The scalings are those of van den Berg et al., "Centering, scaling, and transformations",
    BMC Genomics 7:142, 2006. Constant features are only centered, and a feature without an
    interquartile range has its standard deviation instead.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    scaling : Scaling

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.recipe import Scaling
    >>> from melm_core.recipe.fitting import center_and_scale
    >>> center_and_scale(np.array([[0.0], [4.0], [8.0]]), Scaling.RANGE)
    (array([4.]), array([8.]))
    """
    scale = np.ones(X.shape[1])
    if scaling is Scaling.NONE:
        return np.zeros(X.shape[1]), scale
    center = np.median(X, axis=0) if scaling is Scaling.ROBUST else X.mean(axis=0)
    match scaling:
        case Scaling.CENTER:
            return center, scale
        case Scaling.UNIT:
            scale = X.std(axis=0)
        case Scaling.PARETO:
            scale = np.sqrt(X.std(axis=0))
        case Scaling.RANGE:
            scale = np.ptp(X, axis=0)
        case Scaling.ROBUST:
            low, high = np.quantile(X, [0.25, 0.75], axis=0)
            scale = np.where(high > low, high - low, X.std(axis=0))
    return center, np.where(np.ptp(X, axis=0) == 0, 1.0, scale)


def _known_rows(X: FloatArray) -> FloatArray:
    """Return the rows that replace missing values: all, or some at equal distances."""
    n_rows, n_columns = X.shape
    n_gappy = int(np.isnan(X).any(axis=1).sum())
    affordable = MAX_NEIGHBOR_WORK // (n_gappy * n_columns)
    most = min(MAX_NEIGHBOR_ROWS, MAX_NEIGHBOR_CELLS // n_columns, affordable)
    n_kept = min(n_rows, max(LEAST_NEIGHBOR_ROWS, most))
    return X[np.linspace(0, n_rows - 1, n_kept).astype(np.intp)]


def _widths(X: FloatArray) -> FloatArray:
    """Compute the standard deviation of each column, 1 of a constant or an empty one."""
    present = ~np.isnan(X)
    n_present = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, X, 0.0).sum(axis=0) / n_present
    widths = np.sqrt((np.where(present, X - mean, 0.0) ** 2).sum(axis=0) / n_present)
    return np.where(widths > 0, widths, 1.0)


class FittedStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step with the columns that it changes, by position, and its numbers."""

    kind: StepKind
    at: tuple[int, ...]
    cofactor: float = 1.0
    filter: tuple[tuple[float, ...], ...] = ()


class RecipeRules(msgspec.Struct, frozen=True):
    """Rules that a recipe learned from rows, without center and scale.

    Attributes
    ----------
    recipe : Recipe
    numeric : tuple of int
        Positions of the numeric columns among the encoded ones.
    fill : tuple of float
        What replaces a missing value, by encoded column.
    indicators : tuple of int
        The columns with a further feature that marks missing values.
    steps : tuple of FittedStep
    neighbors : tuple of tuples of (float or None)
        Rows, of the numeric columns, from which missing values are taken.
    widths : tuple of float
        Of the numeric columns, in distances from `neighbors`.
    n_neighbors : int
    curves : tuple of Curve
        Of the features that bend; their columns come after all features.
    """

    recipe: Recipe
    numeric: tuple[int, ...]
    fill: tuple[float, ...]
    indicators: tuple[int, ...] = ()
    steps: tuple[FittedStep, ...] = ()
    neighbors: tuple[tuple[float | None, ...], ...] = ()
    widths: tuple[float, ...] = ()
    n_neighbors: int = 0
    curves: tuple[Curve, ...] = ()

    @property
    def literals(self) -> dict[str, Any]:
        """The rules as `prepared_features` reads them: lists, numbers and texts."""
        values: dict[str, Any] = json.loads(msgspec.json.encode(self))
        del values["recipe"]
        return values

    def feature_names(self, encoded: list[str]) -> list[str]:
        """Return the names of the features, given those of the encoded columns."""
        names = [*encoded, *(f"{encoded[column]} missing" for column in self.indicators)]
        return [*names, *curve_names(names, self.curves)]

    @property
    def n_curve_columns(self) -> int:
        """The number of columns of the curves."""
        return sum(curve.n_columns for curve in self.curves)


@dataclass(frozen=True, eq=False)
class FittedPreparation:
    """A recipe fitted to rows.

    Attributes
    ----------
    rules : RecipeRules
    center, scale : ndarray of shape (n_features,)
        Of the features that the rules make.
    """

    rules: RecipeRules
    center: FloatArray
    scale: FloatArray

    @property
    def groups(self) -> IntArray:
        """The feature that each column belongs to, see `CurvedFeatures`, shape (n_columns,)."""
        return curve_groups(len(self.center) - self.rules.n_curve_columns, self.rules.curves)

    def with_curves(self, features: FloatArray) -> FittedPreparation:
        """Return the preparation with standardized curves, fitted to these rows.

        Parameters
        ----------
        features : ndarray of shape (n_rows, n_features)
            Of the rows that it was fitted to, before scaling.
        """
        curves = fitted_curves(features)
        columns = with_curves(features, curve_literals(curves))[:, features.shape[1] :]
        center, scale = center_and_scale(columns, Scaling.UNIT)
        return FittedPreparation(
            msgspec.structs.replace(self.rules, curves=curves),
            np.concatenate([self.center, center]),
            np.concatenate([self.scale, scale]),
        )

    def apply(self, X: FloatArray) -> FloatArray:
        """Prepare encoded rows, whether or not the recipe was fitted to them.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Encoded; NaN where a value is missing.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            NaN where a step cannot be computed, such as the logarithm of a negative number.
        """
        prepared: FloatArray = (self.features(X) - self.center) / self.scale
        return prepared

    def features(self, X: FloatArray) -> FloatArray:
        """Compute the features before they are centered and scaled; see `apply`."""
        features: FloatArray = prepared_features(
            np.asarray(X, dtype=np.float64), self.rules.literals
        )
        return features


class WithinSubjects(msgspec.Struct, frozen=True):
    """That rows are compared within subjects: each less the mean of the rows of its subject.

    Attributes
    ----------
    column : str
        Whose values are the subjects.
    rules : RecipeRules or None
        The steps of the recipe, such as logarithms, which come before; None without any.
    keeps_gaps : bool
        Whether missing numbers are filled afterwards, among differences.

    References
    ----------
    J. A. Westerhuis, E. J. J. van Velzen, H. C. J. Hoefsloot, A. K. Smilde: Multivariate Paired
    Data Analysis: Multilevel PLSDA versus OPLSDA, Metabolomics 6, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.recipe import WithinSubjects
    >>> pairs = np.array([[1.0], [3.0], [10.0], [14.0]])
    >>> WithinSubjects("patient").centered(pairs, np.array([0, 0, 1, 1])).tolist()
    [[-1.0], [1.0], [-2.0], [2.0]]
    """

    column: str
    rules: RecipeRules | None = None
    keeps_gaps: bool = True

    def centered(self, encoded: FloatArray, subjects: IntArray) -> FloatArray:
        """Encoded rows after the steps, less the mean of their subject, NaN where one was.

        Parameters
        ----------
        encoded : ndarray of shape (n_rows, n_columns)
        subjects : ndarray of shape (n_rows,)
            Codes from 0, -1 where it is missing.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            All NaN in a row for which a step cannot be computed, and in one that is the only row
            of its subject.
        """
        centered: FloatArray = rows_within(encoded, subjects, self.literals)
        return centered

    @property
    def literals(self) -> dict[str, Any]:
        """The same as `rows_within` reads it: texts, lists and numbers."""
        rules = {} if self.rules is None else self.rules.literals
        return {"column": self.column, "rules": rules, "keeps_gaps": self.keeps_gaps}

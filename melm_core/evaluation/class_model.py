"""Does a row belong to a class at all? A model of one class, which knows of no other (DD-SIMCA)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.base.validated_data import validate_data
from melm_core.diagnostics.outliers import predictive_limit
from melm_core.evaluation.refitting import Preparation, Standardization
from melm_core.folds.folds import Fold, stratified_folds
from melm_core.linalg.planes import score_distances, squared_residuals

Components: TypeAlias = int | Literal["auto"]


_MOST_FOLDS = 20
_MOST_COMPONENTS = 10
_ROWS_OF_A_COMPONENT = 3
_VARIANCE_HELD = 0.9
_MOST_DEGREES = 250  # of freedom, as of distances that are all equal
_TINY = 1e-12  # relative to the variance of the class: rounding, not residuals
_TOO_FEW = (
    "A class model needs at least {least} {units}; there are {n}. Add some, or leave the class out."
)
_CONSTANT = "All {n} rows are equal, so that no distance has a scale. Add rows that differ."
_N_FOLDS = 10
_NONE = (
    "A class model that is judged by rows it never saw needs {least} rows or groups of a class; "
    "the largest class has {n}. Add rows."
)


class ClassModel(OutlierMixin, BaseEstimator):
    """A model of one class that accepts a share 1 - alpha of new rows like its own (DD-SIMCA).

    The principal components of the class split the distance of a row from its center into the
    score distance h among them and the orthogonal distance q off them. Each is about a multiple of
    a chi-squared variable, whose degrees of freedom N_h and N_q the moments of the rows tell. A row
    is accepted where the full distance ``f = N_h h / h_0 + N_q q / q_0``, with the means h_0 and
    q_0, is below a limit.

    By the authors that limit is a quantile of the chi-squared distribution with N_h + N_q degrees.
    Of few rows or heavy tails it accepts fewer rows than it says, since the model adapts itself to
    its own rows. Here the limit is that of rows that refits left out, see `predictive_limit`.

    Parameters
    ----------
    alpha : float, default=0.05
        Share of rows of the class that are not accepted, between 0 and 1.
    n_components : int or "auto", default="auto"
        Principal components; "auto" takes as many as hold 90 % of the variance, at most 10, one of
        three rows, and all but one of the features.
    scale : bool, default=True
        Whether features are standardized by the rows of the class, in each refit anew; False where
        they are in one unit, as in spectra.
    gamma : float, default=0.01
        Probability that a class without outliers has a row beyond `outlier_limit_`.
    random_state : int, default=0
        Seed of the folds of the refits.

    Attributes
    ----------
    mean_, deviations_ : ndarray of shape (n_features,)
        What features are centered and divided by.
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by falling variance.
    variances_ : ndarray of shape (n_components,)
    scales_ : tuple of float
        h_0 and q_0.
    degrees_ : tuple of int
        N_h and N_q; the second is 0 where the components hold all features.
    limit_ : float
        Of the full distance.
    chi2_limit_, outlier_limit_ : float
        What the authors' limits of the full distance are, at alpha, and at gamma for the largest of
        all fitted rows.
    offset_ : float
        -1: `decision_function` is `score_samples` less that.
    n_features_in_ : int
    FEWEST_ROWS : int
        Or groups, of a class that has a model.

    Notes
    -----
    With groups the promise is of rows of a new group. What else prepares the features, and learns
    from the rows, is to be fitted to others than those that judge the model.

    References
    ----------
    A. L. Pomerantsev, O. Ye. Rodionova: Concept and role of extreme objects in PCA/SIMCA, Journal
    of Chemometrics 28, 2014. A. L. Pomerantsev: Acceptance areas for multivariate classification
    derived by projection methods, Journal of Chemometrics 22, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import ClassModel
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ClassModel().fit(X[y == 0])
    >>> int((model.predict(X[y != 0]) == 1).sum())  # accepted
    0
    >>> model.degrees_
    (2, 2)
    """

    FEWEST_ROWS: ClassVar[int] = 5

    def __init__(
        self,
        alpha: float = 0.05,
        *,
        n_components: Components = "auto",
        scale: bool = True,
        gamma: float = 0.01,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_components = n_components
        self.scale = scale
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Fit the model to the rows of a class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            Not used, as in scikit-learn.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups of rows that depend on each other; refits leave out whole ones.

        Raises
        ------
        ValueError
            If a parameter is invalid, a value is missing, or there are too few rows.
        """
        for name in ("alpha", "gamma"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise UserError(f"{name}={getattr(self, name)!r} must be between 0 and 1.")
        if self.n_components != "auto":
            check_integer("n_components", self.n_components, minimum=1)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        codes = None if groups is None else group_codes(groups, len(X))
        n_units = len(X) if codes is None else len(np.unique(codes))
        if n_units < self.FEWEST_ROWS:
            units = "rows" if codes is None else "groups"
            raise UserError(_TOO_FEW.format(least=self.FEWEST_ROWS, units=units, n=n_units))
        self._fit_distances(X)
        n_all = sum(self.degrees_)
        self.chi2_limit_ = float(stats.chi2.isf(self.alpha, n_all))
        self.outlier_limit_ = float(stats.chi2.ppf((1.0 - self.gamma) ** (1.0 / len(X)), n_all))
        left_out = self._left_out(X, codes)
        self.limit_ = n_all * predictive_limit(left_out, 1.0 - self.alpha)
        self.offset_ = -1.0
        return self

    def distances(self, X: Any) -> FloatArray:
        """The parts of `limit_` that the score and the orthogonal distance of rows take.

        Shape (n_samples, 2). Rows are accepted whose parts sum to at most 1.
        """
        return self._parts(self._checked(X)) / self.limit_

    def score_samples(self, X: Any) -> FloatArray:
        """The negative full distance in parts of `limit_`, shape (n_samples,)."""
        near: FloatArray = -self.distances(X).sum(axis=1)
        return near

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far within the limit rows are, negative beyond it, shape (n_samples,)."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """1 of a row that is accepted and -1 of any other, shape (n_samples,)."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def _checked(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        checked: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        return checked

    def _fit_distances(self, X: FloatArray) -> None:
        is_constant = np.ptp(X, axis=0) == 0.0
        if is_constant.all():
            raise UserError(_CONSTANT.format(n=len(X)))
        self.mean_ = X.mean(axis=0)
        is_unscaled = is_constant if self.scale else np.ones_like(is_constant)
        self.deviations_ = np.where(is_unscaled, 1.0, X.std(axis=0))
        variances, directions = _principal((X - self.mean_) / self.deviations_)
        total = float(variances.sum())
        rank = int((variances > _TINY * total).sum())
        wanted = self.n_components
        if wanted == "auto":
            most = min(_MOST_COMPONENTS, max(len(X) // _ROWS_OF_A_COMPONENT, 1), X.shape[1] - 1)
            held = np.cumsum(variances) / total
            wanted = max(min(int(np.searchsorted(held, _VARIANCE_HELD)) + 1, most), 1)
        n_components = min(wanted, rank)
        self.components_, self.variances_ = directions[:n_components], variances[:n_components]
        squares = self._squares(X)
        # Where the class is flat, any row off it is far.
        floor = _TINY * np.array([1.0, total])
        self.scales_ = tuple(map(float, np.maximum(squares.mean(axis=0), floor)))
        degrees = [
            _degrees(distances, scale)
            for distances, scale in zip(squares.T, self.scales_, strict=True)
        ]
        self.degrees_ = (degrees[0], degrees[1] if n_components < X.shape[1] else 0)

    def _squares(self, X: FloatArray) -> FloatArray:
        """The score and the orthogonal distance, squared, shape (n_samples, 2)."""
        centered = (X - self.mean_) / self.deviations_
        within = score_distances(centered, self.components_, np.diag(1.0 / self.variances_))
        off = squared_residuals(centered, self.components_).sum(axis=1)
        return np.column_stack([within, off])

    def _parts(self, X: FloatArray) -> FloatArray:
        """Both distances in their degrees of freedom; they sum to the full one."""
        parts: FloatArray = self._squares(X) * (np.array(self.degrees_) / np.array(self.scales_))
        return parts

    def _left_out(self, X: FloatArray, groups: IntArray | None) -> FloatArray:
        """Full distances, a degree of freedom, of rows from models fitted without them."""
        n_units = len(X) if groups is None else len(np.unique(groups))
        one_class = np.zeros(len(X), dtype=np.int64)
        distances = np.empty(len(X))
        n_folds = min(n_units, _MOST_FOLDS)
        for fold in stratified_folds(one_class, n_folds, self.random_state, groups):
            other = ClassModel(n_components=self.n_components, scale=self.scale)
            other._fit_distances(X[fold.train])
            distances[fold.test] = other._parts(X[fold.test]).sum(axis=1) / sum(other.degrees_)
        return distances


def _principal(centered: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances of the principal components, falling, and their directions as rows."""
    n_rows, n_features = centered.shape
    if n_rows <= n_features:
        _, values, directions = np.linalg.svd(centered, full_matrices=False)
        return values**2 / (n_rows - 1), directions
    variances, columns = np.linalg.eigh(centered.T @ centered / (n_rows - 1))
    return np.maximum(variances[::-1], 0.0), columns.T[::-1]


def _degrees(squares: FloatArray, scale: float) -> int:
    """Degrees of freedom of a multiple of a chi-squared variable, by its first two moments."""
    spread = float(squares.std(ddof=1)) / scale
    return int(np.clip(np.round(2.0 / spread**2), 1, _MOST_DEGREES)) if spread > 0.0 else 1


@dataclass(frozen=True, eq=False)
class ClassAcceptance:
    """Distances of rows from the model of each class that was fitted without them.

    Attributes
    ----------
    y : ndarray of int of shape (n_rows,)
        Class codes.
    parts : ndarray of shape (n_rows, n_classes, 2)
        See `ClassModel.distances`; nan of rows that no fold has judged, and of classes without a
        model.
    n_done, n_folds : int

    Notes
    -----
    Of the rows of its own class a model is to accept 1 - alpha, of n rows within about the square
    root of alpha (1 - alpha) / n. How many others it accepts depends on which classes the table
    has: a kind of rows that it lacks may be accepted by all models.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import ClassAcceptance
    >>> found = ClassAcceptance.of(*load_iris(return_X_y=True))
    >>> found.counts(found.accepted)[0].tolist()  # by models of setosa
    [48, 0, 0]
    """

    y: IntArray
    parts: FloatArray
    n_done: int
    n_folds: int

    @classmethod
    def of(
        cls,
        X: FloatArray,
        y: IntArray,
        groups: IntArray | None = None,
        *,
        preparation: Preparation | None = None,
        scale: bool = True,
        alpha: float = 0.05,
        random_state: int = 0,
        callback: Callable[[Self], object] | None = None,
    ) -> Self:
        """Judge every row by models of the classes that were fitted without it and its group.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        y : ndarray of int of shape (n_rows,)
            Class codes 0 .. n_classes-1; one class is enough.
        groups : ndarray of shape (n_rows,) or None, default=None
            Groups of rows that depend on each other.
        preparation : Preparation or None, default=None
            Fitted to the training rows of each fold; by default features are standardized.
        scale, alpha, random_state
            See `ClassModel`.
        callback : callable, optional
            Given what is known after every fold.

        Raises
        ------
        ValueError
            If no class has enough rows.
        """
        modeled = cls.modeled(y, groups)
        prepares: Preparation = Standardization if preparation is None else preparation
        folds = _folds(y, groups, modeled, random_state)
        parts = np.full((len(y), int(y.max()) + 1, 2), np.nan)
        acceptance = cls(y, parts, 0, len(folds))
        for number, fold in enumerate(folds, 1):
            prepared = prepares.fit(X[fold.train])
            test = prepared.apply(X[fold.test])
            for code in modeled:
                members = fold.train[y[fold.train] == code]
                model = ClassModel(alpha, scale=scale, random_state=random_state)
                own_groups = None if groups is None else groups[members]
                try:
                    model.fit(prepared.apply(X[members]), groups=own_groups)
                except UserError:  # equal rows, or too few groups: this class is not judged
                    continue
                parts[fold.test, code] = model.distances(test)
            acceptance = replace(acceptance, n_done=number)
            if callback is not None:
                callback(acceptance)
        return acceptance

    @staticmethod
    def modeled(y: IntArray, groups: IntArray | None = None) -> IntArray:
        """The codes of the classes with enough rows, or groups, for models that never saw some.

        Raises
        ------
        ValueError
            If there are none.
        """
        n_units = units_of_classes(y, groups)
        modeled = np.flatnonzero(n_units > ClassModel.FEWEST_ROWS)
        if not len(modeled):
            raise UserError(_NONE.format(least=ClassModel.FEWEST_ROWS + 1, n=n_units.max()))
        return modeled

    @property
    def is_judged(self) -> npt.NDArray[np.bool_]:
        """True where a model of each class has judged a row, shape (n_rows, n_classes)."""
        return np.isfinite(self.parts[:, :, 0])

    @property
    def accepted(self) -> npt.NDArray[np.bool_]:
        """True where the model of each class accepts a row, shape (n_rows, n_classes)."""
        accepted: npt.NDArray[np.bool_] = self.parts.sum(axis=2) <= 1.0
        return accepted

    def counts(self, of: npt.NDArray[np.bool_]) -> IntArray:
        """Rows of each class (second) that something is true of with each model (first)."""
        is_of = self.y[:, None] == np.arange(of.shape[1])
        counts: IntArray = of.T.astype(np.int64) @ is_of.astype(np.int64)
        return counts


def _folds(
    y: IntArray, groups: IntArray | None, modeled: IntArray, random_state: int
) -> tuple[Fold, ...]:
    """Folds of the classes that have a model; rows of the others are judged by the first."""
    rows = np.flatnonzero(np.isin(y, modeled))
    others = np.setdiff1d(np.arange(len(y)), rows)
    own_groups = None if groups is None else groups[rows]
    codes = np.searchsorted(modeled, y[rows])
    folds = [
        Fold(rows[fold.train], rows[fold.test])
        for fold in stratified_folds(codes, _N_FOLDS, random_state, own_groups)
    ]
    folds[0] = Fold(folds[0].train, np.concatenate([folds[0].test, others]))
    return tuple(folds)

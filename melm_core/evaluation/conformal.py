"""Sets of classes that hold the true one as often as promised, and may be empty.

Each row has a nonconformity with each class, by a fit that was made without it: minus the logarithm
of the share of that class among the densities of all classes and of a background, which is as dense
as the classes are at their last row in a hundred. Off a plane all classes get thinner. So a class
is strange to a row that another class fits better, and all classes are to one that lies far from
them. A class is in the set of a new row unless the row is stranger to it than all but a share
1 - coverage of its own rows are (cross-conformal prediction, class by class).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.validated_data import allows_nan, validate_data
from melm_core.density.calibration import Calibration
from melm_core.density.class_densities import ClassDensities
from melm_core.density.set_limits import ROUNDING, SetLimits, nonconformity, thinned_logs
from melm_core.evaluation.calibration import Reliability, cross_calibrated, fitted_calibration
from melm_core.evaluation.density_accuracy import fold_classes, fold_points
from melm_core.evaluation.folds import CodedRows, Fold, refit_folds
from melm_core.evaluation.refitting import (
    FittedProjection,
    MethodLike,
    Preparation,
    Unchanged,
    chosen_preparation,
    fit_projection,
    seeded,
)
from melm_core.linalg.plane_distances import squared_residuals

DEFAULT_COVERAGE = 0.9
# The fits without fewer folds differ more, so that their sets are larger than promised.
DEFAULT_CONFORMAL_FOLDS = 20

_GAMMA = 1.0  # of the densities: Silverman's rule
_OUTLYING = 0.99  # of the rows are denser than the background
_TINY = float(np.finfo(np.float64).tiny)

Sets = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a fit says of rows that it was not made of.

    Attributes
    ----------
    logs : ndarray of shape (n_rows, n_classes)
        Logarithms of the densities of the classes or, without these, of their probabilities.
    residuals : ndarray of shape (n_rows,) or None
        Squared distances Q from the plane; None without a plane.
    has_densities : bool
        Whether rows can be far from all classes.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import Evidence
    >>> Evidence(np.log([[0.7, 0.3]]), None, has_densities=False).take(np.array([0])).logs.shape
    (1, 2)
    """

    logs: FloatArray
    residuals: FloatArray | None
    has_densities: bool

    def take(self, rows: IntArray) -> Evidence:
        """Of some of the rows."""
        residuals = None if self.residuals is None else self.residuals[rows]
        return Evidence(self.logs[rows], residuals, self.has_densities)


# Given the scores so far, the number of folds, and the indices of the rows that they are of.
ScoresSoFar: TypeAlias = "Callable[[ConformalScores, int, IntArray], object]"


@dataclass(frozen=True, eq=False)
class ConformalCoverage:
    """How often the sets of held-out rows hold their class.

    Attributes
    ----------
    sets : ndarray of bool, shape (n_rows, n_classes)
    y : ndarray of shape (n_rows,)
        Class codes.
    promised : float
    groups : ndarray of shape (n_rows,) or None

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import ConformalCoverage
    >>> sets = np.array([[True, False], [True, True], [False, False], [False, True]])
    >>> found = ConformalCoverage(sets, np.array([0, 0, 1, 1]), promised=0.7)
    >>> found.share, found.of_classes.tolist(), found.n_empty, found.n_several
    (0.75, [1.0, 0.5], 1, 1)
    >>> found.sentence
    'The sets hold the class of 3 of 4 held-out rows; 70 % were promised. 1 is of no class, 1 of \
several.'
    """

    sets: Sets
    y: IntArray
    promised: float
    groups: IntArray | None = None

    @property
    def holds(self) -> npt.NDArray[np.bool_]:
        """Whether the set of each row holds its class, shape (n_rows,)."""
        own: npt.NDArray[np.bool_] = self.sets[np.arange(len(self.y)), self.y]
        return own

    @property
    def share(self) -> float:
        """The share of all rows or, with groups, the mean of those of the groups."""
        if self.groups is None:
            return float(self.holds.mean())
        return float(self.of_groups.mean())

    @property
    def of_classes(self) -> FloatArray:
        """The share of the rows of each class, shape (n_classes,)."""
        shares: FloatArray = np.bincount(self.y, self.holds) / np.bincount(self.y)
        return shares

    @property
    def of_groups(self) -> FloatArray:
        """The share of the rows of each group, shape (n_groups,); of each row without groups."""
        if self.groups is None:
            return self.holds.astype(np.float64)
        shares: FloatArray = np.bincount(self.groups, self.holds) / np.bincount(self.groups)
        return shares

    @property
    def n_empty(self) -> int:
        """Rows whose set holds no class."""
        return int((~self.sets.any(axis=1)).sum())

    @property
    def n_several(self) -> int:
        """Rows whose set holds two classes or more."""
        return int((self.sets.sum(axis=1) > 1).sum())

    @property
    def sentence(self) -> str:
        """The counts of rows, beside what was promised."""
        n_held = f"{int(self.holds.sum()):,} of {len(self.y):,}"
        is_are = "is" if self.n_empty == 1 else "are"
        return (
            f"The sets hold the class of {n_held} held-out rows; {100 * self.promised:g} % were "
            f"promised. {self.n_empty:,} {is_are} of no class, {self.n_several:,} of several."
        )


@dataclass(frozen=True, eq=False)
class ConformalScores:
    """The nonconformity of rows with their own class, by fits made without them.

    Attributes
    ----------
    evidence : Evidence
        Of each row, by the fit without its fold.
    y, fold : ndarray of shape (n_rows,)
        Class codes, and the number of the fold of each row.
    groups : ndarray of shape (n_rows,) or None
        Codes of groups; each counts once, however many rows it has.

    References
    ----------
    V. Vovk: Cross-conformal predictors, Annals of Mathematics and Artificial Intelligence 74, 2015.
    R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani: Predictive inference with the
    jackknife+, Annals of Statistics 49, 2021 (CV+: at least 1 - 2 alpha, in practice 1 - alpha).
    R. Dunn, L. Wasserman, A. Ramdas: Distribution-free prediction sets for two-layer hierarchical
    models, Journal of the American Statistical Association 118, 2023 (groups).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import ConformalScores, Evidence
    >>> stream = np.random.default_rng(0)
    >>> y = np.arange(100) % 2
    >>> x = 2.0 * y + stream.standard_normal(100)
    >>> def evidence(x):
    ...     logs = -0.5 * (x[:, None] - [0.0, 2.0]) ** 2
    ...     return Evidence(logs, None, has_densities=True)
    >>> scores = ConformalScores(evidence(x), y, np.arange(100) // 20)
    >>> new = evidence(np.array([-1.0, 1.0, 40.0]))
    >>> (scores.p_values([new] * 5) > 0.1).tolist()
    [[True, False], [True, True], [False, False]]
    """

    evidence: Evidence
    y: IntArray
    fold: IntArray
    groups: IntArray | None = None

    def nonconformity(self, evidence: Evidence) -> FloatArray:
        """How strange each class is to rows, shape (n_rows, n_classes)."""
        background = self._background if evidence.has_densities else -np.inf
        return nonconformity(evidence.logs, evidence.residuals, background, *self._roots)

    def limits(self, coverage: float) -> SetLimits:
        """The largest nonconformity in a set, for the fit to all rows.

        One number for each class instead of the fits without each fold. As the fit to all rows is
        none of those that the numbers come of, nothing is proved of its sets.

        Parameters
        ----------
        coverage : float
        """
        largest = np.full(self.evidence.logs.shape[1], np.inf)
        for code in range(len(largest)):
            own = np.flatnonzero(self.y == code)
            order = own[np.argsort(-self._own[own], kind="stable")]
            as_strange = self._weights[order].cumsum()
            # A new row counts among those of the class, as in a p-value.
            needed = (1.0 - coverage) * (1.0 + as_strange[-1]) - 1.0
            if needed >= -ROUNDING:
                at = np.searchsorted(as_strange, needed + ROUNDING, side="right")
                largest[code] = self._own[order[min(int(at), len(order) - 1)]]
        background = self._background if self.evidence.has_densities else -np.inf
        return SetLimits(coverage, largest, background, *self._roots)

    def p_values(self, of_folds: Sequence[Evidence]) -> FloatArray:
        """The share of the rows of each class that are as strange to it as new rows are.

        Parameters
        ----------
        of_folds : sequence of Evidence
            Of the new rows, by the fit without each fold.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The new row counts among those of the class: at least 1 / (n + 1) of n rows.
        """
        numbers = np.arange(len(of_folds))
        return self._p_values([self.nonconformity(each) for each in of_folds], numbers)

    def held_out_p_values(self) -> FloatArray:
        """The same of the rows themselves, each compared with those of other folds."""
        shares = np.empty_like(self.evidence.logs)
        for number in np.unique(self.fold):
            own = np.flatnonzero(self.fold == number)
            others = np.setdiff1d(np.unique(self.fold), [number])
            strange = self.nonconformity(self.evidence.take(own))
            shares[own] = self._p_values([strange] * len(others), others)
        return shares

    def _p_values(self, strange: Sequence[FloatArray], numbers: IntArray) -> FloatArray:
        """Given what the fits without some folds say; rows of other folds do not count."""
        counts = np.zeros_like(strange[0])
        totals = np.zeros(counts.shape[1])
        for of_new, number in zip(strange, numbers, strict=True):
            in_fold = self.fold == number
            for code in range(counts.shape[1]):
                own = np.flatnonzero(in_fold & (self.y == code))
                order = own[np.argsort(self._own[own], kind="stable")]
                below = np.concatenate([[0.0], self._weights[order].cumsum()])
                # Sums of the same terms in another order differ by rounding.
                at = np.searchsorted(self._own[order], of_new[:, code] - ROUNDING)
                counts[:, code] += below[-1] - below[at]
                totals[code] += below[-1]
        shares: FloatArray = (1.0 + counts) / (1.0 + totals)
        return shares

    def reliabilities(self) -> tuple[Reliability, Reliability]:
        """Of the probabilities of the rows as they are, and calibrated by the other folds."""
        logs = self.evidence.logs
        raw = Calibration(temperature=1.0, lapse=0.0).probabilities(logs)
        own = cross_calibrated(logs, self.y, self.fold)
        return Reliability.of(raw, self.y), Reliability.of(own, self.y)

    @property
    def n_units(self) -> IntArray:
        """Rows of each class or, if rows depend on each other, groups, shape (n_classes,)."""
        return np.round(np.bincount(self.y, self._weights)).astype(np.int64)

    @cached_property
    def _own(self) -> FloatArray:
        strange: FloatArray = self.nonconformity(self.evidence)[np.arange(len(self.y)), self.y]
        return strange

    @cached_property
    def _weights(self) -> FloatArray:
        """The weight of each row: the rows of a group and class share one."""
        if self.groups is None:
            return np.ones(len(self.y))
        _, unit, sizes = np.unique(
            np.column_stack([self.y, self.groups]), axis=0, return_inverse=True, return_counts=True
        )
        weights: FloatArray = 1.0 / sizes[unit.reshape(-1)]
        return weights

    @cached_property
    def _roots(self) -> tuple[float, float]:
        """Mean and spread of the cube roots of the residuals, which are close to normal."""
        if self.evidence.residuals is None:
            return 0.0, 0.0
        roots = np.cbrt(self.evidence.residuals)
        return float(roots.mean()), float(roots.std(ddof=1))

    @cached_property
    def _background(self) -> float:
        """The logarithm of a density that one row in a hundred falls below."""
        logs = thinned_logs(self.evidence.logs, self.evidence.residuals, *self._roots)
        peaks = np.logaddexp.reduce(logs, axis=1)
        spread = peaks.std(ddof=1) * np.sqrt(1.0 + 1.0 / len(peaks))
        normal = peaks.mean() - spread * stats.t.ppf(_OUTLYING, len(peaks) - 1)
        return float(min(normal, np.quantile(peaks, 1.0 - _OUTLYING)))


class ConformalClassifier(ClassifierMixin, BaseEstimator):
    """Calibrated probabilities, and sets of classes that hold the true one as often as promised.

    The estimator is refitted in folds. Its held-out rows calibrate the probabilities, by the
    temperature and the lapse of `fitted_calibration`, and the sets, by cross-conformal prediction:
    of new rows of each class at least about `coverage` have their class in their set. A set may
    hold several classes, and none where a row is like no class.

    Parameters
    ----------
    estimator : estimator
        A plane or another transformer, judged by the densities of the classes in its coordinates,
        or a classifier with predict_proba, or a pipeline that ends in one. Of a plane, with
        orthonormal `components_`, the distance from it counts as well.
    coverage : float, default=0.9
        Promised share of rows whose set holds their class, between 0 and 1.
    n_folds : int, default=20
        Fewer take less time; their fits differ more, and their sets are larger than they need be.
    random_state : int or None, default=None
        Seed of the folds and of an estimator whose `random_state` is None; None is 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    calibration_ : Calibration
    scores_ : ConformalScores
        Of the held-out rows.
    coverage_ : ConformalCoverage
        Of the sets of held-out rows.
    reliability_, uncalibrated_reliability_ : Reliability
        Whether probabilities of held-out rows hold, calibrated by the other folds, and before.
    notes_ : tuple of str
        Classes with too few rows for the promised coverage, which are in every set.
    n_features_in_ : int

    References
    ----------
    See `ConformalScores`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from melm_core import DiscriminantPlane
    >>> from melm_core.evaluation import ConformalClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> plane = make_pipeline(StandardScaler(), DiscriminantPlane())
    >>> model = ConformalClassifier(plane).fit(X, y)
    >>> model.predict_set(X[:1])
    array([[ True, False, False]])
    >>> wrong = X[:1].copy()
    >>> wrong[0, 4] *= 20  # magnesium
    >>> model.predict_set(wrong)
    array([[False, False, False]])
    >>> model.coverage_.share > 0.9
    True
    """

    _required_parameters = ("estimator",)

    def __init__(
        self,
        estimator: Any,
        coverage: float = DEFAULT_COVERAGE,
        *,
        n_folds: int = DEFAULT_CONFORMAL_FOLDS,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Fit the estimator to all rows, and to the rows without each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups of rows that depend on each other. They stay in one fold, and each counts once:
            the promise is of a row of a new group.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or the estimator gives neither coordinates nor
            probabilities.
        """
        if not 0.0 < self.coverage < 1.0:
            raise UserError(f"coverage={self.coverage!r} must be between 0 and 1, such as 0.9.")
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=self._finite)
        seed = 0 if self.random_state is None else self.random_state
        plan = refit_folds(
            seeded(self.estimator, seed),
            X,
            y,
            groups,
            parameters=None,
            n_folds=self.n_folds,
            random_state=seed,
            may_miss=True,
        )
        rows = plan.rows
        self.classes_ = rows.classes
        training = [plan.training_rows(fold) for fold in plan.folds]
        self._fits = [FoldFit.of(plan.estimator, train, Unchanged()) for train in training]
        self._whole = FoldFit.of(plan.estimator, rows, Unchanged())
        tested = zip(self._fits, plan.folds, strict=True)
        parts = [fitted.evidence(rows.X[fold.test]) for fitted, fold in tested]
        self.scores_, _ = scores_of_folds(parts, plan.folds, rows)
        self.calibration_: Calibration = fitted_calibration(self.scores_.evidence.logs, rows.y)
        self.uncalibrated_reliability_, self.reliability_ = self.scores_.reliabilities()
        sets = self._sets(self.scores_.held_out_p_values())
        self.coverage_ = ConformalCoverage(sets, rows.y, self.coverage, rows.groups)
        named = zip(rows.classes.tolist(), self.scores_.n_units.tolist(), strict=True)
        self.notes_ = shortage_notes(dict(named), self.coverage, rows.groups is not None)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Calibrated probabilities under equal priors, shape (n_samples, n_classes)."""
        rows = self._checked(X)
        return self.calibration_.probabilities(self._whole.evidence(rows).logs)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class, shape (n_samples,)."""
        shares = self.predict_proba(X)  # refused before a fit
        labels: npt.NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return labels

    def predict_set(self, X: Any) -> Sets:
        """Which classes are in the set of each row, shape (n_samples, n_classes)."""
        rows = self._checked(X)
        return self._sets(self.scores_.p_values([fitted.evidence(rows) for fitted in self._fits]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._finite == "allow-nan"
        return tags

    @property
    def _finite(self) -> Any:
        """Whether missing values are passed on, to an estimator that takes them."""
        return "allow-nan" if allows_nan(self.estimator) else True

    def _checked(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        checked: FloatArray = validate_data(
            self, X, dtype=np.float64, ensure_all_finite=self._finite, reset=False
        )
        return checked

    def _sets(self, p_values: FloatArray) -> Sets:
        return in_set(p_values, self.coverage)


def in_set(p_values: FloatArray, coverage: float) -> Sets:
    """Which classes are in the sets of rows, of p-values of `ConformalScores`.

    Parameters
    ----------
    p_values : ndarray of shape (n_rows, n_classes)
    coverage : float

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import in_set
    >>> in_set(np.array([[0.3, 0.1]]), coverage=0.9)
    array([[ True, False]])
    """
    sets: Sets = p_values > 1.0 - coverage + ROUNDING
    return sets


def shortage_notes(
    n_units: Mapping[Any, int], coverage: float, has_groups: bool
) -> tuple[str, ...]:
    """Which classes are in every set, as they have too few rows for the coverage.

    Parameters
    ----------
    n_units : mapping
        Rows of each class, or groups.
    coverage : float
    has_groups : bool

    Examples
    --------
    >>> from melm_core.evaluation import shortage_notes
    >>> shortage_notes({"rare": 5, "other": 60}, 0.9, has_groups=False)
    ("'rare' is in every set: of its 5 rows at least 5 of 6 can be promised, and 90 % need 9.",)
    """
    needed = int(np.ceil(1.0 / (1.0 - coverage) - ROUNDING)) - 1
    noun = "groups" if has_groups else "rows"
    return tuple(
        f"{name!r} is in every set: of its {n} {noun} at least {n} of {n + 1} can be promised, "
        f"and {100 * coverage:g} % need {needed}."
        for name, n in n_units.items()
        if n < needed
    )


def conformal_scores(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    nuisance: Any = None,
    gamma: float = _GAMMA,
    parameters: Mapping[str, Any] | None = None,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_CONFORMAL_FOLDS,
    max_rows: int | None = None,
    random_state: int = 0,
    callback: ScoresSoFar | None = None,
) -> ConformalScores:
    """The nonconformity of held-out rows by a method that is refitted in folds.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an estimator as of `ConformalClassifier`.
    X, y, groups, nuisance, gamma, parameters, standardize, preparation
        See `melm_core.evaluation.density_scores`.
    n_folds : int, default=20
    max_rows : int or None, default=None
        Of more rows a stratified sample is held out.
    random_state : int, default=0
    callback : callable, optional
        Called after each fold with the scores of the folds so far, the number of folds, and the
        indices of the rows that the scores are of. An exception it raises ends the computation.

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, or a class has too few rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from melm_core.evaluation import conformal_scores, in_set
    >>> X, y = load_wine(return_X_y=True)
    >>> sets = in_set(conformal_scores("lda", X, y, n_folds=5).held_out_p_values(), 0.9)
    >>> bool(sets[range(len(y)), y].mean() > 0.9)
    True
    """
    plan = refit_folds(
        method,
        X,
        y,
        groups,
        nuisance=nuisance,
        parameters=parameters,
        n_folds=n_folds,
        random_state=random_state,
        max_rows=max_rows,
        may_miss=preparation is not None,
    )
    chosen = chosen_preparation(preparation, standardize=standardize)
    parts: list[Evidence] = []
    scored = plan.scored
    for fold in plan.folds:
        fitted = FoldFit.of(plan.estimator, plan.training_rows(fold), chosen, gamma)
        parts.append(fitted.evidence(scored.X[fold.test]))
        scores, rows = scores_of_folds(parts, plan.folds, scored)
        if callback is not None:
            callback(scores, len(plan.folds), plan.sample[rows])
    return scores


def scores_of_folds(
    parts: Sequence[Evidence], folds: Sequence[Fold], scored: CodedRows
) -> tuple[ConformalScores, IntArray]:
    """The scores of the rows of the folds so far, and which rows these are, ascending."""
    tests = [fold.test for fold in folds[: len(parts)]]
    rows = np.concatenate(tests)
    order = np.argsort(rows)
    numbers = np.repeat(np.arange(len(parts)), [len(test) for test in tests])[order]
    residuals = [part.residuals for part in parts if part.residuals is not None]
    evidence = Evidence(
        np.concatenate([part.logs for part in parts])[order],
        np.concatenate(residuals)[order] if len(residuals) == len(parts) else None,
        parts[0].has_densities,
    )
    rows = rows[order]
    groups = None if scored.groups is None else scored.groups[rows]
    return ConformalScores(evidence, scored.y[rows], numbers, groups), rows


@dataclass(frozen=True, eq=False)
class FoldFit:
    """A fitted estimator, the rows of its fit, and the kernel width of their densities.

    Attributes
    ----------
    projection : FittedProjection
    train : CodedRows
    gamma : float
        Relative to Silverman's rule.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.diagnostics import HeldOutPlanes
    >>> X, y = load_iris(return_X_y=True)
    >>> planes = HeldOutPlanes.of("lda", X, y)
    >>> planes.fits(gamma=1.0)[0].evidence(X[:2]).logs.shape
    (2, 3)
    """

    projection: FittedProjection
    train: CodedRows
    gamma: float

    @classmethod
    def of(
        cls, estimator: Any, train: CodedRows, preparation: Preparation, gamma: float = _GAMMA
    ) -> FoldFit:
        """Fit an estimator to rows."""
        fitted = fit_projection(
            estimator,
            train.X,
            train.y,
            preparation=preparation,
            groups=train.groups,
            nuisance=train.nuisance,
        )
        return cls(_as_plane(fitted), train, gamma)

    def evidence(self, X: FloatArray) -> Evidence:
        """What the fit says of rows that it was not made of, not prepared.

        Raises
        ------
        ValueError
            If the estimator gives neither coordinates nor probabilities.
        """
        estimator = self.projection.estimator
        if _is_plane(estimator):
            logs = self._classes.log_densities(fold_points(self.projection, X))
            return Evidence(logs, self._residuals(X), has_densities=True)
        if is_classifier(estimator) and hasattr(estimator, "predict_proba"):
            shares = estimator.predict_proba(self.projection.preparation.apply(X))
            return Evidence(np.log(np.maximum(shares, _TINY)), None, has_densities=False)
        if hasattr(estimator, "transform"):
            logs = self._classes.log_densities(fold_points(_shown(self.projection), X))
            return Evidence(logs, None, has_densities=True)
        raise UserError(
            f"{type(estimator).__name__} gives neither coordinates nor probabilities: it has no "
            "transform and no predict_proba. Put it into CalibratedClassifierCV of scikit-learn."
        )

    def _residuals(self, X: FloatArray) -> FloatArray | None:
        """Squared distances from the plane; None where it is the whole space."""
        if len(self.projection.components) == len(self._mean):
            return None
        off = self.projection.preparation.apply(X) - self._mean
        residuals: FloatArray = squared_residuals(off, self.projection.components).sum(axis=1)
        return residuals

    @cached_property
    def _mean(self) -> FloatArray:
        mean: FloatArray = self.projection.preparation.apply(self.train.X).mean(axis=0)
        return mean

    @cached_property
    def _classes(self) -> ClassDensities:
        is_plane = _is_plane(self.projection.estimator)
        shown = self.projection if is_plane else _shown(self.projection)
        return fold_classes(shown, self.train, self.gamma)


class _Steps:
    """The steps of a fitted pipeline before its last, as a fitted preparation."""

    def __init__(self, steps: Pipeline) -> None:
        self._steps = steps

    def apply(self, X: FloatArray) -> FloatArray:
        return np.asarray(self._steps.transform(X), dtype=np.float64)


class _Coordinates:
    """What a projection makes of rows, without `components_`."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def transform(self, X: FloatArray) -> FloatArray:
        return np.asarray(self._estimator.transform(X), dtype=np.float64).reshape(len(X), -1)


def _as_plane(fitted: FittedProjection) -> FittedProjection:
    """A pipeline that ends in a plane as that plane, with the other steps as its preparation."""
    estimator = fitted.estimator
    if isinstance(estimator, Pipeline) and len(estimator) > 1 and _is_plane(estimator[-1]):
        return FittedProjection(estimator[-1], _Steps(estimator[:-1]))
    return fitted


def _shown(fitted: FittedProjection) -> FittedProjection:
    return FittedProjection(_Coordinates(fitted.estimator), fitted.preparation)


def _is_plane(estimator: Any) -> bool:
    """Whether an estimator has orthonormal directions."""
    components = getattr(estimator, "components_", None)
    if components is None or np.ndim(components) != 2:
        return False
    return bool(np.allclose(components @ components.T, np.eye(len(components)), atol=1e-6))

"""Probabilities and sets of classes by any estimator of scikit-learn, from one set of refits."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.validated_data import allows_nan, validate_data
from melm_core.diagnostics.conformal import (
    DEFAULT_COVERAGE,
    ConformalCoverage,
    Sets,
    in_set,
    shortage_notes,
)
from melm_core.evaluation.refits import Refits
from melm_core.evaluation.refitting import Unchanged
from melm_core.evaluation.study import FoldCount, Study


class ConformalClassifier(ClassifierMixin, BaseEstimator):
    """Calibrated probabilities, and sets of classes that hold the true one as often as promised.

    The estimator is refitted in folds, see `Refits`. Its held-out rows calibrate the probabilities,
    by a temperature, and the sets, by cross-conformal prediction: of new rows of each class at
    least about `coverage` have their class in their set. A set may hold several classes, and none
    where a row is like no class.

    Parameters
    ----------
    estimator : estimator
        A plane or another transformer, judged by the densities of the classes in its coordinates,
        or a classifier with predict_proba, or a pipeline that ends in one. Of a plane, with
        orthonormal `components_`, the distance from it counts as well.
    coverage : float, default=0.9
        Promised share of rows whose set holds their class, between 0 and 1.
    n_folds : int or "auto", default="auto"
        See `Study.folds`. With few folds their fits differ more, and their sets are larger than
        they need be.
    random_state : int or None, default=None
        Seed of the folds and of an estimator whose `random_state` is None; None is 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    refits_ : Refits
        From which all is read: `refits_.reliability` says whether probabilities hold.
    coverage_ : ConformalCoverage
        Of the sets of held-out rows.
    notes_ : tuple of str
        Classes with too few rows for the promised coverage, which are in every set.
    n_features_in_ : int

    Notes
    -----
    The promise is of new rows like those of the fit, over many tables: of one table a little more
    or fewer have their class in their set, and of rows of another lot it says nothing. A set of all
    classes says that the row does not tell, an empty one that it is like none of them.

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
        n_folds: FoldCount = "auto",
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
        study = Study(
            self.estimator,
            X,
            y,
            groups=groups,
            preparation=Unchanged(),
            random_state=seed,
        )
        self.refits_ = Refits.of(study, self.n_folds)
        rows, scores = study.rows, self.refits_.conformal
        self.classes_ = rows.classes
        sets = self.refits_.sets(self.coverage)
        self.coverage_ = ConformalCoverage(sets, self.refits_.y, self.coverage, scores.groups)
        named = zip(rows.classes.tolist(), scores.n_units.tolist(), strict=True)
        shortage = shortage_notes(dict(named), self.coverage, rows.groups is not None)
        self.notes_ = (*self.refits_.notes, *shortage)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Calibrated probabilities under equal priors, shape (n_samples, n_classes)."""
        rows = self._checked(X)
        return self.refits_.classify(rows)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class, shape (n_samples,)."""
        rows = self._checked(X)
        labels: npt.NDArray[Any] = self.classes_[self.refits_.predict(rows)]
        return labels

    def predict_set(self, X: Any) -> Sets:
        """Return which classes are in the set of each row, shape (n_samples, n_classes)."""
        rows = self._checked(X)
        return in_set(self.refits_.p_values(rows), self.coverage)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._finite == "allow-nan"
        return tags

    @property
    def _finite(self) -> Any:
        """True if missing values are passed on, to an estimator that takes them."""
        return "allow-nan" if allows_nan(self.estimator) else True

    def _checked(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        checked: FloatArray = validate_data(
            self, X, dtype=np.float64, ensure_all_finite=self._finite, reset=False
        )
        return checked

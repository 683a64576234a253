"""One set of refits of a study, from which all that is said of new rows is read.

The method is fitted to all rows, and without each fold. Where the plane without a row puts that row
is its unseen place. Numbers are those of each fold, by the plane of the fold alone; what is drawn
is put into one frame, see `melm_core.evaluation.fold_frames`. Pooled places give no number: rows of
two folds each train the plane that places the other, so that classes lie slightly too far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import class_rows
from melm_core.base.sample_weights import balanced_share
from melm_core.baselines import indicators
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import (
    DensityRule,
    LinearRule,
    class_spreads,
    tempered_shares,
)
from melm_core.density.kernel_density import kernel_classes
from melm_core.density.nuisance import (
    NuisanceAccuracy,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
)
from melm_core.density.regions import PlaceRegions
from melm_core.density.set_limits import SetLimits
from melm_core.diagnostics.calibration import Reliability, cross_calibrated, fitted_temperature
from melm_core.diagnostics.component_gain import (
    ComponentGain,
)
from melm_core.diagnostics.confidence_ellipses import ConfidenceEllipses
from melm_core.diagnostics.conformal import (
    DEFAULT_COVERAGE,
    ConformalScores,
    Evidence,
    Sets,
    in_set,
)
from melm_core.diagnostics.feature_importance import (
    MOST_POINTS,
    Importance,
)
from melm_core.diagnostics.outliers import LeftOutDistances, PlaneDistances, SuspectLabels
from melm_core.diagnostics.plane_classifiers import confusion_shares, mutual_confusion
from melm_core.evaluation.fold_frames import Frame, nearest_start
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refitting import (
    FailedFit,
    FittedProjection,
    feature_groups,
    is_placed,
    is_plane,
)
from melm_core.evaluation.search_curve import N_PARTS, SearchCurve, SearchTrace
from melm_core.evaluation.study import FoldCount, Study
from melm_core.folds.folds import CodedRows, Fold, sampled_rows
from melm_core.linalg.class_moments import rows_by_class
from melm_core.linalg.planes import squared_residuals
from melm_core.melm.class_overlap import held_out_divergence
from melm_core.melm.estimator import MELM

REGION_SHARES = (0.5, 0.8, 0.95)

# Planes of folds share most of their rows: losses of features vary more between tables than rows
# within one say. With it, a tenth of what is said to be seen is false at most
# (docs/results/honesty.md).
_OF_SHARED_ROWS = 1.25
# Of the rows of a fold, for losses that have an error.
_FEWEST_OF_A_CLASS = 2
_NAMED_ROWS = 5  # of those without a place
_MOST_COMPARED = 10_000  # fitted or held-out rows of a fold, for a divergence between them

# Given the number of a fold and rows that it was not fitted to: a value of each of them.
_OfFold: TypeAlias = Callable[[int, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class FoldFit:
    """The method fitted without the rows of a fold.

    Attributes
    ----------
    fold : Fold
    projection : FittedProjection
    best : Frame or None
        Of the best plane, by which the rows of the fold are judged; None of a classifier that
        places no rows.
    drawn : Frame or None
        Of the start result nearest to the plane of all rows, by which they are drawn.
    search : ndarray of shape (2, n_parts) or None
        Divergences of training and held-out rows along the search, where that was followed.
    """

    fold: Fold
    projection: FittedProjection
    best: Frame | None
    drawn: Frame | None
    search: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class KeptFold:
    """Fold of a linear method, as it is kept so that it need not be fitted again.

    Attributes
    ----------
    planes : tuple of ndarray of shape (n_components, n_features)
        Components, in the prepared features, of the best plane and, where another one is drawn, of
        that one. None of a fold that could not be fitted.
    search : ndarray of shape (2, n_parts) or None
        As in `FoldFit`.
    failure : str
        Why the fold could not be fitted.

    Notes
    -----
    Planes of other rows, groups, seeds or parameters than those of the study fit its folds as well
    as these, and every number of them is wrong: whoever keeps folds keeps what they are of.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Refits, Study
    >>> study = Study("lda", *load_iris(return_X_y=True))
    >>> first = Refits.of(study, callback=lambda refits: refits.n_folds == 2)
    >>> len(first.kept), first.kept[0].planes[0].shape
    (2, (2, 4))
    >>> Refits.of(study, fits=first.kept).share == Refits.of(study).share
    True
    """

    planes: tuple[FloatArray, ...]
    search: FloatArray | None = None
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Refits:
    """A study fitted to all rows and without each fold.

    Attributes
    ----------
    study : Study
    folds : tuple of Fold
        All that were planned.
    whole : FittedProjection
        Fitted to all rows.
    fits : tuple of FoldFit or FailedFit
        Of the first folds; fewer than `folds` while they run, or if they were stopped.
    n_wanted : int
        Folds that were asked for, of which a small class may allow fewer.
    gamma : float
        Kernel width of the class densities, relative to that of `DensityRule`.
    frame : Frame or None
        Where rows are drawn: the plane of all rows; None of a classifier that places no rows.

    Notes
    -----
    `share` is unbiased on noise, where it is 1 / n_classes on average. It is that of planes fitted
    to fewer rows than all, so that of few rows it is a little too low. Shares of several methods on
    the same rows are comparable if their studies have the same rows, groups and seed, and so the
    same folds. A share of the best of several methods is too high: see `WinnerShare`.

    References
    ----------
    M. Stone: Cross-validatory choice and assessment of statistical predictions, Journal of the
    Royal Statistical Society B 36, 1974. C. Nadeau, Y. Bengio: Inference for the Generalization
    Error, Machine Learning 52, 2003 (the error). B. W. Silverman: Density Estimation for Statistics
    and Data Analysis, 1986, section 6.1 (discrimination by kernel densities).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Refits, Study
    >>> refits = Refits.of(Study("lda", *load_iris(return_X_y=True)))
    >>> refits.share.balanced_accuracy > 0.95
    True
    >>> refits.places.shape, refits.probabilities.shape
    ((150, 2), (150, 3))
    """

    study: Study
    folds: tuple[Fold, ...]
    whole: FittedProjection
    fits: tuple[FoldFit | FailedFit, ...]
    n_wanted: int
    gamma: float = 1.0
    frame: Frame | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        n_folds: FoldCount | tuple[Fold, ...] = "auto",
        *,
        gamma: float = 1.0,
        whole: FittedProjection | None = None,
        fits: Sequence[FoldFit | FailedFit | KeptFold] = (),
        follow_search: bool = False,
        callback: RefitsCallback | None = None,
    ) -> Self:
        """Fit a study to all rows, and without each fold.

        Parameters
        ----------
        study : Study
        n_folds : int, "auto" or tuple of Fold, default="auto"
            See `Study.folds`; folds that are given may fit fewer rows than all others.
        gamma : float, default=1.0
            Kernel width of the class densities, relative to that of `DensityRule`.
        whole : FittedProjection, optional
            The study fitted to all rows, where that is known.
        fits : sequence of FoldFit, FailedFit or KeptFold, optional
            The first folds, as `fits` or `kept` of refits of the same study have them: they are
            not fitted again, and all numbers are the same to the last digit.
        follow_search : bool, default=False
            Whether to measure the divergence of held-out rows along the search of each fold, for
            `search_curve`; of MELM with a given kernel width.
        callback : callable, optional
            Given the refits so far after every fold. A true return value ends the computation,
            which keeps the folds that are done; an exception that it raises passes.

        Raises
        ------
        ValueError
            If the folds or the fit to all rows are impossible, or no fold can be fitted.
        """
        folds = n_folds if isinstance(n_folds, tuple) else study.folds(n_folds)
        wanted = len(folds) if isinstance(n_folds, tuple) else study.n_wanted(n_folds)
        if whole is None:
            whole = study.fitted()
        frame = Frame.of(whole, study.rows.X) if places_rows(whole.estimator) else None
        refits = cls(study, folds, whole, (), wanted, gamma, frame)
        refits = replace(refits, fits=tuple(map(refits._known_fit, range(len(folds)), fits)))
        for number in range(len(refits.fits), len(folds)):
            fit = _fold_fit(refits, number, follow_search=follow_search)
            refits = replace(refits, fits=(*refits.fits, fit))
            if callback is not None and callback(refits):
                break
        if refits.is_complete and not refits.n_folds:
            reason = next(fit.reason for fit in refits.fits if isinstance(fit, FailedFit))
            raise UserError(f"No fold could be fitted. The first one: {reason}")
        if refits.is_complete and len(refits.unplaced):
            _check_places(refits)
        return refits

    # ------------------------------------------------------------------------------- what is there

    @property
    def is_complete(self) -> bool:
        """True if every fold was tried."""
        return len(self.fits) == len(self.folds)

    @property
    def n_folds(self) -> int:
        """Folds that are done."""
        return len(self._known)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what differs from what was asked for."""
        failed = (fit.sentence for fit in self.fits if isinstance(fit, FailedFit))
        return (*self._fewer_folds, *failed, *self._named_unplaced)

    @cached_property
    def fold_of_rows(self) -> IntArray:
        """The number of the fold that held each row out, from 0; -1 of others, shape (n_rows,)."""
        numbers = np.full(len(self.study.rows.y), -1)
        for number, fit in self._known.items():
            numbers[fit.fold.test] = number
        return numbers

    @property
    def held_out(self) -> IntArray:
        """Indices of the rows that some fold held out, ascending."""
        return np.flatnonzero(self.fold_of_rows >= 0)

    @property
    def unplaced(self) -> IntArray:
        """Indices of the rows that a fold held out and that its fit gives no place, ascending."""
        fits = self._known.items()
        rows = [np.setdiff1d(self.folds[number].test, fit.fold.test) for number, fit in fits]
        return np.sort(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)

    @property
    def y(self) -> IntArray:
        """Class codes of the rows that some fold held out."""
        codes: IntArray = self.study.rows.y[self.held_out]
        return codes

    @property
    def kept(self) -> tuple[KeptFold, ...]:
        """The folds so far, for `of` to go on with them; of a nonlinear method none."""
        folds: list[KeptFold] = []
        for fit in self.fits:
            if isinstance(fit, FailedFit):
                folds.append(KeptFold((), failure=fit.reason))
            elif not self.study.is_in_memory or not is_plane(fit.projection.estimator):
                return ()
            else:
                of_best, of_drawn = fit.projection, cast("Frame", fit.drawn).projection
                projections = (of_best,) if of_best is of_drawn else (of_best, of_drawn)
                planes = tuple(np.asarray(each.estimator.components_) for each in projections)
                folds.append(KeptFold(planes, fit.search))
        return tuple(folds)

    @property
    def _groups(self) -> IntArray | None:
        """Those of the rows that some fold held out."""
        groups = self.study.rows.groups
        return None if groups is None else groups[self.held_out]

    def with_width(self, gamma: float) -> Refits:
        """The same refits with class densities of another kernel width; nothing is fitted anew."""
        return self if gamma == self.gamma else replace(self, gamma=gamma)

    # -------------------------------------------------------------------------------------- places

    @property
    def _placed(self) -> Frame:
        """The frame, or an error where there is none."""
        if self.frame is None:
            name = type(self.whole.estimator).__name__
            raise UserError(
                f"{name} predicts classes and places no rows, so that there is nothing to draw. "
                "Choose a method with transform."
            )
        return self.frame

    @cached_property
    def fitted(self) -> FloatArray:
        """Coordinates of rows in the plane of all rows, shape (n_rows, n_components)."""
        return self.place(self.study.rows.X)

    @cached_property
    def places(self) -> FloatArray:
        """Coordinates of rows in planes that never saw them, shape (n_rows, n_components).

        In the frame of the plane of all rows; nan of rows that no fold held out.
        """
        X = self.study.rows.X
        places = np.full((len(X), len(self._placed.offset)), np.nan)
        for fit in self._known.values():
            drawn = cast("Frame", fit.drawn)
            places[fit.fold.test] = drawn.place(X[fit.fold.test])
        return places

    @cached_property
    def _unseen(self) -> FloatArray:
        """The same by the best plane of each fold, which knows nothing of the plane of all rows."""
        X, places = self.study.rows.X, self.places.copy()
        for fit in self._known.values():
            if fit.best is not fit.drawn:
                places[fit.fold.test] = cast("Frame", fit.best).place(X[fit.fold.test])
        return places

    def place(self, X: FloatArray) -> FloatArray:
        """Return coordinates at which new rows are drawn, shape (n_rows, n_components).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            As the rows of the study, before preparation.
        """
        return self._placed.place(X)

    # -------------------------------------------------------------------------------------- scores

    @cached_property
    def log_densities(self) -> FloatArray:
        """Logarithms of class densities at held-out rows, each by the plane of its fold.

        Shape (n_held_out, n_classes), in the order of `held_out`.
        """
        return self._of_folds(partial(self._logs, has_floor=True))

    @cached_property
    def linear_log_densities(self) -> FloatArray:
        """The same by `LinearRule`."""
        return self._of_folds(partial(self._logs, has_floor=True, is_linear=True))

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """True where each held-out row is told rightly, shape (n_held_out,)."""
        right: npt.NDArray[np.bool_] = self.predicted == self.y
        return right

    @cached_property
    def predicted(self) -> IntArray:
        """The class that each held-out row is told as, shape (n_held_out,)."""
        return np.asarray(self.log_mixtures.argmax(axis=1))

    @property
    def share(self) -> Score:
        """Balanced accuracy of held-out rows by the class densities."""
        return self._score(self.predicted)

    @property
    def fold_shares(self) -> FloatArray:
        """The same of each fold alone, shape (n_folds,)."""
        fold, parts = self.fold_of_rows[self.held_out], [*self._known]
        return np.array(
            [balanced_share(self.right[fold == number], self.y[fold == number]) for number in parts]
        )

    @property
    def drawn_share(self) -> float | None:
        """Balanced accuracy of held-out rows by densities of all their places together.

        Far below `share`, folds have found planes that no frame brings together, and what is drawn
        of them is blurred; slightly above or below, it says nothing. None where the method places
        no rows.
        """
        if self.frame is None:
            return None
        places = self.places[self.held_out]
        rule = DensityRule.of(places, self.y, gamma=self.gamma)
        return balanced_share(rule.most_likely(places, self.y) == self.y, self.y)

    @property
    def linear_share(self) -> Score:
        """The same by a linear rule in the planes."""
        return self._score(self._of_folds(partial(self._logs, is_linear=True)).argmax(axis=1))

    @property
    def train_share(self) -> Score:
        """Balanced accuracy of the rows of each fit, each left out of the density of its class."""
        return Score.over_folds(self.fold_train_shares)

    @cached_property
    def fold_train_shares(self) -> FloatArray:
        """The same of each fold alone, shape (n_folds,)."""
        return self._train_shares()

    @property
    def linear_train_share(self) -> Score:
        """The same by a linear rule, whose means hardly depend on a single row."""
        return Score.over_folds(self._train_shares(is_linear=True))

    def _train_shares(self, *, is_linear: bool = False) -> FloatArray:
        shares = []
        for number, fit in self._known.items():
            X, y = self._training(fit)
            left_out = y if self.study.is_in_memory else None
            predicted = self._logs(number, X, left_out, is_linear=is_linear).argmax(axis=1)
            shares.append(balanced_share(predicted == y, y))
        return np.array(shares)

    @property
    def nuisance(self) -> tuple[NuisanceAccuracy, ...]:
        """Scores of telling the nuisance from held-out rows, of each fold in which it can be told.

        Empty without a nuisance, and where no class has two of its values.
        """
        if self.study.rows.nuisance is None:
            return ()
        told = (self._nuisance_told(fit) for fit in self._known.values())
        return tuple(accuracy for accuracy in told if accuracy is not None)

    @property
    def confusion(self) -> FloatArray:
        """Share of the held-out rows of each class told as each class, (n_classes, n_classes)."""
        return confusion_shares(self.y, self.predicted, self.study.n_classes)

    @property
    def overlap(self) -> FloatArray:
        """Symmetric confusion of each pair of classes, see `mutual_confusion`.

        Of two classes it is one minus the share.
        """
        return mutual_confusion(self.confusion)

    @property
    def search_curve(self) -> SearchCurve | None:
        """Divergence of held-out rows along the search; None where it was not followed."""
        followed = [fit.search for fit in self._known.values() if fit.search is not None]
        if not followed:
            return None
        train, held_out = np.stack(followed, axis=1)
        return SearchCurve(np.linspace(0.0, 1.0, N_PARTS + 1)[1:], train, held_out)

    def held_out_divergence(self, gamma: float = 1.0) -> float | None:
        """Mean over the folds of the divergence between fitted and held-out rows, in nats.

        Of the best plane of each fold, by `melm_core.melm.held_out_divergence`, and of stratified
        samples of more than 10,000 rows. None where no fold holds out rows of every class, or the
        rows are not in memory.

        Parameters
        ----------
        gamma : float, default=1.0
            Kernel width, as `MELM` takes it.
        """
        if not self.study.is_in_memory or self.frame is None or self.study.n_classes == 1:
            return None
        fits = self._known.values()
        divergences = [self._fold_divergence(fit, gamma) for fit in fits if self._has_all(fit.fold)]
        return float(np.mean(divergences)) if divergences else None

    # ------------------------------------------------------------------------------- probabilities

    @cached_property
    def temperature(self) -> float:
        """Temperature that calibrates the class densities of new rows, by all held-out rows."""
        return fitted_temperature(self.log_densities, self.y)

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probabilities of the classes of held-out rows, calibrated by those of other folds.

        Shape (n_held_out, n_classes), in the order of `held_out`.
        """
        return cross_calibrated(self.log_densities, self.y, self.fold_of_rows[self.held_out])

    @property
    def reliability(self) -> Reliability:
        """Calibration of the probabilities of held-out rows."""
        return Reliability.of(self.probabilities, self.y)

    @cached_property
    def rule(self) -> DensityRule:
        """The class densities at places of new rows, calibrated."""
        y = self.study.rows.y
        rule = DensityRule.of(self.fitted, y, self._spreads(None), gamma=self.gamma)
        return rule.calibrated(self.temperature)

    def regions(self, shares: Sequence[float] = REGION_SHARES) -> PlaceRegions:
        """Regions that hold shares of new rows of each class, from unseen places.

        Parameters
        ----------
        shares : sequence of float in (0, 1)
            Ascending.
        """
        places, groups = self.places[self.held_out], self._groups
        return PlaceRegions.of(places, self.y, shares, groups, gamma=self.gamma)

    @cached_property
    def linear_rule(self) -> LinearRule:
        """A linear rule at places of new rows, calibrated, beside `rule`."""
        return self.rule.linear.calibrated(fitted_temperature(self.linear_log_densities, self.y))

    def rule_along(self, components: FloatArray) -> DensityRule:
        """`rule` for coordinates along components of the plane of all rows.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
            Any that span the plane, of prepared features.
        """
        return self._placed.rule_along(components, self.rule)

    def classify(self, X: FloatArray) -> FloatArray:
        """Probabilities of the classes of new rows under equal priors, (n_rows, n_classes)."""
        if self.frame is None:
            logs = log_shares(self.whole, X, len(self.study.rows.y))
            return tempered_shares(logs, self.temperature)
        return self.rule.probabilities(self.place(X))

    def predict(self, X: FloatArray) -> IntArray:
        """The class of new rows with the largest density, shape (n_rows,)."""
        if self.frame is None:
            return np.asarray(self.classify(X).argmax(axis=1))
        return self.rule.most_likely(self.place(X))

    # ---------------------------------------------------------------------- sets, suspects, limits

    @cached_property
    def conformal(self) -> ConformalScores:
        """Nonconformity of each held-out row with its class, for sets of classes.

        Of the folds so far: rows are compared with those of the others that are done.
        """
        evidence = Evidence(self.log_densities, self._residuals, self.frame is not None)
        return ConformalScores(evidence, self.y, self.fold_of_rows[self.held_out], self._groups)

    def p_values(self, X: FloatArray) -> FloatArray:
        """The share of the rows of each class that are as strange to it as new rows are.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Before preparation.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        parts = [self._evidence(number, X) for number in self._known]
        return self.conformal.p_values(parts)

    def without_fold(self, X: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
        """Probabilities and p-values of rows that depend on those of a fold, by the fit without it.

        Such as other rows of a group that is in the study in part: only this fit knows nothing of
        them.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Before preparation.
        number : int
            Of a fold that is done, see `fold_of_rows`.

        Returns
        -------
        probabilities, p_values : ndarray of shape (n_rows, n_classes)
        """
        fit = self.fits[number]
        if isinstance(fit, FailedFit):
            raise UserError(fit.sentence)
        evidence = self._evidence(number, X)
        shares = tempered_shares(evidence.logs, self.temperature)
        return shares, self.conformal.p_values_of_fold(evidence, number)

    def sets(self, coverage: float = DEFAULT_COVERAGE) -> Sets:
        """Return which classes each held-out row may be of, (n_held_out, n_classes).

        Of the rows of each class about `coverage` have it in their set.
        """
        return in_set(self.conformal.held_out_p_values(), coverage)

    def set_limits(
        self, coverage: float = DEFAULT_COVERAGE, components: FloatArray | None = None
    ) -> SetLimits:
        """Return limits of nonconformity for classes in a set, for the plane of all rows.

        One number for each class instead of the fits without each fold: nothing is proved of these
        sets.

        Parameters
        ----------
        coverage : float, default=0.9
        components : ndarray of shape (n_components, n_features), optional
            Along which the densities are, as of `rule_along`; by default those of `rule`.
        """
        limits = self.conformal.limits(coverage)
        if components is None:
            return limits
        # Densities per unit of other coordinates differ by a factor, the background among them.
        _, log_scale = np.linalg.slogdet(self._placed.change_to(components))
        return replace(limits, background=limits.background - float(log_scale))

    def suspects(self) -> SuspectLabels:
        """Held-out rows that are probably mislabeled, as indices of the rows of the study.

        By densities without their floor, which would take a wrong label for a row from nowhere.
        """
        suspects = SuspectLabels.of(self.log_mixtures, self.y)
        return replace(suspects, rows=self.held_out[suspects.rows])

    def distances(self) -> PlaneDistances:
        """T² and Q of rows from the plane of all rows, with limits of rows left out of a fit.

        Raises
        ------
        ValueError
            If the method is nonlinear.
        """
        prepared = self.whole.preparation.apply(self.study.rows.X)
        return PlaneDistances.of(prepared, self.whole.components, self.left_out)

    @cached_property
    def left_out(self) -> LeftOutDistances:
        """T² and Q of held-out rows from the planes of their folds."""
        X, refits = self.study.rows.X, []
        for fit in self._known.values():
            apply = fit.projection.preparation.apply
            train, rest = apply(self._training(fit)[0]), apply(X[fit.fold.test])
            refits.append((PlaneDistances.of(train, fit.projection.components), train, rest))
        return LeftOutDistances.of(refits, len(X))

    def ellipses(self, share: float = 0.95) -> tuple[ConfidenceEllipses | None, ...]:
        """The ellipses of each class, of a further row and of its mean, by unseen places."""
        places = self.places[self.held_out]
        codes = range(self.study.n_classes)
        return tuple(ConfidenceEllipses.of(places[self.y == code], share) for code in codes)

    # ------------------------------------------------------------------------------------ features

    def importance(self, *, most_points: int = MOST_POINTS) -> Importance:
        """Return the loss without each feature, on held-out rows in the planes of their folds.

        Columns of a feature that bends, or of one category, are exchanged together.

        Raises
        ------
        ValueError
            If the method is nonlinear, or folds have different features.
        """
        X, y, parts = self.study.rows.X, self.study.rows.y, []
        for number, fit in self._known.items():
            test, (frame, rule) = fit.fold.test, self._rules[number]
            if np.bincount(y[test], minlength=self.study.n_classes).min() < _FEWEST_OF_A_CLASS:
                continue
            prepared = fit.projection.preparation.apply(X[test])
            groups = feature_groups(fit.projection.preparation, prepared.shape[1])
            parts.append(
                Importance.of(
                    rule.calibrated(self.temperature),
                    frame.axes,
                    prepared,
                    y[test],
                    points=frame.place(X[test]),
                    groups=groups,
                    random_state=number,
                    most_points=most_points // max(self.n_folds, 1),
                )
            )
        if not parts or len({part.loss.shape for part in parts}) > 1:
            raise UserError(
                "What features are worth needs folds with two held-out rows of every class and the "
                "same features. Add rows, or leave out features that are missing in some folds."
            )
        mean = Importance.mean(parts)
        if self.n_folds == 1:
            return mean
        return replace(mean, error=_OF_SHARED_ROWS * mean.error)

    def second_component(self) -> ComponentGain:
        """Return the gain of a second component over the best line in each plane, on held-out rows.

        Raises
        ------
        ValueError
            If there are not two components, or no fold has two held-out rows of every class.
        """
        X, y, parts = self.study.rows.X, self.study.rows.y, []
        for number, fit in self._known.items():
            test, (frame, rule) = fit.fold.test, self._rules[number]
            if np.bincount(y[test], minlength=self.study.n_classes).min() >= _FEWEST_OF_A_CLASS:
                parts.append(ComponentGain.of(rule, frame.place(X[test]), y[test]))
        if not parts:
            raise UserError(
                "What a second component adds needs folds with two held-out rows of every class. "
                "Add rows."
            )
        of_shared_rows = 1.0 if self.n_folds == 1 else _OF_SHARED_ROWS
        return ComponentGain.mean(parts, of_shared_rows=of_shared_rows)

    @property
    def predicted_share(self) -> float:
        """Q2: the share of the variance of held-out class indicators that PLS-DA predicts.

        One minus the squared errors of the predicted indicators, relative to those of the training
        means: 1 for exact predictions, 0 for those of the class shares alone, negative for worse.
        Its training counterpart is R2Y.

        Raises
        ------
        ValueError
            If the estimator predicts no indicators.

        References
        ----------
        M. Stone: Cross-validatory choice and assessment of statistical predictions, Journal of the
        Royal Statistical Society B 36, 1974. J. A. Westerhuis and others: Assessment of PLSDA cross
        validation, Metabolomics 4, 2008.
        """
        rows, errors, spread = self.study.rows, 0.0, 0.0
        for fit in self._known.values():
            estimator: Any = fit.projection.estimator
            if not hasattr(estimator, "predict_indicators"):
                raise UserError(
                    f"{type(estimator).__name__} predicts no class indicators, so that it has no "
                    "Q2. Choose PLS-DA or OPLS-DA."
                )
            test = fit.fold.test
            predicted = estimator.predict_indicators(fit.projection.preparation.apply(rows.X[test]))
            wanted = indicators(rows.y[test], self.study.n_classes)
            errors += float(np.square(wanted - predicted).sum())
            spread += float(np.square(wanted - estimator.target_means_).sum())
        return 1.0 - errors / spread

    # ------------------------------------------------------------------------------------- private

    def _known_fit(
        self, number: int, stored: FoldFit | FailedFit | KeptFold
    ) -> FoldFit | FailedFit:
        """The fit of a fold, of which perhaps only its planes are known."""
        if not isinstance(stored, KeptFold):
            return stored
        if not stored.planes:
            return FailedFit(number + 1, stored.failure)
        fold, frame = self.folds[number], cast("Frame", self.frame)
        rows = self.study.rows.take(fold.train)
        preparation = self.study.preparation_for(rows).fit(rows.X)
        planes = [FittedProjection.of_plane(axes, preparation) for axes in stored.planes]
        best, *others = [Frame.of(plane, rows.X).aligned(frame, rows.X) for plane in planes]
        return FoldFit(fold, planes[0], best, others[0] if others else best, stored.search)

    @cached_property
    def _residuals(self) -> FloatArray | None:
        """Q of held-out rows from the planes of their folds; None where there is none."""
        fits = list(self._known.values())
        if any(not is_plane(fit.projection.estimator) for fit in fits):
            return None
        n_features = fits[0].projection.components.shape[1]
        if len(fits[0].projection.components) == n_features:
            return None
        return self._of_folds(self._squares_off)

    def _evidence(self, number: int, X: FloatArray) -> Evidence:
        """Return the evidence of a fold about rows that it was not fitted to."""
        residuals = None if self._residuals is None else self._squares_off(number, X)
        return Evidence(self._logs(number, X, has_floor=True), residuals, self.frame is not None)

    def _nuisance_told(self, fit: FoldFit) -> NuisanceAccuracy | None:
        """Score how well the positions of the rows of a fold tell the nuisance, if at all."""
        train, test = (self.study.rows.take(part) for part in (fit.fold.train, fit.fold.test))
        if train.nuisance is None or test.nuisance is None:
            return None
        points = fit.projection.transform(test.X)
        n_components = points.shape[1]
        cells = nuisance_cells(train.y, train.nuisance, n_components=n_components)
        if cells.is_confounded:
            return None
        of_rows = fit.projection.transform(train.X)
        kernels = kernel_cells(of_rows, cells, n_components=n_components, gamma=self.gamma)
        return nuisance_accuracy(points, test.y, test.nuisance, cells, kernels)

    def _squares_off(self, number: int, X: FloatArray) -> FloatArray:
        fit = self._known[number]
        apply, components = fit.projection.preparation.apply, fit.projection.components
        off = apply(X) - apply(self._training(fit)[0]).mean(axis=0)
        residuals: FloatArray = squared_residuals(off, components).sum(axis=1)
        return residuals

    def _has_all(self, fold: Fold) -> bool:
        """True if a fold holds out rows of every class."""
        return len(np.unique(self.study.rows.y[fold.test])) == self.study.n_classes

    def _fold_divergence(self, fit: FoldFit, gamma: float) -> float:
        projection, (X, y) = fit.projection, self._training(fit)
        is_linear = is_plane(projection.estimator)
        place = projection.preparation.apply if is_linear else projection.transform
        rows, held_out = place(X), place(self.study.rows.X[fit.fold.test])
        plane = projection.components if is_linear else np.eye(rows.shape[1])
        kernels = kernel_classes(rows, y, n_components=len(plane), gamma=gamma).project(plane)
        fitted, unseen = (
            rows_by_class(points[sample] @ plane.T, codes[sample])
            for points, codes in ((rows, y), (held_out, self.study.rows.y[fit.fold.test]))
            for sample in [sampled_rows(codes, _MOST_COMPARED, None)]
        )
        return held_out_divergence(ClassDensities(fitted, kernels.covariances), unseen)

    def _training(self, fit: FoldFit) -> tuple[FloatArray, IntArray]:
        """Rows of a fit and their codes; of a table that is not in memory those that are known."""
        rows, indices = self.study.rows, fit.fold.train
        if not self.study.is_in_memory:
            return rows.X, rows.y
        return rows.X[indices], rows.y[indices]

    @property
    def _known(self) -> dict[int, FoldFit]:
        """The folds that are done, by their numbers from 0."""
        return {number: fit for number, fit in enumerate(self.fits) if isinstance(fit, FoldFit)}

    @property
    def _fewer_folds(self) -> tuple[str, ...]:
        if len(self.folds) >= self.n_wanted:
            return ()
        units, classes = self.study.n_units, self.study.rows.classes.tolist()
        smallest = int(units.argmin())
        count, name = units[smallest], repr(classes[smallest])
        reason = f"class {name} has only {count} rows"
        if self.study.has_twins:
            reason = f"class {name} has only {count} rows that differ"
        elif self.study.rows.groups is not None:
            reason = f"only {count} groups have rows of class {name}"
        return (f"{len(self.folds)} folds instead of {self.n_wanted}, because {reason}.",)

    @property
    def _named_unplaced(self) -> tuple[str, ...]:
        """A sentence about held-out rows that have no place, if there are such."""
        unplaced = self.unplaced.tolist()
        if not unplaced:
            return ()
        more = len(unplaced) - _NAMED_ROWS
        named = ", ".join(map(str, unplaced[:_NAMED_ROWS]))
        return (
            f"{len(unplaced):,} of {len(unplaced) + len(self.held_out):,} held-out rows have no "
            "place, as their coordinates are nan or infinite, and are left out of every number: "
            f"those with index {named}{f' and {more:,} more' if more > 0 else ''}.",
        )

    def _of_folds(self, function: _OfFold) -> FloatArray:
        """Values of the rows of each fold, in the order of `held_out`."""
        X, parts, rows = self.study.rows.X, [], []
        for number, fit in self._known.items():
            rows.append(fit.fold.test)
            parts.append(function(number, X[fit.fold.test]))
        order = np.argsort(np.concatenate(rows))
        return np.concatenate(parts)[order]

    def _spreads(self, without: int | None) -> FloatArray | None:
        """Covariances of the classes at unseen places of all folds but one; None without any."""
        of = self.fold_of_rows
        other = np.flatnonzero((of >= 0) & (of != (-2 if without is None else without)))
        if len(other) <= self._unseen.shape[1]:
            return None
        return class_spreads(self._unseen[other], self.study.rows.y[other], self.study.n_classes)

    @cached_property
    def log_mixtures(self) -> FloatArray:
        """`log_densities` without the floor, below which far classes and wrong labels are alike."""
        return self._of_folds(self._logs)

    def _logs(
        self,
        number: int,
        X: FloatArray,
        own: IntArray | None = None,
        *,
        has_floor: bool = False,
        is_linear: bool = False,
    ) -> FloatArray:
        """Logarithms of the class densities of a fold at any rows; `own` as in `DensityRule`."""
        fit = self._known[number]
        if fit.best is None:
            return log_shares(fit.projection, X, len(fit.fold.train))
        frame, density = self._rules[number]
        rule = density.linear if is_linear else density
        compute = rule.log_densities if has_floor else rule.log_mixtures
        return compute(frame.place(X), own)

    @cached_property
    def _rules(self) -> dict[int, tuple[Frame, DensityRule]]:
        """The frame of each fold and its class densities."""
        return {number: self._rule_of(fit, number) for number, fit in self._known.items()}

    def _rule_of(self, fit: FoldFit, number: int) -> tuple[Frame, DensityRule]:
        if not self.study.is_in_memory:  # of so many rows, new ones spread as fitted ones do
            components = fit.projection.components
            rows = class_rows(self.study.training_blocks(fit.fold, fit.projection))
            rule = DensityRule.of_blocks([block @ components.T for block in rows], gamma=self.gamma)
            return Frame.of_coordinates(fit.projection), rule
        X, y = self._training(fit)
        frame = cast("Frame", fit.best)
        return frame, DensityRule.of(frame.place(X), y, self._spreads(number), gamma=self.gamma)

    def _score(self, predicted: IntArray) -> Score:
        right = (predicted == self.y).astype(np.float64)
        return score_of(right, self.y, self.fold_of_rows[self.held_out], self.study)


# Given the refits so far; a true return value ends the computation.
RefitsCallback: TypeAlias = Callable[[Refits], object]


def places_rows(estimator: Any) -> bool:
    """Return whether a fitted estimator transforms rows, rather than only predicting classes."""
    return is_plane(estimator) or hasattr(estimator, "transform")


def log_shares(projection: FittedProjection, X: FloatArray, n_rows: int) -> FloatArray:
    """Logarithms of the probabilities of a classifier, none finer than its rows allow.

    As if one row more had come from nowhere, of a fit to `n_rows` rows.

    Raises
    ------
    UserError
        If the estimator gives neither coordinates nor probabilities.
    """
    estimator = projection.estimator
    if not (is_classifier(estimator) and hasattr(estimator, "predict_proba")):
        raise UserError(
            f"{type(estimator).__name__} gives neither coordinates nor probabilities: it has no "
            "transform and no predict_proba. Put it into CalibratedClassifierCV of scikit-learn."
        )
    shares = np.asarray(estimator.predict_proba(projection.preparation.apply(X)))
    logs: FloatArray = np.log((n_rows * shares + 1.0 / shares.shape[1]) / (n_rows + 1.0))
    return logs


def _fold_fit(refits: Refits, number: int, *, follow_search: bool) -> FoldFit | FailedFit:
    study, fold = refits.study, refits.folds[number]
    is_followed = follow_search and type(study.estimator) is MELM and study.is_in_memory
    try:
        followed = study.followed(SearchTrace()) if is_followed else study
        projection = followed.without(fold)
        fold = _with_places(study, fold, projection)
    except ValueError as error:
        return FailedFit(number + 1, str(error))
    if refits.frame is None:
        return FoldFit(fold, projection, None, None)
    X = study.rows.X[fold.train] if study.is_in_memory else study.rows.X
    best = Frame.of(projection, X).aligned(refits.frame, X)
    nearest = nearest_start(projection, refits.whole)
    drawn = best if nearest is projection else Frame.of(nearest, X).aligned(refits.frame, X)
    search = _along_search(refits, fold, projection) if is_followed else None
    return FoldFit(fold, projection, best, drawn, search)


def _check_places(refits: Refits) -> None:
    """Check that of every class some held-out rows have a place."""
    absent = np.flatnonzero(np.bincount(refits.y, minlength=refits.study.n_classes) == 0)
    if len(absent):
        name = refits.study.rows.classes.tolist()[absent[0]]
        raise UserError(
            f"No held-out row of class {name!r} has a place: all coordinates are nan or infinite. "
            "Leave the class out, or let the estimator place its rows."
        )


def _with_places(study: Study, fold: Fold, projection: FittedProjection) -> Fold:
    """The rows of a fold that have a place, of which densities and scores are."""
    if is_plane(projection.estimator) or not places_rows(projection.estimator):
        return fold
    X, y = study.rows.X, study.rows.y
    train, test = (
        part[is_placed(projection.transform(X[part]))] for part in (fold.train, fold.test)
    )
    check_placed(study.rows.take(fold.train), y[train])
    return Fold(train, test)


def check_placed(train: CodedRows, y: IntArray) -> None:
    """Check that enough rows of each class have a place.

    Parameters
    ----------
    train : CodedRows
        The rows of a fit.
    y : ndarray of int
        Class codes of those that have a place.

    Raises
    ------
    UserError
    """
    left = np.bincount(y, minlength=len(train.classes))
    smallest = int(left.argmin())
    if left[smallest] < min(2, np.bincount(train.y, minlength=len(left))[smallest]):
        raise UserError(
            f"{left[smallest]} training rows of class {train.classes.tolist()[smallest]!r} have a "
            "place, where 2 are needed: the coordinates of the others are nan or infinite. Let the "
            "estimator place them, or leave the class out."
        )


def _along_search(refits: Refits, fold: Fold, projection: FittedProjection) -> FloatArray:
    rows, apply, estimator = refits.study.rows, projection.preparation.apply, projection.estimator
    train, test = ((apply(rows.X[part]), rows.y[part]) for part in (fold.train, fold.test))
    trace: SearchTrace = estimator.callback
    return trace.divergences(estimator, train, test)


def score_of(right: FloatArray, y: IntArray, fold: IntArray, study: Study) -> Score:
    """The balanced share of held-out rows that are told rightly, with its error.

    The error is the larger of that of Nadeau and Bengio, which allows for the rows that folds
    share, and the binomial one of the rows or, where these depend on each other, groups; as if one
    row of each class more had been told and one not, so that it is not 0 where all are told.
    """
    codes = np.unique(y)
    counts = np.bincount(y, minlength=study.n_classes)[codes]
    shares = np.bincount(y, right, minlength=study.n_classes)[codes] / counts
    units = np.minimum(study.n_units[codes], counts)
    smoothed = (shares * units + 1.0) / (units + 2.0)
    binomial = np.sqrt((smoothed * (1.0 - smoothed) / units).sum()) / len(codes)
    numbers = np.unique(fold)
    of_folds = 0.0
    if len(numbers) > 1:
        values = [balanced_share(right[fold == each], y[fold == each]) for each in numbers]
        of_folds = Score.over_refits(np.array(values)).standard_error
    return Score(float(shares.mean()), max(float(binomial), of_folds))

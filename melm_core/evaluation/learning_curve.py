"""Learning curve: held-out share by number of training rows, and its extrapolation.

The curve is an inverse power law, a - b n^-c, of the shares at several numbers of training rows
(Figueroa and others, 2012). What is counted is what is exchangeable: groups where rows depend on
each other, such as patients, otherwise rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from melm_core.answers import LEVEL, guessing_gives
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_members, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.base.share_text import counted, percent
from melm_core.evaluation.refits import Refits
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, Fold, group_strata

# Rows, or groups, of the smallest class: with fewer, five sizes can hardly differ.
FEWEST_UNITS = 10
BAND = 0.9  # share of the tables of a size that the band is to cover
POWER = 0.8

_N_SIZES = 6
_N_FOLDS = 5
_N_BOOTSTRAPS = 500
_SMALLEST_SHARE = 1 / 8  # of the training rows
_FEWEST_TRAINING_UNITS = 3  # of a class
_MORE = (0.5, 1.0, 2.0)  # times the units of the table
_DECAYS = np.geomspace(0.2, 2.0, 20)
_SEARCHED = np.geomspace(0.25, 64.0, 120)  # times the units of the table
# Error of a share over folds, with training rows that differ (Nadeau and Bengio 2003), over its
# bootstrap error with those that are: the square root of 1 + J / (J - 1) for J folds.
_OF_TRAINING = float(np.sqrt(1.0 + _N_FOLDS / (_N_FOLDS - 1.0)))
_FLAT_GAIN, _FLAT_BOUND = 0.01, 0.03  # by twice as many rows
_CLEAR_FALL, _LEAST_FALL = 2.5, 0.03  # standard errors, and balanced accuracy
_FEWEST_FITTED = 4  # sizes, by three parameters
_VALLEY_FALL = 1.5  # standard errors, of a fall and of the rise after it


@dataclass(frozen=True, eq=False)
class RowsNeeded:
    """The learning curve of a method, and what more rows can be expected to give.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Mean number of training rows or, with groups, of training groups; ascending.
    shares, standard_errors : ndarray of shape (n_sizes,)
        Balanced accuracy of held-out rows of planes fitted to so many, and its bootstrap error.
    n_units, n_classes : int
        Rows, or groups, of the table.
    unit : str
        What is counted: "row" or "group".
    more : ndarray of int of shape (n_more,)
        Additional rows, or groups.
    expected : ndarray of shape (3, n_more)
        The share that a table with so many more shows: by the power law, and the edges of the 90 %
        band.
    n_before : int
        Sizes that the power law is not fitted to: those before a valley that the curve has left.
    fitted : ndarray of shape (3, n_sizes - n_before)
        The power law at the other sizes, and the edges of its 90 % band.
    needed, needed_lower, needed_upper : float
        Rows, or groups, of a table with which p is below 0.05 in 80 % of repetitions, if the effect
        is as seen, and its 90 % interval; inf where no number within 64 times this table does.
    is_shown : bool
        Whether this table shows more than guessing.
    is_flat : bool
        Whether twice as many rows would hardly change the share.
    falls : bool
        Whether the share is clearly less at a larger size than at a smaller one, and has not risen
        above both again at several sizes. No power law describes that, so that nothing is said of
        more rows. It is what methods without regularization do where training rows are about as
        many as features.
    notes : tuple of str
        Sentences about folds that could not be fitted and rows without a place, which are left out.

    Notes
    -----
    What is forecast is of more rows like these, by this method, and the farther the less sure: its
    band covers the form of the curve and the rows, not another kind of rows. `needed` takes the
    effect to be as large as it looks, which of effects that are not shown is hardly known: of noise
    it is some number as well, so read its interval. A flat curve may rise with other features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import Study, rows_needed
    >>> found = rows_needed(Study("lda", *load_iris(return_X_y=True)), n_repeats=1)
    >>> found.sentence.startswith("More rows will hardly help")
    True
    """

    sizes: FloatArray
    shares: FloatArray
    standard_errors: FloatArray
    n_units: int
    n_classes: int
    unit: str
    more: IntArray
    expected: FloatArray
    n_before: int
    fitted: FloatArray
    needed: float
    needed_lower: float
    needed_upper: float
    is_shown: bool
    is_flat: bool
    falls: bool
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The balanced accuracy with all training rows."""
        return float(self.shares[-1])

    @property
    def chance(self) -> float:
        """The balanced accuracy of guessing."""
        return 1.0 / self.n_classes

    @property
    def sentence(self) -> str:
        """The gain by more rows or, where nothing is shown, the number that would show it."""
        if self.falls:
            return (
                "More training rows make the share fall before it rises, as happens without "
                "regularization where rows are about as many as features, so that the curve says "
                f"nothing of more {self.unit}s. Choose a method that regularizes, such as MELM."
            )
        if not self.is_shown:
            return self._not_shown
        if self.is_flat:
            return (
                f"More {self.unit}s will hardly help: the curve is flat at {percent(self.share)} "
                f"({guessing_gives(self.n_classes)})."
            )
        return (
            f"{self.expectation(1)}; now: {percent(self.share)}, {guessing_gives(self.n_classes)}."
        )

    def expectation(self, index: int) -> str:
        """The share expected of one of `more`, with its band: "60 more rows: 81 % (77 to 84)"."""
        share, lower, upper = self.expected[:, index].tolist()
        more = counted(self.more[index], f"more {self.unit}")
        return f"{more}: {percent(share)} ({100 * lower:.0f} to {100 * upper:.0f})"

    @property
    def _not_shown(self) -> str:
        here = f"Not shown with {counted(self.n_units, self.unit)}"
        seen = f"{percent(self.share)} held out, {guessing_gives(self.n_classes)}"
        largest = self.n_units * float(_SEARCHED[-1])
        if math.isinf(self.needed):
            at_least = (
                ""
                if math.isinf(self.needed_lower)
                else f", and with 90 % confidence at least {self.needed_lower:,.0f}"
            )
            return (
                f"{here} ({seen}): no number of {self.unit}s up to {largest:,.0f} would show an "
                f"effect as small as this{at_least}."
            )
        upper = (
            f"more than {largest:,.0f}"
            if math.isinf(self.needed_upper)
            else f"{self.needed_upper:,.0f}"
        )
        return (
            f"{here} ({seen}): if the effect is as seen, {self.needed:,.0f} {self.unit}s show it "
            f"at the {percent(LEVEL)} level in 80 % of repetitions, but with 90 % confidence that "
            f"is anywhere from {self.needed_lower:,.0f} to {upper}."
        )


# Given what is found so far (None before every size has been scored in a repetition), the fits that
# are done, and all fits.
RowsNeededCallback = Callable[[RowsNeeded | None, int, int], object]


def rows_needed(
    study: Study,
    *,
    gamma: float = 1.0,
    n_repeats: int = 4,
    callback: RowsNeededCallback | None = None,
) -> RowsNeeded:
    """Held-out share against the number of training rows, and what more rows would give.

    In every fold the method is refitted to fewer and fewer of the training rows, with the classes
    in proportion and groups kept whole, and classifies the same held-out rows. Units, rows or
    groups, are resampled within their classes for the band: what tables of a size would show,
    which includes the error with which such a table measures.

    Parameters
    ----------
    study : Study
        Rows in memory, of each class at least ten or, with groups, rows of ten groups, which are
        then what is counted.
    gamma : float, default=1.0
        Kernel width of the class densities, relative to that of `DensityRule`.
    n_repeats : int, default=4
        Repetitions of the folds, each with its own.
    callback : callable, optional
        Called after every size of every repetition; an exception it raises ends the computation.

    Returns
    -------
    RowsNeeded

    Raises
    ------
    ValueError
        If the data are invalid, or a class has fewer rows, or groups, than a curve needs.

    References
    ----------
    R. L. Figueroa, Q. Zeng-Treitler, S. Kandula, L. H. Ngo: Predicting Sample Size Required for
    Classification Performance, BMC Medical Informatics and Decision Making 12, 2012.
    C. Nadeau, Y. Bengio: Inference for the Generalization Error, Machine Learning 52, 2003 (the
    interval of the rows needed).

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import Study, rows_needed
    >>> found = rows_needed(Study("lda", *pure_noise(60, 30, 2)), n_repeats=1)
    >>> found.is_shown, found.n_units, found.unit
    (False, 60, 'row')
    """
    check_integer("n_repeats", n_repeats, minimum=1)
    rows, seed = study.rows_in_memory, study.random_state
    units = _Units.of(rows, counts_rows=study.has_twins)
    units.check_enough()
    whole = study.fitted()
    right, told = np.zeros((2, _N_SIZES, len(rows.y)))
    counts = np.zeros(_N_SIZES)
    notes: dict[str, None] = {}
    n_done, n_all = 0, n_repeats * _N_SIZES
    curve: RowsNeeded | None = None
    for repeat in range(n_repeats):
        stream = np.random.default_rng([seed, repeat])
        folds = study.parts(_N_FOLDS, seed + repeat)
        nested = [units.nested(fold, stream) for fold in folds]
        for size in range(_N_SIZES):
            of_size = tuple(
                Fold(train[size], fold.test) for train, fold in zip(nested, folds, strict=True)
            )
            refits = Refits.of(study, of_size, gamma=gamma, whole=whole)
            right[size, refits.held_out] += refits.right
            told[size, refits.held_out] += 1.0
            notes |= dict.fromkeys(refits.notes)
            counts[size] += np.mean([units.count(fold.train) for fold in of_size])
            n_done += 1
            if callback is not None:
                callback(curve, n_done, n_all)
        curve = _curve(units, counts / (repeat + 1), _shares(right, told), seed)
    last = replace(_curve(units, counts / n_repeats, _shares(right, told), seed), notes=(*notes,))
    if callback is not None:
        callback(last, n_done, n_all)
    return last


def _shares(right: FloatArray, told: FloatArray) -> FloatArray:
    """Return the share of right predictions of each row; nan of those never predicted."""
    shares: FloatArray = np.divide(right, told, out=np.full(right.shape, np.nan), where=told > 0)
    return shares


@dataclass(frozen=True, eq=False)
class _Units:
    """Exchangeable units: the groups of rows or, without groups, the rows.

    Attributes
    ----------
    rows : CodedRows
    of_row : ndarray of int of shape (n_samples,)
        The unit of each row.
    strata : ndarray of int of shape (n_units,)
        Equal for units with rows of the same classes.
    name : str
        "row" or "group".
    """

    rows: CodedRows
    of_row: IntArray
    strata: IntArray
    name: str

    @classmethod
    def of(cls, rows: CodedRows, *, counts_rows: bool) -> _Units:
        """The units of rows, whose groups are called rows if they are equal ones."""
        if rows.groups is None:
            return cls(rows, np.arange(len(rows.y)), rows.y, "row")
        strata = group_strata(rows.y, rows.groups)
        return cls(rows, rows.groups, strata, "row" if counts_rows else "group")

    @property
    def of_classes(self) -> IntArray:
        """Units of each class, shape (n_classes,)."""
        return units_of_classes(self.rows.y, self.of_row)

    def check_enough(self) -> None:
        """Refuse what is too little for a curve."""
        n_of_class = self.of_classes
        smallest = int(n_of_class.argmin())
        if n_of_class[smallest] < FEWEST_UNITS:
            raise UserError(
                f"Class {self.rows.classes.tolist()[smallest]!r} has "
                f"{counted(n_of_class[smallest], self.name)}, and a learning curve needs "
                f"{FEWEST_UNITS} of every class. Add {self.name}s or leave the class out."
            )

    def count(self, rows: IntArray) -> int:
        return len(np.unique(self.of_row[rows]))

    def nested(self, fold: Fold, stream: np.random.Generator) -> list[IntArray]:
        """Training rows of each size, ascending, of which each contains the smaller ones."""
        present = np.unique(self.of_row[fold.train])
        order = stream.permutation(present)
        n_of_stratum = np.bincount(self.strata[present])
        # The position of every unit among the units of its stratum, in random order.
        position = np.empty(len(self.strata))
        for stratum in np.unique(self.strata[present]):
            members = order[self.strata[order] == stratum]
            position[members] = np.arange(len(members))
        fewest = int(n_of_stratum[n_of_stratum > 0].min())
        smallest = min(max(_SMALLEST_SHARE, _FEWEST_TRAINING_UNITS / fewest), 0.5)
        sizes = []
        for share in np.geomspace(smallest, 1.0, _N_SIZES):
            n_kept = np.maximum(np.rint(share * n_of_stratum), 2)
            is_kept = np.zeros(len(self.strata), dtype=bool)
            is_kept[present] = position[present] < n_kept[self.strata[present]]
            sizes.append(fold.train[is_kept[self.of_row[fold.train]]])
        return sizes

    def resampled(self, right: FloatArray, random_state: int) -> tuple[FloatArray, FloatArray]:
        """Balanced accuracies at each size, and of bootstrap samples of the units.

        Shapes (n_sizes,) and (n_bootstraps, n_sizes).
        """
        n_units, n_classes = len(self.strata), len(self.rows.classes)
        stream = np.random.default_rng([random_state, n_units])
        weights = np.zeros((_N_BOOTSTRAPS, n_units))
        for members in group_members(self.strata):
            even = np.full(len(members), 1.0 / len(members))
            weights[:, members] = stream.multinomial(len(members), even, _N_BOOTSTRAPS)
        weights = np.vstack([np.ones(n_units), weights])
        shares = np.zeros((len(weights), len(right)))
        for size, of_size in enumerate(right):
            hits, n_rows = np.zeros((2, n_units, n_classes))
            is_told = ~np.isnan(of_size)
            at_rows = self.of_row[is_told], self.rows.y[is_told]
            np.add.at(hits, at_rows, of_size[is_told])
            np.add.at(n_rows, at_rows, 1.0)
            n_drawn = weights @ n_rows
            if (n_drawn[0] == 0.0).any():
                name = self.rows.classes.tolist()[int(n_drawn[0].argmin())]
                raise UserError(
                    f"No row of class {name!r} is told by fits to so few training rows. Add rows, "
                    "or leave the class out."
                )
            shares[:, size] = ((weights @ hits) / np.maximum(n_drawn, 1.0)).mean(axis=1)
        return shares[0], shares[1:]


@dataclass(frozen=True, eq=False)
class PowerLaws:
    """Inverse power laws, one for each row of shares; all parameters of shape (n_laws,)."""

    ceiling: FloatArray
    drop: FloatArray
    decay: FloatArray
    at: float

    @classmethod
    def of(cls, sizes: FloatArray, shares: FloatArray) -> PowerLaws:
        """Least squares, weighted by the size as in the reference; rising, and 1 at most."""
        relative = sizes / sizes[-1]
        weights = relative / relative.sum()
        best = np.full(len(shares), np.inf)
        fitted = np.zeros((3, len(shares)))
        for decay in _DECAYS:
            basis = relative**-decay
            middle, mean = weights @ basis, shares @ weights
            away = weights * (basis - middle)
            drop = np.maximum(-(shares @ away) / (away @ basis), 0.0)
            ceiling = mean + drop * middle
            capped = ((1.0 - shares) @ (weights * basis)) / (weights @ basis**2)
            drop = np.where(ceiling > 1.0, np.maximum(capped, 0.0), drop)
            ceiling = np.minimum(ceiling, 1.0)
            errors = (ceiling[:, None] - drop[:, None] * basis - shares) ** 2 @ weights
            is_better = errors < best
            best = np.where(is_better, errors, best)
            candidate = np.stack([ceiling, drop, np.full(len(shares), decay)])
            fitted = np.where(is_better, candidate, fitted)
        ceilings, drops, decays = fitted
        return cls(ceilings, drops, decays, float(sizes[-1]))

    def shares(self, sizes: FloatArray) -> FloatArray:
        """The shares at any sizes, shape (n_laws, n_sizes)."""
        relative = sizes[None] / self.at
        values: FloatArray = self.ceiling[:, None] - self.drop[:, None] * relative ** (
            -self.decay[:, None]
        )
        return values


def _curve(units: _Units, sizes: FloatArray, right: FloatArray, seed: int) -> RowsNeeded:
    """The curve, its band and what follows, of how often each row is told rightly at each size."""
    n_units, n_classes = len(units.strata), len(units.rows.classes)
    shares, resampled = units.resampled(right, seed)
    errors = resampled.std(axis=0, ddof=1)
    n_before, falls = _valley(shares, resampled, 1.0 / n_classes)
    later = slice(n_before, None)
    laws = PowerLaws.of(sizes[later], np.vstack([shares, resampled])[:, later])
    more = np.unique(np.rint(np.array(_MORE) * n_units).astype(np.int64))
    trained = sizes[-1] / n_units  # the share of a table that is trained on
    # What a table of the size measures errs as well, the less the larger it is.
    at_sizes = laws.shares(sizes[later])
    misfit = float(np.sqrt(np.square(at_sizes[0] - shares[later]).mean()))
    error = max(float(errors[-1]), _error_of_guessing(units))
    of_future = laws.shares(trained * (n_units + more))
    stream = np.random.default_rng([seed, n_units, 1])
    noise = np.hypot(errors[-1], misfit) * stream.standard_normal((_N_BOOTSTRAPS, len(more)))
    shown = np.clip(of_future[1:] + noise * np.sqrt(n_units / (n_units + more)), 0.0, 1.0)
    lower, upper = _band(shown)
    doubled = laws.shares(np.array([sizes[-1], 2.0 * sizes[-1]]))
    gains = doubled[:, 1] - doubled[:, 0]
    # Of an effect that is not shown, planes of other training rows differ as much as rows do.
    wide = shares + _OF_TRAINING * (resampled - shares)
    chance = 1.0 / n_classes
    needed = _needed(laws, n_units, trained, chance, error)[0]
    wide_laws = PowerLaws.of(sizes[later], wide[:, later])
    others = _needed(wide_laws, n_units, trained, chance, error)
    fewest, most = np.quantile(others, _edges(), method="nearest")
    return RowsNeeded(
        sizes=sizes,
        shares=shares,
        standard_errors=errors,
        n_units=n_units,
        n_classes=n_classes,
        unit=units.name,
        more=more,
        expected=np.stack(
            [of_future[0], np.minimum(lower, of_future[0]), np.maximum(upper, of_future[0])]
        ),
        n_before=n_before,
        fitted=np.vstack([at_sizes[:1], _band(at_sizes[1:])]),
        needed=float(needed),
        needed_lower=float(min(fewest, needed)),
        needed_upper=float(max(most, needed)),
        is_shown=bool(shares[-1] - 1.0 / n_classes > norm.isf(LEVEL) * error),
        falls=falls,
        is_flat=bool(
            gains[0] < _FLAT_GAIN
            and np.quantile(gains[1:], BAND) < _FLAT_BOUND
            # A power law averages a fall and the rise after it.
            and shares[-1] - shares[-2] < _FLAT_BOUND
        ),
    )


def _valley(shares: FloatArray, resampled: FloatArray, chance: float) -> tuple[int, bool]:
    """The sizes before a valley that the curve has left, and whether it is still in one.

    A valley is where the share is clearly less than at a smaller size, above guessing. A fall that
    is made good at a larger size needs less evidence: no noise of one size makes both. The curve
    has left it with a share above those before it, and sizes enough for a power law.
    """
    above = shares - chance > _CLEAR_FALL * resampled.std(axis=0, ddof=1)
    falls = shares[:, None] - shares[None]  # from the size of the row to that of the column
    errors = (resampled[:, :, None] - resampled[:, None]).std(axis=0, ddof=1)
    is_large = falls > _LEAST_FALL
    is_clear = np.triu((falls > _CLEAR_FALL * errors) & is_large & above[:, None], 1).any(axis=0)
    is_some = (np.abs(falls) > _VALLEY_FALL * errors) & (np.abs(falls) > _LEAST_FALL)
    fallen = np.triu(is_some & is_large & above[:, None], 1).any(axis=0)
    risen = np.triu(is_some & (falls < 0.0), 1).any(axis=1)
    places = np.flatnonzero(is_clear | (fallen & risen))
    if not len(places):
        return 0, False
    bottom = int(places[-1])
    has_left = shares[-1] > shares[:bottom].max() and len(shares) - bottom >= _FEWEST_FITTED
    return (bottom, False) if has_left else (0, True)


def _edges() -> tuple[float, float]:
    return 0.5 * (1.0 - BAND), 0.5 * (1.0 + BAND)


def _band(values: FloatArray) -> FloatArray:
    """The lower and the upper edge, over the first axis."""
    edges: FloatArray = np.quantile(values, _edges(), axis=0)
    return edges


def _error_of_guessing(units: _Units) -> float:
    """The standard error of the share of guessing, as of `bound_at_chance`."""
    chance = 1.0 / len(units.rows.classes)
    return float(np.sqrt(chance * (1.0 - chance) * (1.0 / units.of_classes).sum()) * chance)


def _needed(
    laws: PowerLaws, n_units: int, trained: float, chance: float, error: float
) -> FloatArray:
    """Units at which a one-sided test has its power, for every law; inf where none has."""
    n = _SEARCHED * n_units
    clear = (norm.isf(LEVEL) + norm.ppf(POWER)) * error * np.sqrt(n_units / n)
    suffices = laws.shares(trained * n) - chance >= clear
    first = n[suffices.argmax(axis=1)]
    counts: FloatArray = np.where(suffices.any(axis=1), np.ceil(first), np.inf)
    return counts

"""Has the lot changed? New rows against earlier ones, compared within classes.

A lot is what came together: a file, a site, the later dates. Under the null hypothesis the rows of
a class are exchangeable between the lots, so the lots are permuted within classes, whole groups at
a time where rows depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_array

from melm_core.answers import LEVEL, guessing_gives, new_rows_lead, p_value
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, group_members, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_magnitudes
from melm_core.base.label_permutations import (
    Block,
    count_permutations,
    exchangeable_blocks,
    random_permutations,
)
from melm_core.base.sample_weights import balanced_share
from melm_core.base.share_text import counted, p_value_text, percent
from melm_core.diagnostics.differences import in_units
from melm_core.diagnostics.held_out_rows import held_out_p_value
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refits import Refits, RefitsCallback
from melm_core.evaluation.refitting import MethodLike, Standardization
from melm_core.evaluation.study import Study
from melm_core.folds.folds import coded_rows, group_strata, stratified_folds
from melm_core.recipe import centered_within

N_PERMUTATIONS = 999

_METHOD = "melm"
_MOST_SCORES = 20  # principal scores in which a change of correlated features is seen
_MOST_PREDICTING = 50  # principal scores by which classes of unlabeled rows are predicted
_FOLDS = 5
_ROUNDING = 1e-12  # of the largest value of a feature: smaller deviations are rounding
_FEWEST_OF_A_LOT = 3  # rows, or groups, for folds
_CHANGED = 0.05  # false discovery rate below which a feature is said to have changed

# Rows of a stratum differ by less in how much more frequent the mixture of classes of the new lot
# makes them: of the logarithm.
_STEP = 0.1
_MIXTURE_STEPS = 50

_PREDICTED = (
    "The new rows have no labels: rows are compared within predicted classes. Where classes "
    "overlap, another mixture of them may still count as a change."
)

Lots: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LotPlane:
    """The plane in which the lots differ most, within classes.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows in standardized features.
    coordinates : ndarray of shape (n_samples, n_components)
        Of the compared rows, the earlier ones first: less the mean of their class.
    is_new : ndarray of bool of shape (n_samples,)
    held_out : Score or None
        Balanced accuracy with which the lots of held-out rows are told apart; guessing gives one
        half. None if a lot has too few rows or groups for folds.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import lot_change
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> found = lot_change(X[:40], X[40:] + [2.0, 0.0, 0.0], random_state=0)
    >>> found.plane.components.shape, int(found.plane.is_new.sum())
    ((2, 3), 40)
    """

    components: FloatArray
    coordinates: FloatArray
    is_new: Lots
    held_out: Score | None


@dataclass(frozen=True, eq=False)
class NewVerdict:
    """Verdict on the classes of the new lot in the plane of the first one.

    Attributes
    ----------
    share : float
        Balanced accuracy of the new rows.
    share_before : float
        The same of held-out rows of the first lot.
    p_value : float
        Of the new rows, by permutation of their labels.
    n_classes : int

    Examples
    --------
    >>> from melm_core.evaluation.lots import NewVerdict
    >>> NewVerdict(share=0.81, share_before=0.84, p_value=0.005, n_classes=2).sentence[:52]
    'The plane of the first lot still holds for the new o'
    """

    share: float
    share_before: float
    p_value: float
    n_classes: int

    @property
    def sentence(self) -> str:
        """The verdict on the new lot, as a sentence."""
        holds = "still holds" if self.p_value <= LEVEL else "is not shown to hold"
        return (
            f"The plane of the first lot {holds} for the new one: "
            f"{new_rows_lead(self.share, self.share_before, self.n_classes)}."
        )


@dataclass(frozen=True, eq=False)
class LotChange:
    """Change between two lots, within classes.

    Attributes
    ----------
    p_value : float
        Probability of as large a change between lots that do not differ.
    n_permutations : int
    features : ndarray of int of shape (n_features,)
        All features, the most changed first.
    shifts : ndarray of shape (n_features,)
        In the order of the columns: new mean less earlier mean, within classes, in standard
        deviations of the earlier rows within classes. Infinite where the earlier rows of each
        class are constant and the new ones are not like them.
    spreads : ndarray of shape (n_features,)
        In the order of the columns: the standard deviation of the new rows within classes, over
        that of the earlier ones; infinite where these are constant and the new ones are not, 1
        where no class has two rows in both lots.
    q_values : ndarray of shape (n_features,)
        In the order of the columns: the false discovery rate at which each one is said to have
        changed.
    plane : LotPlane or None
        None until it is fitted.
    verdict : NewVerdict or None
        None without labels of the new rows, or with a single class.
    notes : tuple of str
        What was compared: predicted classes, classes left out; and folds that could not be fitted.

    Notes
    -----
    No change that is shown is no proof of sameness: few rows or groups show large changes alone. A
    change need not matter: of thousands of rows p is small for shifts of hundredths of a standard
    deviation, so read `shifts` beside it, and `verdict` for whether the old plane still holds. Lots
    that were measured on different days differ by day, whatever else they differ by.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import lot_change
    >>> stream = np.random.default_rng(0)
    >>> X, X_new = stream.normal(size=(40, 5)), stream.normal(size=(40, 5))
    >>> X_new[:, 3] += 2.0
    >>> found = lot_change(X, X_new)
    >>> found.p_value, int(found.features[0]), found.plane.coordinates.shape
    (0.001, 3, (80, 2))
    """

    p_value: float
    n_permutations: int
    features: IntArray
    shifts: FloatArray
    spreads: FloatArray
    q_values: FloatArray
    plane: LotPlane | None = None
    verdict: NewVerdict | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_changed(self) -> int:
        """Features with a false discovery rate of at most 5 %."""
        return int((self.q_values <= _CHANGED).sum())

    @property
    def sentence(self) -> str:
        """The change of the lot, and in how many features, as a sentence."""
        if self.p_value > LEVEL:
            return f"No change is shown between the lots ({p_value_text(self.p_value)})."
        differ = "differs" if self.n_changed == 1 else "differ"
        of_all = f"{counted(self.n_changed, 'feature')} of {len(self.features):,} {differ}"
        told = (
            ""
            if self.plane is None or self.plane.held_out is None
            else " In the plane that shows it, the lot of "
            f"{percent(self.plane.held_out.balanced_accuracy)} of held-out rows is told "
            f"({guessing_gives(2)})."
        )
        where = (
            f"{of_all}, at a false discovery rate of 5 %."
            if self.n_changed
            else "in no single feature for certain."
        )
        return f"The lot has changed ({p_value_text(self.p_value)}): {where}{told}"


def lot_change(
    X: Any,
    X_new: Any,
    y: Any = None,
    y_new: Any = None,
    groups: Any = None,
    *,
    groups_new: Any = None,
    method: MethodLike = _METHOD,
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
    with_plane: bool = True,
    callback: Callable[[LotChange], object] | None = None,
) -> LotChange:
    """Test if new rows differ from earlier ones, in which features, and in which plane.

    Rows are compared within their class, so that another mixture of labeled classes is no change.
    Five statistics see a change of many features, of few, of one class, of correlated features, and
    of the spread; the smallest of their p-values is itself judged by the permutations.

    Parameters
    ----------
    X, X_new : array-like of shape (n_samples, n_features) and (n_new, n_features)
        The first lot and the new one.
    y : array-like of shape (n_samples,) or None, default=None
        Labels; None compares all rows with each other.
    y_new : array-like of shape (n_new,) or None, default=None
        Labels of the new rows. Without them, classes of all rows are predicted: those of the
        first lot by folds that do not have them, those of the new rows by one of these folds.
        Where classes overlap, another mixture of them may then count as a change. It does so less
        often without groups, as rows are compared only with those that the new mixture makes about
        as much more frequent.
    groups, groups_new : array-like or None, default=None
        Groups of rows that depend on each other, such as patients, of both lots or of none: of each
        lot, or all in `groups`, the first lot before the new one. The same name is the same group
        in both.
    method : str or estimator, default="melm"
        Of the plane of the change, and of the verdict: see `Study`.
    n_permutations : int, default=999
    random_state : int, default=0
    with_plane : bool, default=True
        Whether to fit the plane of the change and to judge the verdict, which takes most of the
        time.
    callback : callable, optional
        Called with what is found as soon as p is known, and again with each fold that judges the
        plane. An exception it raises ends the computation.

    Returns
    -------
    LotChange

    Raises
    ------
    ValueError
        If the data are invalid, if the lot coincides with the class, or if so few rows or groups
        are exchangeable that no change could be shown.

    References
    ----------
    B. Phipson, G. K. Smyth: Permutation P-values Should Never Be Zero, Statistical Applications in
    Genetics and Molecular Biology 9, 2010 (p). J. D. Storey, R. Tibshirani: Statistical
    Significance for Genomewide Studies, PNAS 100, 2003 (features share their permutations).
    F. Pesarin: Multivariate Permutation Tests, 2001 (the smallest of several p-values).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import lot_change
    >>> stream = np.random.default_rng(1)
    >>> found = lot_change(stream.normal(size=(30, 5)), stream.normal(size=(30, 5)))
    >>> found.sentence.startswith("No change is shown")
    True
    """
    check_integer("n_permutations", n_permutations, minimum=19)
    both, notes = _compared(X, X_new, (y, y_new), (groups, groups_new), random_state)
    blocks = _blocks(both)
    smallest = _smallest_p_value(blocks)
    if smallest > LEVEL:
        raise UserError(
            f"Only {count_permutations(blocks):,} exchanges of rows or groups between the lots are "
            f"possible, so p is at least {smallest:.2g} whatever has changed. Add rows or groups "
            "of both lots."
        )
    change = _judged(both, blocks, n_permutations, random_state)
    change = replace(change, notes=notes)
    if callback is not None:
        callback(change)
    if not with_plane:
        return change

    def step(_: Refits) -> None:
        if callback is not None:
            callback(change)

    plane, of_plane = _plane(both, method, random_state, step)
    verdict, of_verdict = None, tuple[str, ...]()
    if y is not None and y_new is not None and len(np.unique(both.y)) > 1:
        verdict, of_verdict = _verdict(both, method, random_state, step)
    return replace(change, plane=plane, verdict=verdict, notes=(*notes, *of_plane, *of_verdict))


@dataclass(frozen=True, eq=False)
class _Both:
    """The compared rows of both lots, the first before the new."""

    X: FloatArray
    y: IntArray
    is_new: Lots
    groups: IntArray | None

    @property
    def residuals(self) -> FloatArray:
        """Standardized features less the mean of their class, with variance 1 or 0."""
        away = centered_within(self.X, self.y)
        spread = away.std(axis=0)
        varies = spread > 1e-9 * np.maximum(self.X.std(axis=0), np.finfo(float).tiny)
        values: FloatArray = np.where(varies, away / np.where(varies, spread, 1.0), 0.0)
        return values

    @property
    def units(self) -> IntArray:
        """Groups, or rows where these are independent, of which `Study` then looks for none."""
        return np.arange(len(self.y)) if self.groups is None else self.groups

    def take(self, rows: IntArray) -> _Both:
        groups = None if self.groups is None else self.groups[rows]
        return _Both(self.X[rows], self.y[rows], self.is_new[rows], groups)


def _in_order_of(X: Any, X_new: Any) -> Any:
    """The new rows with the columns of the first, by name where both have names."""
    names, new_names = (
        list(each.columns) if hasattr(each, "columns") else None for each in (X, X_new)
    )
    if names is None or new_names is None or names == new_names:
        return X_new
    lacking = [str(name) for name in names if name not in new_names]
    others = [str(name) for name in new_names if name not in names]
    if lacking or others or len(set(names)) < len(names):
        problem = f"lacks {lacking[0]}" if lacking else f"has {[*others, 'a name twice'][0]}"
        raise UserError(
            f"The columns of the lots have different names: the new one {problem}. Give both the "
            "same columns."
        )
    return X_new[names]


def _compared(
    X: Any, X_new: Any, labels: tuple[Any, Any], of_groups: tuple[Any, Any], seed: int
) -> tuple[_Both, tuple[str, ...]]:
    """The rows that can be compared, and what was done for it."""
    (y, y_new), (groups, groups_new) = labels, of_groups
    X_new = _in_order_of(X, X_new)
    first, new = (check_array(each, dtype=np.float64) for each in (X, X_new))
    if first.shape[1] != new.shape[1]:
        raise UserError(
            f"The first lot has {first.shape[1]:,} features and the new one {new.shape[1]:,}. Give "
            "both the same columns in the same order."
        )
    if y is None and y_new is not None:
        raise UserError("Labels are given of the new lot only. Give those of the first as well.")
    stacked = np.vstack([first, new])
    check_magnitudes(stacked)
    is_new = np.arange(len(stacked)) >= len(first)
    of_rows = _groups_of_both(groups, groups_new, len(is_new))
    both = _Both(stacked, np.zeros(len(stacked), dtype=np.int64), is_new, of_rows)
    if y is None:
        return both, ()
    if y_new is None:
        return replace(both, y=_predicted(both, y, seed)), (_PREDICTED,)
    of_both = np.concatenate([np.asarray(y), np.asarray(y_new)])
    if of_both.shape != is_new.shape:
        raise UserError(
            f"{len(of_both):,} labels are given for {len(is_new):,} rows. Give one for each row."
        )
    classes, codes = np.unique(of_both, return_inverse=True)
    in_both = np.array([len(np.unique(is_new[codes == c])) == 2 for c in range(len(classes))])
    if not in_both.any():
        raise UserError(
            "The lot coincides with the class: no class has rows of both lots, so a change of the "
            "lot cannot be told from a difference of the classes. Add rows of a class to the lot "
            "that has none of it."
        )
    rows = np.flatnonzero(in_both[codes])
    left_out = ", ".join(map(str, classes[~in_both].tolist()))
    notes = (f"Left out, as only one lot has them: {left_out}.",) if left_out else ()
    return replace(both, y=codes.astype(np.int64)).take(rows), notes


def _groups_of_both(groups: Any, groups_new: Any, n_rows: int) -> IntArray | None:
    """Codes of the groups of all rows, the first lot before the new one; None without groups."""
    if groups is None and groups_new is None:
        return None
    if groups is not None and groups_new is None and len(groups) == n_rows:
        return group_codes(groups, n_rows)
    if groups is None or groups_new is None:
        raise UserError("Groups are given of one lot only. Give those of both, or of none.")
    return group_codes(np.concatenate([np.asarray(groups), np.asarray(groups_new)]), n_rows)


def _predicted(both: _Both, y: Any, seed: int) -> IntArray:
    """Strata of all rows alike: by a fold that has not the row, nor its group.

    Where another mixture of classes is all that differs, the lot depends on a row only by the
    probabilities of its classes. So rows of a predicted class are of one stratum only if the new
    mixture makes them about equally more frequent (subclasses by the propensity score).
    """
    n_first = int((~both.is_new).sum())
    groups = None if both.groups is None else both.groups[:n_first]
    labeled = coded_rows(both.X[:n_first], y, groups)
    standardized = Standardization.fit(both.X).apply(both.X)
    n_scores = min(_MOST_PREDICTING, n_first // 3)
    if 0 < n_scores < both.X.shape[1]:
        left, lengths, _ = randomized_svd(standardized, n_scores, random_state=0)
        standardized = left * lengths
    folds = stratified_folds(labeled.y, _FOLDS, seed, groups)
    of_unit = np.random.default_rng(seed).integers(len(folds), size=int(both.units.max()) + 1)
    fold_of = of_unit[both.units]
    for number, fold in enumerate(folds):
        fold_of[fold.test] = number
        if both.groups is not None:  # new rows of a group of the first lot
            fold_of[np.isin(both.groups, both.groups[fold.test])] = number
    shares = np.zeros((len(both.y), len(labeled.classes)))
    for number, fold in enumerate(folds):
        rule = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        rule.fit(standardized[fold.train], labeled.y[fold.train])
        rows = fold_of == number
        if rows.any():
            shares[rows] = rule.predict_proba(standardized[rows])
    predicted: IntArray = shares.argmax(axis=1)
    if both.groups is not None:
        return predicted
    more_frequent = np.log(shares @ _mixture_ratios(shares, labeled.y, both.is_new))
    steps = np.round(more_frequent / _STEP).astype(np.int64)
    of_rows = np.stack([predicted, steps])
    strata: IntArray = np.unique(of_rows, axis=1, return_inverse=True)[1].reshape(-1)
    return strata


def _mixture_ratios(shares: FloatArray, y: IntArray, is_new: Lots) -> FloatArray:
    """Of each class: its share of the new rows, by their probabilities, over that of the first."""
    before = np.bincount(y) / len(y)
    ratios = np.ones(len(before))
    for _ in range(_MIXTURE_STEPS):
        likely = shares[is_new] * ratios
        ratios = (likely / likely.sum(axis=1, keepdims=True)).mean(axis=0) / before
    return np.maximum(ratios, 1e-3)


def _blocks(both: _Both) -> tuple[Block, ...]:
    """Return the blocks of rows that are exchanged between the lots.

    Rows of a class or, with groups, groups of the same classes as a whole, and rows of a class
    within groups of both lots.
    """
    lot = both.is_new.astype(np.int64)
    if both.groups is None:
        return tuple(_within(lot, np.flatnonzero(both.y == c)) for c in np.unique(both.y))
    members = group_members(both.groups)
    varies = np.array([len(np.unique(lot[rows])) > 1 for rows in members])
    strata = group_strata(both.y, both.groups)
    blocks: list[Block] = []
    for stratum in np.unique(strata[~varies]):
        whole = np.flatnonzero((strata == stratum) & ~varies)
        rows = np.sort(np.concatenate([members[each] for each in whole]))
        blocks += [
            replace(block, rows=rows[block.rows])
            for block in exchangeable_blocks(lot[rows], both.groups[rows])
        ]
    for number in np.flatnonzero(varies):
        rows = members[number]
        blocks += [_within(lot, rows[both.y[rows] == c]) for c in np.unique(both.y[rows])]
    return tuple(blocks)


def _smallest_p_value(blocks: Sequence[Block]) -> float:
    return 1 / count_permutations(blocks)  # of whole numbers: of many rows the count is no float


def _within(lot: IntArray, rows: IntArray) -> Block:
    return Block(rows, np.arange(len(rows)), lot[rows])


def _judged(both: _Both, blocks: tuple[Block, ...], n_permutations: int, seed: int) -> LotChange:
    """The p-value and the features, by the same permutations."""
    values = both.residuals
    spreads = centered_within(np.abs(values), both.y)
    codes = np.unique(both.y, return_inverse=True)[1]
    observed = both.is_new.astype(np.int64)
    lots = np.vstack([observed, *random_permutations(blocks, n_permutations, seed)])
    indicators = centered_within(lots.T.astype(np.float64), codes).T
    # Each column is a statistic in standard deviations over the permutations.
    by_mean = standardized_draws(indicators @ values)
    by_spread = standardized_draws(indicators @ spreads)
    by_class = np.zeros(len(lots))
    for code in range(int(codes.max()) + 1):
        draws = standardized_draws(indicators[:, codes == code] @ values[codes == code])
        by_class += np.square(draws).sum(axis=1)
    n_scores = min(_MOST_SCORES, values.shape[1], max(1, len(values) // 10))
    left, lengths, _ = randomized_svd(values, n_scores, random_state=0)
    by_score = standardized_draws(indicators @ (left * (lengths > 1e-9 * lengths[0])))
    statistics = np.stack(
        [
            np.square(by_mean).sum(axis=1),
            np.abs(by_mean).max(axis=1),
            by_class,
            np.square(by_score).sum(axis=1),
            np.square(by_spread).sum(axis=1),
        ]
    )
    n_exceeding = _exceeding(statistics)
    # The smallest p-value of any statistic, and of equal ones the smaller product of all.
    most = len(statistics) * np.log(len(lots)) + 1.0
    combined = most * n_exceeding.min(axis=0) + np.log(n_exceeding).sum(axis=0)
    p = p_value(int((combined[1:] <= combined[0] + 1e-9).sum()), n_permutations)
    p = max(p, _smallest_p_value(blocks))
    of_features = np.maximum(np.abs(by_mean), np.abs(by_spread))
    drawn = np.sort(of_features[1:], axis=None)
    as_large = len(drawn) - np.searchsorted(drawn, of_features[0] * (1.0 - 1e-9), side="left")
    of_each = (as_large + 1.0) / (len(drawn) + 1.0)
    order = np.argsort(-of_features[0], kind="stable")
    shift, ratio = _effects(both)
    return LotChange(
        p_value=p,
        n_permutations=n_permutations,
        features=order,
        shifts=shift,
        spreads=ratio,
        q_values=false_discovery_control(of_each),
    )


def standardized_draws(drawn: FloatArray) -> FloatArray:
    """Statistics over their standard deviation over the permutations; 0 where they never vary.

    The observed statistic counts as one of them: scaled without itself it would be too large.
    """
    spread = drawn.std(axis=0)
    solid = spread > 1e-9
    values: FloatArray = np.where(solid, drawn / np.where(solid, spread, 1.0), 0.0)
    return values


def _exceeding(statistics: FloatArray) -> IntArray:
    """Count the values of its statistic that are at least as large as each one, itself included."""
    ordered = np.sort(statistics, axis=1)
    return np.stack(
        [
            len(row) - np.searchsorted(row, values * (1.0 - 1e-9), side="left")
            for row, values in zip(ordered, statistics, strict=True)
        ]
    )


def _effects(both: _Both) -> tuple[FloatArray, FloatArray]:
    """Shifts of the new rows in deviations of the first lot within classes, and ratios of these."""
    n_features = both.X.shape[1]
    shift, weights = np.zeros(n_features), 0.0
    squares, pooled = np.zeros((2, n_features)), 0.0
    residual, freedom = np.zeros(n_features), 0
    for c in np.unique(both.y):
        first, new = (both.X[(both.y == c) & (both.is_new == lot)] for lot in (False, True))
        if len(first):
            residual += np.square(first - first.mean(axis=0)).sum(axis=0)
            freedom += len(first) - 1
        if not len(first) or not len(new):
            continue
        weight = len(first) * len(new) / (len(first) + len(new))
        shift += weight * (new.mean(axis=0) - first.mean(axis=0))
        weights += weight
        if min(len(first), len(new)) > 1:
            squares += weight * np.stack([part.var(axis=0, ddof=1) for part in (first, new)])
            pooled += weight
    rounding = _ROUNDING * np.abs(both.X).max(axis=0)
    deviation = np.sqrt(residual / max(freedom, 1))
    before, after = np.sqrt(squares / max(pooled, 1e-9))
    shifts = in_units(shift / max(weights, 1e-9), deviation, rounding, equal=0.0)
    return shifts, in_units(after, before, rounding, equal=1.0)


def _plane(
    both: _Both, method: MethodLike, seed: int, step: RefitsCallback
) -> tuple[LotPlane, tuple[str, ...]]:
    """The plane of the method with the lot as label, in features less the mean of their class.

    And what is to be said of its folds.
    """
    values = both.residuals
    lots = both.is_new.astype(np.int64)
    study = Study(method, values, lots, groups=both.units, random_state=seed)
    fitted = study.fitted()
    held_out, notes = None, tuple[str, ...]()
    if units_of_classes(lots, both.groups).min() >= _FEWEST_OF_A_LOT:
        refits = Refits.of(study, whole=fitted, callback=step)
        held_out, notes = refits.share, refits.notes
    return LotPlane(fitted.components, fitted.transform(values), both.is_new, held_out), notes


def _verdict(
    both: _Both, method: MethodLike, seed: int, step: RefitsCallback
) -> tuple[NewVerdict | None, tuple[str, ...]]:
    """The plane of the first lot on the new one, and what is to be said of its folds.

    None where folds of the first do not exist.
    """
    first, new = both.take(np.flatnonzero(~both.is_new)), both.take(np.flatnonzero(both.is_new))
    codes = np.unique(both.y, return_inverse=True)[1]
    y, y_new = codes[~both.is_new], codes[both.is_new]
    try:
        study = Study(method, first.X, y, groups=first.units, random_state=seed)
        before = Refits.of(study, callback=step)
    except UserError:
        return None, ()
    predicted = before.predict(new.X)
    verdict = NewVerdict(
        share=balanced_share(predicted == y_new, y_new),
        share_before=before.share.balanced_accuracy,
        p_value=held_out_p_value(y_new, predicted, groups=new.groups, random_state=seed),
        n_classes=len(np.unique(codes)),
    )
    return verdict, before.notes

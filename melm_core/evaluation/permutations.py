"""How often chance alone separates the classes as well.

The whole fit is repeated under shuffled labels: the share of shuffles that
reach the observed statistic is the p-value. Nothing is assumed of the data
but that under the null hypothesis the labels could stand in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer
from melm_core.evaluation.folds import coded_rows, sampled_rows
from melm_core.evaluation.label_permutations import (
    count_permutations,
    other_permutations,
    random_permutations,
)
from melm_core.evaluation.permutation_statistics import STATISTICS
from melm_core.evaluation.refitting import MethodLike, make_estimator, map_in_order
from melm_core.evaluation.sequential_p_value import (
    DEFAULT_RISK,
    EarlyEnd,
    early_end,
    p_value,
    p_value_bounds,
)

# (unfitted estimator, X, class codes) -> a figure that grows with separation.
Statistic: TypeAlias = Callable[[Any, FloatArray, IntArray], float]

# Values that differ by less, relative to the observed one, are ties: the same
# rows in another order may round differently.
_TIE = 1e-9


@dataclass(frozen=True)
class PermutedValue:
    """The statistic under one shuffle of the labels, and what is known by then.

    Attributes
    ----------
    number, n_permutations : int
        Which shuffle, counted from 1, and how many there are if none is saved.
    value, observed : float
        The statistic under this shuffle and under the labels as they are.
    n_exceeding : int
        Shuffles so far whose value is at least the observed one.
    p_value : float
        (n_exceeding + 1) / (number + 1).
    lower, upper : float
        Bounds of the final p-value, see `melm_core.evaluation.sequential_p_value.p_value_bounds`.
    """

    number: int
    n_permutations: int
    value: float
    observed: float
    n_exceeding: int
    p_value: float
    lower: float
    upper: float


# A true return stops the test; what was drawn so far counts.
PermutationCallback: TypeAlias = Callable[[PermutedValue], bool | None]


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """A p-value and the values it rests on.

    Attributes
    ----------
    observed : float
        The statistic under the labels as they are.
    values : ndarray of shape (n_drawn,)
        The statistic under each shuffle, in the order drawn.
    p_value : float
        Exact if `is_exhaustive`.
    n_permutations : int
        Shuffles there would have been without an early end.
    early : EarlyEnd or None
        The answer that ended the drawing early.
    is_exhaustive : bool
        Whether every order of the labels was taken, because there are so few.
    n_samples, n_used : int
        Rows there are, and rows that the test was made on.
    """

    observed: float
    values: FloatArray
    p_value: float
    n_permutations: int
    early: EarlyEnd | None
    is_exhaustive: bool
    n_samples: int
    n_used: int

    @property
    def n_exceeding(self) -> int:
        """Shuffles whose value is at least the observed one."""
        return int(_reaches(self.values, self.observed).sum())


def permutation_test(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    statistic: Literal["held_out", "in_sample"] | Statistic = "held_out",
    n_permutations: int = 999,
    level: float | None = 0.05,
    parameters: Mapping[str, Any] | None = None,
    standardize: bool = True,
    max_rows: int = 1_000,
    random_state: int = 0,
    n_jobs: int | None = None,
    callback: PermutationCallback | None = None,
) -> PermutationTest:
    """Permutation test of the separation that a method finds, by full refits.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an unfitted estimator with fit(X, y) and transform(X).
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    statistic : "held_out", "in_sample" or callable, default="held_out"
        The words stand for the probability that the class densities in the
        plane give to the own class of test rows, over 5 folds: the plane is
        refitted in each fold, or fitted to all rows, see
        `melm_core.evaluation.permutation_statistics`. A callable takes
        (estimator, X, y) with class codes, grows with separation and is picklable.
    n_permutations : int, default=999
        Shuffles; if there are no more orders of the labels than that, each of
        them is taken once and the p-value is exact.
    level : float in (0, 1) or None, default=0.05
        End early once it is clear whether p is above or below this level, see
        `melm_core.evaluation.sequential_p_value`; None to draw all. An early end for significance
        errs with probability 0.001 at most, one against it never.
    parameters : mapping or None
        Of the method.
    standardize : bool, default=True
        Whether to standardize the features by the rows a plane is fitted to.
    max_rows : int, default=1000
        Above that the test is made on an even share of every class.
    random_state : int, default=0
    n_jobs : int or None, default=None
        Shuffles at the same time, in processes. The result does not depend on it.
    callback : callable, default=None
        Given a `PermutedValue` after every shuffle; a true return stops.

    Raises
    ------
    ValueError
        If a parameter or the data break a rule; the message names both.
    """
    _check(statistic, n_permutations, level)
    rows = coded_rows(X, y)
    sample = sampled_rows(rows.y, max_rows)
    X, codes = rows.X[sample], rows.y[sample]
    estimator = make_estimator(method, parameters, random_state)
    function = _statistic(statistic, standardize)
    of_labels = partial(function, estimator, X)
    observed = next(map_in_order(of_labels, [codes], None))
    orders, n_planned, is_exhaustive = _orders(codes, n_permutations, random_state)
    draws = map_in_order(of_labels, orders, n_jobs)
    stops_at = None if is_exhaustive else level
    values, early = _drawn(draws, observed, n_planned, stops_at, callback)
    return PermutationTest(
        observed=observed,
        values=values,
        p_value=_final_p_value(values, observed, early),
        n_permutations=n_planned,
        early=early,
        is_exhaustive=is_exhaustive and len(values) == n_planned,
        n_samples=len(rows.y),
        n_used=len(sample),
    )


def _check(statistic: Any, n_permutations: Any, level: Any) -> None:
    if not callable(statistic):
        check_choice("statistic", statistic, tuple(STATISTICS))
    check_integer("n_permutations", n_permutations, minimum=1)
    if level is not None and not 0 < level < 1:
        raise UserError(f"level={level!r} must lie between 0 and 1; None draws every permutation.")


def _statistic(statistic: Any, standardize: bool) -> Statistic:
    if callable(statistic):
        chosen: Statistic = statistic
        return chosen
    return partial(STATISTICS[statistic], standardize=standardize)


def _orders(
    y: IntArray, n_permutations: int, random_state: int
) -> tuple[Iterator[IntArray], int, bool]:
    """Orders of the labels to take, how many they are, and whether they are all other ones."""
    n_others = count_permutations(y) - 1
    if n_others <= n_permutations:
        return other_permutations(y), n_others, True
    return random_permutations(y, n_permutations, random_state), n_permutations, False


def _drawn(
    draws: Iterator[float],
    observed: float,
    n_planned: int,
    level: float | None,
    callback: PermutationCallback | None,
) -> tuple[FloatArray, EarlyEnd | None]:
    """The values until the answer is clear, and the answer if it came early."""
    values: list[float] = []
    n_exceeding = 0
    for value in draws:
        values.append(value)
        n_exceeding += int(_reaches(value, observed))
        drawn = len(values)
        if callback is not None and callback(
            _permuted_value(value, observed, n_exceeding, drawn, n_planned)
        ):
            break
        if level is None or drawn == n_planned:
            continue
        if early := early_end(n_exceeding, drawn, n_planned, level=level):
            return np.array(values), early
    return np.array(values), None


def _permuted_value(
    value: float, observed: float, n_exceeding: int, drawn: int, n_planned: int
) -> PermutedValue:
    lower, upper = p_value_bounds(n_exceeding, drawn, DEFAULT_RISK)
    return PermutedValue(
        number=drawn,
        n_permutations=n_planned,
        value=value,
        observed=observed,
        n_exceeding=n_exceeding,
        p_value=p_value(n_exceeding, drawn),
        lower=lower,
        upper=upper,
    )


def _reaches(values: Any, observed: float) -> Any:
    return np.asarray(values) >= observed - _TIE * abs(observed)


def _final_p_value(values: FloatArray, observed: float, early: EarlyEnd | None) -> float:
    n_exceeding = int(_reaches(values, observed).sum())
    if early is EarlyEnd.NOT_SIGNIFICANT:
        return n_exceeding / len(values)
    return p_value(n_exceeding, len(values))

"""Permutation test of the separation that a method achieves.

The complete fit is repeated with permuted labels; the p-value is the share of
permutations that reach the observed statistic. The only assumption is that the
labels are exchangeable under the null hypothesis: those of all rows or, given
groups, those that `melm_core.base.label_permutations` exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from melm_core.answers.sequential_p_value import (
    DEFAULT_RISK,
    EarlyEnd,
    early_end,
    p_value,
    p_value_bounds,
)
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer
from melm_core.base.label_permutations import (
    PermutationDesign,
    design_of,
    exchangeable_blocks,
    other_permutations,
    random_permutations,
)
from melm_core.evaluation.permutation_statistics import STATISTICS
from melm_core.evaluation.refitting import map_in_order
from melm_core.evaluation.study import Study
from melm_core.folds.folds import sampled_rows

# Gives a number that increases with separation.
Statistic: TypeAlias = Callable[[Study], float]

# Values within this relative distance of the observed one are ties: rounding may depend on the
# order of the rows.
_TIE = 1e-9


@dataclass(frozen=True)
class PermutedValue:
    """The statistic of one permutation, and the state of the test after it.

    Attributes
    ----------
    number, n_permutations : int
        Number of the permutation, from 1, and number of permutations without
        early stopping.
    value, observed : float
        The statistic for the permuted and for the observed labels.
    n_exceeding : int
        Permutations so far whose value is at least the observed one.
    p_value : float
        (n_exceeding + 1) / (number + 1).
    lower, upper : float
        Bounds of the final p-value; see
        `melm_core.answers.sequential_p_value.p_value_bounds`.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import Study, permutation_test
    >>> study = Study("pca", *pure_noise(n_rows=12, n_features=2, n_classes=2))
    >>> drawn = []
    >>> test = permutation_test(study, n_permutations=3, level=None, callback=drawn.append)
    >>> [value.number for value in drawn]
    [1, 2, 3]
    """

    number: int
    n_permutations: int
    value: float
    observed: float
    n_exceeding: int
    p_value: float
    lower: float
    upper: float


# A true return value stops the test and keeps the permutations drawn so far.
PermutationCallback: TypeAlias = Callable[[PermutedValue], bool | None]


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The result of a permutation test.

    Attributes
    ----------
    observed : float
        The statistic for the observed labels.
    values : ndarray of shape (n_drawn,)
        The statistic for each permutation, in the order drawn.
    p_value : float
        Exact if `is_exhaustive`.
    n_permutations : int
        Number of permutations without early stopping.
    early : EarlyEnd or None
        The decision that stopped the test early.
    is_exhaustive : bool
        Whether every distinct permutation of the labels was evaluated.
    n_samples, n_used : int
        Number of rows, and number of rows in the stratified sample used.
    design : PermutationDesign
        Which labels were exchanged, and the smallest p-value that this allows.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import Study, permutation_test
    >>> study = Study("pca", *pure_noise(n_features=3))
    >>> test = permutation_test(study, n_permutations=9, level=None)
    >>> test.p_value == (test.n_exceeding + 1) / 10
    True
    """

    observed: float
    values: FloatArray
    p_value: float
    n_permutations: int
    early: EarlyEnd | None
    is_exhaustive: bool
    n_samples: int
    n_used: int
    design: PermutationDesign

    @property
    def n_exceeding(self) -> int:
        """Number of permutations whose value is at least the observed one."""
        return int(_reaches(self.values, self.observed).sum())


def permutation_test(
    study: Study,
    *,
    statistic: Literal["held_out", "in_sample", "held_out_accuracy"] | Statistic = "held_out",
    n_permutations: int = 999,
    level: float | None = 0.05,
    max_rows: int = 1_000,
    n_jobs: int | None = None,
    callback: PermutationCallback | None = None,
) -> PermutationTest:
    """Permutation test of the separation that a method achieves, with full refits.

    Parameters
    ----------
    study : Study
        Rows in memory. Groups whose rows have the same label exchange it as a whole; where labels
        differ within a group, they are permuted within it.
    statistic : "held_out", "in_sample", "held_out_accuracy" or callable, default="held_out"
        The first two are the mean posterior probability of the true class in cross-validation with
        `n_test_folds` folds, of planes that are refitted in each and of one plane; the third is the
        balanced accuracy of the classes named in these folds. A callable takes a `Study`, increases
        with separation, and must be picklable.
    n_permutations : int, default=999
        If the labels have no more distinct permutations than this, each is
        evaluated once and the p-value is exact.
    level : float in (0, 1) or None, default=0.05
        Stop as soon as it is clear whether p is above or below this level; see
        `melm_core.answers.sequential_p_value`. None draws all permutations.
        Stopping early for significance errs with probability at most 0.001;
        stopping early against it never errs.
    max_rows : int, default=1000
        Above this, the test uses a stratified sample of the rows.
    n_jobs : int or None, default=None
        Number of permutations evaluated in parallel. The result does not
        depend on it.
    callback : callable, default=None
        Called with a `PermutedValue` after every permutation; a true return
        value stops the test.

    Returns
    -------
    PermutationTest

    Raises
    ------
    ValueError
        If a parameter or the data are invalid.

    References
    ----------
    B. Phipson, G. K. Smyth: Permutation P-values Should Never Be Zero,
    Statistical Applications in Genetics and Molecular Biology 9, 2010.
    A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith:
    Multi-level Block Permutation, NeuroImage 123, 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import permutation_test
    >>> from melm_core.evaluation import Study
    >>> study = Study("lda", *load_iris(return_X_y=True))
    >>> permutation_test(study, n_permutations=19, level=None).p_value
    0.05
    """
    _check(statistic, n_permutations, level)
    rows = study.rows_in_memory
    sample = sampled_rows(rows.y, max_rows, rows.groups)
    used = study.take(sample)
    codes, kept_together = used.rows.y, used.rows.groups
    design = design_of(codes, kept_together, by_name=callable(statistic))
    function = statistic if callable(statistic) else STATISTICS[statistic]
    of_labels = partial(_value, function, used)
    observed = next(map_in_order(of_labels, [codes], None))
    is_exhaustive = design.n_distinct - 1 <= n_permutations
    n_planned = design.n_distinct - 1 if is_exhaustive else n_permutations
    blocks = exchangeable_blocks(codes, kept_together)
    permutations = (
        other_permutations(blocks)
        if is_exhaustive
        else random_permutations(blocks, n_permutations, study.random_state)
    )
    draws = map_in_order(of_labels, permutations, n_jobs)
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
        design=design,
    )


def _check(statistic: Any, n_permutations: Any, level: Any) -> None:
    if not callable(statistic):
        check_choice("statistic", statistic, tuple(STATISTICS))
    check_integer("n_permutations", n_permutations, minimum=1)
    if level is not None and not 0 < level < 1:
        raise UserError(
            f"level={level!r} must be between 0 and 1, or None to draw all permutations."
        )


def _value(statistic: Statistic, study: Study, y: IntArray) -> float:
    return statistic(study.with_labels(y))


def _drawn(
    draws: Iterator[float],
    observed: float,
    n_planned: int,
    level: float | None,
    callback: PermutationCallback | None,
) -> tuple[FloatArray, EarlyEnd | None]:
    """The values until a decision is possible, and the decision if the test stopped early."""
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

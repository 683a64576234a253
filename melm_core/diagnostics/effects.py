"""Effects of the factors of a designed experiment: shares of the variation, and p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_array

from melm_core.answers import p_value
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, nuisance_codes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.linalg.class_moments import class_means
from melm_core.recipe import centered_within

_ROUNDING = 1e-9


@dataclass(frozen=True)
class FactorEffect:
    """Effect of a factor, or of several together beyond those of each.

    Attributes
    ----------
    factors : tuple of str
        One name, or those whose interaction it is.
    share : float
        Of the variation of the rows, or of that within subjects.
    n_parameters : int
        Degrees of freedom.
    p_value : float
        Of permutations; nan where nothing is left to compare with.

    Examples
    --------
    >>> from melm_core.diagnostics import FactorEffect
    >>> FactorEffect(("dose", "day"), 0.04, 2, 0.31).factors
    ('dose', 'day')
    """

    factors: tuple[str, ...]
    share: float
    n_parameters: int
    p_value: float


@dataclass(frozen=True)
class FactorEffects:
    """The effects of the factors of an experiment.

    Attributes
    ----------
    effects : tuple of FactorEffect
        Factors first, then interactions.
    residual : float
        Share of the variation that is left.
    between : float
        Share of all variation that lies between subjects; 0 without subjects.
    n_permutations : int

    Notes
    -----
    A share grows with the parameters of a factor, by chance as well: one of as many levels as rows
    explains all. So read it beside `p_value`. Where a design is not balanced, shares of type III do
    not add up to 1. Without `subjects`, rows of one subject are taken for independent ones, and
    what differs between subjects for an effect of the factor that goes with them.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import FactorEffects
    >>> dose, day = np.arange(24) % 3, np.arange(24) // 3 % 2
    >>> X = np.random.default_rng(1).normal(size=(24, 4)) + 2.0 * dose[:, None]
    >>> found = FactorEffects.of(X, {"dose": dose, "day": day})
    >>> [(one.factors, one.p_value <= 0.05) for one in found.effects]
    [(('dose',), True), (('day',), False), (('dose', 'day'), False)]
    """

    effects: tuple[FactorEffect, ...]
    residual: float
    between: float
    n_permutations: int

    @classmethod
    def of(
        cls,
        X: Any,
        factors: Mapping[str, Any],
        *,
        subjects: Any = None,
        order: int = 2,
        n_permutations: int = 199,
        random_state: int = 0,
        callback: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Share of the variation that each factor and interaction explains, and whether by chance.

        The variation is that of ANOVA-simultaneous component analysis, with sums of squares of type
        III, so that designs need not be balanced. For a p-value, residuals without the effect are
        permuted: those of all rows or, with subjects, of the means of what the factors of the
        effect tell apart in each subject, within that subject.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Prepared: scaled as the features are to count.
        factors : mapping of str to array-like of shape (n_samples,)
            The level of each row.
        subjects : array-like of shape (n_samples,), optional
            Whose rows are compared with each other; what differs between them is subtracted first.
        order : int, default=2
            The most factors of an interaction.
        n_permutations : int, default=199
        random_state : int, default=0
        callback : callable, optional
            Called after each effect with how many are done and how many there are.
            Without interactions that the design does not show, as where combinations are missing.

        Raises
        ------
        ValueError
            If a factor cannot be told from the others, or does not vary within subjects.

        References
        ----------
        M. Thiel, B. Feraud, B. Govaerts: ASCA+ and APCA+: Extensions of ASCA and APCA in the
        Analysis of Unbalanced Multifactorial Designs, Journal of Chemometrics 31, 2017.
        M. J. Anderson, C. J. F. ter Braak: Permutation Tests for Multi-Factorial Analysis of
        Variance, Journal of Statistical Computation and Simulation 73, 2003.
        """
        check_integer("n_permutations", n_permutations, minimum=1)
        check_integer("order", order, minimum=1)
        X = check_array(X, dtype=np.float64)
        codes = {name: nuisance_codes(values, len(X)) for name, values in factors.items()}
        of_subjects = None if subjects is None else group_codes(subjects, len(X))
        terms = _terms(codes, order, of_subjects)
        scores = _scores(X, of_subjects)
        total = _squares(X - X.mean(axis=0))
        left, intercept = _left(scores, list(terms.values()))
        own_total = _squares(scores - intercept) if of_subjects is None else _squares(scores)
        design, effects = _Design(terms, codes, scores, of_subjects), []
        for done, (names, columns) in enumerate(terms.items(), 1):
            others = [term for other, term in terms.items() if other != names]
            share = (_left(scores, others)[0] - left) / own_total
            stream = np.random.default_rng([random_state, done])
            p = design.p_value(names, stream, n_permutations)
            effects.append(FactorEffect(names, float(share), columns.shape[1], p))
            if callback is not None:
                callback(done, len(terms))
        return cls(
            tuple(effects),
            residual=left / own_total,
            between=0.0 if of_subjects is None else 1.0 - own_total / total,
            n_permutations=n_permutations,
        )


_Terms = dict[tuple[str, ...], FloatArray]


def _terms(codes: Mapping[str, IntArray], order: int, subjects: IntArray | None) -> _Terms:
    """The columns of each factor, deviations from the mean of its levels, and of interactions."""
    mains = {name: _deviations(values) for name, values in codes.items()}
    terms: _Terms = {}
    for size in range(1, min(order, len(mains)) + 1):
        for names in combinations(mains, size):
            columns = mains[names[0]]
            for name in names[1:]:
                columns = (columns[:, :, None] * mains[name][:, None]).reshape(len(columns), -1)
            if subjects is not None:
                columns = centered_within(columns, subjects)
            if _rank([*terms.values(), columns]) - _rank([*terms.values()]) == columns.shape[1] > 0:
                terms[names] = columns
            elif size == 1:
                raise UserError(
                    f"Factor {names[0]!r} cannot be told from the subjects or from the factors "
                    f"before it ({', '.join(map(repr, mains))}). Leave it out."
                )
    return terms


def _deviations(codes: IntArray) -> FloatArray:
    n_levels = int(codes.max()) + 1
    coding: FloatArray = np.vstack([np.eye(n_levels - 1), -np.ones(n_levels - 1)])
    return coding[codes]


def _rank(blocks: list[FloatArray]) -> int:
    if not blocks:
        return 0
    columns = np.hstack([np.ones((len(blocks[0]), 1)), *blocks])
    return int(np.linalg.matrix_rank(columns)) - 1


def _scores(X: FloatArray, subjects: IntArray | None) -> FloatArray:
    """The rows in fewer columns, with all of their distances."""
    rows = X if subjects is None else centered_within(X, subjects)
    left, values, _ = np.linalg.svd(rows, full_matrices=False)
    scores: FloatArray = left * values
    return scores


def _left(scores: FloatArray, blocks: list[FloatArray]) -> tuple[float, FloatArray]:
    """The sum of squares that columns leave, and the mean of what they explain."""
    columns = np.hstack([np.ones((len(scores), 1)), *blocks])
    coefficients = np.linalg.lstsq(columns, scores, rcond=None)[0]
    return _squares(scores - columns @ coefficients), coefficients[0]


@dataclass(frozen=True, eq=False)
class _Design:
    """The terms of a design and the rows: scores, less the mean of their subject."""

    terms: _Terms
    codes: Mapping[str, IntArray]
    scores: FloatArray
    subjects: IntArray | None

    def p_value(
        self, names: tuple[str, ...], stream: np.random.Generator, n_permutations: int
    ) -> float:
        """Of an effect: residuals without it are permuted; nan if nothing else is left of them."""
        scores, terms, blocks = self._rows_of(names)
        without = [
            np.ones((len(scores), 1)),
            *(term for other, term in terms.items() if other != names),
        ]
        reduced, full = _basis(without), _basis([*without, terms[names]])
        n_means = 0 if self.subjects is None else len(np.unique(blocks)) - 1
        if len(scores) <= full.shape[1] + n_means:
            return float("nan")
        rest = scores - reduced @ (reduced.T @ scores)

        def explained(residuals: FloatArray) -> float:
            with_effect = _squares(full.T @ residuals)
            unexplained = _squares(residuals) - with_effect
            gained = with_effect - _squares(reduced.T @ residuals)
            return gained / max(unexplained, _ROUNDING * _squares(residuals))

        observed = explained(rest) * (1.0 - _ROUNDING)
        places = np.argsort(np.argsort(blocks, kind="stable"), kind="stable")
        orders = (np.lexsort([stream.random(len(rest)), blocks]) for _ in range(n_permutations))
        n_exceeding = sum(explained(rest[order][places]) >= observed for order in orders)
        return p_value(n_exceeding, n_permutations)

    def _rows_of(self, names: tuple[str, ...]) -> tuple[FloatArray, _Terms, IntArray]:
        """The rows that an effect is tested on, their terms, and within what they are permuted.

        With subjects these are means, so that what rows of an occasion share is no effect.
        """
        subjects = self.subjects
        if subjects is None:
            return self.scores, self.terms, np.zeros(len(self.scores), dtype=np.int64)
        told = np.column_stack([subjects, *(self.codes[name] for name in names)])
        _, first, cell = np.unique(told, axis=0, return_index=True, return_inverse=True)
        blocks, rows = subjects[first], class_means(self.scores, cell.reshape(-1))
        terms = {
            factors: centered_within(term[first], blocks)
            for factors, term in self.terms.items()
            if set(factors) <= set(names)
        }
        return centered_within(rows, blocks), terms, blocks


def _basis(columns: list[FloatArray]) -> FloatArray:
    """An orthonormal basis of what columns span."""
    left, values, _ = np.linalg.svd(np.hstack(columns), full_matrices=False)
    basis: FloatArray = left[:, values > _ROUNDING * values[0]]
    return basis


def _squares(values: FloatArray) -> float:
    return float((values**2).sum())

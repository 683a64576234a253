"""Sets of classes that hold the true one as often as promised, and may be empty.

Each row has a nonconformity with each class, by a fit that was made without it: minus the logarithm
of the share of that class among the densities of all classes and of a background, which is as dense
as the classes are at their last row in a hundred. Off a plane all classes get thinner. So a class
is strange to a row that another class fits better, and all classes are to one that lies far from
them. A class is in the set of a new row unless the row is stranger to it than all but a share
1 - coverage of its own rows are (cross-conformal prediction, class by class).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.set_limits import ROUNDING, SetLimits, nonconformity, thinned_logs

DEFAULT_COVERAGE = 0.9

_OUTLYING = 0.99  # of the rows are denser than the background

Sets: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence of a fit about rows that it was not fitted to.

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
    >>> from melm_core.diagnostics import Evidence
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


@dataclass(frozen=True, eq=False)
class ConformalCoverage:
    """Share of held-out rows whose set holds their class.

    Attributes
    ----------
    sets : ndarray of bool, shape (n_rows, n_classes)
    y : ndarray of shape (n_rows,)
        Class codes.
    promised : float
    groups : ndarray of shape (n_rows,) or None

    Notes
    -----
    What is promised is of each class, not of each set: of rows with an empty set, or with one class
    in a region of overlap, far fewer may be right. A share above the promise is no merit, since the
    set of all classes always holds. Shares of n rows err by about the square root of
    promised (1 - promised) / n, and promises are of rows like these: none holds after a shift.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import ConformalCoverage
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
        """True where the set of each row holds its class, shape (n_rows,)."""
        is_covered: npt.NDArray[np.bool_] = self.sets[np.arange(len(self.y)), self.y]
        return is_covered

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

    Notes
    -----
    A p-value is of one class: how many of its rows are as strange to it. It is no probability of
    the class, and those of several classes do not add up to 1: rows in an overlap have several
    large ones, rows that are like no class none. Of n rows it is at least 1 / (n + 1), so that a
    class of few rows is in nearly every set.

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
    >>> from melm_core.diagnostics import ConformalScores, Evidence
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
        """Return the nonconformity of rows with each class, shape (n_rows, n_classes)."""
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
            members = np.flatnonzero(self.y == code)
            order = members[np.argsort(-self._own[members], kind="stable")]
            as_strange = self._weights[order].cumsum()
            # A new row counts among those of the class, as in a p-value.
            needed = (1.0 - coverage) * (1.0 + as_strange[-1]) - 1.0
            if needed >= -ROUNDING:
                rank = np.searchsorted(as_strange, needed + ROUNDING, side="right")
                largest[code] = self._own[order[min(int(rank), len(order) - 1)]]
        background = self._background if self.evidence.has_densities else -np.inf
        return SetLimits(coverage, largest, background, *self._roots)

    def p_values(self, of_folds: Sequence[Evidence]) -> FloatArray:
        """The share of the rows of each class that are as strange to it as new rows are.

        Parameters
        ----------
        of_folds : sequence of Evidence
            Of the new rows, by the fit without each fold, in the order of their numbers.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The new row counts among those of the class: at least 1 / (n + 1) of n rows.
        """
        numbers = np.unique(self.fold)
        return self._p_values([self.nonconformity(each) for each in of_folds], numbers)

    def p_values_of_fold(self, evidence: Evidence, number: int) -> FloatArray:
        """The same of rows that belong to those of a fold, each compared with those of others.

        Parameters
        ----------
        evidence : Evidence
            Of the rows, by the fit without the fold.
        number : int
            Of the fold.
        """
        others = np.setdiff1d(np.unique(self.fold), [number])
        strange = self.nonconformity(evidence)
        return self._p_values([strange] * len(others), others)

    def held_out_p_values(self) -> FloatArray:
        """The same of the rows themselves, each compared with those of other folds.

        Rows of a single fold are compared with each other, those of a group with other groups.
        """
        numbers = np.unique(self.fold)
        if len(numbers) == 1:
            return self._p_values_in_split(int(numbers[0]))
        shares = np.empty_like(self.evidence.logs)
        for number in numbers:
            in_fold = np.flatnonzero(self.fold == number)
            shares[in_fold] = self.p_values_of_fold(self.evidence.take(in_fold), int(number))
        return shares

    def _p_values_in_split(self, number: int) -> FloatArray:
        """Of the rows of one fold, each without the rows of its own group."""
        strange = self.nonconformity(self.evidence)
        counts, totals = self._counts([strange], np.array([number]))
        totals = np.broadcast_to(totals, counts.shape).copy()
        units = np.arange(len(self.y)) if self.groups is None else self.groups
        order = np.argsort(units, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(units[order])) + 1):
            as_strange = self._own[members] >= strange[members][:, self.y[members]] - ROUNDING
            for column, code in enumerate(self.y[members]):
                counts[members, code] -= self._weights[members[column]] * as_strange[:, column]
                totals[members, code] -= self._weights[members[column]]
        shares: FloatArray = (1.0 + counts) / (1.0 + totals)
        return shares

    def _p_values(self, strange: Sequence[FloatArray], numbers: IntArray) -> FloatArray:
        """Given what the fits without some folds say; rows of other folds do not count."""
        counts, totals = self._counts(strange, numbers)
        shares: FloatArray = (1.0 + counts) / (1.0 + totals)
        return shares

    def _counts(
        self, strange: Sequence[FloatArray], numbers: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Rows of each class as strange as others, (n_rows, n_classes), and all of the class."""
        counts = np.zeros_like(strange[0])
        totals = np.zeros(counts.shape[1])
        for of_new, number in zip(strange, numbers, strict=True):
            in_fold = self.fold == number
            for code in range(counts.shape[1]):
                members = np.flatnonzero(in_fold & (self.y == code))
                order = members[np.argsort(self._own[members], kind="stable")]
                below = np.concatenate([[0.0], self._weights[order].cumsum()])
                # Sums of the same terms in another order differ by rounding.
                ranks = np.searchsorted(self._own[order], of_new[:, code] - ROUNDING)
                counts[:, code] += below[-1] - below[ranks]
                totals[code] += below[-1]
        return counts, totals

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


def in_set(p_values: FloatArray, coverage: float) -> Sets:
    """Return which classes are in the sets of rows, from p-values of `ConformalScores`.

    Parameters
    ----------
    p_values : ndarray of shape (n_rows, n_classes)
    coverage : float

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import in_set
    >>> in_set(np.array([[0.3, 0.1]]), coverage=0.9)
    array([[ True, False]])
    """
    sets: Sets = p_values > 1.0 - coverage + ROUNDING
    return sets


def shortage_notes(
    n_units: Mapping[Any, int], coverage: float, has_groups: bool
) -> tuple[str, ...]:
    """Name the classes that are in every set, as they have too few rows for the coverage.

    Parameters
    ----------
    n_units : mapping
        Rows of each class, or groups.
    coverage : float
    has_groups : bool

    Examples
    --------
    >>> from melm_core.diagnostics import shortage_notes
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

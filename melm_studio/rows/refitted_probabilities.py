"""Class probabilities of the rows of a run, by refits without them that are at hand when asked for.

They are of at most 2,000 training rows, fewer of wide tables, so that they take no longer than a
visitor waits; the planes of their folds were fitted to none of the others, and judge these, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, UserError
from melm_core.density import SetLimits
from melm_core.diagnostics import HeldOutPlanes, RowProbabilities
from melm_core.evaluation import (
    DEFAULT_COVERAGE,
    Calibration,
    ConformalScores,
    FoldFit,
    sampled_rows,
)
from melm_core.methods import GAMMA, METHODS, STARTS
from melm_studio.runs.execution.rows import RunData, judged_rows, split_of
from melm_studio.runs.records.run import RunRecord

MOST_REFITTED_ROWS = 2_000
# Of wide tables, whose refits take longer: about four seconds at most.
_MOST_REFITTED_NUMBERS = 400_000
_FEWEST_SAMPLED_ROWS = 200


@dataclass(frozen=True, eq=False)
class RefittedPlanes:
    """Refits of the method of a run without folds of its training rows, for every kernel width.

    Attributes
    ----------
    planes : HeldOutPlanes
    refitted : ndarray of int, shape (n_refitted,)
        Indices in the data of the rows that they were made of.
    """

    planes: HeldOutPlanes
    refitted: IntArray

    @classmethod
    def of(cls, data: RunData, record: RunRecord) -> RefittedPlanes | None:
        """Refit the method of a run; None of a nonlinear one, and of too few rows for folds.

        Nothing is chosen anew: the kernel width is that of the run, and one start suffices.
        """
        if not METHODS[record.method].is_linear:
            return None
        train, _ = split_of(data, record)
        fixed = {GAMMA.name: record.gamma, STARTS.name: 1}
        try:
            chosen = sampled_rows(train.y, _most_rows(train.X.shape[1]), train.groups)
            planes = HeldOutPlanes.of(
                record.method,
                **judged_rows(train, chosen, record=record),
                parameters=record.parameters_without_start | fixed,
                random_state=record.parameters.random_state,
            )
        except UserError:
            return None
        kept = np.flatnonzero(np.isin(data.row_numbers, train.row_numbers[chosen]))
        return cls(planes, kept)


def _most_rows(n_features: int) -> int:
    within = max(_MOST_REFITTED_NUMBERS // n_features, _FEWEST_SAMPLED_ROWS)
    return min(within, MOST_REFITTED_ROWS)


class RefittedProbabilities:
    """Calibrated probabilities of the rows of a run at a kernel width.

    Parameters
    ----------
    data : RunData
    refits : RefittedPlanes
    gamma : float
        Kernel width of the class densities.

    Attributes
    ----------
    calibration : Calibration
        Of rows that the plane of the run was not fitted to.
    """

    def __init__(self, data: RunData, refits: RefittedPlanes, gamma: float) -> None:
        self._data, self._refits, self._gamma = data, refits, gamma
        self._found: RowProbabilities = refits.planes.probabilities(gamma)
        self.calibration: Calibration = self._found.calibration

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""
        return len(self._refits.refitted)

    def of_rows(self, chosen: IntArray) -> FloatArray:
        """Return those of rows of the data, by index, each by a plane that was fitted without it.

        Parameters
        ----------
        chosen : ndarray of int, shape (n_chosen,)

        Returns
        -------
        ndarray of shape (n_chosen, n_classes)
        """
        at, is_refitted = self._found_at(chosen)
        shares: FloatArray = self._found.probabilities[at]
        others = chosen[~is_refitted]
        if len(others):
            X, folds = judged_rows(self._data, others)["X"], self._folds(others)
            logs = np.empty((len(others), shares.shape[1]))
            for number in np.unique(folds):
                own = folds == number
                logs[own] = self._fits[number].evidence(X[own]).logs
            shares[~is_refitted] = self.calibration.probabilities(logs)
        return shares

    def p_values(self, chosen: IntArray) -> FloatArray:
        """How far rows of the data, by index, are no strangers to each class.

        Parameters
        ----------
        chosen : ndarray of int, shape (n_chosen,)

        Returns
        -------
        ndarray of shape (n_chosen, n_classes)
            See `ConformalScores.p_values`.
        """
        at, is_refitted = self._found_at(chosen)
        shares: FloatArray = self._held_out_p_values[at]
        others = chosen[~is_refitted]
        if len(others):
            shares[~is_refitted] = self.p_values_of(judged_rows(self._data, others)["X"])
        return shares

    def p_values_of(self, X: FloatArray) -> FloatArray:
        """The same of other rows, with the features that the refits take."""
        return self._scores.p_values([fit.evidence(X) for fit in self._fits])

    def set_limits(self) -> SetLimits:
        """Of the sets of 90 % in the plane of all rows, see `ConformalScores.limits`."""
        return self._scores.limits(DEFAULT_COVERAGE)

    @cached_property
    def _fits(self) -> tuple[FoldFit, ...]:
        return self._refits.planes.fits(self._gamma)

    @cached_property
    def _scores(self) -> ConformalScores:
        return self._refits.planes.conformal_scores(self._fits)

    @cached_property
    def _held_out_p_values(self) -> FloatArray:
        return self._scores.held_out_p_values()

    def _found_at(self, chosen: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        """Where rows are among those of the refits, and which of them are."""
        refitted = self._refits.refitted
        at = np.searchsorted(refitted, chosen).clip(max=len(refitted) - 1)
        return at, refitted[at] == chosen

    def _folds(self, others: IntArray) -> IntArray:
        """The folds of rows that are in none themselves: those of the other rows of their group."""
        groups = self._data.groups
        if groups is None:
            return np.zeros(len(others), dtype=np.int64)
        pairs = zip(groups[self._refits.refitted], self._refits.planes.fold, strict=True)
        fold_of = dict(pairs)
        return np.array([fold_of.get(group, 0) for group in groups[others]], dtype=np.int64)

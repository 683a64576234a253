"""Class probabilities of rows from planes fitted without them, stored or by refits on request.

Refits on request are of at most 2,000 training rows, fewer of wide tables, so that they take no
longer than a visitor waits; the planes of their folds were fitted to none of the others, and judge
these, too. Probabilities, sets and limits of distances come of the same refits.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, UserError, array_header, unpacked_array
from melm_core.density import DensityRule, SetLimits
from melm_core.diagnostics import DEFAULT_COVERAGE, LeftOutDistances
from melm_core.evaluation import FittedProjection, Refits, Unchanged
from melm_core.folds import sampled_rows
from melm_core.methods import GAMMA, METHODS, STARTS
from melm_studio.record import Record
from melm_studio.rows.new_rows import NewRows
from melm_studio.runs.execution.rows import (
    RunData,
    is_prepared_in_folds,
    judged_rows,
    split_of,
    study_of,
)
from melm_studio.runs.records.run import RunRecord

MOST_REFITTED_ROWS = 2_000
# Of wide tables, whose refits take longer: about four seconds at most.
_MOST_REFITTED_NUMBERS = 400_000
_FEWEST_SAMPLED_ROWS = 200


class KnownProbabilities(Protocol):
    """Calibrated probabilities of the rows of a run, and what judges others."""

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""

    def of_rows(self, indices: IntArray) -> FloatArray:
        """Return the probabilities of rows of the table, by index, shape (n_rows, n_classes)."""

    def p_values(self, indices: IntArray) -> FloatArray | None:
        """Return conformal p-values of rows of the table for each class; see `ConformalScores`.

        None where refits that say so are not at hand.
        """

    def p_values_of(self, new: NewRows) -> FloatArray | None:
        """Return the p-values of the rows of another table."""

    def rule_along(self, components: FloatArray) -> DensityRule | None:
        """Return the calibrated class densities along components of the plane of all rows."""

    def set_limits(self, components: FloatArray) -> SetLimits | None:
        """Return the limits of the sets of 90 % in that plane, see `Refits.set_limits`."""


@dataclass(frozen=True, eq=False)
class HeldOutProbabilities:
    """Probabilities of the classes of every row of a table, by planes fitted without it.

    Attributes
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Calibrated by the rows of the other folds; equal where a fold could not be fitted.
    log_mixtures : ndarray of shape (n_rows, n_classes)
        Logarithms of the class densities without their floor, for suspect labels.
    temperature : float
        Of rows that the plane of the run was not fitted to, at the kernel width of the run.
    """

    probabilities: FloatArray
    log_mixtures: FloatArray
    temperature: float

    @classmethod
    def of(cls, refits: Refits) -> Self:
        """Return those of the rows of a study."""
        shape = (len(refits.study.rows.y), refits.study.n_classes)
        probabilities, logs = np.full(shape, 1.0 / shape[1]), np.zeros(shape)
        probabilities[refits.held_out] = refits.probabilities
        logs[refits.held_out] = refits.log_mixtures
        return cls(probabilities, logs, refits.temperature)

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""
        return len(self.probabilities)

    def of_rows(self, indices: IntArray) -> FloatArray:
        """Return the probabilities of rows of the table, by index, shape (n_rows, n_classes)."""
        shares: FloatArray = self.probabilities[indices]
        return shares

    def p_values(self, indices: IntArray) -> None:
        """Return None: the refits are not kept."""

    def p_values_of(self, new: NewRows) -> None:
        """Return None, as `p_values`."""

    def rule_along(self, components: FloatArray) -> None:
        """Return None, as `p_values`."""

    def set_limits(self, components: FloatArray) -> None:
        """Return None, as `p_values`."""

    def to_bytes(self) -> bytes:
        """Return them as JSON, numbers of rows as float32."""
        arrays = _array_bytes(self.probabilities), _array_bytes(self.log_mixtures)
        return _Stored(*arrays, self.temperature).to_bytes()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return what `to_bytes` wrote."""
        stored = _Stored.from_bytes(raw)
        return cls(_array(stored.probabilities), _array(stored.log_mixtures), stored.temperature)

    @classmethod
    def checked(cls, raw: bytes, shape: tuple[int, int]) -> Self:
        """Check and return what was uploaded for a table of (n_rows, n_classes).

        Raises
        ------
        ValueError
            If it is not of such a table, or a number is none that `to_bytes` writes.
        """
        stored = _Stored.from_bytes(raw)
        for array in (stored.probabilities, stored.log_mixtures):
            if array_header(array) != (shape, np.dtype(np.float32)):
                raise ValueError("An array has another shape or type.")
            finite_array(array)
        if not 0 < stored.temperature < np.inf:
            raise ValueError("The temperature is none.")
        return cls.from_bytes(raw)


class _Stored(Record, frozen=True):
    """The arrays as numpy stores them, and the temperature."""

    probabilities: bytes
    log_mixtures: bytes
    temperature: float


def _array_bytes(numbers: FloatArray) -> bytes:
    """Return an array of float32 as bytes; what is below its range is at the end of it."""
    file = io.BytesIO()
    lowest = np.finfo(np.float32).min
    np.save(file, np.maximum(numbers, lowest).astype(np.float32), allow_pickle=False)
    return file.getvalue()


def _array(raw: bytes) -> FloatArray:
    return unpacked_array(raw).astype(np.float64)


def finite_array(raw: bytes) -> bytes:
    """Return an array of finite numbers, written anew.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    numbers = unpacked_array(raw)
    if not np.isfinite(numbers).all():
        raise ValueError("A number is not finite.")
    file = io.BytesIO()
    np.save(file, numbers, allow_pickle=False)
    return file.getvalue()


@dataclass(frozen=True, eq=False)
class RefittedProbabilities:
    """The method of a run without folds of its training rows, beside the plane of the run.

    Attributes
    ----------
    data : RunData
    record : RunRecord
    refits : Refits
        At a kernel width of the class densities.
    refitted : ndarray of int, shape (n_refitted,)
        Indices in the data of the rows that they were made of.
    """

    data: RunData
    record: RunRecord
    refits: Refits
    refitted: IntArray

    @classmethod
    def of(
        cls, data: RunData, record: RunRecord, components: FloatArray
    ) -> RefittedProbabilities | None:
        """Refit the method of a run; None of a nonlinear one, and of too few rows for folds.

        Nothing is chosen anew: the kernel width is that of the run, and one start suffices.

        Parameters
        ----------
        data : RunData
        record : RunRecord
        components : ndarray of shape (n_components, n_features)
            The plane that the run found.
        """
        if not METHODS[record.method].is_linear:
            return None
        train, _ = split_of(data, record)
        is_encoded = is_prepared_in_folds(data, record)
        whole = FittedProjection.of_plane(
            components, data.fitted_preparation if is_encoded else Unchanged()
        )
        fixed = {GAMMA.name: record.gamma, STARTS.name: 1}
        try:
            sample = sampled_rows(train.y, _most_rows(train.X.shape[1]), train.groups)
            study = study_of(train, record, sample, fixed=fixed)
            refits = Refits.of(study, gamma=record.density_gamma, whole=whole)
        except UserError:
            return None
        refitted = np.flatnonzero(np.isin(data.row_numbers, train.row_numbers[sample]))
        return cls(data, record, refits, refitted)

    def with_width(self, gamma: float) -> RefittedProbabilities:
        """Return class densities of another kernel width; nothing is fitted anew."""
        refits = self.refits.with_width(gamma)
        return self if refits is self.refits else replace(self, refits=refits)

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""
        return len(self.refits.held_out)

    def of_rows(self, indices: IntArray) -> FloatArray:
        """Return the probabilities of rows of the data, each by a plane fitted without it.

        Parameters
        ----------
        indices : ndarray of int, shape (n_rows,)
            Indices in the data.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """

        def of_others(X: FloatArray, number: int | None) -> FloatArray:
            first = int(self.refits.fold_of_rows.max()) if number is None else number
            return self.refits.without_fold(X, first)[0]

        return self._of_rows(indices, self._probabilities, of_others)

    def p_values(self, indices: IntArray) -> FloatArray:
        """Return conformal p-values of rows of the data for each class, by index.

        Parameters
        ----------
        indices : ndarray of int, shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            See `ConformalScores.p_values`.
        """

        def of_others(X: FloatArray, number: int | None) -> FloatArray:
            if number is None:
                return self.refits.p_values(X)
            return self.refits.without_fold(X, number)[1]

        return self._of_rows(indices, self._p_values, of_others)

    def p_values_of(self, new: NewRows) -> FloatArray:
        """Return the p-values of the rows of another table."""
        is_encoded = is_prepared_in_folds(self.data, self.record)
        return self.refits.p_values(new.encoded if is_encoded else new.X)

    def rule_along(self, components: FloatArray) -> DensityRule:
        """Return the class densities in the plane of the run, see `Refits.rule_along`."""
        return self.refits.rule_along(components)

    def set_limits(self, components: FloatArray) -> SetLimits:
        """Return the limits of the sets of 90 % in the run's plane, see `Refits.set_limits`."""
        return self.refits.set_limits(DEFAULT_COVERAGE, components)

    @cached_property
    def left_out(self) -> LeftOutDistances | None:
        """Distances of rows from planes fitted without them; None of too few rows for them."""
        try:
            return self.refits.left_out
        except UserError:
            return None

    @cached_property
    def _probabilities(self) -> FloatArray:
        shares = self.refits.probabilities
        return self._of_study(shares, 1.0 / shares.shape[1])

    @cached_property
    def _p_values(self) -> FloatArray:
        return self._of_study(self.refits.conformal.held_out_p_values(), 1.0)

    def _of_study(self, of_held_out: FloatArray, unknown: float) -> FloatArray:
        """Return values for all rows of the refits; `unknown` where a fold failed."""
        values = np.full((len(self.refitted), of_held_out.shape[1]), unknown)
        values[self.refits.held_out] = of_held_out
        return values

    def _of_rows(
        self,
        indices: IntArray,
        refitted: FloatArray,
        of_others: Callable[[FloatArray, int | None], FloatArray],
    ) -> FloatArray:
        """Return values of refitted rows, and those of others by a fold without their group."""
        places, is_refitted = self._places(indices)
        values: FloatArray = refitted[places]
        others = np.flatnonzero(~is_refitted)
        if not len(others):
            return values
        X = judged_rows(self.data, indices[others], self.record)["X"]
        folds = self._folds(indices[others])
        for number in np.unique(folds):
            in_fold = folds == number
            values[others[in_fold]] = of_others(X[in_fold], None if number < 0 else int(number))
        return values

    def _places(self, indices: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        """Return the places of rows among those of the refits, and which of them are there."""
        places = np.searchsorted(self.refitted, indices).clip(max=len(self.refitted) - 1)
        return places, self.refitted[places] == indices

    def _folds(self, others: IntArray) -> IntArray:
        """Return folds of the groups of rows that are in none themselves; -1 of other groups."""
        groups = self.data.groups
        if groups is None:
            return np.full(len(others), -1)
        pairs = zip(groups[self.refitted], self.refits.fold_of_rows, strict=True)
        fold_of = dict(pairs)
        return np.array([fold_of.get(group, -1) for group in groups[others]], dtype=np.int64)


def _most_rows(n_features: int) -> int:
    within = max(_MOST_REFITTED_NUMBERS // n_features, _FEWEST_SAMPLED_ROWS)
    return min(within, MOST_REFITTED_ROWS)

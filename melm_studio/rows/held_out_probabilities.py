"""Class probabilities of rows from planes fitted without them, stored or by refits."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_core.density import DensityRule, SetLimits
from melm_core.evaluation import Refits
from melm_studio.record import Record
from melm_studio.rows.new_rows import NewRows


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
    numbers: FloatArray = np.load(io.BytesIO(raw), allow_pickle=False).astype(np.float64)
    return numbers


def array_header(raw: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and type of an array, read before it is allocated.

    Raises
    ------
    ValueError
        If it is no array of numpy.
    """
    file = io.BytesIO(raw)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype


def finite_array(raw: bytes) -> bytes:
    """Return an array of finite numbers, written anew.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    numbers, file = np.load(io.BytesIO(raw), allow_pickle=False), io.BytesIO()
    if not np.isfinite(numbers).all():
        raise ValueError("A number is not finite.")
    np.save(file, numbers, allow_pickle=False)
    return file.getvalue()

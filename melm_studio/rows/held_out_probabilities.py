"""What planes fitted without a row say of its class, and what calibrates other rows, as kept."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_core.density import SetLimits
from melm_core.evaluation import Calibration
from melm_studio.record import Record
from melm_studio.runs.records.sent_array import array_header, finite_array


class KnownProbabilities(Protocol):
    """Calibrated probabilities of the rows of a run, and what calibrates others."""

    @property
    def calibration(self) -> Calibration:
        """Of rows that the plane was not fitted to."""

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""

    def of_rows(self, chosen: IntArray) -> FloatArray:
        """Those of rows of the table, by index, shape (n_chosen, n_classes)."""

    def p_values(self, chosen: IntArray) -> FloatArray | None:
        """How far rows of the table are no strangers to each class, see `ConformalScores`.

        None where refits that say so are not at hand.
        """

    def p_values_of(self, X: FloatArray) -> FloatArray | None:
        """The same of other rows, with the features that refits take."""

    def set_limits(self) -> SetLimits | None:
        """Of the sets of 90 % in the plane of all rows, see `ConformalScores.limits`."""


@dataclass(frozen=True, eq=False)
class HeldOutProbabilities:
    """Probabilities of the classes of every row of a table, by planes fitted without it.

    Attributes
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Calibrated by the rows of the other folds.
    log_densities : ndarray of shape (n_rows, n_classes)
        What they are made of.
    calibration : Calibration
        Of rows that the plane of the run was not fitted to, at the kernel width of the run.
    """

    probabilities: FloatArray
    log_densities: FloatArray
    calibration: Calibration

    @property
    def n_rows(self) -> int:
        """The number of rows that calibrate."""
        return len(self.probabilities)

    def of_rows(self, chosen: IntArray) -> FloatArray:
        """Return those of rows of the table, by index, shape (n_chosen, n_classes)."""
        shares: FloatArray = self.probabilities[chosen]
        return shares

    def p_values(self, chosen: IntArray) -> None:
        """Return None: the refits are not kept."""

    def p_values_of(self, X: FloatArray) -> None:
        """Return None, as `p_values`."""

    def set_limits(self) -> None:
        """Return None, as `p_values`."""

    def to_bytes(self) -> bytes:
        """Return them as JSON, numbers of rows as float32."""
        kept = _Stored(
            _array_bytes(self.probabilities),
            _array_bytes(self.log_densities),
            self.calibration.temperature,
            self.calibration.lapse,
        )
        return kept.to_bytes()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return what `to_bytes` wrote."""
        kept = _Stored.from_bytes(raw)
        calibration = Calibration(kept.temperature, kept.lapse)
        return cls(_array(kept.probabilities), _array(kept.log_densities), calibration)

    @classmethod
    def checked(cls, raw: bytes, shape: tuple[int, int]) -> Self:
        """Return what somebody sent of a table of (n_rows, n_classes).

        Raises
        ------
        ValueError
            If it is not of such a table, or a number is none that `to_bytes` writes.
        """
        kept = _Stored.from_bytes(raw)
        for array in (kept.probabilities, kept.log_densities):
            if array_header(array) != (shape, np.dtype(np.float32)):
                raise ValueError("An array has another shape or type.")
            finite_array(array)
        if not (0 < kept.temperature < np.inf and 0 <= kept.lapse <= 1):
            raise ValueError("The calibration is none.")
        return cls.from_bytes(raw)


class _Stored(Record, frozen=True):
    """The arrays as numpy stores them, and the two numbers of the calibration."""

    probabilities: bytes
    log_densities: bytes
    temperature: float
    lapse: float


def _array_bytes(numbers: FloatArray) -> bytes:
    """An array of float32; what is below its range is at the end of it."""
    file = io.BytesIO()
    lowest = np.finfo(np.float32).min
    np.save(file, np.maximum(numbers, lowest).astype(np.float32), allow_pickle=False)
    return file.getvalue()


def _array(raw: bytes) -> FloatArray:
    numbers: FloatArray = np.load(io.BytesIO(raw), allow_pickle=False).astype(np.float64)
    return numbers

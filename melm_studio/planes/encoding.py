"""Arrays as plotly.js reads them, compact for the planes of the live page, or as bytes."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base import IntArray
from melm_core.diagnostics import ConfidenceEllipses, EllipseOf

# A step of the compact form is 1/65534 of the range of the values: a hundredth of a pixel.
_LARGEST_CODE = 2**16 - 1

# Of coordinates in standard deviations, which are thousands of pixels wide at most.
_DECIMALS = 5


@dataclass(frozen=True)
class EllipseCoordinate:
    """One coordinate along an ellipse, ``center + cosine cos(t) + sine sin(t)``.

    NumPy reads it as an array of vertices. `compact` sends the three numbers instead: ellipses
    come with every plane, and the page draws those of few.
    """

    ellipses: ConfidenceEllipses
    of: EllipseOf
    axis: int

    def __array__(
        self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return self.ellipses.outline(self.of)[:, self.axis].astype(dtype or np.float64)

    def as_numbers(self) -> dict[str, Any]:
        """What the page draws the ellipse from."""
        center = self.ellipses.center[self.axis]
        cosine, sine = self.ellipses.axes(self.of)[self.axis]
        numbers = {"center": center, "cosine": cosine, "sine": sine}
        return {"dtype": "ellipse"} | {
            name: round(float(number), _DECIMALS) for name, number in numbers.items()
        }


def typed(values: npt.ArrayLike) -> dict[str, Any]:
    """Values as base64 float32: half the bytes of a list, and a tenth of the work."""
    return {
        "dtype": "f4",
        "bdata": base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode(),
    }


def compact(values: npt.ArrayLike | EllipseCoordinate) -> dict[str, Any] | list[float]:
    """Values in steps of 1/65534 of their range: half of `typed`, once compressed even less.

    The code of nan is 0, and the lowest value has the code 1. What is sent is the difference of
    each code to the one before, modulo 65536: first all low bytes, then all high bytes. Along a
    contour the high bytes are nearly all equal, so they compress to almost nothing.
    """
    if isinstance(values, EllipseCoordinate):
        return values.as_numbers()
    numbers = np.asarray(values, dtype=np.float64)
    if not len(numbers):
        return []
    low, high = np.fmin.reduce(numbers), np.fmax.reduce(numbers)  # of the known ones
    if np.isnan(low):
        low = high = np.float64(0.0)
    step = (high - low) / (_LARGEST_CODE - 1) or 1.0
    steps = np.rint((numbers - low) / step) + 1
    steps[np.isnan(steps)] = 0
    codes = steps.astype("<u2")
    differences = codes.copy()
    differences[1:] -= codes[:-1]
    return {
        "dtype": "compact",
        "low": float(low),
        "step": float(step),
        "bdata": base64.b64encode(_byte_planes(differences, 2)).decode(),
    }


def packed_points(points: npt.NDArray[np.float64]) -> bytes:
    """Points of shape (n, 2) in steps of 2^-24 of their range: six bytes each.

    A picture of many rows is zoomed into by far more than one of few, and rows far away must not
    make the steps of the others large, so these codes are finer than those of `compact`. First the
    lowest value and the step of x, then of y, as float64; then the low, middle and high bytes of
    all codes of x, then of y. All is little-endian.
    """
    low = points.min(axis=0)
    step = (points.max(axis=0) - low) / (2**24 - 1)
    step[step == 0] = 1.0
    codes = np.round((points - low) / step).astype("<u4")
    head = np.column_stack([low, step]).astype("<f8")
    return head.tobytes() + b"".join(
        _byte_planes(np.ascontiguousarray(codes[:, axis]), 3) for axis in (0, 1)
    )


def packed_rows(numbers: IntArray, codes: IntArray, is_held_out: npt.NDArray[np.bool_]) -> bytes:
    """Who the rows of a picture are: the step from number to number, class, whether held out.

    Four, two and one bytes each, all low bytes first, little-endian.
    """
    steps = np.diff(numbers, prepend=0).astype("<u4")
    planes = _byte_planes(steps, 4) + _byte_planes(codes.astype("<u2"), 2)
    return planes + is_held_out.astype(np.uint8).tobytes()


def _byte_planes(codes: npt.NDArray[np.uint16] | npt.NDArray[np.uint32], n_bytes: int) -> bytes:
    """The low bytes of all codes, then the next ones: alike bytes side by side compress well."""
    planes = codes.view(np.uint8).reshape(len(codes), codes.itemsize).T
    return np.ascontiguousarray(planes[:n_bytes]).tobytes()

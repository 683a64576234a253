"""Arrays of numbers on their way to the page: one format, in JSON or as bytes.

An array has one axis. Its header is a JSON object that says how its values are written:

===========  =======================================================================================
``dtype``    ``u1``: the values, one after another. ``u2``, ``u3`` or ``u4``: codes of so many bytes
             each, the largest below 2**31. Or ``ellipse``: no values but ``center``, ``cosine`` and
             ``sine`` (`EllipseCoordinate`).
``low``,     Of codes: the value is ``low + step * (code - 1)``, and nan where the code is 0. What
``step``     is written is the difference of each code to the one before, from 0 on, modulo the
             number of codes: first the low bytes of all, then the next ones. Alike bytes side by
             side compress well: along a contour, the high bytes are nearly all equal.
``shape``    The number of values in a list, where the arrays are bytes.
``bdata``    The values in base 64, where the array is in JSON.
===========  =======================================================================================

In JSON an array is its header, and one without values an empty list. Bytes are the length of what
follows as four bytes, little-endian, a JSON object from names to headers, then the values of each.

`assets/studio/plane/arrays.mjs` reads both.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.diagnostics import ConfidenceEllipses, EllipseOf

# The media type of numbers, classes and marks of all rows as bytes, which shrink to a few percent.
PACKED_ROWS = "application/vnd.melm-studio.rows"
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
        """Numbers from which the page draws the ellipse."""
        center = self.ellipses.center[self.axis]
        cosine, sine = self.ellipses.axes(self.of)[self.axis]
        numbers = {"center": center, "cosine": cosine, "sine": sine}
        return {"dtype": "ellipse"} | {
            name: round(float(number), _DECIMALS) for name, number in numbers.items()
        }


@dataclass(frozen=True)
class EncodedArray:
    """The header of an array and its values."""

    header: dict[str, Any]
    values: bytes
    n_values: int

    def as_json(self) -> dict[str, Any]:
        """The array in a JSON value."""
        return self.header | {"bdata": base64.b64encode(self.values).decode()}


def as_bytes(**arrays: EncodedArray) -> bytes:
    """Arrays by their names, as bytes."""
    headers = {name: array.header | {"shape": [array.n_values]} for name, array in arrays.items()}
    head = json.dumps(headers, separators=(",", ":")).encode()
    return b"".join(
        [len(head).to_bytes(4, "little"), head, *(array.values for array in arrays.values())]
    )


def whole(values: npt.ArrayLike) -> EncodedArray:
    """Whole numbers from 0 to 65534, in one byte each where none needs two."""
    numbers = np.asarray(values)
    if numbers.max(initial=0) >= 2**8:
        return stepped(numbers, 2, step=1.0)
    return EncodedArray({"dtype": "u1"}, numbers.astype(np.uint8).tobytes(), len(numbers))


def stepped(values: npt.ArrayLike, n_bytes: int, *, step: float | None = None) -> EncodedArray:
    """Values as codes of two to four bytes.

    Parameters
    ----------
    values : array-like of shape (n,)
        Two bytes are a hundredth of a pixel of a picture. One of many rows is zoomed into by far
        more than one of few, and rows far away must not make the steps of the others large: three.
    n_bytes : int
    step : float, optional
        Values that are whole numbers of it come back exactly. By default as small as their range
        allows.
    """
    numbers = np.asarray(values, dtype=np.float64)
    low, high = np.fmin.reduce(numbers, initial=np.nan), np.fmax.reduce(numbers, initial=np.nan)
    if np.isnan(low):  # none is known
        low = high = np.float64(0.0)
    if step is None:
        step = float(high - low) / (2 ** (8 * n_bytes) - 2) or 1.0
    steps = np.rint((numbers - low) / step) + 1
    steps[np.isnan(steps)] = 0
    codes = steps.astype("<u2" if n_bytes == 2 else "<u4")
    differences = codes.copy()
    differences[1:] -= codes[:-1]
    planes = differences.view(np.uint8).reshape(len(codes), codes.itemsize).T[:n_bytes]
    header = {"dtype": f"u{n_bytes}", "low": float(low), "step": step}
    return EncodedArray(header, np.ascontiguousarray(planes).tobytes(), len(codes))


def compact(values: npt.ArrayLike | EllipseCoordinate) -> dict[str, Any] | list[float]:
    """Values in steps of 1/65534 of their range, which compress well."""
    if isinstance(values, EllipseCoordinate):
        return values.as_numbers()
    numbers = np.asarray(values, dtype=np.float64)
    return stepped(numbers, 2).as_json() if len(numbers) else []

"""Arrays in the form that plotly.js reads without parsing numbers."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt


def typed(values: npt.ArrayLike) -> dict[str, Any]:
    """Values as base64 float32: half the bytes of a list, and a tenth of the work."""
    return {
        "dtype": "f4",
        "bdata": base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode(),
    }

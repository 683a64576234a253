"""Array types shared by the numerical core."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ComplexArray: TypeAlias = npt.NDArray[np.complex128]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

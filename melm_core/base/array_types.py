"""Array types shared by the numerical core, and the lock under which arrays are unpacked."""

from __future__ import annotations

from threading import Lock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ComplexArray: TypeAlias = npt.NDArray[np.complex128]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

# numpy reads the header of an array as a literal of Python, and Python 3.11 counts the depth of
# those of all threads together: with two at once, one may end in a SystemError.
UNPACKING = Lock()

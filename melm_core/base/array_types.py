"""Array types shared by the numerical core, and arrays out of bytes, of which nothing is pickled.

numpy reads the header of an array as a literal of Python, and Python 3.11 counts the depth of those
of all threads together: with two at once, one may end in a SystemError.
"""

from __future__ import annotations

import io
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

ComplexArray: TypeAlias = npt.NDArray[np.complex128]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]

_ONE_AT_A_TIME = Lock()


def unpacked_array(raw: bytes) -> npt.NDArray[Any]:
    """Return the array that `numpy.save` wrote.

    Raises
    ------
    ValueError
        If it is none, or has objects.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from melm_core.base import unpacked_array
    >>> np.save(file := io.BytesIO(), np.array([1.5, 2.5]))
    >>> unpacked_array(file.getvalue())
    array([1.5, 2.5])
    """
    with _ONE_AT_A_TIME:
        array: npt.NDArray[Any] = np.load(io.BytesIO(raw), allow_pickle=False)
    return array


def unpacked_arrays(raw: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that `numpy.savez` wrote, by their names.

    Raises
    ------
    ValueError
        If they are none, or one has objects.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from melm_core.base import unpacked_arrays
    >>> np.savez(file := io.BytesIO(), widths=np.array([1.5, 2.5]))
    >>> unpacked_arrays(file.getvalue())
    {'widths': array([1.5, 2.5])}
    """
    with _ONE_AT_A_TIME, np.load(io.BytesIO(raw), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def array_header(raw: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and type of an array, read before it is allocated.

    Raises
    ------
    ValueError
        If it is no array of numpy.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from melm_core.base import array_header
    >>> np.save(file := io.BytesIO(), np.array([1.5, 2.5]))
    >>> array_header(file.getvalue())
    ((2,), dtype('float64'))
    """
    file = io.BytesIO(raw)
    np.lib.format.read_magic(file)
    with _ONE_AT_A_TIME:
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype

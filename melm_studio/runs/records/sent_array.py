"""Arrays that somebody sent, checked before they are kept."""

from __future__ import annotations

import io
from typing import Any

import numpy as np


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

"""How this process returns memory to the system."""

from __future__ import annotations

import ctypes

# M_MMAP_THRESHOLD of <malloc.h>.
_MMAP_THRESHOLD = -3
# Arrays of this size and more. What a frame of a plane allocates is smaller, so frames do not pay
# for fresh pages.
LARGE_BYTES = 4 * 2**20


def return_large_blocks() -> bool:
    """Return each block of `LARGE_BYTES` to the system as soon as it is freed, where glibc runs.

    By default glibc raises that size to the largest block freed so far. Copies of a table that only
    its preparation needs then stay with the process, once for each thread.

    Returns
    -------
    bool
        Whether the system can be told.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_MMAP_THRESHOLD, LARGE_BYTES))

"""Return of memory from this process to the system."""

from __future__ import annotations

import ctypes
import gc
import sys

# Options of `mallopt` in <malloc.h>.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
# Arrays of this size and more. What a frame of a plane allocates is smaller, so frames do not pay
# for fresh pages.
LARGE_BYTES = 4 * 2**20
# Pools of free memory, which threads share. By default there are eight for each core.
MOST_ARENAS = 2


def return_large_blocks() -> bool:
    """Return each block of `LARGE_BYTES` to the system as soon as it is freed, where glibc runs.

    By default glibc raises that size to the largest block freed so far. Copies of a table that only
    its preparation needs then stay with the process, once for each thread.

    Returns
    -------
    bool
        Whether the system can be told.
    """
    return _set_option(_MMAP_THRESHOLD, LARGE_BYTES)


def share_free_memory() -> bool:
    """Let all threads reuse the same free memory, in `MOST_ARENAS` pools, where glibc runs.

    Call it before threads are started, since pools remain.

    Returns
    -------
    bool
        Whether the system can be told.
    """
    return _set_option(_ARENA_MAX, MOST_ARENAS)


def leave_out_of_collections() -> None:
    """Leave what exists, such as libraries, out of all collections of cycles from now on.

    Python looks for cycles among all objects once a quarter of them are new. Beside the hundreds of
    thousands of the libraries, cycles of requests would wait for minutes, and then each look would
    delay every answer.
    """
    gc.collect()
    gc.freeze()


def _set_option(option: int, value: int) -> bool:
    if sys.platform == "win32":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(option, value))

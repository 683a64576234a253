"""What a process that reads a file may take, enforced by the system."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

# Standard streams, its connection, and a few for what Python opens, such as time zones.
MOST_OPEN_FILES = 24
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000


def bound_this_process(memory_mb: int, seconds: int) -> None:
    """Bound this process: more memory raises MemoryError, more time ends it, files are not written.

    Parameters
    ----------
    memory_mb : int
        Megabytes that it may take in addition to what it has.
    seconds : int
        Of computing, and of being there.
    """
    _limit(resource.RLIMIT_AS, _address_space() + memory_mb * 2**20)
    _limit(resource.RLIMIT_CPU, seconds)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def leave_network() -> None:
    """Give this process, and those that it forks, a network without anybody, where that is allowed.

    Most systems let everybody do so; containers with their usual filter of system calls do not.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if libc.unshare(_CLONE_NEWNET) != 0:
            libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _limit(kind: int, most: int) -> None:
    _, hardest = resource.getrlimit(kind)
    if hardest != resource.RLIM_INFINITY:
        most = min(most, hardest)
    with suppress(ValueError):  # macOS refuses a bound of the address space
        resource.setrlimit(kind, (most, most))


def _address_space() -> int:
    """Bytes of addresses that this process has; those of its programs alone are many."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

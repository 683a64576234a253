"""Resource limits of a reader process, enforced by the operating system."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

# Standard streams, the channel, and a few for files that Python opens, such as time zones.
MOST_OPEN_FILES = 24
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000


def bound_this_process(memory_mb: int, seconds: int) -> None:
    """Limit this process: more memory raises MemoryError, more time kills it, no file is written.

    Parameters
    ----------
    memory_mb : int
        Megabytes that it may allocate in addition to its present memory.
    seconds : int
        Limit of CPU time and of elapsed time.
    """
    _limit(resource.RLIMIT_AS, _address_space() + memory_mb * 2**20)
    _limit(resource.RLIMIT_CPU, seconds, grace=1)  # SIGXCPU, which names the cause, then SIGKILL
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def leave_network() -> None:
    """Move this process and its children to an empty network namespace, where permitted.

    Most Linux systems permit it; the default system call filter of container engines does not.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if libc.unshare(_CLONE_NEWNET) != 0:
            libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _limit(kind: int, most: int, grace: int = 0) -> None:
    _, hardest = resource.getrlimit(kind)
    if hardest != resource.RLIM_INFINITY:
        most = min(most, hardest - grace)
    with suppress(ValueError):  # macOS refuses a limit of the address space
        resource.setrlimit(kind, (most, most + grace))


def _address_space() -> int:
    """The size of the address space in bytes, most of which is that of libraries."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

"""Memory of the machine: what a process may allocate, gives back, and each part has."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

BYTES_PER_MB = 2**20
# Options of `mallopt` in <malloc.h>.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
# Arrays of this size and more. What a frame of a plane allocates is smaller, so frames do not pay
# for fresh pages.
LARGE_BYTES = 4 * 2**20
# Pools of free memory, which threads share. By default there are eight for each core.
MOST_ARENAS = 2
# A web process beside the files that it receives, with the server that forks its readers; or a
# worker beside its runs.
PROCESS_MB = 640
# Of a web process at the same time.
READERS = 5
# Of the memory of a machine, or of a service as its unit says; the rest is the system's.
USED = 0.9
# Of what is left beside the processes; the runs have the rest.
_SHARE_OF_READERS = 1 / 3
_LEAST_READER_MB, _MOST_READER_MB = 256, 2_048
_LEAST_RUNS_MB = 512
# What a Redis server may hold, of its memory, since a snapshot copies what changes meanwhile; and
# what it holds beside the bytes of visitors: records, links, talks, messages.
SHARE_OF_REDIS = 0.65
REDIS_BESIDE_MB = 512


def limit_memory(megabytes: int) -> None:
    """Let this process allocate no more: what needs more fails, and harms no other."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    most = megabytes * BYTES_PER_MB
    _, hardest = resource.getrlimit(resource.RLIMIT_DATA)
    if hardest == resource.RLIM_INFINITY or most < hardest:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


@contextmanager
def limited_memory(megabytes: int) -> Generator[None]:
    """Limit the memory of this process for the block, beside what its system allows."""
    if sys.platform == "win32":
        yield
        return
    import resource  # noqa: PLC0415 - not on Windows

    former, hardest = resource.getrlimit(resource.RLIMIT_DATA)
    most = megabytes * BYTES_PER_MB
    unlimited = resource.RLIM_INFINITY
    lowest = min((limit for limit in (former, hardest, most) if limit != unlimited), default=most)
    resource.setrlimit(resource.RLIMIT_DATA, (lowest, hardest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (former, hardest))


def memory_of_machine() -> int:
    """Return the bytes of memory that this machine, container or service may use."""
    if sys.platform == "win32":
        status = _MemoryStatus(dwLength=ctypes.sizeof(_MemoryStatus))
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.ullTotalPhys)
    of_machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([of_machine, *limits_of_groups()])


def limits_of_groups(
    groups: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> list[int]:
    """Return the bytes that Linux allows the control groups of this process, as a container's."""
    limits: list[int] = []
    with suppress(OSError):
        names = [line[3:] for line in membership.read_text().splitlines() if line.startswith("0::")]
        folder = groups.joinpath(*Path("".join(names)).parts[1:])
        for group in (folder, *folder.parents):
            with suppress(OSError, ValueError):  # "max", where there is none
                limits.append(int((group / "memory.max").read_text()))
    return limits


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("dwLength", ctypes.c_uint32),
        ("dwMemoryLoad", ctypes.c_uint32),
        ("ullTotalPhys", ctypes.c_uint64),
        ("ullAvailPhys", ctypes.c_uint64),
        ("ullTotalPageFile", ctypes.c_uint64),
        ("ullAvailPageFile", ctypes.c_uint64),
        ("ullTotalVirtual", ctypes.c_uint64),
        ("ullAvailVirtual", ctypes.c_uint64),
        ("ullAvailExtendedVirtual", ctypes.c_uint64),
    )


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


class MemoryBudget(NamedTuple):
    """Megabytes of each reader of files, and of all runs together."""

    reader_mb: int
    runs_mb: int


def memory_budget(machine_mb: int, threads: int, upload_mb: int) -> MemoryBudget:
    """Return what the readers and runs of a studio may take of a machine of its own.

    Below about 4 GB, runs and readers get the least with which they work.

    Examples
    --------
    >>> memory_budget(16_384, threads=8, upload_mb=128)
    MemoryBudget(reader_mb=872, runs_mb=8721)
    """
    left = int(USED * machine_mb) - web_process_mb(0, threads, upload_mb)
    reader_mb = int(_SHARE_OF_READERS * left / READERS)
    reader_mb = min(max(reader_mb, _LEAST_READER_MB), _MOST_READER_MB)
    return MemoryBudget(reader_mb, max(left - READERS * reader_mb, _LEAST_RUNS_MB))


def web_process_mb(reader_mb: int, threads: int, upload_mb: int) -> int:
    """Return what a web process takes at most, each thread with a file of the largest size."""
    return PROCESS_MB + threads * upload_mb + READERS * reader_mb

"""Memory of the machine, and how much of it this process may allocate."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from melm_studio.configuration.limits import BYTES_PER_MB


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
def limited_memory(megabytes: int) -> Iterator[None]:
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

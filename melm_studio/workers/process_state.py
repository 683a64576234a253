"""Processes that were stopped by a signal, and so neither work nor end."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

# Of proc_pid_stat(5): stopped by a signal, or by a debugger.
_STOPPED = {"T", "t"}


def has_stopped_child() -> bool:
    """Return whether a process that this one started is stopped; False where nobody says."""
    lists = Path("/proc/self/task").glob("*/children")
    with suppress(OSError):  # a thread that ended meanwhile
        return any(is_stopped(int(pid)) for each in lists for pid in each.read_text().split())
    return False


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped; where the system does not say, that it is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # The name of the program is in parentheses and may have any characters.
    return stat.rpartition(")")[2].split()[0] in _STOPPED

"""Whether a process was stopped by a signal, and so neither works nor ends."""

from __future__ import annotations

from pathlib import Path

# Of proc_pid_stat(5): stopped by a signal, or by a debugger.
_STOPPED = {"T", "t"}


def is_stopped(pid: int | None) -> bool:
    """Return whether a process is stopped; where the system does not say, that it is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # The name of the program is in parentheses and may have any characters.
    return stat.rpartition(")")[2].split()[0] in _STOPPED

"""The memory of all runs together: where it runs short, one ends with its best plane."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path


def memory_of(pid: int | None) -> int:
    """Return the bytes of memory that a process has to itself; 0 where the system does not say.

    What it shares with others counts in parts (the proportional set size of proc(5)).
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def who_frees_memory(bytes_of: Mapping[str, int], idle: Collection[str], most: int) -> str | None:
    """Return the run that should end so that all take less: the largest that waits, or else works.

    Parameters
    ----------
    bytes_of : mapping of str to int
        By run.
    idle : collection of str
        The runs that are paused or gave way.
    most : int
        Bytes that all may take together; a single run has a limit of its own.

    Examples
    --------
    >>> who_frees_memory({"a": 5, "b": 3, "c": 4}, {"b", "c"}, 10)
    'c'
    >>> who_frees_memory({"a": 5, "b": 3}, set(), 10)
    """
    if len(bytes_of) < 2 or sum(bytes_of.values()) <= most:
        return None
    return max(set(idle) & bytes_of.keys() or bytes_of, key=bytes_of.__getitem__)

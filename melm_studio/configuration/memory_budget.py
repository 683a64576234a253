"""Memory for each part of a studio: together less than the machine has.

The limits of runs and readers follow from it where nobody sets them, and a test adds up what the
files of `deploy/` set.
"""

from __future__ import annotations

from typing import NamedTuple

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

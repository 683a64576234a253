"""How much memory this process may allocate, where the system can be told."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

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

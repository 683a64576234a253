"""A lock of a file that one process has at a time, by whichever system call there is."""

from __future__ import annotations

import sys
from contextlib import suppress

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Lock an open file unless another process has; closing it unlocks."""
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        return False

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file unless another process has; closing it unlocks."""
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

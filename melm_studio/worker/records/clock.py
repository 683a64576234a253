"""The time, as an argument."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """What the worker needs of the module ``time``."""

    def time(self) -> float:
        """Return seconds since the epoch."""

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""

    def sleep(self, seconds: float, /) -> None:
        """Return after so many seconds."""

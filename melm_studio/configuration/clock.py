"""The clock as an argument, so that tests can set the time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The functions of the module ``time`` that the worker uses."""

    def time(self) -> float:
        """Return seconds since the epoch."""

    def monotonic(self) -> float:
        """Return the seconds of a clock that never goes back."""

    def sleep(self, seconds: float, /) -> None:
        """Return after `seconds`."""

"""How much the studio takes on, and how it refuses what is more."""

from __future__ import annotations

from dataclasses import dataclass

from melm_core.base import UserError

BYTES_PER_MB = 2**20


@dataclass(frozen=True)
class Limits:
    """What one studio and one visitor may keep.

    Attributes
    ----------
    queued_runs : int
        Runs of all visitors that wait for a worker.
    session_runs : int
        Runs of one visitor.
    session_mb : int
        Megabytes of one visitor: uploads, data sets and the planes of runs.
    run_planes : int
        Planes kept of one run, the last one included.
    days_kept : int
        Days after which what nobody used any more is deleted.
    """

    queued_runs: int = 200
    session_runs: int = 100
    session_mb: int = 2_048
    run_planes: int = 20_000
    days_kept: int = 30

    @property
    def session_bytes(self) -> int:
        """Bytes of one visitor."""
        return self.session_mb * BYTES_PER_MB


class LimitReachedError(UserError):
    """The studio takes no more of this for now; the message says what, how much and what helps."""


class DiskFullError(LimitReachedError):
    """There is no room to write."""

    def __init__(self) -> None:
        super().__init__(
            "The disk of the studio is full, so this cannot be kept. Ask whoever keeps the studio "
            "to free some space, then try again."
        )

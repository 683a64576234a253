"""Limits on what visitors store and queue, their shares of it, and the errors beyond these."""

from __future__ import annotations

from dataclasses import dataclass

from melm_core.base import UserError
from melm_studio.configuration.memory import BYTES_PER_MB


@dataclass(frozen=True)
class Limits:
    """Limits of one studio and of each visitor.

    Attributes
    ----------
    queued_runs : int
        Places in the queue, for the runs of all visitors.
    session_runs : int
        Runs of one visitor.
    session_mb : int
        Megabytes of one visitor: uploads, data sets and the planes of runs.
    total_mb : int
        Megabytes of all visitors together.
    run_planes : int
        Planes stored per run, including the last one.
    days_kept : int
        Days after which unused data and runs are deleted.
    run_hours : int
        Hours after which a run stops.
    """

    queued_runs: int = 400
    session_runs: int = 100
    session_mb: int = 2_048
    total_mb: int = 32_768
    run_planes: int = 20_000
    days_kept: int = 30
    run_hours: int = 24

    @property
    def session_bytes(self) -> int:
        """Bytes per visitor."""
        return self.session_mb * BYTES_PER_MB

    @property
    def total_bytes(self) -> int:
        """Bytes of all visitors together."""
        return self.total_mb * BYTES_PER_MB


class LimitReachedError(UserError):
    """A limit of the studio is reached; the message names it and the way out."""


class DiskFullError(LimitReachedError):
    """The disk is full."""

    def __init__(self) -> None:
        super().__init__(
            "The disk of the studio is full, so this cannot be stored. Ask the administrator of "
            "the studio to free some space, then try again."
        )


def share_of_address(total: int, used: int) -> int:
    """Return how much one address may have of a total of which `used` is taken.

    Examples
    --------
    >>> share_of_address(200, 0), share_of_address(200, 150), share_of_address(200, 200)
    (200, 50, 0)
    """
    return max(total - used, 0)


def share_of_visitor(total: int, used: int) -> int:
    """Return how much one visitor may have of a total of which `used` is taken.

    Examples
    --------
    >>> share_of_visitor(200, 0), share_of_visitor(200, 150), share_of_visitor(200, 199)
    (100, 25, 1)
    """
    free = share_of_address(total, used)
    return max(free // 2, min(free, 1))


def share_of_newcomers(share: int) -> int:
    """Return how much of the share of an address its visitors without runs may have.

    Cookies are free, so whoever has many leaves half to the visitors that the studio knows.

    Examples
    --------
    >>> share_of_newcomers(500)
    250
    """
    return share // 2

"""Requests of the user, or the pool of workers, to a run that has not ended."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

import msgspec
from msgspec.structs import replace

from melm_studio.record import Record


class Command(StrEnum):
    """Commands to a run."""

    GO = "go"
    PAUSE = "pause"
    CANCEL = "cancel"


class RunRequest(Record, frozen=True):
    """A command, and how many single steps were requested so far.

    A paused run compares `n_steps` with the number it has carried out, so requests and steps need
    no further synchronization. A cancelled run stays cancelled. A run that gives way waits until it
    is its turn again or it is cancelled, whatever else is requested.
    """

    command: Command = msgspec.field(default=Command.GO, name="order")
    n_steps: int = 0
    gives_way: bool = False
    # Why a run was cancelled, as its message; empty where the user did it.
    reason: str = ""
    # That of the run: an earlier one finds here that the run is no longer its own.
    attempt: int = 0

    @classmethod
    def stored(cls, raw: bytes | None) -> RunRequest:
        """Return the request that a store has; to go on, if it has none that can be read."""
        return (None if raw is None else cls.readable(raw)) or GO

    @property
    def is_cancelled(self) -> bool:
        """True if the run should stop."""
        return self.command is Command.CANCEL

    @property
    def is_paused(self) -> bool:
        """True if the run should pause."""
        return self.command is Command.PAUSE

    def cancelled(self, reason: str = "") -> Self:
        """Return the request after Stop, or after a limit that says why."""
        if self.is_cancelled:
            return self
        return replace(self, command=Command.CANCEL, reason=reason)

    def giving_way(self, gives_way: bool) -> Self:
        """Return the request after the turn of a run, or when it is its turn again."""
        return replace(self, gives_way=gives_way)

    def paused(self) -> Self:
        """Return the request after Pause."""
        return self._unless_cancelled(Command.PAUSE)

    def stepped(self) -> Self:
        """Return the request after Step."""
        return replace(self.paused(), n_steps=self.n_steps + 1)

    def resumed(self) -> Self:
        """Return the request after Resume."""
        return self._unless_cancelled(Command.GO)

    def of_attempt(self, attempt: int) -> Self:
        """Return what a new attempt at the run is to heed: whether to pause, at its first plane."""
        command = Command.PAUSE if self.is_paused else Command.GO
        return type(self)(command=command, attempt=attempt)

    def _unless_cancelled(self, command: Command) -> Self:
        return self if self.is_cancelled else replace(self, command=command)


GO = RunRequest()

"""Shared talks as every store implements them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from melm_studio.talks.talk import Talk, TalkView, code_of


class Talks(ABC):
    """Talks that are shared, and what each of them shows, safe for many processes."""

    @abstractmethod
    def put(self, talk: Talk, *, is_newcomer: bool = False) -> None:
        """Store a talk, or change what its audience may see; another one of its owner ends.

        Parameters
        ----------
        talk : Talk
        is_newcomer : bool
            Whether its presenter has no runs: those of an address have a share of what it may have.

        Raises
        ------
        LimitReachedError
            If too many talks are shared already, in all or from its address.
        """

    @abstractmethod
    def get(self, talk_id: str) -> Talk | None:
        """Return the talk, which may have expired, or None if there is none."""

    @abstractmethod
    def every(self) -> list[Talk]:
        """Return all talks, some of which may have expired."""

    def of_owner(self, owner: str) -> Talk | None:
        """Return the talk of a presenter, which may have expired, or None."""
        return next((talk for talk in self.every() if talk.owner == owner), None)

    def of_code(self, code: str) -> Talk | None:
        """Return the talk whose code this is, which may have expired, or None."""
        return next((talk for talk in self.every() if code_of(talk.talk_id) == code), None)

    @abstractmethod
    def end(self, talk_id: str) -> None:
        """Delete a talk and what it shows."""

    def forget_expired(self, now: float) -> None:
        """Delete the talks that are over."""
        for talk in self.every():
            if talk.is_over(now):
                self.end(talk.talk_id)

    @abstractmethod
    def show(self, talk_id: str, view: TalkView) -> bool:
        """Replace what a talk shows; return whether there is such a talk."""

    @abstractmethod
    def view(self, talk_id: str, after: int = -1) -> TalkView | None:
        """Return what a talk shows, or None if nothing with a number above `after`."""

    @abstractmethod
    def count_viewers(self, talk_id: str, process: str, n_viewers: int, now: float) -> None:
        """Record how many viewers a web process has; valid for `COUNT_VALID_S` seconds."""

    @abstractmethod
    def n_viewers(self, talk_id: str, now: float) -> int:
        """Return the viewers of all web processes."""


class TalkStore(ABC):
    """The part of a store that holds talks."""

    talks: Talks

"""A talk: a link by which an audience follows what its presenter shows, and what stores it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable

import msgspec

from melm_core.base import known_type
from melm_studio.configuration.limits import LimitReachedError, share_of_address, share_of_newcomers
from melm_studio.record import Record

# At the same time, in one studio.
MOST_TALKS = 50
# A web process counts its viewers more often than this.
COUNT_VALID_S = 5.0

# Of the code that is typed: none of them is taken for another.
CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 6

_TOO_MANY = (
    "{n} talks are shared at the moment{where}, which is the most. End one that is over, or try "
    "again later."
)


class Talk(Record, frozen=True, kw_only=True):
    """A talk that is shared, and what its audience may see besides the picture.

    Attributes
    ----------
    talk_id : str
        Unguessable: it is part of the link, and all that a viewer needs.
    owner : str
        The visitor who presents.
    address : str
        What stands for the network address of the presenter.
    created_s, expires_s : float
    shows_names : bool
        Whether viewers see the names of rows.
    shows_info : bool
        Whether viewers see the further columns of rows.
    allows_downloads : bool
        Whether viewers may save the picture and its points.
    """

    talk_id: str
    owner: str
    address: str
    created_s: float
    expires_s: float
    shows_names: bool = False
    shows_info: bool = False
    allows_downloads: bool = False

    def is_over(self, now: float) -> bool:
        """Return whether the talk has expired."""
        return now >= self.expires_s


class TalkView(msgspec.Struct, frozen=True):
    """Picture of a talk: the same bytes for every viewer.

    Attributes
    ----------
    number : int
        Larger for whatever is shown later.
    scene_key : str
        Names the scene, so that nobody loads it twice.
    scene : bytes
        What many pictures have in common: styles, names of classes and rows.
    picture : bytes
        Of one plane under view options.
    """

    number: int
    scene_key: str
    scene: bytes
    picture: bytes

    def to_bytes(self) -> bytes:
        """Return the view as MessagePack, in which bytes stay bytes."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, raw: bytes) -> TalkView:
        """Return the view that `to_bytes` wrote."""
        return msgspec.msgpack.decode(raw, type=known_type(cls))


def code_of(talk_id: str) -> str:
    """Return the code by which viewers who cannot open the link type it: one of 887 million.

    Examples
    --------
    >>> code_of("a talk")
    'MVGHTH'
    """
    number = int.from_bytes(hashlib.sha256(talk_id.encode()).digest())
    base = len(CODE_LETTERS)
    return "".join(CODE_LETTERS[number // base**i % base] for i in range(CODE_LENGTH))


def replaced_by(new: Talk, talks: Iterable[Talk], *, is_newcomer: bool = False) -> list[Talk]:
    """Return the talks that end when another begins: those that are over, and the presenter's own.

    Parameters
    ----------
    new : Talk
    talks : iterable of Talk
        All that are stored.
    is_newcomer : bool
        Whether the presenter has no runs.

    Raises
    ------
    LimitReachedError
        If too many others remain, in all or from the address of the new one.
    """
    every = list(talks)
    ended = [each for each in every if each.is_over(new.created_s) or each.owner == new.owner]
    if any(each.talk_id == new.talk_id for each in ended):
        return ended  # it goes on, and takes no other place
    others = [each for each in every if each not in ended]
    here = [each for each in others if each.address == new.address]
    if len(others) >= MOST_TALKS:
        raise LimitReachedError(_TOO_MANY.format(n=len(others), where=""))
    share = share_of_address(MOST_TALKS, len(others))
    if is_newcomer:
        share = share_of_newcomers(share)
    if new.address and len(here) >= share:
        where = " from your network, where the rest is left to others"
        raise LimitReachedError(_TOO_MANY.format(n=len(here), where=where))
    return ended


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

"""Grants: what lets somebody in as a visitor, without the visitor's cookie or login."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from enum import StrEnum, auto

from melm_studio.configuration.limits import LimitReachedError, share_of_newcomers
from melm_studio.record import Record


class GrantKind(StrEnum):
    """Kinds of grants: of a program, of another browser, of a page that shows a table."""

    TOKEN = auto()
    RECOVERY = auto()
    TICKET = auto()


SECONDS_PER_DAY = 86_400.0
LIFETIME_S = {
    GrantKind.TOKEN: 30 * SECONDS_PER_DAY,
    GrantKind.RECOVERY: 90 * SECONDS_PER_DAY,
    GrantKind.TICKET: 600.0,
}
# Of one visitor that are valid at the same time.
MOST_OF_VISITOR = {GrantKind.TOKEN: 20, GrantKind.RECOVERY: 10, GrantKind.TICKET: 20}
# Of each kind, from one network address: cookies are free.
MOST_OF_ADDRESS = 500
# When a grant was last used need not be known more closely.
MARKED_EVERY_S = 60.0
# Longer than any browser that it let in keeps its cookie: until then it must be known as revoked.
REVOKED_KEPT_S = 32 * SECONDS_PER_DAY

_NAMES = {
    GrantKind.TOKEN: "tokens",
    GrantKind.RECOVERY: "recovery links",
    GrantKind.TICKET: "addresses of tables",
}
_TOO_MANY = (
    "You have {n} {kind} already, which is the most. Revoke one in Help, Links and tokens, to make "
    "another."
)
_TOO_MANY_HERE = (
    "{n} {kind} have been made from your network: no more {of}. {way_out}, or try again later."
)
_OF_NEWCOMERS = (
    "are made for visitors without runs, so that the others there can have some",
    "Start a run first",
)
_OF_ALL = "are made there", "Revoke one in Help, Links and tokens"


class Grant(Record, frozen=True, kw_only=True):
    """A grant, by the hash of its secret, which nobody has but who it was shown to.

    Attributes
    ----------
    grant_id : str
        `id_of` the secret.
    owner : str
        The visitor that it lets somebody in as.
    address : str
        What stands for the network address that it was made from.
    kind : GrantKind
    created_s, expires_s : float
    used_s : float or None
        When it was last used, to about `MARKED_EVERY_S`.
    is_revoked : bool
    via : str
        As of which grant its maker was let in (`as_via`); empty for the visitor's own browser.
    content : str
        What a ticket opens, as JSON.
    """

    grant_id: str
    owner: str
    address: str
    kind: GrantKind
    created_s: float
    expires_s: float
    used_s: float | None = None
    is_revoked: bool = False
    via: str = ""
    content: str = ""

    @property
    def as_via(self) -> str:
        """Kind and id, stored of a browser or program that it admitted."""
        return f"{self.kind} {self.grant_id}"

    def is_valid(self, now: float) -> bool:
        """Return whether it still lets anybody in."""
        return not self.is_revoked and now < self.expires_s

    def is_marked(self, now: float) -> bool:
        """Return whether it is known to have been used within `MARKED_EVERY_S`."""
        return self.used_s is not None and 0 <= now - self.used_s < MARKED_EVERY_S


def id_of(secret: str) -> str:
    """Return the name of the grant with a secret, from which the secret cannot be found."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


def replaced_by(
    new: Grant,
    of_visitor: Iterable[Grant],
    n_here: int,
    here: Callable[[], Iterable[Grant]],
    *,
    is_newcomer: bool = False,
) -> list[Grant]:
    """Return the grants of the same visitor that go when another is made; never another's.

    Of tickets, the longest unused makes room; links and tokens that a visitor relies on do not.
    Those that have expired are left to the sweep, which knows whether the clock can be trusted.

    Parameters
    ----------
    new : Grant
    of_visitor : iterable of Grant
        All of them.
    n_here : int
        Number of those of its kind and address.
    here : callable
        Returns them; called where they are too many, since they take long to read.
    is_newcomer : bool
        Whether its visitor has no runs.

    Raises
    ------
    LimitReachedError
        If there are too many and none may go.
    """
    alike = [grant for grant in of_visitor if grant.kind is new.kind]
    most = MOST_OF_VISITOR[new.kind]
    revoked = sorted((grant for grant in alike if grant.is_revoked), key=lambda it: it.expires_s)
    gone = revoked[:-most]
    valid = [grant for grant in alike if grant.is_valid(new.created_s)]
    if len(valid) >= most:
        if new.kind is not GrantKind.TICKET:
            raise LimitReachedError(_TOO_MANY.format(n=len(valid), kind=_NAMES[new.kind]))
        gone += _longest_unused(valid)[: len(valid) - most + 1]
    most_here = share_of_newcomers(MOST_OF_ADDRESS) if is_newcomer else MOST_OF_ADDRESS
    if new.address and n_here - len(gone) >= most_here:
        n_kept = sum(new.created_s < grant.expires_s for grant in here()) - len(gone)
        if n_kept >= most_here:
            of, way_out = _OF_NEWCOMERS if is_newcomer else _OF_ALL
            words = {"n": n_kept, "kind": _NAMES[new.kind], "of": of, "way_out": way_out}
            raise LimitReachedError(_TOO_MANY_HERE.format(**words))
    return gone


def _longest_unused(grants: Iterable[Grant]) -> list[Grant]:
    """Sort grants by last use; those that were never used first."""
    return sorted(grants, key=lambda it: (it.used_s is not None, it.used_s or it.created_s))

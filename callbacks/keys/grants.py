"""Grants are made, looked up at each use, and revoked; a secret is shown once and never stored."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress

from msgspec.structs import replace

from callbacks.services import services
from melm_core.base import UserError
from melm_studio.configuration.limits import DiskFullError, LimitReachedError
from melm_studio.runs.records.grant import (
    LIFETIME_S,
    REVOKED_KEPT_S,
    SECONDS_PER_DAY,
    Grant,
    GrantKind,
    id_of,
)

TOKEN_DAYS = round(LIFETIME_S[GrantKind.TOKEN] / SECONDS_PER_DAY)
RECOVERY_DAYS = round(LIFETIME_S[GrantKind.RECOVERY] / SECONDS_PER_DAY)
TICKET_MINUTES = round(LIFETIME_S[GrantKind.TICKET] / 60)
# Of what a ticket opens, which the store keeps.
MOST_CONTENT_BYTES = 2**16

_ANOTHER = {
    GrantKind.TOKEN: "Make another in Help, Links and tokens, or by POST /api/v1/tokens.",
    GrantKind.RECOVERY: "Make another in Help, Links and tokens, in a browser that has your runs.",
    GrantKind.TICKET: "Open the table again where the address was made.",
}
_NAMES = {
    GrantKind.TOKEN: "token",
    GrantKind.RECOVERY: "link",
    GrantKind.TICKET: "address",
}
_LIFETIMES = {
    GrantKind.TOKEN: f"{TOKEN_DAYS} days",
    GrantKind.RECOVERY: f"{RECOVERY_DAYS} days",
    GrantKind.TICKET: f"{TICKET_MINUTES} minutes",
}
_UNKNOWN = "This {name} is not one of this studio, was cut off, or has ended long ago. {another}"
_REVOKED = "This {name} was revoked. {another}"
_EXPIRED = "This {name} was valid for {lifetime}, which are over. {another}"
_STATUS = {GrantKind.TOKEN: 401, GrantKind.RECOVERY: 404, GrantKind.TICKET: 404}
_STUDIO_FULL = (
    "The studio is full, so it can keep no further links and tokens. Ask its administrator for "
    "more room (MELM_MAX_TOTAL_MB)."
)
_TOO_LONG = (
    f"The choices of this table take more than {MOST_CONTENT_BYTES // 2**10} kB, which is the most "
    "that an address opens. Change the file instead of single rows."
)


class NotGrantedError(UserError):
    """A request is not let in, or may not do what it asks; has the status of the answer."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


def make_grant(
    kind: GrantKind, owner: str, address: str, *, via: str = "", content: str = ""
) -> tuple[str, Grant]:
    """Store a grant of a visitor; return its secret and what is stored of it.

    Raises
    ------
    LimitReachedError
        If there are too many, or the studio is full.
    """
    if len(content.encode()) > MOST_CONTENT_BYTES:
        raise LimitReachedError(_TOO_LONG)
    store, now = services().store, time.time()
    if store.bytes_stored() >= store.limits.total_bytes:
        raise LimitReachedError(_STUDIO_FULL)
    secret = secrets.token_urlsafe(32)
    grant = Grant(
        grant_id=id_of(secret),
        owner=owner,
        address=address,
        kind=kind,
        created_s=now,
        expires_s=now + LIFETIME_S[kind],
        via=via,
        content=content,
    )
    store.grants.put(grant, is_newcomer=is_newcomer(owner))
    return secret, grant


def is_newcomer(owner: str) -> bool:
    """Return whether a visitor has no runs, and no login: as many as anybody likes may be made."""
    studio = services()
    return not studio.settings.user_header and not studio.store.run_ids(owner)


def used_grant(kind: GrantKind, secret: str) -> Grant:
    """Return the grant of a secret, and note that it was used.

    Raises
    ------
    NotGrantedError
        If there is none of that kind, or it is no longer valid.
    """
    grants, now = services().store.grants, time.time()
    grant = grants.get(id_of(secret))
    words = {"name": _NAMES[kind], "another": _ANOTHER[kind], "lifetime": _LIFETIMES[kind]}
    if grant is None or grant.kind is not kind:
        raise NotGrantedError(_UNKNOWN.format(**words), _STATUS[kind])
    # What a ticket's maker was let in by may have been revoked within its minutes.
    is_revoked = grant.is_revoked or (kind is GrantKind.TICKET and not still_admits(grant.via))
    if is_revoked or not grant.is_valid(now):
        why = _REVOKED if is_revoked else _EXPIRED
        raise NotGrantedError(why.format(**words), _STATUS[kind])
    if not grant.is_marked(now):
        with suppress(DiskFullError):  # whoever is let in may be about to make room
            grants.change(grant.grant_id, lambda stored: replace(stored, used_s=now))
    return grant


def still_admits(via: str) -> bool:
    """Return whether the grant that let a browser in, as in `Grant.as_via`, still does.

    A token that is over ends what it began; a recovery link only once it is revoked.
    """
    if not via:
        return True
    kind, _, grant_id = via.partition(" ")
    grant = services().store.grants.get(grant_id)
    if kind == GrantKind.TOKEN:
        return grant is not None and grant.is_valid(time.time())
    return grant is None or not grant.is_revoked


def valid_grants(owner: str) -> list[Grant]:
    """Return what lets somebody in as a visitor, oldest first."""
    now = time.time()
    return [grant for grant in services().store.grants.of_owner(owner) if grant.is_valid(now)]


def revoke_grant(owner: str, grant_id: str) -> bool:
    """Revoke a grant of a visitor, and what it let in; return whether there was one."""
    if grant_id not in {grant.grant_id for grant in valid_grants(owner)}:
        return False
    until_s = time.time() + REVOKED_KEPT_S
    services().store.grants.change(
        grant_id, lambda stored: replace(stored, is_revoked=True, expires_s=until_s)
    )
    return True

"""Origin of a request, decided in one place for cookies, tokens and the names that proxies give.

Flask opens the session of a request before its error handlers apply, so a session is what the
cookie says and nothing else. All that asks the store is a guard, which runs within them: a store
that does not answer is a sentence (503), whatever a request carries.

Grants, such as tokens and links, are made, looked up at each use, and revoked; a secret is shown
once and never stored.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from typing import cast

import flask
from msgspec.structs import replace

from callbacks.addresses import Guard, requested_address
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
from melm_studio.runs.store.secret_key import owner_of_user

OWNER = "owner"
HEADER = "X-Melm-Token"
_SCHEME = "Bearer "
# As of which grant a browser was let in, in its cookie; missing where it is the visitor's own.
_VIA = "via"
_GRANT = "melm_grant"  # that a program sent with this request, in flask.g
_NOBODY = (
    "The proxy in front of the studio has not said who you are, in the header {header}. Open the "
    "studio by its own address, where you log in."
)
_SOMEBODY_ELSE = (
    f"The token in {HEADER} is not one of the user who is logged in. Leave one of them out, or "
    "make a token as this user, in Help, Links and tokens."
)
_NO_TOKEN = (
    f"This request has no token: send one in {HEADER}. POST /api/v1/tokens makes one, as Help, "
    "Links and tokens, does."
)
_ENDED = (
    "What let this browser in was revoked or is over, so it no longer shows those runs. Load the "
    "studio again to begin anew, or open a new link."
)
_IS_SOMEBODY = (
    "A login or token says who this request is from, so it cannot become another visitor's."
)
_BY_PROGRAM = (
    "A token can make neither tokens nor recovery links. Make them in Help, Links and tokens, in "
    "the browser that has these runs."
)
_PAGE = "/"

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


def identify() -> None:
    """Find out who the current request is from, before its route.

    Raises
    ------
    NotGrantedError
        If it is from nobody, or from two.
    """
    guard = requested_address().guard
    if guard in {Guard.FILE, Guard.MONITOR, Guard.VIEWER}:
        # The proxy may have asked for no login, since there is a token.
        if guard is Guard.VIEWER and HEADER in flask.request.headers:
            used_grant(GrantKind.TOKEN, flask.request.headers[HEADER].strip())
        return
    named = _named_by_proxy()
    token = token_of(flask.request)
    if token is not None:
        _act_by(used_grant(GrantKind.TOKEN, token), named)
    elif named is not None:
        become(named)
    elif header := services().settings.user_header:
        raise NotGrantedError(_NOBODY.format(header=header), 401)
    elif OWNER not in flask.session:
        _begin(guard)
    elif not still_admits(via()):
        _begin_anew(guard)


def become(named: str, via: str = "") -> None:
    """Make the browser of this request that of a visitor, until the grant `via` is revoked."""
    if (flask.session.get(OWNER), flask.session.get(_VIA, "")) != (named, via):
        flask.session.permanent = True
        flask.session[OWNER] = named
        flask.session.pop(_VIA, None)
        if via:
            flask.session[_VIA] = via


def hand_over(grant: Grant) -> None:
    """Make the browser of this request that of the visitor who made a recovery link or a ticket.

    Raises
    ------
    NotGrantedError
        If a login or a token says who this request is from.
    """
    if grant.owner == flask.session[OWNER] and not via():
        return  # it is the visitor's own browser already
    if services().settings.user_header or _GRANT in flask.g:
        raise NotGrantedError(_IS_SOMEBODY, 403)
    become(grant.owner, grant.as_via if grant.kind is GrantKind.RECOVERY else grant.via)


def via() -> str:
    """Return as of which grant this request was let in; empty for the visitor's own browser."""
    token: Grant | None = flask.g.get(_GRANT)
    return cast(str, flask.session.get(_VIA, "")) if token is None else token.as_via


def is_by_token() -> bool:
    """Return whether a token let this request in, or the browser that it is from."""
    return via().startswith(f"{GrantKind.TOKEN} ")


def refuse_tokens() -> None:
    """Raise NotGrantedError where a token would make what outlives it."""
    if is_by_token():
        raise NotGrantedError(_BY_PROGRAM, 403)


def _begin(guard: Guard) -> None:
    """Make whoever comes a visitor; a program asks for that by making a token."""
    if guard is Guard.PROGRAM:
        raise NotGrantedError(_NO_TOKEN, 401)
    become(secrets.token_urlsafe(16))


def _begin_anew(guard: Guard) -> None:
    """Refuse a browser that was put out, until it loads the page, or opens a link, as another."""
    if guard is Guard.LINK or flask.request.endpoint == _PAGE:
        become(secrets.token_urlsafe(16))
    if guard is not Guard.LINK:
        raise NotGrantedError(_ENDED, 401)


def _act_by(grant: Grant, named: str | None) -> None:
    """Let a program in; a token never makes another of whom the proxy has named."""
    if named not in {None, grant.owner}:
        raise NotGrantedError(_SOMEBODY_ELSE, 403)
    setattr(flask.g, _GRANT, grant)
    flask.session[OWNER] = grant.owner


def _named_by_proxy() -> str | None:
    """Return the visitor named by a trusted proxy; None where there is none."""
    header = services().settings.user_header
    name = flask.request.headers.get(header, "").strip() if header else ""
    return owner_of_user(cast(bytes, flask.current_app.secret_key), name) if name else None


def token_of(request: flask.Request) -> str | None:
    """Return the token that a request carries, valid or not; None for one without.

    Where a proxy names the users, `Authorization` is for the proxy. An empty header is a token all
    the same: the proxy may have let the request pass for it.
    """
    if HEADER in request.headers:
        return request.headers[HEADER].strip()
    header = request.headers.get("Authorization", "")
    if services().settings.user_header or not header.startswith(_SCHEME):
        return None
    return header.removeprefix(_SCHEME).strip()


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

"""Origin of a request, decided in one place for cookies, tokens and the names that proxies give.

Flask opens the session of a request before its error handlers apply, so a session is what the
cookie says and nothing else. All that asks the store is a guard, which runs within them: a store
that does not answer is a sentence (503), whatever a request carries.
"""

from __future__ import annotations

import secrets
from typing import cast

import flask

from callbacks.addresses import Guard, requested_address
from callbacks.keys.grants import NotGrantedError, still_admits, used_grant
from callbacks.services import services
from melm_studio.runs.records.grant import Grant, GrantKind
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

"""Tokens for programs, and addresses that open a table in a browser.

Whoever opens an address gets a copy of its file. In a notebook's studio, the notebook and its page
may be the same visitor instead.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import flask
import msgspec
from msgspec import Struct
from werkzeug import Response

from callbacks.addresses import Guard
from callbacks.guards.error_answers import sentence
from callbacks.identity import (
    TICKET_MINUTES,
    TOKEN_DAYS,
    hand_over,
    revoke_grant,
    used_grant,
    valid_grants,
)
from callbacks.routes.api.endpoints import Endpoints
from callbacks.routes.api.runs import prepared
from callbacks.services import services
from callbacks.session import grant, owner, workspace
from melm_core.base import UserError, known_type
from melm_studio.programs.models import Link, MadeToken, NewLink, Token, Tokens
from melm_studio.runs.execution.refusals import parameters_for
from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.workspace.view_query import data_query, to_query
from melm_studio.workspace.view_spec import ViewSpec

_GONE = (
    "The file of this table is no longer stored. Open the table again where the address was made."
)
_OTHERS_ONLY = (
    "This studio makes addresses for other visitors only. Leave out same_visitor, or start it with "
    "--framed-by and the pages that may show it."
)
routes = Endpoints("access", __name__)


@routes.declare("POST", "/tokens", status=201, makes_visitors=True)
def make_token() -> Token:
    """Make a token of the visitor; a program without a cookie becomes a new visitor."""
    token, made = grant(GrantKind.TOKEN)
    return Token(token, TOKEN_DAYS, made.grant_id)


@routes.declare("GET", "/tokens")
def list_tokens() -> Tokens:
    """List the valid tokens of the visitor, oldest first, by ids that grant nothing."""
    return Tokens(tuple(map(_described, _tokens())))


@routes.declare("DELETE", "/tokens/<token_id>")
def revoke_token(token_id: str) -> Tokens:
    """Revoke a token; answers those that are left."""
    if token_id not in {token.grant_id for token in _tokens()}:
        flask.abort(404)
    revoke_grant(owner(), token_id)
    return list_tokens()


def _tokens() -> list[Grant]:
    return [grant for grant in valid_grants(owner()) if grant.kind is GrantKind.TOKEN]


def _described(grant: Grant) -> MadeToken:
    return MadeToken(
        id=grant.grant_id,
        made=_time(grant.created_s),
        used=None if grant.used_s is None else _time(grant.used_s),
        expires=_time(grant.expires_s),
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds), UTC)


class _Ticket(Struct, frozen=True):
    """Content of a ticket.

    Attributes
    ----------
    wanted : NewLink
    parameters : dict
        Of the run, as a program that names none gets them.
    """

    wanted: NewLink
    parameters: dict[str, Any]


@routes.declare("POST", "/links", takes="The link", status=201)
def make_link(body: NewLink) -> Link:
    """Make an address of a table of the visitor, after reading it once."""
    if body.same_visitor and not services().settings.framed_by:
        raise UserError(_OTHERS_ONLY)
    workspace().table(body.source)
    content = _Ticket(body, _parameters(body))
    ticket, _ = grant(GrantKind.TICKET, msgspec.json.encode(content).decode())
    return Link(f"/open/{ticket}", TICKET_MINUTES)


@routes.get("/open/<ticket>", is_heavy=True, guard=Guard.LINK)
def open_table(ticket: str) -> Response | tuple[dict[str, Any], int]:
    """Copy the file to this visitor, or make this its maker; lead to the page that shows it."""
    grant = used_grant(GrantKind.TICKET, ticket)
    content = msgspec.json.decode(grant.content, type=known_type(_Ticket))
    wanted = content.wanted
    if wanted.same_visitor:
        hand_over(grant)
    elif wanted.source.kind == "upload":
        raw = services().store.get_file(grant.owner, FileKind.UPLOAD, wanted.source.key)
        if raw is None:
            return sentence(_GONE), 404
        services().store.put_file(owner(), FileKind.UPLOAD, wanted.source.key, raw)
    # Relative: proxies that serve the studio below a path may add it to others.
    return flask.redirect(f"../?{_query(wanted, content.parameters)}")


def _parameters(wanted: NewLink) -> dict[str, Any]:
    """Return parameters of a run; none without a run, or if the page has to ask first."""
    with suppress(UserError):
        if wanted.method is not None:
            return parameters_for(prepared(wanted.source), wanted.method, {}).values
    return {}


def _query(wanted: NewLink, parameters: dict[str, Any]) -> str:
    if wanted.method is None:
        return data_query(wanted.source)
    return to_query(ViewSpec(source=wanted.source, method=wanted.method, parameters=parameters))

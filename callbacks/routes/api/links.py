"""Addresses that open a table in a browser: whoever opens one gets a copy of its file.

In a notebook's studio, the notebook and its page may be the same visitor instead.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import flask
import msgspec
from msgspec import Struct
from werkzeug import Response

from callbacks.addresses import Guard
from callbacks.guards.error_answers import sentence
from callbacks.keys.grants import TICKET_MINUTES, used_grant
from callbacks.keys.identity import hand_over
from callbacks.routes.api.runs import json_body, prepared
from callbacks.services import Served, services
from callbacks.session import grant, owner, workspace
from melm_core.base import UserError, known_type
from melm_studio.programs.models import Link, NewLink
from melm_studio.runs.execution.refusals import parameters_for
from melm_studio.runs.records.grant import GrantKind
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


def register(app: Served) -> None:
    """Connect the route that such an address leads to."""
    app.server.get("/open/<ticket>", is_heavy=True, guard=Guard.LINK)(open_table)


def make_link() -> Link:
    """Make an address of a table of the visitor, after reading it once."""
    wanted = json_body(NewLink, "The link")
    if wanted.same_visitor and not services().settings.framed_by:
        raise UserError(_OTHERS_ONLY)
    workspace().table(wanted.source)
    content = _Ticket(wanted, _parameters(wanted))
    ticket, _ = grant(GrantKind.TICKET, msgspec.json.encode(content).decode())
    return Link(f"/open/{ticket}", TICKET_MINUTES)


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

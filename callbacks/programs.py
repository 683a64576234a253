"""The studio for programs, without the page: a server in their own process."""

from __future__ import annotations

from dataclasses import dataclass

import flask

from callbacks import session
from callbacks.guards import error_answers, request_guards
from callbacks.routes import analyses, export, publication, rows
from callbacks.routes.api import endpoints
from callbacks.services import Services, install

_PARTS = (error_answers, request_guards, session, analyses, export, publication, rows, endpoints)


@dataclass(frozen=True)
class _Programs:
    server: flask.Flask


def programs_server(services: Services) -> flask.Flask:
    """Return a server with the HTTP interface and the downloads, which does not import Dash."""
    programs = _Programs(flask.Flask(__name__))
    install(programs.server, services)
    with programs.server.app_context():
        for part in _PARTS:
            part.register(programs)
    return programs.server

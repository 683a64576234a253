"""The studio for programs, without the page: a server in their own process."""

from __future__ import annotations

from dataclasses import dataclass

import flask

from callbacks import session
from callbacks.guards import error_answers, request_guards
from callbacks.routes import analyses, export, publication, rows
from callbacks.routes.api import access, endpoints, runs
from callbacks.services import Services, install

_GUARDS = (error_answers, request_guards, session)
_ROUTES = (analyses, export, publication, rows, endpoints, access, runs)


@dataclass(frozen=True)
class _Programs:
    server: flask.Flask


def programs_server(services: Services) -> flask.Flask:
    """Return a server with the HTTP interface and the downloads, which does not import Dash."""
    programs = _Programs(flask.Flask(__name__))
    install(programs.server, services)
    with programs.server.app_context():
        for guard in _GUARDS:
            guard.register(programs)
        for room in _ROUTES:
            programs.server.register_blueprint(room.routes)
    return programs.server

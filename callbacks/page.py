"""All that the page does, connected to its app."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    audit,
    data,
    method_form,
    page_state,
    session,
    share_link,
    story,
    table_dialog,
)
from callbacks.guards import (
    abandoned_requests,
    admission,
    compression,
    error_answers,
    known_requests,
    path_prefix,
    request_guards,
    security_headers,
)
from callbacks.routes import (
    analyses,
    documents,
    export,
    frames,
    health,
    links_and_tokens,
    publication,
    rows,
    runs,
    sharing,
    static_files,
    tables,
)
from callbacks.routes.api import access, endpoints
from callbacks.routes.api import runs as api_runs
from callbacks.routes.talks import audience, presenter
from callbacks.services import Services, install

_GUARDS = (
    compression,
    security_headers,
    error_answers,
    abandoned_requests,
    admission,
    request_guards,
    path_prefix,
    known_requests,
    session,
    audit,
)
_ROUTES = (
    static_files,
    documents,
    health,
    tables,
    frames,
    runs,
    export,
    links_and_tokens,
    publication,
    sharing,
    rows,
    analyses,
    presenter,
    audience,
    endpoints,
    access,
    api_runs,
)
_CALLBACKS = (
    method_form,
    page_state,
    story,
    data,
    table_dialog,
    share_link,
)


def register(app: Dash, services: Services) -> None:
    """Connect every callback and route of the page to an app."""
    install(app.server, services)
    with app.server.app_context():
        for guard in _GUARDS:
            guard.register(app)
        for room in _ROUTES:
            app.server.register_blueprint(room.routes)
        for part in _CALLBACKS:
            part.register(app)

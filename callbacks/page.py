"""All that the page does, connected to its app."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    audit,
    data,
    map_comparison,
    method_form,
    page_state,
    session,
    share_link,
    story,
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
    batch_runs,
    description,
    export,
    frames,
    guide,
    health,
    links_and_tokens,
    new_runs,
    numbers,
    panels,
    preview,
    project_file,
    publication,
    replay,
    rows,
    run_commands,
    shared_view,
    static_files,
    stories,
    surface,
    upload,
)
from callbacks.routes.api import endpoints, links
from callbacks.routes.talks import audience, presenter
from callbacks.services import Services, install
from callbacks.table_dialog import classes, columns, file, filters, recipe

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
    guide,
    health,
    upload,
    frames,
    preview,
    panels,
    new_runs,
    batch_runs,
    export,
    run_commands,
    replay,
    links_and_tokens,
    publication,
    shared_view,
    stories,
    project_file,
    rows,
    numbers,
    description,
    surface,
    analyses,
    presenter,
    audience,
    endpoints,
    links,
)
_CALLBACKS = (
    method_form,
    page_state,
    story,
    data,
    columns,
    classes,
    file,
    filters,
    recipe,
    share_link,
    map_comparison,
)


def register(app: Dash, services: Services) -> None:
    """Connect every callback and route of the page to an app."""
    install(app.server, services)
    with app.server.app_context():
        for part in (*_GUARDS, *_ROUTES, *_CALLBACKS):
            part.register(app)

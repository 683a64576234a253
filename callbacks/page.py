"""All that the page does, connected to its app, and the page before Dash has rendered it."""

from __future__ import annotations

import flask
from dash import Dash
from dash.development.base_component import Component

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
    compression,
    error_answers,
    fair_requests,
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
    talks,
)
from callbacks.routes.api import access, endpoints
from callbacks.routes.api import runs as api_runs
from callbacks.services import Services, install, services
from callbacks.session import has_owner, workspace
from melm_studio.configuration.limits import DiskFullError
from melm_studio.layout.first_page import first_page
from melm_studio.layout.page import first_source
from melm_studio.runs.records.data_source import DataSource
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData

_GUARDS = (
    compression,
    security_headers,
    error_answers,
    abandoned_requests,
    fair_requests,
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
    talks,
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


def first_data() -> DataSource:
    """Return the data of a first visit."""
    return read(first_source(), DataSource, "The data of a first visit")


def first_paint() -> Component:
    """Render the page as a visitor sees it before Dash has."""
    if not has_owner() or workspace().panels():
        return first_page(None, is_new=False)
    if flask.request.args:  # a link shows data of its own
        return first_page(None)
    source = first_data()
    try:
        table = services().tables.describe(workspace(), source)
    except DiskFullError:  # the page itself tells what is asked of it that there is no room for
        return first_page(None)
    return first_page(ShownData(table.id, table.name, table.label, source), table.class_names)

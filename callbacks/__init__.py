"""What the page does: Dash callbacks, one user intention per module; `routes` holds the rest."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    audit,
    batch_runs,
    compare,
    data,
    method_form,
    page_state,
    panels,
    ranking,
    recent,
    restore,
    runs,
    session,
    share_link,
    story,
    surface,
    validation,
)
from callbacks.guards import (
    compression,
    error_answers,
    known_requests,
    path_prefix,
    request_guards,
    security_headers,
)
from callbacks.routes import (
    analyses,
    export,
    frames,
    guide,
    health,
    links_and_tokens,
    metrics,
    preview,
    project_file,
    recovery,
    refine,
    replay,
    run_commands,
    shared_view,
    static_files,
    upload,
)
from callbacks.routes import surface as surface_route
from callbacks.routes.api import links
from callbacks.routes.api import routes as api
from callbacks.routes.numbers import feature_densities, latent_structure, loadings
from callbacks.routes.planes import plane_trees, sparse
from callbacks.routes.publication import comparison_files, print_figure, report
from callbacks.routes.rows import (
    distances,
    edit_rows,
    every_row,
    marks,
    new_rows,
    table_rows,
)
from callbacks.routes.stories import included, presenter, story_file
from callbacks.routes.talks import presenter as talk_presenter
from callbacks.routes.talks import viewer
from callbacks.services import Services, install
from callbacks.table_dialog import classes, columns, file, filters, recipe

__all__ = ["Services", "register"]

_GUARDS = (
    compression,
    security_headers,
    error_answers,
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
    metrics,
    upload,
    frames,
    preview,
    export,
    refine,
    run_commands,
    replay,
    recovery,
    links_and_tokens,
    print_figure,
    report,
    comparison_files,
    shared_view,
    story_file,
    included,
    presenter,
    project_file,
    surface_route,
    new_rows,
    table_rows,
    edit_rows,
    distances,
    every_row,
    marks,
    plane_trees,
    latent_structure,
    loadings,
    feature_densities,
    sparse,
    analyses,
    talk_presenter,
    viewer,
    api,
    links,
)
_CALLBACKS = (
    method_form,
    page_state,
    story,
    data,
    recent,
    columns,
    classes,
    file,
    filters,
    recipe,
    runs,
    panels,
    surface,
    validation,
    share_link,
    restore,
    batch_runs,
    compare,
    ranking,
)


def register(app: Dash, services: Services) -> None:
    """Connect every callback and route of the page to an app."""
    install(app.server, services)
    with app.server.app_context():
        for part in (*_GUARDS, *_ROUTES, *_CALLBACKS):
            part.register(app)

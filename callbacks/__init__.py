"""What the page does: one user intention a module."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    batch_runs,
    columns,
    compare,
    data,
    method_form,
    page_state,
    panels,
    restore,
    runs,
    share_link,
    story,
    surface,
    validation,
)
from callbacks.routes import (
    export,
    frames,
    health,
    metrics,
    refine,
    replay,
    request_guards,
    run_commands,
    security_headers,
    session,
    store_errors,
    upload,
)
from callbacks.services import Studio

__all__ = ["Studio", "register"]


def register(app: Dash, studio: Studio) -> None:
    """Connect every callback and route of the page to an app."""
    for page_part in (security_headers, store_errors, method_form, page_state, story):
        page_part.register(app)
    guards = (request_guards, session)
    routes = (health, metrics, upload, frames, export, refine, run_commands, replay)
    callbacks = (
        data,
        columns,
        runs,
        panels,
        surface,
        validation,
        share_link,
        restore,
        batch_runs,
        compare,
    )
    for part in (*guards, *routes, *callbacks):
        part.register(app, studio)

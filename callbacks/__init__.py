"""What the page does: one user intention a module."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    check,
    controls,
    data,
    export,
    frames,
    headers,
    health,
    panels,
    refine,
    runs,
    session,
    surface,
    upload,
    view,
)
from callbacks.studio import Studio

__all__ = ["Studio", "register"]


def register(app: Dash, studio: Studio) -> None:
    """Connect every callback and route of the page to an app."""
    for page_part in (headers, health, controls, view):
        page_part.register(app)
    runs_and_views = (runs, panels, frames, export, surface, refine, check)
    for studio_part in (session, upload, data, *runs_and_views):
        studio_part.register(app, studio)

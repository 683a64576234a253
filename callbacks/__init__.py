"""What the page does: one user intention a module."""

from __future__ import annotations

from dash import Dash

from callbacks import (
    check,
    columns,
    compare,
    control,
    controls,
    data,
    export,
    frames,
    gate,
    headers,
    health,
    limits,
    link,
    metrics,
    panels,
    refine,
    replay,
    runs,
    session,
    several,
    story,
    surface,
    upload,
    view,
    wanted,
)
from callbacks.studio import Studio

__all__ = ["Studio", "register"]


def register(app: Dash, studio: Studio) -> None:
    """Connect every callback and route of the page to an app."""
    for page_part in (headers, limits, controls, view, story):
        page_part.register(app)
    runs_and_views = (
        runs,
        panels,
        frames,
        export,
        surface,
        refine,
        check,
        control,
        link,
        wanted,
        replay,
        several,
        compare,
    )
    for studio_part in (gate, session, health, metrics, upload, data, columns, *runs_and_views):
        studio_part.register(app, studio)

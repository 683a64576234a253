"""What the page does: one user intention a module."""

from __future__ import annotations

from dash import Dash

from callbacks import controls, data, export, frames, headers, health, runs, session, upload, view
from callbacks.studio import Studio

__all__ = ["Studio", "register"]


def register(app: Dash, studio: Studio) -> None:
    """Connect every callback and route of the page to an app."""
    for part in (session, headers, health, upload, data, controls, runs, frames, export, view):
        part.register(app, studio)

"""Connects functions of the page's scripts as callbacks."""

from __future__ import annotations

from typing import Any, cast

from dash import ClientsideFunction, Dash


def connect_script(app: Dash, function: str, *dependencies: Any, **options: Any) -> None:
    """Call a function of the page's scripts as a callback, which runs in the browser."""
    connect = cast(Any, app.clientside_callback)  # Dash leaves it untyped
    connect(ClientsideFunction("studio", function), *dependencies, **options)

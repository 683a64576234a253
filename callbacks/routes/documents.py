"""Pages of text, outside the one page that Dash serves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from dash import get_asset_url
from jinja2 import Environment, FileSystemLoader

from melm_studio.layout.scripts import ICON
from melm_studio.planes.theme import FONT_FILE, font_face


def document(template: str, **parts: Any) -> str:
    """Fill a template of this folder, which may name the icon and the font of the studio."""
    icon, font = (get_asset_url(name) for name in (ICON, FONT_FILE))  # type: ignore[no-untyped-call]
    shared = {"icon": icon, "font_face": font_face(font)}
    return _templates().get_template(template).render({**shared, **parts})


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)

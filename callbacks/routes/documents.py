"""Pages of text, outside the one page that Dash serves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from dash import get_asset_url
from jinja2 import Environment, FileSystemLoader

from melm_studio.layout.scripts import ICON


def document(template: str, **parts: Any) -> str:
    """Fill a template of this folder, which may name the icon of the studio."""
    icon = get_asset_url(ICON)  # type: ignore[no-untyped-call]
    return _templates().get_template(template).render({"icon": icon, **parts})


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)

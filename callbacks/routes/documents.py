"""Pages of text, outside the one page that Dash serves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader


def document(template: str, **parts: Any) -> str:
    """Fill a template of this folder."""
    return _templates().get_template(template).render(parts)


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)

"""Parts of the page in the answers of routes, as HTML.

The layout imports Dash, which a command that asks these routes does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from melm_studio.analyses.content import Block


def markup_of(part: str, *shown: Any) -> str:
    """Return what a function of a module of the layout makes of something: "row_card.row_card"."""
    module, write = part.split(".")
    component = getattr(import_module(f"melm_studio.layout.{module}"), write)(*shown)
    html: str = import_module("melm_studio.layout.shell.markup").markup(component)
    return html


def as_found(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what a dialog shows: blocks as ``markup``, and their ``figures`` by name."""
    figures = {block["name"]: block["figure"] for block in blocks if block["kind"] == "plot"}
    return {"markup": markup_of("found.found", blocks), "figures": figures}

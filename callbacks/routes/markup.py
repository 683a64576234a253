"""Parts of the page in the answers of routes, as HTML.

The layout imports Dash, which a command that asks these routes does without: each function here
loads it when it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from melm_studio.analyses.content import Block


def markup_of(part: str, *shown: Any) -> str:
    """Return what a function of `melm_studio.layout.lists` makes of something."""
    from melm_studio.layout import lists  # noqa: PLC0415 - with Dash
    from melm_studio.layout.elements import markup  # noqa: PLC0415

    return markup(getattr(lists, part)(*shown))


def at_once(run_id: str, words: str, blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what is shown of what is computed while it is asked for, like an analysis."""
    progress = {"stage": "", "fraction": 1.0, "is_final": True, "can_begin": False}
    return {"run": run_id, "words": words, **progress, **as_found(blocks)}


def as_found(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what the page shows: blocks as ``markup``, and their ``figures`` by name."""
    from melm_studio.layout.elements import markup  # noqa: PLC0415
    from melm_studio.layout.found import found  # noqa: PLC0415 - with Dash

    figures = {block["name"]: block["figure"] for block in blocks if block["kind"] == "plot"}
    return {"markup": markup(found(blocks)), "figures": figures}

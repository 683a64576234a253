"""Values and ids of the controls of which a page has several."""

from __future__ import annotations

from typing import TypedDict


class NamedControl(TypedDict):
    """The id of a control that is distinguished by a name from others of its type."""

    name: str

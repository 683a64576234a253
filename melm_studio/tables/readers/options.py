"""What the user can choose about reading a file."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class ReadOptions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a file is read, where it can be read in several ways.

    Attributes
    ----------
    sheet : str
        The sheet of a workbook; empty for the first that has cells.
    limits : str
        How cells such as <0.5 and >100 are read: as text, as the limit, or, where they are below
        it, as half of it.
    """

    sheet: Annotated[str, Meta(title="The sheet", max_length=200)] = ""
    limits: Annotated[
        Literal["text", "limit", "half"], Meta(title="How cells such as <0.5 are read")
    ] = "text"


DEFAULT_OPTIONS = ReadOptions()

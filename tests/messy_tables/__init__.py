"""Small tables as people have them, each with the sentence that says how it must be read."""

from __future__ import annotations

from collections.abc import Callable

from tests.messy_tables import formats, layouts, meanings, quantities, refusals
from tests.messy_tables.example import MessyTable
from tests.messy_tables.refusals import RefusedFile

__all__ = ["MESSY", "REFUSED", "MessyTable", "RefusedFile"]

MESSY: dict[str, Callable[[], MessyTable]] = {
    made.__name__: made
    for module in (quantities, layouts, meanings, formats)
    for made in module.TABLES
}
REFUSED: dict[str, Callable[[], RefusedFile]] = {made.__name__: made for made in refusals.FILES}

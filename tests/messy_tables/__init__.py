"""Small tables as people have them, each with the sentence that says how it must be read."""

from __future__ import annotations

from collections.abc import Callable

from tests.messy_tables import formats, layouts, meanings, quantities
from tests.messy_tables.example import MessyTable

__all__ = ["MESSY", "MessyTable"]

MESSY: dict[str, Callable[[], MessyTable]] = {
    made.__name__: made
    for module in (quantities, layouts, meanings, formats)
    for made in module.TABLES
}

"""The table of symbols names what the code has."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_name_of_the_notation_occurs_in_the_core():
    names = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "notation.md").read_text())) - {"melm_core"}
    source = "\n".join(path.read_text() for path in (ROOT / "melm_core").rglob("*.py"))
    assert names
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", source)) == []

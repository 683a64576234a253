"""The table of faults names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reliability.md").read_text()
FAULTS = PAGE.partition("## Faults tried")[2].partition("\n## ")[0]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_test_that_the_page_names_exists():
    assert len(NAMED) > 100
    functions = {path: functions_of(ROOT / path) for path in {path for path, _ in NAMED}}
    assert [f"{path}::{name}" for path, name in NAMED if name not in functions[path]] == []


def test_every_fault_names_its_test():
    rows = [line for line in FAULTS.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 20
    assert [row for row in rows if "::test_" not in row] == []

"""House rules that no tool checks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "benchmarks",
    "callbacks",
    "experiments",
    "melm_core",
    "melm_studio",
    "tests",
    "tools",
)
MODULES = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.py", *(f"{package}/**/*.py" for package in PACKAGES))
    for path in ROOT.glob(pattern)
)
MAX_LINES = 400

each_module = pytest.mark.parametrize("module", MODULES, ids=str)


@each_module
def test_a_module_imports_no_private_name_of_another(module: Path) -> None:
    assert list(_private_imports(module)) == []


@each_module
def test_a_module_stays_short_enough_to_read_at_a_sitting(module: Path) -> None:
    assert len((ROOT / module).read_text().splitlines()) < MAX_LINES


def _private_imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (name for alias in node.names if _is_private(name := alias.name))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")

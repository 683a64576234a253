"""House rules that no tool checks."""

from __future__ import annotations

import ast
import re
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
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text()
CITED = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+)`", ARCHITECTURE))
ROOMS = set(re.findall(r"^\| `([\w./]+)` \|", ARCHITECTURE, re.MULTILINE))

each_module = pytest.mark.parametrize("module", MODULES, ids=str)


@each_module
def test_a_module_imports_no_private_name_of_another(module: Path) -> None:
    assert list(_private_imports(module)) == []


@pytest.mark.parametrize(
    "module",
    [path for path in MODULES if path.parts[0] in {"callbacks", "melm_core", "melm_studio"}],
    ids=str,
)
def test_every_module_of_the_product_lies_in_a_room_that_the_architecture_lists(
    module: Path,
) -> None:
    is_door = module.name == "__init__.py"
    assert {str(module.parent), str(module)} & ROOMS or is_door


def test_every_path_that_the_architecture_cites_exists() -> None:
    assert len(CITED) > 40
    assert [path for path in sorted(CITED | ROOMS) if not (ROOT / path).exists()] == []


def test_the_architecture_answers_where_things_are() -> None:
    questions = re.findall(r"^\| (.+)\? \| .*`.+` ?.*\|$", ARCHITECTURE, re.MULTILINE)
    assert len(questions) >= 17


def _private_imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (name for alias in node.names if _is_private(name := alias.name))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")

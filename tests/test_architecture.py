"""House rules that no tool checks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lab.lists.rooms import first_line

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "callbacks",
    "lab",
    "melm_core",
    "melm_studio",
    "tests",
)
PRODUCT = {"callbacks", "melm_core", "melm_studio"}
MODULES = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.py", *(f"{package}/**/*.py" for package in PACKAGES))
    for path in ROOT.glob(pattern)
)
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text()
IMPORTED = re.compile(r"^ *from .* import (\([^)]*|(?:.*\\\n)*.*)", re.MULTILINE)
CITED = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+)`", ARCHITECTURE))


def test_a_module_imports_no_private_name_of_another() -> None:
    found = [f"{module}: {name}" for module in MODULES for name in _private_imports(module)]
    assert found == []


def test_every_room_of_the_product_says_what_it_holds() -> None:
    doors = [ROOT / path for path in MODULES if path.name == "__init__.py"]
    rooms = [door for door in doors if door.relative_to(ROOT).parts[0] in PRODUCT]
    assert len(rooms) > 40
    assert [str(door) for door in rooms if not first_line(door)] == []
    folders = {path.parent for path in MODULES if path.parts[0] in PRODUCT}
    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").is_file()] == []


def test_every_path_that_the_architecture_cites_exists() -> None:
    assert len(CITED) > 40
    assert [path for path in sorted(CITED) if not (ROOT / path).exists()] == []


def test_the_architecture_answers_what_a_newcomer_asks_first() -> None:
    questions = re.findall(r"^\| (.+)\? \| .*`.+` ?.*\|$", ARCHITECTURE, re.MULTILINE)
    assert 10 <= len(questions) <= 15


def _private_imports(module: Path) -> Iterator[str]:
    text = (ROOT / module).read_text()
    if not any(re.search(r"\b_[a-zA-Z]", names) for names in IMPORTED.findall(text)):
        return  # of hundreds of modules few are worth parsing
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield from (name for alias in node.names if _is_private(name := alias.name))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")

"""The rooms of the house, each by the first line of its docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.experiments.records import ROOT

PARTS = ("melm_core", "melm_studio", "callbacks", "lab")
_HEAD = """\
# Rooms

What each package holds, and each module that stands outside of one, by its first line. How they
depend on each other is on the page on the [architecture](../architecture.md). Written by
`python -m lab.lists`.
"""


def page(root: Path = ROOT, parts: Sequence[str] = PARTS) -> str:
    """Write the page of all packages of a tree."""
    return _HEAD + "".join(_part(root, name) for name in parts)


def first_line(module: Path) -> str:
    """Return the first line of the docstring of a module; empty without one."""
    text = ast.get_docstring(ast.parse(module.read_text())) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _part(root: Path, name: str) -> str:
    lines = (f"| `{path}` | {words} |" for path, words in _rooms(root, root / name))
    return f"\n## {name}\n\n| room | holds |\n|---|---|\n" + "\n".join(lines) + "\n"


def _rooms(root: Path, top: Path) -> Iterator[tuple[Path, str]]:
    doors = sorted(top.rglob("__init__.py"), key=lambda door: door.parent.parts)
    yield from ((door.parent.relative_to(root), first_line(door)) for door in doors)
    beside = (path for path in sorted(top.glob("*.py")) if path.name != "__init__.py")
    yield from ((path.relative_to(root), first_line(path)) for path in beside)

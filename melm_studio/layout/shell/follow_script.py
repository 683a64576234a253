"""The script of the page on which an audience follows a talk: one file of several modules.

A room of people opens that page at once, often behind one address, so it takes two requests where
modules would take a dozen each.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from melm_studio.layout.scripts import ASSETS

FOLLOW_SCRIPT = "follow.bundle.mjs"
FOLLOW_ENTRY = "follow.mjs"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


@cache
def follow_script() -> str:
    """Return the script."""
    return bundle(ASSETS / FOLLOW_ENTRY)


def bundle(entry: Path) -> str:
    """Return a module and all that it imports as one script, each module in a scope of its own.

    Parameters
    ----------
    entry : path
        It and the others import names from relative paths, and export declared functions, classes
        and constants, as the modules of the page do.

    Raises
    ------
    ValueError
        If a module imports or exports in another way.
    """
    numbers: dict[Path, int] = {}
    parts: list[str] = []
    _add(entry.resolve(), numbers, parts)
    return "\n".join(parts)


def _add(module: Path, numbers: dict[Path, int], parts: list[str]) -> str:
    """Add a module after those that it imports, and return the name of what it exports."""
    if module not in numbers:
        text = module.read_text(encoding="utf-8")

        def replaced(found: re.Match[str]) -> str:
            imported = _add((module.parent / found[2]).resolve(), numbers, parts)
            return f"const {{{found[1].replace(' as ', ': ')}}} = {imported};"

        body, exported = _IMPORT.sub(replaced, text), _EXPORT.findall(text)
        body = _EXPORT.sub("", body)
        if other := _OTHER.search(body):
            raise ValueError(f"{module.name} cannot be bundled: {other[0]}")
        numbers[module] = len(numbers)
        names = ", ".join(exported)
        parts.append(
            f"const {_name(numbers[module])} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"
        )
    return _name(numbers[module])


def _name(number: int) -> str:
    return f"module{number}"

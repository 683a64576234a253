"""Modules that a page loads at once, as one script: a request for each would take longer.

A script runs every module once, each in a scope of its own, in the order of their imports. Modules
that a page loads on demand take from that script what is in it, so that every module exists once.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from melm_studio.layout.scripts import ASSETS

# Scripts of pages by name, and their entries.
PAGE_SCRIPT = "main.bundle.mjs"
FOLLOW_SCRIPT = "follow.bundle.mjs"
PRESENTER_SCRIPT = "presenter.bundle.mjs"
ENTRIES = {
    PAGE_SCRIPT: "main.mjs",
    FOLLOW_SCRIPT: "follow.mjs",
    PRESENTER_SCRIPT: "studio/present/presenter_page.mjs",
}

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
# In a template, the name of a module may be a value, as that of an analysis is.
_ON_DEMAND = re.compile(r'\bimport\((["`])(\.[^"`]+\.mjs)\1\)')


@dataclass(frozen=True)
class Bundle:
    """A script, and the modules in it by their paths, each with the names that it exports."""

    script: str
    exported: dict[Path, tuple[str, ...]]


@cache
def page_bundle(name: str) -> Bundle:
    """Return the script of a page by its name in `ENTRIES`."""
    return bundle(ASSETS / ENTRIES[name], ASSETS)


def bundle(entry: Path, folder: Path) -> Bundle:
    """Return a module and all that it imports as one script, which exports them all as `modules`.

    Parameters
    ----------
    entry : path
        It and the others import names from relative paths, and export declared functions, classes
        and constants, as the modules of the page do.
    folder : path
        Where browsers find the script, and which holds all modules.

    Raises
    ------
    ValueError
        If a module imports or exports in another way, or if modules import each other in a circle.
    """
    building = _Building(folder.resolve())
    building.add(entry.resolve(), ())
    exported = building.exported
    names = "".join(
        f"{_key(module, building.folder)}: {building.names[module]},\n" for module in exported
    )
    return Bundle("\n".join([*building.parts, f"export const modules = {{\n{names}}};"]), exported)


def module_on_demand(module: Path, page: Bundle, name: str, folder: Path) -> str:
    """Return a module that is loaded beside a script, from which it takes what is in the script.

    Parameters
    ----------
    module : path
    page : Bundle
    name : str
        The name of the script in `folder`, where browsers find it.
    folder : path
    """
    path, folder = module.resolve(), folder.resolve()
    script = posixpath.relpath(name, path.parent.relative_to(folder).as_posix())
    script = script if script.startswith(".") else f"./{script}"
    first = f'import {{ modules }} from "{script}";\n'
    if path in page.exported:
        names = ", ".join(page.exported[path])
        return f"{first}export const {{ {names} }} = modules[{_key(path, folder)}];\n"

    def replaced(statement: re.Match[str]) -> str:
        imported = (path.parent / statement[2]).resolve()
        if imported not in page.exported:
            return statement[0]
        return f"const {{{_renamed(statement[1])}}} = modules[{_key(imported, folder)}];"

    return first + _IMPORT.sub(replaced, path.read_text(encoding="utf-8"))


class _Building:
    """A script that is being put together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[Path, str] = {}
        self.exported: dict[Path, tuple[str, ...]] = {}
        self.parts: list[str] = []

    def add(self, module: Path, importing: tuple[Path, ...]) -> str:
        """Add a module after those that it imports, and return the name of what it exports."""
        if module in self.names:
            return self.names[module]
        if module in importing:
            circle = ", ".join(path.name for path in importing[importing.index(module) :])
            raise ValueError(f"These modules import each other in a circle: {circle}.")
        body = self._body(module, (*importing, module))
        exported = tuple(_EXPORT.findall(body))
        body = _EXPORT.sub("", body)
        if other := _OTHER.search(body):
            raise ValueError(f"{module.name} cannot be bundled: {other[0]}")
        name = f"module{len(self.names)}"
        self.names[module], self.exported[module] = name, exported
        self.parts.append(
            f"const {name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"
        )
        return name

    def _body(self, module: Path, importing: tuple[Path, ...]) -> str:
        def here(statement: re.Match[str]) -> str:
            imported = self.add((module.parent / statement[2]).resolve(), importing)
            return f"const {{{_renamed(statement[1])}}} = {imported};"

        def later(statement: re.Match[str]) -> str:
            path = (module.parent / statement[2]).resolve().relative_to(self.folder).as_posix()
            return f"import({statement[1]}./{path}{statement[1]})"

        text = _IMPORT.sub(here, module.read_text(encoding="utf-8"))
        return _ON_DEMAND.sub(later, text)


def _renamed(names: str) -> str:
    """The names of an import as those of an assignment."""
    return names.replace(" as ", ": ")


def _key(module: Path, folder: Path) -> str:
    return f'"{module.relative_to(folder).as_posix()}"'

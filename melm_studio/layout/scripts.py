"""Scripts and styles of the page: one script of many modules, one style sheet, and plotly's script.

A request for each module would take longer. A script runs every module once, each in a scope of its
own, in the order of their imports. Modules that a page loads on demand take from that script what
is in it, so that every module exists once.

Plotly's cartesian bundle (scatter, heatmap and contour traces) is a third of the full script. It is
stored as brotli compresses it at its highest level, which would take a server 13 s. CONTRIBUTING.md
says where it comes from.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

import brotli
from rjsmin import jsmin

from melm_studio.installation import APPLICATION_FOLDER

ASSETS = APPLICATION_FOLDER / "assets"

# The folder of the modules that `main.mjs` imports. Dash must leave these alone: the page loads
# most of them as one script.
MODULES = "studio"

# All files of the folder STYLES, as one: each request would take a round trip of its own. It is in
# the same folder, where the addresses of icons are relative to.
STYLES = "styles"
STYLE_SHEET = f"{STYLES}/bundle.css"

ICON = "icons/studio.svg"

# What Dash requests first.
_FIRST_ANSWERS = ("_dash-layout", "_dash-dependencies")


# Dash's tables, which the page does not have, and polyfills for browsers without ES modules.
_NEEDLESS_SCRIPT = re.compile(
    r'<script src="[^"]*/dash/(?:dash_table|deps/polyfill)[^>]*></script>\n?'
)
# Scripts of pages by name, and their entries.
PAGE_SCRIPT = "main.bundle.mjs"
FOLLOW_SCRIPT = "follow.bundle.mjs"
PRESENTER_SCRIPT = "presenter.bundle.mjs"
ENTRIES = {
    PAGE_SCRIPT: "main.mjs",
    FOLLOW_SCRIPT: "follow.mjs",
    PRESENTER_SCRIPT: "studio/present/presenter_page.mjs",
}

_REPLAY = "studio/present/replay/page.mjs"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
# In a template, the name of a module may be a value, as that of an analysis is.
_ON_DEMAND = re.compile(r'\bimport\((["`])(\.[^"`]+\.mjs)\1\)')
_PLOTLY = Path(__file__).parent / "plotly_js" / "plotly-cartesian.min.js.br"


def assets_path() -> str:
    """Return the path of the assets, with a fingerprint of them all.

    Modules import each other by relative addresses, so one of their own for each would have to be
    written into the others.
    """
    fingerprint = hashlib.sha256()
    for path in sorted(ASSETS.rglob("*.*")):
        fingerprint.update(path.relative_to(ASSETS).as_posix().encode())
        fingerprint.update(path.read_bytes())
    return f"assets/{fingerprint.hexdigest()[:12]}"


def script_preloads(tags: str) -> str:
    """Links that fetch the scripts of Dash, without those that the page does not use.

    `main.mjs` runs them, in this order, once the first look at the data is on screen.
    """
    addresses = re.findall(r'<script src="([^"]+)"', _NEEDLESS_SCRIPT.sub("", tags))
    return "\n".join(
        # Dash requires a source of its renderer.
        f'<link rel="preload" as="script" href="{address}" data-src="{address}">'
        for address in addresses
    )


_CSS_COMMENT_OR_INDENT = re.compile(r"/\*.*?\*/|^\s+", re.DOTALL | re.MULTILINE)
_IMAGE = re.compile(r'url\("\.\./(icons/\w+\.svg)"\)')
# A request for each icon would delay that for the first plane; the samples wait for their menu.
_MOST_WITHIN = 1_000


def style_sheet() -> str:
    """Return the styles of the page, with the icons in them; no rule depends on their order."""
    styles = (path.read_text(encoding="utf-8") for path in sorted((ASSETS / STYLES).glob("*.css")))
    return _IMAGE.sub(_within, _CSS_COMMENT_OR_INDENT.sub("", "\n".join(styles)))


def _within(image: re.Match[str]) -> str:
    drawing = (ASSETS / image[1]).read_text(encoding="utf-8").strip()
    if len(drawing) > _MOST_WITHIN:
        return image[0]
    return f'url("data:image/svg+xml,{quote(drawing, safe=" =:/,")}")'


def answer_preloads(path_prefix: str) -> str:
    """Links that request what Dash requests first, while its scripts load."""
    return "\n".join(
        f'<link rel="preload" as="fetch" crossorigin href="{path_prefix}/{answer}">'
        for answer in _FIRST_ANSWERS
    )


@dataclass(frozen=True)
class Bundle:
    """A script, and the modules in it by their paths, each with the names that it exports."""

    script: str
    exported: dict[Path, tuple[str, ...]]


@cache
def page_bundle(name: str) -> Bundle:
    """Return the script of a page by its name in `ENTRIES`."""
    return bundle(ASSETS / ENTRIES[name], ASSETS)


@cache
def replay_script() -> str:
    """Join the modules that draw a replay into one script that opens it."""
    script = jsmin(bundle(ASSETS / _REPLAY, ASSETS).script)
    return f'{script}\nmodules["{_REPLAY}"].openReplay();'


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


@cache
def compressed_plotly_script() -> bytes:
    """Return the script in the content encoding "br"."""
    return _PLOTLY.read_bytes()


@cache
def plotly_script() -> str:
    """Return the script."""
    return str(brotli.decompress(compressed_plotly_script()).decode())


@cache
def plotly_fingerprint() -> str:
    """Return a name that changes with the script."""
    return hashlib.sha256(compressed_plotly_script()).hexdigest()[:12]

"""How the page loads: one entry module, which imports all others, and one style sheet."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from melm_studio.application_folder import APPLICATION_FOLDER

ASSETS = APPLICATION_FOLDER / "assets"

# The folder of the modules that `main.mjs` imports. Dash must leave these alone: it would load each
# a second time, under an address with a time stamp.
MODULES = "studio"

ENTRY = "main.mjs"

# All files of the folder STYLES, as one: each request would take a round trip of its own. It is in
# the same folder, where the addresses of icons are relative to.
STYLES = "styles"
STYLE_SHEET = f"{STYLES}/bundle.css"

ICON = "icons/studio.svg"

# What Dash requests first.
_FIRST_ANSWERS = ("_dash-layout", "_dash-dependencies")

# Dash is started by `main.mjs`, once all that its callbacks call is there: modules run after the
# scripts of the page, and Dash's own start would not wait for them.
RENDERER = "// assets/main.mjs starts Dash."


# Dash's tables, which the page does not have, and polyfills for browsers without ES modules.
_NEEDLESS_SCRIPT = re.compile(
    r'<script src="[^"]*/dash/(?:dash_table|deps/polyfill)[^>]*></script>\n?'
)


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


def needed_scripts(tags: str) -> str:
    """Return the script tags of Dash without those that the page does not use."""
    return _NEEDLESS_SCRIPT.sub("", tags)


_CSS_COMMENT_OR_INDENT = re.compile(r"/\*.*?\*/|^\s+", re.DOTALL | re.MULTILINE)


def style_sheet() -> str:
    """Return the styles of the page without comments; no rule depends on their order."""
    styles = (path.read_text() for path in sorted((ASSETS / STYLES).glob("*.css")))
    return _CSS_COMMENT_OR_INDENT.sub("", "\n".join(styles))


def answer_preloads(path_prefix: str) -> str:
    """Links that request what Dash requests first, while its scripts load."""
    return "\n".join(
        f'<link rel="preload" as="fetch" crossorigin href="{path_prefix}/{answer}">'
        for answer in _FIRST_ANSWERS
    )


def module_preloads(address: Callable[[str], str]) -> str:
    """Links that fetch at once all modules that the page needs; else one import waits for another.

    `address` gives the address of a file by its path within the assets.
    """
    modules = sorted(path.relative_to(ASSETS) for path in _needed_modules())
    return "\n".join(
        f'<link rel="modulepreload" href="{address(path.as_posix())}">' for path in modules
    )


# What is imported by an expression, `import("./x.mjs")`, is loaded when it is first used.
_IMPORT = re.compile(r'^(?:import|export) [^;]*?from "(\.[^"]+)";$', re.MULTILINE)


def _needed_modules() -> set[Path]:
    """The modules that the entry imports, itself or by others."""
    found: set[Path] = set()
    waiting = [ASSETS / ENTRY]
    while waiting:
        module = waiting.pop()
        imported = {
            (module.parent / path).resolve() for path in _IMPORT.findall(module.read_text())
        }
        waiting += imported - found
        found |= imported
    return found

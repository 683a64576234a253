"""Scripts of the page: their folder, and one style sheet."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

from melm_studio.application_folder import APPLICATION_FOLDER

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

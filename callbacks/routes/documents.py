"""Pages of text, outside the one page that Dash serves: the documentation and its pictures, too."""

from __future__ import annotations

import mimetypes
from functools import cache
from pathlib import Path
from typing import Any

import flask
from flask import Blueprint
from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token

from callbacks.services import services
from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.layout.help import GUIDE
from melm_studio.layout.scripts import ICON, assets_path
from melm_studio.planes.theme import FONT_FILE, font_face

_DOCS = APPLICATION_FOLDER / "docs"
_PICTURES = _DOCS / "pictures"
routes = Blueprint("documents", __name__)


def document(template: str, script: str = "", **parts: Any) -> str:
    """Fill a template of this folder, which may name the icon, the font, and a script."""
    # Not by Dash, which knows the addresses of the app alone that was made last in this process.
    assets = f"{services().settings.path_prefix}/{_assets()}"
    shared = {"icon": f"{assets}/{ICON}", "font_face": font_face(f"{assets}/{FONT_FILE}")}
    named = {"script": f"{assets}/{script}"} if script else {}
    return _templates().get_template(template).render({**shared, **named, **parts})


@cache
def _assets() -> str:
    return assets_path()


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)


@routes.get("/docs/<name>.md")
def guide(name: str) -> str:
    """Return a page of the documentation."""
    if name not in _names():
        flask.abort(404)
    title, body = _rendered(name)
    return document("guide.html", title=title, body=body, pages=GUIDE, current=name)


@routes.get("/docs/pictures/<name>")
def guide_picture(name: str) -> flask.Response:
    """Return a picture of the documentation."""
    if name not in _pictures():
        flask.abort(404)
    mimetype = mimetypes.guess_type(name)[0]
    # Read at once: streams are not compressed.
    return flask.Response((_PICTURES / name).read_bytes(), mimetype=mimetype)


@cache
def _names() -> frozenset[str]:
    return frozenset(file.stem for file in _DOCS.glob("*.md"))


@cache
def _pictures() -> frozenset[str]:
    """Return the pictures of a checkout; the wheel has none."""
    return frozenset(file.name for file in _PICTURES.glob("*.*"))


@cache
def _rendered(name: str) -> tuple[str, str]:
    """Render a page: its title and its HTML."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse((_DOCS / f"{name}.md").read_text(encoding="utf-8"))
    title = next(token.content for token in tokens if token.type == "inline")
    for token in tokens:
        token.children = _reachable(token.children or [])
    return title, markdown.renderer.render(tokens, markdown.options, {})


def _is_served(address: str) -> bool:
    """Return whether an address is outside, or of a page that is here; the wheel has not all."""
    return ":" in address or address.partition("#")[0].removesuffix(".md") in {"", *_names()}


def _reachable(tokens: list[Token]) -> list[Token]:
    """Drop pictures and links to files that are not served from the tokens of a line."""
    served, leads_out = [], False
    for token in tokens:
        if token.type == "image" and Path(str(token.attrGet("src"))).name not in _pictures():
            continue
        if token.type == "link_open":
            leads_out = not _is_served(str(token.attrGet("href")))
        if not (leads_out and token.type in {"link_open", "link_close"}):
            served.append(token)
    return served

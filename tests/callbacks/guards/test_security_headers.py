"""What the browser is told that the page may do."""

from __future__ import annotations

import base64
import hashlib
import platform
import re

import pytest

SAFEGUARDS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Of talks, whose addresses are all that a viewer needs.
STRICTER = {"Referrer-Policy": "no-referrer"}


def policy(answer) -> dict[str, list[str]]:
    rules = (rule.split() for rule in answer.headers["Content-Security-Policy"].split(";"))
    return {directive: sources for directive, *sources in rules}


def inline_scripts(page: str) -> list[str]:
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    is_code = [' src="' not in marks and "application/json" not in marks for marks, _ in scripts]
    return [code for (_, code), is_one in zip(scripts, is_code, strict=True) if is_one]


def digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def test_scripts_come_from_here_or_are_named_by_their_hash(visitor):
    page = visitor.http.get("/")
    scripts = inline_scripts(page.text)
    assert scripts
    assert set(policy(page)["script-src"]) == {"'self'", *map(digest, scripts)}


def test_nothing_is_loaded_from_elsewhere(visitor):
    page = visitor.http.get("/")
    assert policy(page)["default-src"] == ["'self'"]
    sources = [source for sources in policy(page).values() for source in sources]
    assert not [source for source in sources if "//" in source or source == "*"]
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page.text)


def reading_routes(studio) -> list[str]:
    """An address of every route that answers GET; ids in it are nobody's."""
    rules = studio.app.server.url_map.iter_rules()
    return [re.sub(r"<[^>]*>", "0", rule.rule) for rule in rules if "GET" in rule.methods]


def test_no_answer_of_any_route_allows_evaluated_code_or_guessed_types(studio, visitor):
    routes = reading_routes(studio)
    assert len(routes) > 15
    for route in [*routes, "/assets/styles/page.css", "/nowhere"]:
        answer = visitor.http.get(route)
        if answer.mimetype in {"text/javascript", "text/css"}:
            continue  # no documents
        assert "unsafe-eval" not in answer.headers["Content-Security-Policy"]
        assert "'unsafe-inline'" not in policy(answer)["script-src"]
        assert policy(answer)["object-src"] == ["'none'"]
        assert policy(answer)["form-action"] == policy(answer)["base-uri"] == ["'self'"]
        assert policy(answer)["frame-ancestors"] == ["'self'"]
        expected = SAFEGUARDS | (STRICTER if route.startswith("/t/") else {})
        assert {name: answer.headers[name] for name in SAFEGUARDS} == expected, route
        answer.close()


@pytest.mark.parametrize("device", ["camera", "microphone", "geolocation", "payment", "usb"])
def test_the_page_asks_for_no_device(visitor, device):
    rules = visitor.http.get("/").headers["Permissions-Policy"].split(", ")
    assert f"{device}=()" in rules


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_refusals_have_the_safeguards_too(visitor, method):
    answer = getattr(visitor.http, method)("/upload", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_scripts_and_styles_carry_no_rules_for_documents(visitor):
    (style,) = re.findall(r'href="([^"]+bundle.css)"', visitor.http.get("/").text)
    answer = visitor.http.get(style)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Content-Security-Policy" not in answer.headers


def test_the_page_does_not_say_which_versions_run_here(visitor):
    page = visitor.http.get("/").text
    assert '"children_props"' in page  # what Dash needs of its configuration
    assert platform.python_version() not in page
    assert "_version" not in re.search(r'id="_dash-config"[^>]*>(.*?)</script>', page)[1].replace(
        "disable_version_check", ""
    )

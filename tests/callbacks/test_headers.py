"""What the browser is told that the page may do."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

ADDRESSES = ("/", "/_dash-layout", "/frames", "/health", "/plotly.js", "/runs/unknown/figure")


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


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_answer_allows_evaluated_code_or_guessed_types(visitor, address):
    answer = visitor.http.get(address)
    assert "unsafe-eval" not in answer.headers["Content-Security-Policy"]
    assert "'unsafe-inline'" not in policy(answer)["script-src"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert policy(answer)["object-src"] == ["'none'"]
    assert policy(answer)["frame-ancestors"] == ["'self'"]

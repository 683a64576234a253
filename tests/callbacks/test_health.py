"""The server answers, and brings plotly.js itself."""

from __future__ import annotations

import plotly.offline
import pytest


def test_health_is_ok(visitor):
    answer = visitor.http.get("/health")
    assert (answer.status_code, answer.text) == (200, "ok")


def test_plotly_js_is_the_installed_one(visitor):
    answer = visitor.http.get("/plotly.js")
    assert answer.text == plotly.offline.get_plotlyjs()
    assert answer.mimetype == "text/javascript"


def test_a_browser_that_has_plotly_js_is_not_sent_it_again(visitor):
    etag = visitor.http.get("/plotly.js").headers["ETag"]
    answer = visitor.http.get("/plotly.js", headers={"If-None-Match": etag})
    assert (answer.status_code, answer.data) == (304, b"")


@pytest.mark.parametrize("etag", ['"older"', ""])
def test_a_browser_that_has_another_plotly_js_gets_this_one(visitor, etag):
    answer = visitor.http.get("/plotly.js", headers={"If-None-Match": etag})
    assert answer.status_code == 200
    assert answer.data


def test_the_page_asks_for_the_plotly_js_that_is_served(visitor):
    assert '<script src="/plotly.js"></script>' in visitor.http.get("/").text

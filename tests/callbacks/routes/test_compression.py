"""Answers are compressed as the browser accepts, and say so to caches."""

from __future__ import annotations

import re

import brotli
import flask
import pytest

from callbacks.routes.static_files import PLOTLY_PATH

MOST_BYTES = 1_000_000
HEADERS_BYTES = 1_000  # of an answer; what the browser counts as well
ACCEPTED = "gzip, deflate, br, zstd"  # as Chromium writes it
EVENTS = flask.Response(b"data: 1\n\n" * 200, mimetype="text/event-stream")


@pytest.fixture
def client(studio):
    return studio.app.server.test_client()


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        (ACCEPTED, "br"),
        ("gzip, deflate", "gzip"),
        ("br;q=0.1, gzip", "gzip"),
        ("deflate", None),
        ("identity", None),
        ("", None),
    ],
)
def test_the_encoding_is_the_best_that_the_browser_accepts(client, decoded, accepted, chosen):
    plain = client.get("/_dash-layout", headers={"Accept-Encoding": "identity"}).text
    answer = client.get("/_dash-layout", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == chosen
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert decoded(answer) == plain


def test_all_that_the_page_loads_is_less_than_a_megabyte(client):
    headers = {"Accept-Encoding": ACCEPTED}
    page = client.get("/", headers={"Accept-Encoding": "identity"}).text
    loaded = {"/", PLOTLY_PATH, *re.findall(r'(?:src|href)="(/[^"]+)"', page)}
    assert {"/_dash-layout", "/_dash-dependencies"} < loaded
    sizes = []
    for address in loaded:
        with client.get(address, headers=headers) as answer:
            sizes.append(len(answer.data) + HEADERS_BYTES)
    assert sum(sizes) < MOST_BYTES


def test_a_module_that_the_browser_has_is_not_sent_again(client):
    headers = {"Accept-Encoding": ACCEPTED}
    (module,) = re.findall(r'"(/assets/\w+/main\.mjs)', client.get("/").text)
    with client.get(module, headers=headers) as first:
        etag = first.headers["ETag"]
    with client.get(module, headers={**headers, "If-None-Match": etag}) as again:
        assert (again.status_code, again.data) == (304, b"")
    with client.get(module, headers={"If-None-Match": etag}) as plain:
        assert plain.status_code == 200  # the encoding is another


def test_a_static_file_is_compressed_once_whatever_its_fingerprint(client, monkeypatch):
    compressed = []
    compress = brotli.compress

    def count(data, **options):
        compressed.append(len(data))
        return compress(data, **options)

    monkeypatch.setattr(brotli, "compress", count)
    (address,) = re.findall(r'"(/_dash-comp[^"]+/react@18\.[^"]+)"', client.get("/").text)
    compressed.clear()
    other = re.sub(r"\.v\w+m\d+", ".v0m0", address)
    assert other != address
    for path in (address, other, address):
        assert client.get(path, headers={"Accept-Encoding": "br"}).status_code == 200
    assert len(compressed) == 1
    for _ in range(2):
        client.get("/_dash-layout", headers={"Accept-Encoding": "br"})
    assert len(compressed) == 3


def test_events_of_a_stream_are_not_compressed(studio):
    studio.app.server.add_url_rule("/events", view_func=lambda: EVENTS)
    answer = studio.app.server.test_client().get("/events", headers={"Accept-Encoding": "br"})
    assert "Content-Encoding" not in answer.headers
    assert answer.data == EVENTS.data

"""Answers are compressed as the browser accepts, and say so to caches."""

from __future__ import annotations

import re

import brotli
import flask
import pytest

from lab.driver.visitor import opened_studio

MOST_BYTES = 550_000  # with the font; and some 30 kB are not found in the page
HEADERS_BYTES = 400  # of an answer; what the browser counts as well
ACCEPTED = "gzip, deflate, br, zstd"  # as Chromium writes it
PARTS = [b"one part " * 100, b"another " * 100]


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


def test_all_that_the_page_loads_is_little_more_than_half_a_megabyte(client):
    headers = {"Accept-Encoding": ACCEPTED}
    page = client.get("/", headers={"Accept-Encoding": "identity"}).text
    loaded = {"/", *re.findall(r'(?:src|href)="(/[^"]+)"', page)}
    assert {"/_dash-layout", "/_dash-dependencies"} < loaded
    sizes = []
    for address in loaded:
        with client.get(address, headers=headers) as answer:
            sizes.append(len(answer.data) + HEADERS_BYTES)
    assert sum(sizes) < MOST_BYTES


def test_a_module_that_the_browser_has_is_not_sent_again(client):
    headers = {"Accept-Encoding": ACCEPTED}
    module = _module(client.get("/").text)
    with client.get(module, headers=headers) as first:
        etag = first.headers["ETag"]
    with client.get(module, headers={**headers, "If-None-Match": etag}) as again:
        assert (again.status_code, again.data) == (304, b"")
    with client.get(module, headers={"If-None-Match": etag}) as plain:
        assert plain.status_code == 200  # the encoding is another


def _counted(monkeypatch) -> list[int]:
    """The sizes of what is compressed from now on."""
    compressed: list[int] = []
    compress = brotli.compress

    def count(data, **options):
        compressed.append(len(data))
        return compress(data, **options)

    monkeypatch.setattr(brotli, "compress", count)
    return compressed


def _module(page: str) -> str:
    """The address of a module that the page loads on demand."""
    (script,) = re.findall(r'"(/assets/\w+/main\.bundle\.mjs)"', page)
    return script.replace("main.bundle.mjs", "studio/analyses/tree.mjs")


def test_static_files_are_compressed_better_than_answers(client):
    (script,) = re.findall(r'href="(/_dash-comp[^"]+/react@18\.[^"]+)"', client.get("/").text)
    with client.get(script) as plain, client.get(script, headers={"Accept-Encoding": "br"}) as sent:
        assert brotli.decompress(sent.data) == plain.data
        assert len(sent.data) < len(brotli.compress(plain.data, quality=5))


def test_frames_are_compressed_in_little_time(visitor, monkeypatch, decoded):
    levels = []
    compress = brotli.compress
    monkeypatch.setattr(
        brotli,
        "compress",
        lambda raw, *, quality: levels.append(quality) or compress(raw, quality=quality),
    )
    sent = visitor.http.get("/frames", headers={"Accept-Encoding": ACCEPTED})
    assert "Accept-Encoding" in sent.headers["Vary"]
    assert '"runs":{}' in decoded(sent)
    assert levels == [1]
    assert '"runs":{}' in decoded(visitor.http.get("/frames", headers={"Accept-Encoding": "gzip"}))


def test_a_static_file_is_compressed_once_whatever_its_fingerprint(tmp_path, monkeypatch):
    compressed = _counted(monkeypatch)
    headers = {"Accept-Encoding": "br"}
    with opened_studio(tmp_path) as studio:
        client = studio.app.server.test_client()
        page = client.get("/").text
        (address,) = re.findall(r'href="(/_dash-comp[^"]+/react@18\.[^"]+)"', page)
        module = _module(page)
        other = re.sub(r"\.v\w+m\d+", ".v0m0", address)
        assert other != address
        for path in (address, other, address, module, module):
            with client.get(path, headers=headers) as answer:
                assert answer.headers["Content-Encoding"] == "br"
        assert len(compressed) == 2
        for _ in range(2):
            client.get("/_dash-layout", headers=headers)
        assert len(compressed) == 4


@pytest.mark.attack
def test_no_spelling_of_an_address_is_kept_beside_the_others(tmp_path, monkeypatch):
    """Each would stay for as long as the studio runs."""
    compressed = []
    compress = brotli.compress
    monkeypatch.setattr(
        brotli,
        "compress",
        lambda data, **options: compressed.append(1) or compress(data, **options),
    )
    with opened_studio(tmp_path) as studio:
        client = studio.app.server.test_client()
        folder, _, name = _module(client.get("/").text).rpartition("/")
        for way in ("", "./", "x/../", "y/../z/../", "%2f"):
            with client.get(f"{folder}/{way}{name}", headers={"Accept-Encoding": "br"}) as answer:
                assert answer.status_code == 200
                assert answer.headers["Content-Encoding"] == "br"
    assert len(compressed) == 1


def test_a_stream_is_sent_as_it_is(tmp_path):
    headers = {"Accept-Encoding": "br"}
    with opened_studio(tmp_path) as studio:
        server = studio.app.server
        server.add_url_rule("/parts", view_func=lambda: flask.Response(iter(PARTS)))
        answer = server.test_client().get("/parts", headers=headers)
        assert "Content-Encoding" not in answer.headers
        assert [bytes(part) for part in answer.iter_encoded()] == PARTS

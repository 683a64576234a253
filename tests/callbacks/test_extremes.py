"""Every route with values that no page sends: in its path, its query, its body and its headers.

Routes are found by themselves, with the names they read and the models they convert bodies to.
"""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.callbacks.every_route import (
    Asked,
    address,
    asked_for,
    example,
    leaves,
    names_of,
    noted,
    replaced,
    rules,
)
from tests.callbacks.guards.web_servers import PATIENCE_S, serving

_MONITORING = {"health.ready"}
_IN_PATHS = ("-1", "9" * 20, "9" * 5_000, "1e5", "%00", "999999")
_IN_QUERIES = ("1e308", "-1", "NaN", "9" * 5_000, "\x00")
_NUMBERS: tuple[Any, ...] = (-1, 1, 1e308, 10**9, 10**30, float("nan"))
_OTHER_TYPES: tuple[Any, ...] = (None, True, "x", "x" * 100_000, [], {}, [[1]], {"x": None})
_IN_BODIES = (*_NUMBERS, *_OTHER_TYPES)
_TEXTS = (
    *("", "\0", "\r\nX: y", "\"'\\;", "\u202e\u2066", "\ufeff", "😀" * 50, "д" * 2_000, "../.."),
    *("%00%0d%0a", "\ud800", "{}", "[[1]]", "null", "10,20", "a,b", "0x1F", "1_000", "-0", "inf"),
)
_NO_JSON = (b"", b"{", b"[" * 100_000, b"\xff\xfe", b"NaN", rb'"\ud800"', b"1" * 5_000, b"\0")
_HEADERS = {
    **dict.fromkeys(("Range", "If-Modified-Since", "Origin", "Content-Encoding"), "x"),
    **dict.fromkeys(("Accept", "If-None-Match", "Accept-Language", "X-Melm-Token"), "\xff\xfe;"),
    "Accept-Encoding": "br;q=NaN",
    "Content-Type": "multipart/form-data",
    "Cookie": '=; \xff=\xfe; x="\\777"',
    "Expect": "100-continue",
    "X-Forwarded-For": "9" * 400,
}
SERVER_ERROR = 500


@pytest.fixture(scope="module")
def visitor(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    return visitor


@pytest.fixture(scope="module")
def paths(studio, visitor) -> dict[str, Any]:
    """What the variables of paths are, of a run that is done."""
    run = visitor.start(method="pca")
    studio.work()
    visitor.http.post("/talk", json={})
    numbers = {"sequence": 0, "row": 1, "feature": 0, "n_features": 2}
    texts = {"kind": "check", "command": "stop", "name": "security", "path": "x", "filename": "x"}
    unknown = dict.fromkeys(("ticket", "key", "talk_id", "grant_id", "data_id"), "x")
    return {"run_id": run, **numbers, **texts, **unknown}


def kept_rules(studio) -> list[Any]:
    """All but those that remove what the others need, or whose errors are answers."""
    return [
        (method, rule)
        for method, rule in rules(studio)
        if method != "DELETE" and rule.endpoint not in {*_MONITORING, "runs.remove"}
    ]


def failures(visitor, requests) -> list[Any]:
    """The requests that are answered by an error of the server."""
    return [
        request
        for request in requests
        if asked_for(visitor, *request[:2], **request[2]).status_code >= SERVER_ERROR
    ]


@pytest.mark.attack
def test_no_number_in_a_path_is_too_large(studio, visitor, paths):
    requests = [
        (method, address(rule, paths | {name: extreme}), {"json": {}} if method == "POST" else {})
        for method, rule in kept_rules(studio)
        for name in rule.arguments
        for extreme in _IN_PATHS
    ]
    assert len(requests) > 200
    assert failures(visitor, requests) == []


@pytest.mark.attack
@pytest.mark.slow
def test_no_value_in_a_query_or_a_body_is_too_large(studio, visitor, paths):
    found: list[Any] = []
    n_requests = 0
    for method, rule in kept_rules(studio):
        path = address(rule, paths)
        with noted(studio) as asked:
            asked_for(visitor, method, path, **({"json": {}} if method == "POST" else {}))
        requests = [*_queries(method, path, asked), *_bodies(method, path, asked)]
        n_requests += len(requests)
        found += failures(visitor, requests)
    assert n_requests > 5_000
    assert found == []


def _queries(method: str, path: str, asked: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    body = {"json": {}} if method == "POST" else {}
    for name in dict.fromkeys([*asked.names, *names_of(asked.models)]):
        for extreme in _IN_QUERIES:
            yield method, path, {"query_string": {name: extreme}, **body}


def _bodies(method: str, path: str, asked: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if method != "POST":
        return
    for extreme in _IN_BODIES:
        yield method, path, {"json": extreme}
    for model in asked.models:
        body = example(model, path.split("/")[2] if path.startswith("/runs/") else "x")
        for place in leaves(body):
            for extreme in _IN_BODIES:
                yield method, path, {"json": replaced(body, place, extreme)}


@pytest.mark.attack
def test_no_random_request_fails_at_the_server(studio, visitor, paths):
    assert failures_at_the_server(studio, visitor, paths, 150) == []


@pytest.mark.attack
@pytest.mark.slow
def test_nor_does_one_of_many(studio, visitor, paths):
    assert failures_at_the_server(studio, visitor, paths, 10_000) == []


def failures_at_the_server(studio, visitor, paths, n_requests: int) -> list[Any]:
    """Of random requests, sent as browsers do, those without an answer or with a wrong one."""
    chance, found = random.Random(0), list[Any]()  # noqa: S311 - it keeps no secret
    routes, asked = kept_rules(studio), dict[Any, Asked]()
    cookie = {"Cookie": f"{visitor.cookie_name}={visitor.cookie}", "Sec-Fetch-Site": "same-origin"}
    with serving(studio.app.server) as port:
        for _ in range(n_requests):
            method, rule = chance.choice(routes)
            at = method, rule.rule
            if at not in asked:
                body = {"json": {}} if method == "POST" else {}
                with noted(studio) as asked[at]:
                    asked_for(visitor, method, address(rule, paths), **body)
            request = _random(chance, method, rule, paths, asked[at])
            path, content, headers = request
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
            try:
                connection.request(method, path, content, cookie | headers)
                answer = connection.getresponse()
                is_wrong = answer.status >= SERVER_ERROR or b"Traceback" in answer.read()
            except OSError:
                is_wrong = True
            finally:
                connection.close()
            if is_wrong:
                found.append((method, *request))
    return found


def _random(chance, method: str, rule: Any, paths, asked: Asked) -> tuple[str, bytes | None, Any]:
    """A path with its query, a body and headers, with something that no page sends in each."""
    own = dict(paths)
    if rule.arguments and chance.random() < 0.3:
        own[chance.choice(sorted(rule.arguments))] = chance.choice(_TEXTS)
    names = dict.fromkeys([*asked.names, *names_of(asked.models)])
    query = {
        name: chance.choice(_TEXTS).encode(errors="surrogatepass")
        for name in names
        if chance.random() < 0.3
    }
    path = quote(address(rule, own).encode(errors="surrogatepass"))
    headers = dict(chance.sample(sorted(_HEADERS.items()), chance.choice((0, 0, 1))))
    content = None
    if method == "POST":
        values = chance.choice(_IN_BODIES)
        if asked.models and chance.random() < 0.7:
            values = example(chance.choice([*asked.models]), paths["run_id"])
            values = replaced(
                values, chance.choice([*leaves(values)]), chance.choice((*_IN_BODIES, *_TEXTS))
            )
        content = chance.choice((json.dumps(values).encode(), chance.choice(_NO_JSON)))
        headers = {"Content-Type": "application/json"} | headers
    return f"{path}?{urlencode(query)}", content, headers

"""Every route with numbers that no page sends: in its path, its query and its body.

Routes are found by themselves, with the names they read and the models they convert bodies to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.callbacks.every_route import (
    address,
    asked_for,
    example,
    leaves,
    names_of,
    noted,
    replaced,
    rules,
)

_MONITORING = {"ready"}
_IN_PATHS = ("-1", "9" * 20, "9" * 5_000, "1e5", "%00", "999999")
_IN_QUERIES = ("1e308", "-1", "NaN", "9" * 5_000, "\x00")
_NUMBERS: tuple[Any, ...] = (-1, 1, 1e308, 10**9, 10**30, float("nan"))
_OTHER_TYPES: tuple[Any, ...] = (None, True, "x", "x" * 100_000, [], {}, [[1]], {"x": None})
_IN_BODIES = (*_NUMBERS, *_OTHER_TYPES)
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
        if method != "DELETE" and rule.endpoint not in {*_MONITORING, "remove"}
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
@pytest.mark.timeout(1800)
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

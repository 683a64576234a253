"""Every route declares what body it takes, whether its answer takes long, and who is answered."""

from __future__ import annotations

import flask
import pytest
from werkzeug.routing import Rule

from callbacks.addresses import Address, Body, Directory, Guard, Route, address_of
from tests.callbacks.every_route import addresses


def test_a_route_declares_what_it_takes_and_may_do_little_without():
    server = flask.Flask(__name__)
    server.url_rule_class = Route
    server.post("/file", body=Body.FILE, is_heavy=True)(lambda: "")
    server.get("/file", endpoint="look")(lambda: "")
    find = Directory(server.url_map).find
    assert find("POST", "/file") == Address(Body.FILE, is_heavy=True)
    assert find("GET", "/file") == Address(Body.NOTHING, guard=Guard.VISITOR) == address_of(None)


def test_what_builds_an_address_is_compiled_when_one_is_built():
    server = flask.Flask(__name__)
    server.url_rule_class = Route
    calls, compiled = [], vars(Rule)["_compile_builder"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", lambda *a: calls.append(a) or compiled(*a))
        server.get("/runs/<run>", endpoint="look")(lambda run: "")
        assert calls == []
        with server.test_request_context():
            assert [flask.url_for("look", run=run) for run in "ab"] == ["/runs/a", "/runs/b"]
    assert len(calls) == 1


def test_a_file_is_taken_where_one_is_read_and_nowhere_else(studio):
    takers = {line for line, own in addresses(studio).items() if own.body is Body.FILE}
    assert takers == {"POST /upload", "POST /api/v1/files"}
    assert all(addresses(studio)[line].is_heavy for line in takers)


def test_what_only_looks_takes_no_body(studio):
    looking = {own.body for line, own in addresses(studio).items() if line.startswith("GET ")}
    assert looking == {Body.NOTHING}


def test_who_is_no_visitor_only_watches_or_follows_a_talk(studio):
    """All other addresses ask for a cookie, a token, or a link."""
    others = {line: own.guard for line, own in addresses(studio).items()}
    nobodies = {line for line, guard in others.items() if guard in {Guard.MONITOR, Guard.VIEWER}}
    watching = {f"GET /{name}" for name in ("health", "ready", "metrics")}
    assert nobodies - watching == {"GET /t/", "GET /t/<talk_id>", "GET /t/<talk_id>/pictures"}
    links = {line for line, guard in others.items() if guard is Guard.LINK}
    assert links == {"GET /open/<ticket>", "GET /recovery/<key>", "POST /recovery/<key>"}


@pytest.fixture
def find(studio):
    directory = Directory(studio.app.server.url_map, "/m%C3%A9lm")
    return lambda line: directory.find(*line.split())


@pytest.mark.parametrize(
    ("line", "is_heavy"),
    [
        ("GET /runs/x/replay.html", True),
        ("HEAD /runs/x/replay.html", True),
        ("GET //runs/x/replay.html", True),
        ("POST /upload", True),
        ("GET /upload", False),
        ("POST /api/v1/runs", True),
        ("GET /api/v1/runs", False),
        ("GET /frames", False),
        ("GET /health", False),
        ("GET /nothing", False),
        ("POST /m\xc3\xa9lm/upload", True),
        ("GET /m\xc3\xa9lm/frames", False),
    ],
)
def test_what_takes_long_is_heavy(find, line, is_heavy):
    assert find(line).is_heavy is is_heavy


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("POST /upload", Body.FILE),
        ("POST /m\xc3\xa9lm/upload", Body.FILE),
        ("POST /_dash-update-component", Body.JSON),
        ("POST /runs/x/remove", Body.NOTHING),
        ("PUT /upload", Body.NOTHING),
        ("GET /upload", Body.NOTHING),
        ("POST /upload/", Body.NOTHING),
        ("POST /frames", Body.NOTHING),
        ("POST /\xff\xfe", Body.NOTHING),
        ("BREW *", Body.NOTHING),
    ],
)
def test_a_request_has_the_body_of_its_address(find, line, body):
    assert find(line).body is body


def test_the_limits_are_those_that_are_documented():
    megabytes = {body: body.most_bytes(128) / 2**20 for body in Body}
    assert megabytes[Body.FILE] == pytest.approx(128, abs=0.1)
    assert megabytes[Body.JSON] == 16
    assert megabytes[Body.STORY] == 8
    assert megabytes[Body.SETTINGS] == 1
    assert megabytes[Body.NOTHING] == 4 / 2**10
    assert Body.FILE.most_bytes(1) < 2 * 2**20

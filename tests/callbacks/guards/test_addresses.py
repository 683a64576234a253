"""Every address says what body it takes, and whether its answer takes long."""

from __future__ import annotations

import pytest

from callbacks.guards.addresses import ADDRESSES, Address, Body, Directory
from callbacks.routes.static_files import is_static
from tools.driver.visitor import Studio


def routes(studio: Studio) -> set[str]:
    """The method and rule of every route but those of files that are the same for everybody."""
    with studio.app.server.test_request_context() as context:
        rules = studio.app.server.url_map.iter_rules()
        found = set()
        for rule in rules:
            context.request.url_rule = rule
            if not is_static(context.request):
                found |= {f"{method} {rule.rule}" for method in rule.methods}
    return {line for line in found if line.split()[0] not in {"HEAD", "OPTIONS"}}


def test_the_list_has_every_route_and_no_other(studio):
    assert set(ADDRESSES) == routes(studio)


def test_a_file_is_taken_where_one_is_read_and_nowhere_else():
    takers = {line for line, listed in ADDRESSES.items() if listed.body is Body.FILE}
    assert takers == {"POST /upload", "POST /api/v1/files"}
    assert all(ADDRESSES[line].is_heavy for line in takers)


def test_what_only_looks_takes_no_body():
    looking = {listed.body for line, listed in ADDRESSES.items() if line.startswith("GET ")}
    assert looking == {Body.NOTHING}


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


def test_what_is_not_listed_may_do_little():
    assert Address() == Address(Body.NOTHING, is_heavy=False)

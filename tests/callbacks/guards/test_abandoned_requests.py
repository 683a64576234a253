"""What is made for somebody who has left ends, under either server."""

from __future__ import annotations

import socket
from threading import Event
from time import monotonic

import flask
import pytest

from callbacks.guards import abandoned_requests
from callbacks.guards.abandoned_requests import CONNECTION, LEFT, has_left
from callbacks.services import Served
from melm_studio.abandonment import AbandonedError, go_on
from melm_studio.layout import ids
from tests.callbacks.guards.web_servers import PATIENCE_S, serving

GUNICORN = "gunicorn.socket"


class Connection:
    """A connection whose other end leaves after some looks at it."""

    def __init__(self, most_looks: int) -> None:
        self.n_looks, self._most = 0, most_looks

    def recv(self, *_: int) -> bytes:
        self.n_looks += 1
        if self.n_looks <= self._most:
            raise BlockingIOError
        return b""


def test_a_connection_is_left_once_its_other_end_is_closed():
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            assert not has_left(ours)
            theirs.sendall(b"x")
            assert not has_left(ours)
            assert ours.recv(2) == b"x"
        assert has_left(ours)
    assert has_left(ours)


@pytest.mark.fault
def test_what_a_client_asked_for_ends_when_it_leaves():
    begun, ended = Event(), Event()
    application = flask.Flask(__name__)

    class App(Served):
        server = application

    abandoned_requests.register(App())

    @application.get("/runs/<run_id>/replay.html")
    def slow(run_id: str) -> str:
        begun.set()
        begin_s = monotonic()
        try:
            while monotonic() - begin_s < PATIENCE_S:
                go_on()
        except AbandonedError:
            ended.set()
        return run_id

    with serving(application) as port:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
            connection.sendall(b"GET /runs/a/replay.html HTTP/1.1\r\nHost: a\r\n\r\n")
            assert begun.wait(PATIENCE_S)
            assert not ended.is_set()
        assert ended.wait(PATIENCE_S)


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor with a run, its name, and the data of the page."""
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    return visitor, run, visitor.values[f"{ids.DATA}.data"]["source"]


@pytest.mark.fault
@pytest.mark.parametrize(
    ("path", "server"),
    [
        ("/figure", CONNECTION),
        ("/project-file", CONNECTION),
        ("/report.html?run={}", CONNECTION),
        ("/runs/{}/report.html", CONNECTION),
        ("/runs/{}/replay.html", CONNECTION),
        ("/runs/{}/points.csv", CONNECTION),
        ("/runs/{}/planes/0/rows.csv", GUNICORN),
    ],
)
def test_every_long_answer_ends_where_its_client_has_left(finished, path, server):
    visitor, run, source = finished
    body = {
        "/figure": {"panels": 2 * [{"run": run}]},
        "/project-file": {"source": source},
        "/runs/{}/planes/0/rows.csv": {"rows": [1, 2]},
    }.get(path)

    def status(connection: Connection) -> int:
        sent = {"method": "GET"} if body is None else {"method": "POST", "json": body}
        environment = {server: connection}
        with visitor.http.open(path.format(run), environ_overrides=environment, **sent) as answer:
            return answer.status_code

    stays = Connection(1_000)
    assert status(stays) == 200
    assert stays.n_looks
    for most_looks in {0, stays.n_looks - 1}:
        leaves = Connection(most_looks)
        assert status(leaves) == LEFT
        assert leaves.n_looks == most_looks + 1

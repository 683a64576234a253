"""Requests of which two servers could make two different things, on a real connection."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator

import flask
import pytest

from callbacks.guards.arriving_requests import MOST_HEADER_LINES
from tests.callbacks.guards.web_servers import PATIENCE_S, serving

POST = b"POST /sent HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
SECOND = b"GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n"
EMPTY_CHUNKS = b"0\r\n\r\n"

# Of each, the second request would be found by one server and be part of the body for another.
AMBIGUOUS = {
    "a length and chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunks and a length": b"Transfer-Encoding: chunked\r\nContent-Length: 99\r\n\r\n",
    "chunks": b"Transfer-Encoding: chunked\r\n\r\n",
    "chunks twice": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunks and another": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
    "chunks that ask first": b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
    "folded chunks": b"Transfer-Encoding:\r\n chunked\r\n\r\n",
    "chunks after a tabulator": b"Transfer-Encoding: \x0bchunked\r\n\r\n",
    "a space before the colon": b"Transfer-Encoding : chunked\r\n\r\n",
    "no coding at all": b"Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
    "two lengths": b"Content-Length: 0\r\nContent-Length: 43\r\n\r\n",
    "a length twice": b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "a list of lengths": b"Content-Length: 0, 43\r\n\r\n",
    "a sign": b"Content-Length: +0\r\n\r\n",
    "less than nothing": b"Content-Length: -1\r\n\r\n",
    "hexadecimals": b"Content-Length: 0x0\r\n\r\n",
    "other digits": "Content-Length: \u0660\r\n\r\n".encode(),
    "an underscore": b"Content-Length: 0_0\r\n\r\n",
    "5,000 digits": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "a bare line feed": b"X: y\nContent-Length: 5\r\n\r\n",
    "a bare carriage return": b"X: y\rContent-Length: 5\r\n\r\n",
    "a zero byte": b"X: y\x00z\r\n\r\n",
}
UNREADABLE = {
    "an address that is cut off": b"GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no version": b"GET\r\n\r\n",
    "a parenthesis in the method": b"GE(T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.fixture(scope="module")
def seen() -> list[str]:
    """The paths that were asked for."""
    return []


@pytest.fixture(scope="module")
def port(seen) -> Iterator[int]:
    application = flask.Flask(__name__)

    def answer(path: str = "") -> str:
        seen.append(f"{path}:{len(flask.request.get_data())}")
        return "here"

    application.route("/", methods=["GET", "POST"])(answer)
    application.route("/<path>", endpoint="other", methods=["GET", "POST"])(answer)
    with serving(application) as number:
        yield number


def statuses(port: int, sent: bytes) -> list[int]:
    """Send bytes, and return the statuses of the answers until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


@pytest.mark.attack
@pytest.mark.parametrize("head", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_no_request_is_found_in_the_body_of_another(port, seen, caplog, head):
    seen.clear()
    found = statuses(port, POST + head + EMPTY_CHUNKS + SECOND)
    assert len(found) == 1
    assert found[0] in {400, 411, 501}
    assert seen == []
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.attack
@pytest.mark.parametrize("sent", UNREADABLE.values(), ids=UNREADABLE)
def test_a_head_that_cannot_be_read_is_answered_and_leaves_no_traceback(port, caplog, sent):
    assert statuses(port, sent) == [400]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_requests_that_are_sent_ahead_are_answered_in_order(port, seen):
    seen.clear()
    body = POST + b"Content-Length: 2\r\n\r\n{}"
    assert statuses(port, body + SECOND + GET + b"\r\n") == [200, 200, 200]
    assert seen == ["sent:2", "second:0", ":0"]


@pytest.mark.attack
def test_a_request_without_a_body_that_asks_to_send_one_is_answered(port, seen):
    seen.clear()
    asking = b"Expect: 100-continue\r\n"
    assert statuses(port, GET + asking + b"\r\n" + SECOND) == [200, 200]
    assert statuses(port, POST + asking + b"Content-Length: 0\r\n\r\n" + SECOND) == [200, 200]
    assert seen == [":0", "second:0", "sent:0", "second:0"]


@pytest.mark.attack
def test_a_request_has_a_bounded_number_of_header_lines(port, seen):
    seen.clear()
    head = GET + b"X:\r\n" * (MOST_HEADER_LINES - 3)
    assert statuses(port, head + b"\r\n") == [200]
    assert statuses(port, head + b"X:\r\n" * 3 + b"\r\n") == [400]
    assert statuses(port, GET + b"X:\r\n" * 60_000 + b"\r\n") == [400]
    assert seen == [":0"]

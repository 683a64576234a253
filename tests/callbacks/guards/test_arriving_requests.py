"""A body that is too large is refused before it is kept, and what is kept is bounded."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import flask
import pytest
import requests

from callbacks.addresses import Body, Route
from callbacks.guards.arriving_requests import IN_MEMORY_BYTES, KeptBodies
from callbacks.guards.web_server import ConnectionLimits
from tests.callbacks.guards.web_servers import PATIENCE_S, serving
from tests.melm_studio.runs.helpers import wait_until

MB = 2**20
# Nothing ends by itself here.
UNHURRIED = ConnectionLimits(headers_s=1_000, request_s=1_000)


@pytest.fixture
def seen() -> list[str]:
    """The paths of requests that reached a route."""
    return []


@pytest.fixture
def application(seen) -> flask.Flask:
    """Routes at addresses that the studio has, which say how much they got."""
    application = flask.Flask(__name__)

    def read(run_id: str = "") -> str:
        seen.append(flask.request.path)
        return str(len(flask.request.get_data()))

    bodies = {"/upload": Body.FILE, "/story": Body.STORY, "/talk": Body.SETTINGS}
    application.url_rule_class = Route
    for rule in (*bodies, "/runs/<run_id>/remove"):
        application.get(rule, endpoint=f"GET {rule}")(read)
        application.post(rule, endpoint=rule, body=bodies.get(rule, Body.NOTHING))(read)
    return application


@pytest.fixture
def port(application) -> Iterator[int]:
    with serving(application, max_upload_mb=1, limits=UNHURRIED) as number:
        yield number


def head(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def connected(port: int, come_from: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S, (come_from, 0))


def answer_on(connection: socket.socket) -> tuple[int, str]:
    """The status of an answer after which the server sends no more, and its sentence."""
    received = b""
    while part := connection.recv(10_000):
        received += part
    start, _, body = received.partition(b"\r\n\r\n")
    return int(start.split()[1]), json.loads(body)["error"]


def bytes_in_files() -> int:
    """Of this process, in files that have no name."""
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            status = link.stat()
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
            found += status.st_size
    return found


@pytest.mark.parametrize(
    ("path", "n_bytes", "words"),
    [
        ("/upload", 600 * MB, "larger than 1 MB"),
        ("/story", 8 * MB + 1, "the most that a story has"),
        ("/talk", MB + 1, "larger than 1 MB"),
        ("/runs/x/remove", 4_097, "no more than 4 kB"),
        ("/frames", 600 * MB, "no more than 4 kB"),
        ("/nothing/here", 600 * MB, "no more than 4 kB"),
    ],
)
def test_a_length_above_the_limit_of_an_address_is_refused_before_a_byte_is_sent(
    port, seen, path, n_bytes, words
):
    with connected(port) as connection:
        connection.sendall(head(path, f"Content-Length: {n_bytes}"))
        status, sentence = answer_on(connection)
    assert (status, seen) == (413, [])
    assert words in sentence


@pytest.mark.parametrize("path", ["/upload", "/talk", "/frames"])
def test_a_body_without_a_length_is_refused_before_a_byte_is_kept(port, seen, path):
    with connected(port) as connection:
        connection.sendall(head(path, "Transfer-Encoding: chunked"))
        status, sentence = answer_on(connection)
    assert (status, seen) == (411, [])
    assert "Content-Length" in sentence


def test_no_more_is_kept_than_an_address_takes(port):
    if not Path("/proc/self/fd").exists():
        pytest.skip("Only Linux shows the open files of a process.")
    before = bytes_in_files()
    with ExitStack() as stack:
        for path in ("/frames", "/talk", "/nothing"):
            connection = stack.enter_context(connected(port))
            connection.sendall(head(path, f"Content-Length: {30 * MB}"))
            connection.sendall(bytes(30 * MB))
            assert answer_on(connection)[0] == 413
        assert bytes_in_files() <= before


@pytest.mark.fault
def test_the_sentence_reaches_a_client_that_sends_all_of_the_body_first(port):
    with connected(port) as connection:
        connection.sendall(head("/upload", f"Content-Length: {50 * MB}"))
        for _ in range(50):
            connection.sendall(bytes(MB))
        status, words = answer_on(connection)
    assert status == 413
    assert "MELM_MAX_UPLOAD_MB" in words
    answer = requests.post(
        f"http://127.0.0.1:{port}/upload", data=bytes(20 * MB), timeout=PATIENCE_S
    )
    assert answer.status_code == 413
    assert answer.headers["Content-Type"] == "application/json"


def test_nothing_of_a_refused_body_is_read_as_a_request(port, seen):
    hidden = b"GET /talk HTTP/1.1\r\nHost: a\r\n\r\n"
    with connected(port) as connection:
        connection.sendall(head("/frames", f"Content-Length: {30 * MB}") + hidden)
        assert answer_on(connection)[0] == 413
        connection.sendall(hidden)
    assert requests.get(f"http://127.0.0.1:{port}/story", timeout=PATIENCE_S).ok
    assert seen == ["/story"]


@pytest.mark.fault
def test_a_refused_body_that_drips_is_cut_off(application):
    limits = ConnectionLimits(request_s=0.3)
    with serving(application, limits=limits) as port, connected(port) as connection:
        connection.sendall(head("/frames", f"Content-Length: {30 * MB}"))
        assert answer_on(connection)[0] == 413

        def is_cut_off() -> bool:
            try:
                connection.sendall(b"x")
            except OSError:
                return True
            return False

        wait_until(is_cut_off)


def test_a_body_within_the_limit_arrives(port):
    answer = requests.post(f"http://127.0.0.1:{port}/upload", data=bytes(MB), timeout=PATIENCE_S)
    assert answer.text == str(MB)


Begin = Callable[..., int]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Begin an upload whose body never comes, and return the first status of the answer."""
    with ExitStack() as stack:

        def begin_upload(
            port: int, *headers: str, come_from: str = "127.0.0.1", mb: int = 128
        ) -> int:
            connection = stack.enter_context(connected(port, come_from))
            length = f"Content-Length: {mb * MB}"
            connection.sendall(head("/upload", length, "Expect: 100-continue", *headers))
            return int(connection.recv(1_000).split()[1])

        yield begin_upload


def test_a_network_has_two_files_of_the_largest_size_on_their_way(application, begin):
    with serving(application) as port:
        assert [begin(port) for _ in range(3)] == [100, 100, 503]
        assert begin(port, come_from="127.0.0.2") == 100


def test_behind_a_proxy_the_files_of_a_network_are_those_of_its_visitors(application, begin):
    with serving(application, proxies=1) as port:
        mine = [begin(port, "X-Forwarded-For: 2001:db8::1") for _ in range(2)]
        assert mine == [100, 100]
        assert begin(port, "X-Forwarded-For: 2001:db8::2") == 503
        assert begin(port, "X-Forwarded-For: 2001:db8:0:1::2") == 100


def test_eight_files_of_the_largest_size_are_on_their_way_in_all(application, begin):
    with serving(application) as port:
        begun = [begin(port, come_from=f"127.0.0.{2 + number // 2}") for number in range(8)]
        assert begun == [100] * 8
        assert begin(port, come_from="127.0.0.9") == 503
        # What is small needs no file.
        small = requests.post(
            f"http://127.0.0.1:{port}/talk", data=bytes(IN_MEMORY_BYTES - 1), timeout=PATIENCE_S
        )
        assert small.text == str(IN_MEMORY_BYTES - 1)


def test_a_body_that_was_answered_counts_no_more(port):
    for _ in range(10):  # of which four have room at a time
        address = f"http://127.0.0.1:{port}/upload"
        assert requests.post(address, data=bytes(MB), timeout=PATIENCE_S).status_code == 200


def test_a_body_whose_client_has_left_counts_no_more(port, begin):
    for _ in range(4):
        with connected(port) as connection:
            connection.sendall(head("/upload", f"Content-Length: {MB}") + bytes(IN_MEMORY_BYTES))
    wait_until(lambda: begin(port, mb=1) == 100)
    wait_until(lambda: begin(port, mb=1) == 100)


def test_bytes_are_counted_by_network_and_in_all():
    kept = KeptBodies(of_network=10, total=15)
    assert kept.add("a", 10) == ""
    assert "your network" in kept.add("a", 1)
    assert "the studio" in kept.add("b", 6)
    assert kept.add("b", 5) == ""
    kept.remove("a", 10)
    assert kept.n_bytes == 5
    assert kept.add("a", 10) == ""

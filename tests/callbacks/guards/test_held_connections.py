"""Connections that routes keep take no thread, and are noticed when their clients leave."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator

import flask
import pytest

from callbacks.guards.held_connections import HeldConnection, hold_connection
from callbacks.guards.web_server import ConnectionLimits
from tests.callbacks.guards.web_servers import PATIENCE_S, serving

LIMITS = ConnectionLimits(connections_of_network=4)


@pytest.fixture
def held() -> list[HeldConnection]:
    """The connections that the server has handed over."""
    return []


@pytest.fixture
def port(held) -> Iterator[int]:
    application = flask.Flask(__name__)

    @application.get("/held")
    def keep() -> flask.Response:
        assert hold_connection(held.append)
        return flask.Response(iter([b"first;"]))

    application.get("/")(lambda: "here")
    with serving(application, threads=1, limits=LIMITS) as number:
        yield number


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def opened(
    port: int, path: str = "/held"
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path)
    return connection, connection.getresponse()


def test_more_connections_are_held_than_there_are_threads_or_places_of_an_address(port, held):
    clients = [opened(port) for _ in range(LIMITS.connections_of_network + 3)]
    until(lambda: len(held) == len(clients))
    connection, answer = opened(port, "/")
    assert answer.read() == b"here"
    for one in held:
        one.send(b"second;")
        one.end()
    for other, answer in clients:
        assert answer.read() == b"first;second;"
        other.close()
    connection.close()


def test_a_client_who_leaves_is_noticed(port, held):
    connection, answer = opened(port)
    until(lambda: len(held) == 1)
    assert held[0].is_open
    answer.close()
    connection.close()
    until(lambda: not held[0].is_open)
    held[0].send(b"to nobody")


@pytest.mark.attack
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="of Linux")
def test_a_client_who_vanishes_without_a_word_is_given_up_after_half_a_minute(port, held):
    connection, answer = opened(port)
    until(lambda: len(held) == 1)
    at_server = held[0]._channel.socket  # noqa: SLF001
    assert at_server.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000
    answer.close()
    connection.close()


def test_a_client_who_does_not_read_is_known_to_be_behind(port, held):
    connection, answer = opened(port)
    until(lambda: len(held) == 1)
    until(lambda: held[0].is_busy or held[0].send(bytes(2**20)))
    assert held[0].is_open
    until(lambda: not held[0].is_busy or not answer.read(2**20))
    connection.close()


def test_a_request_on_a_held_connection_ends_it(port, held):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: len(held) == 1)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until(lambda: not held[0].is_open)


def test_other_servers_hold_nothing():
    application = flask.Flask(__name__)
    with application.test_request_context("/"):
        assert not hold_connection(lambda connection: None)

"""Sockets that hold places without ever sending a request lose them."""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.request
from collections.abc import Iterator

import flask
import pytest

from callbacks.guards.web_server import ConnectionLimits, web_server
from melm_studio.programs.local_studio import free_port
from melm_studio.worker.config.service_manager import READY, tell_service_manager

LIMITS = ConnectionLimits(connections_of_address=8, headers_s=0.2, request_s=0.6)
PATIENCE_S = 30


@pytest.fixture
def port() -> Iterator[int]:
    application = flask.Flask(__name__)
    application.route("/", methods=["GET", "POST"])(lambda: "here")
    number = free_port()
    server = web_server(application, host="127.0.0.1", port=number, threads=2, limits=LIMITS)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield number
    server.trigger.pull_trigger(server.close)  # in the thread that serves, which then ends
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    server.task_dispatcher.shutdown()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def is_closed_while_dripping(connection: socket.socket) -> bool:
    """Send a byte after each wait for an answer, until the server ends the connection."""
    connection.settimeout(0.05)
    for _ in range(int(PATIENCE_S / 0.05)):
        try:
            connection.sendall(b"x")
            if connection.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize(
    "begin",
    [b"GET / HT", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx"],
    ids=["headers", "body"],
)
def test_a_request_that_drips_is_cut_off(port, begin):
    with connected(port) as connection:
        connection.sendall(begin)
        assert is_closed_while_dripping(connection)


def test_an_address_keeps_its_share_of_the_connections_and_is_served(port):
    connections = [connected(port) for _ in range(LIMITS.connections_of_address + 5)]
    for surplus in connections[LIMITS.connections_of_address :]:
        assert surplus.recv(1) == b""
    for connection in connections:
        connection.close()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
        assert answer.read() == b"here"


def test_a_connection_that_is_kept_alive_serves_many_requests(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for _ in range(3):
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"here"
    connection.close()


def test_a_taken_address_is_refused_at_once(port):
    with pytest.raises(OSError, match="in use"):
        web_server(flask.Flask(__name__), host="127.0.0.1", port=port, threads=1)


@pytest.fixture
def service_manager(tmp_path, monkeypatch):
    """The socket on which systemd would listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def test_a_server_that_serves_says_so_to_systemd(service_manager, port):
    assert service_manager.recv(100) == service_manager.recv(100) == b"WATCHDOG=1"


def test_without_systemd_nobody_is_told(monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere")
    tell_service_manager(READY)
    monkeypatch.delenv("NOTIFY_SOCKET")
    tell_service_manager(READY)

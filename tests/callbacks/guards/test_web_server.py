"""Sockets that hold places without ever sending a request lose them."""

from __future__ import annotations

import http.client
import select
import socket
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from importlib.metadata import version
from inspect import isclass, isfunction, signature
from pathlib import Path
from queue import Queue
from threading import Event

import flask
import pytest
from packaging.requirements import Requirement
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from callbacks.addresses import Route
from callbacks.guards import arriving_requests, fair_requests, held_connections, web_server
from callbacks.guards.error_answers import REPEAT_AFTER_S
from callbacks.guards.web_server import ConnectionLimits
from melm_studio.configuration.logs import READY, tell_service_manager
from tests.callbacks.guards.web_servers import PATIENCE_S, serving

PINS = Path(__file__).parents[3] / "requirements/studio.in"
LIMITS = ConnectionLimits(connections_of_network=8, headers_s=0.2, request_s=0.6)


@pytest.fixture
def application() -> flask.Flask:
    application = flask.Flask(__name__)
    application.route("/", methods=["GET", "POST"])(lambda: "here")
    return application


@pytest.fixture
def port(application) -> Iterator[int]:
    with serving(application, limits=LIMITS) as number:
        yield number


def connected(port: int, come_from: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S, (come_from, 0))


def is_here(connection: socket.socket) -> bool:
    """Whether the server answers on a connection."""
    connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    answer = b""
    while not answer.endswith(b"here"):
        part = connection.recv(1_000)
        if not part:
            return False
        answer += part
    return True


def n_closed(connections: Iterable[socket.socket]) -> int:
    """How many connections the server has closed, as far as is known."""
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLIN)
    return len(poll.poll(0))


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


@pytest.mark.fault
@pytest.mark.parametrize(
    "begin",
    [b"GET / HT", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\n\r\nx"],
    ids=["headers", "body"],
)
def test_a_request_that_drips_is_cut_off(port, begin):
    with connected(port) as connection:
        connection.sendall(begin)
        assert is_closed_while_dripping(connection)


def test_an_address_keeps_its_share_of_the_connections_and_is_served(port):
    share = LIMITS.connections_of_network
    connections = [connected(port) for _ in range(share + 5)]
    for surplus in connections[:5]:  # those that have waited longest
        assert surplus.recv(1) == b""
    assert is_here(connections[-1])
    assert n_closed(connections[5:]) == 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
        assert answer.read() == b"here"
    for connection in connections:
        connection.close()


@pytest.mark.fault
def test_an_address_has_64_connections_by_default(application):
    with serving(application) as port, ExitStack() as stack:
        connections = [stack.enter_context(connected(port)) for _ in range(64)]
        assert all(map(is_here, connections))
        assert n_closed(connections) == 0
        last = stack.enter_context(connected(port))
        assert is_here(last)
        assert connections[0].recv(1) == b""
        assert n_closed(connections[1:]) == 0


@pytest.mark.fault
def test_connections_of_one_network_of_ipv6_are_those_of_one_client(application, monkeypatch):
    """This machine has one address of IPv6, so connections get theirs as they are accepted."""
    senders = iter([f"2001:db8::{number:x}" for number in range(1, 6)] + ["2001:db8:0:1::1"])
    monkeypatch.setattr(TcpWSGIServer, "fix_addr", lambda _, found: (next(senders), *found[1:]))
    limits = ConnectionLimits(connections_of_network=4)
    with serving(application, limits=limits) as port, ExitStack() as stack:
        connections = [stack.enter_context(connected(port)) for _ in range(6)]
        assert connections[0].recv(1) == b""
        assert all(map(is_here, connections[1:]))


@pytest.mark.fault
def test_two_requests_of_seconds_are_answered_at_a_time_by_default():
    """Of three addresses, and of one address a single one."""
    begun, done = Queue(), Event()
    application = flask.Flask(__name__)
    application.url_rule_class = Route
    application.get("/health", is_prompt=True)(lambda: "here")

    @application.get("/runs/<run_id>/replay.html", is_heavy=True)
    def slow(run_id: str) -> str:
        begun.put(run_id)
        done.wait(PATIENCE_S)
        return "here"

    def ask(path: str, come_from: str) -> socket.socket:
        connection = stack.enter_context(connected(port, come_from))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        return connection

    with serving(application, threads=8) as port, ExitStack() as stack:
        first = ask("/runs/a1/replay.html", "127.0.0.2")
        assert begun.get(timeout=PATIENCE_S) == "a1"
        same = ask("/runs/a2/replay.html", "127.0.0.2")
        for _ in range(20):  # whatever might begin has begun before these are answered
            assert ask("/health", "127.0.0.5").recv(12) == b"HTTP/1.1 200"
        assert begun.empty()
        second = ask("/runs/b/replay.html", "127.0.0.3")
        assert begun.get(timeout=PATIENCE_S) == "b"
        third = ask("/runs/c/replay.html", "127.0.0.4")
        for _ in range(20):
            assert ask("/health", "127.0.0.5").recv(12) == b"HTTP/1.1 200"
        assert begun.empty()
        done.set()
        for connection in (first, same, second, third):
            assert connection.recv(12) == b"HTTP/1.1 200"


@pytest.mark.fault
def test_sockets_that_drip_leave_others_their_connection_at_once(application):
    """No time limit ends the dripping here, and maintenance neither."""
    limits = ConnectionLimits(
        connections=60, connections_of_network=10, headers_s=1_000, request_s=1_000
    )
    with serving(application, limits=limits) as port, ExitStack() as stack:
        dripping = []
        for number in range(60):
            # Each comes from an address of six, and all together would take every place.
            here = stack.enter_context(connected(port, f"127.0.0.{2 + number % 6}"))
            here.sendall(b"GET / HT")
            dripping.append(here)
        newcomers = [stack.enter_context(connected(port, "127.0.0.100")) for _ in range(6)]
        assert all(map(is_here, newcomers))
        # Of those with the most, and never of one who has few.
        assert n_closed(newcomers) == 0
        assert 60 - n_closed(dripping) >= 54 - len(newcomers)


@pytest.mark.fault
def test_a_connection_that_has_a_request_at_work_never_gives_way():
    begun, done = Event(), Event()
    application = flask.Flask(__name__)

    @application.get("/")
    def slow() -> str:
        begun.set()
        done.wait(PATIENCE_S)
        return "here"

    limits = ConnectionLimits(connections_of_network=2)
    with serving(application, limits=limits) as port, ExitStack() as stack:
        at_work, waiting = (stack.enter_context(connected(port)) for _ in range(2))
        at_work.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert begun.wait(PATIENCE_S)
        newcomer = stack.enter_context(connected(port))
        assert waiting.recv(1) == b""
        done.set()
        assert at_work.recv(100).startswith(b"HTTP/1.1 200")
        assert is_here(newcomer)


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The seconds of the server's clock, which stands still."""
    now = [1_000.0]
    monkeypatch.setattr("callbacks.guards.web_server.monotonic", lambda: now[0])
    return now


@pytest.mark.fault
@pytest.mark.parametrize(
    ("begin", "end", "limit_s"),
    [
        (b"GET / HT", b"TP/1.1\r\nHost: a\r\n\r\n", 10),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx", b"x", 120),
    ],
    ids=["headers", "body"],
)
def test_a_request_has_10_s_for_its_headers_and_120_s_in_all_by_default(
    application, clock, begin, end, limit_s
):
    def begun(port: int) -> socket.socket:
        connection = stack.enter_context(connected(port))
        connection.sendall(begin)
        # Requests that came later are answered after its bytes were read.
        assert is_here(stack.enter_context(connected(port)))
        return connection

    with serving(application) as port, ExitStack() as stack:
        early = begun(port)
        clock[0] += 0.2
        late = begun(port)
        clock[0] += limit_s - 0.1
        assert early.recv(1) == b""
        # Both were looked at in the same moment.
        late.sendall(end)
        assert late.recv(100).startswith(b"HTTP/1.1 200")


def test_a_connection_that_is_kept_alive_serves_many_requests(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for _ in range(3):
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"here"
    connection.close()


def test_a_taken_address_is_refused_at_once(port):
    with pytest.raises(OSError, match="in use"):
        web_server.web_server(flask.Flask(__name__), host="127.0.0.1", port=port, threads=1)


@pytest.fixture
def service_manager(tmp_path, monkeypatch):
    """The socket on which systemd would listen."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


@pytest.mark.fault
def test_a_server_that_serves_says_so_to_systemd(service_manager, port):
    assert service_manager.recv(100) == service_manager.recv(100) == b"WATCHDOG=1"


def test_without_systemd_nobody_is_told(monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere")
    tell_service_manager(READY)
    monkeypatch.delenv("NOTIFY_SOCKET")
    tell_service_manager(READY)


OVERRIDING = [
    own
    for module in (arriving_requests, held_connections, web_server)
    for own in vars(module).values()
    if isclass(own)
    and own.__module__ == module.__name__
    and own.__base__.__module__.startswith("waitress.")
]


@pytest.mark.parametrize("own", OVERRIDING, ids=lambda own: own.__name__)
def test_what_is_overridden_of_waitress_has_its_signature(own):
    """Its internals may change with any release."""
    of_waitress = own.__base__
    overridden = [
        name
        for name, value in vars(own).items()
        if isfunction(value) and name != "__init__" and hasattr(of_waitress, name)
    ]
    for name in overridden:
        parameters = [
            [
                (each.name, each.kind, each.default)
                for each in signature(function).parameters.values()
            ]
            for function in (getattr(own, name), getattr(of_waitress, name))
        ]
        assert parameters[0] == parameters[1], name


def test_what_is_used_of_waitress_is_there():
    assert len(OVERRIDING) == 6
    [allowed] = [line for line in PINS.read_text().splitlines() if line.startswith("waitress")]
    assert version("waitress") in Requirement(allowed.split("#")[0]).specifier
    assert [*signature(HTTPChannel).parameters] == ["server", "sock", "addr", "adj", "map"]
    assert [*signature(HTTPRequestParser).parameters] == ["adj"]
    assert [*signature(TcpWSGIServer).parameters][:2] == ["application", "map"]
    assert not signature(ThreadedTaskDispatcher).parameters
    for name in ("parser_class", "task_class", "request", "will_close", "total_outbufs_len"):
        assert hasattr(HTTPChannel, name), name
    for name in ("body_rcv", "chunked", "content_length", "completed"):
        assert hasattr(HTTPRequestParser, name), name


@pytest.mark.fault
def test_what_waits_for_a_thread_is_not_begun_once_its_client_has_left():
    begun, done = Queue(), Event()
    application = flask.Flask(__name__)
    application.url_rule_class = Route

    @application.get("/runs/<run_id>/replay.html", is_heavy=True)
    def slow(run_id: str) -> str:
        begun.put(run_id)
        done.wait(PATIENCE_S)
        return "here"

    with serving(application, threads=8) as port, ExitStack() as stack:

        def ask(run_id: str) -> socket.socket:
            connection = stack.enter_context(connected(port))
            head = f"GET /runs/{run_id}/replay.html HTTP/1.1\r\nHost: a\r\n\r\n"
            connection.sendall(head.encode())
            return connection

        ask("first")
        assert begun.get(timeout=PATIENCE_S) == "first"
        ask("left").close()
        stays = ask("stays")
        done.set()
        assert stays.recv(12) == b"HTTP/1.1 200"
        assert begun.get(timeout=PATIENCE_S) == "stays"
        assert begun.empty()


@pytest.mark.fault
def test_who_waits_too_long_is_told_to_ask_again(monkeypatch):
    monkeypatch.setattr(fair_requests, "MOST_WAITED_S", 0.0)
    begun, done = Event(), Event()
    application = flask.Flask(__name__)
    application.url_rule_class = Route

    @application.get("/runs/<run_id>/replay.html", is_heavy=True)
    def slow(run_id: str) -> str:
        begun.set()
        done.wait(PATIENCE_S)
        return run_id

    with serving(application, threads=8) as port, ExitStack() as stack:
        head = b"GET /runs/a/replay.html HTTP/1.1\r\nHost: a\r\n\r\n"
        first, second = (stack.enter_context(connected(port)) for _ in range(2))
        first.sendall(head)
        assert begun.wait(PATIENCE_S)
        second.sendall(head)
        answer = second.recv(1_000).decode()
        assert answer.startswith("HTTP/1.1 503")
        assert f"Refresh: {REPEAT_AFTER_S}\r\nRetry-After: {REPEAT_AFTER_S}\r\n" in answer
        done.set()
        assert first.recv(12) == b"HTTP/1.1 200"


@pytest.mark.fault
def test_prompt_answers_come_while_one_network_takes_all_it_may():
    begun, done = Queue(), Event()
    application = flask.Flask(__name__)
    application.url_rule_class = Route
    application.get("/health", is_prompt=True)(lambda: "here")

    @application.get("/")
    def slow() -> str:
        begun.put("")
        done.wait(PATIENCE_S)
        return "here"

    with serving(application, threads=8) as port, ExitStack() as stack:

        def ask(path: str) -> socket.socket:
            connection = stack.enter_context(connected(port))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            return connection

        for _ in range(8):
            ask("/")
        for _ in range(4):
            begun.get(timeout=PATIENCE_S)
        assert ask("/health").recv(12) == b"HTTP/1.1 200"
        done.set()


@pytest.mark.attack
def test_who_takes_no_answers_keeps_no_thread_and_gets_no_more_of_them(application):
    begun = Queue[None]()

    @application.get("/large")
    def large() -> str:
        begun.put(None)
        return "x" * 2**24

    asked = b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"
    with serving(application) as port, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.connect(("127.0.0.1", port))
        deaf.sendall(50 * asked)
        begun.get(timeout=PATIENCE_S)
        with connected(port) as other:
            assert is_here(other)
        assert begun.qsize() < 3  # of 16 MB, of which the system takes a part from the server
        deaf.settimeout(PATIENCE_S)
        while deaf.recv(2**20):  # closed once all is taken that was answered
            pass

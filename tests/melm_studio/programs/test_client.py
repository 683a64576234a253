"""A client says what happened where no answer of a studio came."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager

import pytest

from melm_studio.programs import client
from melm_studio.programs.client import RefusedError, StudioClient
from melm_studio.programs.local_studio import free_port

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LOGIN = b"<!doctype html>Log in"


@contextmanager
def answering(raw: bytes | None):
    """A server that answers one request with these bytes, or not at all, and ends it."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                if raw is None:
                    done.wait(30)
                else:
                    connection.sendall(raw)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        done.set()
        thread.join()


def said_of(url: str) -> str:
    with pytest.raises(RefusedError) as refusal:
        StudioClient(url)
    return str(refusal.value)


def test_an_address_where_nothing_listens_is_told():
    url = f"http://127.0.0.1:{free_port()}"
    assert said_of(
        url
    ) == f"No studio answers at {url}. Start it by melm-studio, or correct the " + ("address.")


@pytest.mark.fault
def test_a_slow_answer_is_told_as_one(monkeypatch):
    monkeypatch.setattr(client, "ANSWER_S", 0.1)
    with answering(None) as url:
        said = said_of(url)
    assert "was reached, but has not answered for 0.1 s" in said
    assert "look at the runs before you ask again" in said
    assert "Start it" not in said


@pytest.mark.parametrize("raw", [b"", HEAD + b"Content-Length: 99\r\n\r\n{}"])
def test_a_connection_that_ends_early_is_told_as_one(raw):
    with answering(raw) as url:
        assert "ended the connection before its answer was complete" in said_of(url)


@pytest.mark.fault
@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"Content-Length: %d\r\n\r\n" % len(LOGIN) + LOGIN,
        HEAD + b"Content-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["a page", "another interface", "a login"],
)
def test_what_is_no_studio_is_told_as_that(raw):
    with answering(raw) as url:
        assert f"What answers at {url} is not this version of a studio" in said_of(url)


@pytest.mark.parametrize("url", ["127.0.0.1:8050", "", "file:///etc", "http://"])
def test_what_is_no_address_is_told_as_that(url):
    assert "is not the address of a studio" in said_of(url)

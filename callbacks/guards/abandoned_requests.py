"""A request whose client has left ends where it next asks whether to go on.

Every page of a figure, a report or a replay is drawn in a few hundred milliseconds; whoever closes
the tab, or a program that was interrupted, would have all of them drawn.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from functools import partial

import flask

from callbacks.services import Served
from melm_studio.abandonment import AbandonedError, made_for

CONNECTION = "melm_studio.connection"
# As nginx logs it.
LEFT = 499
OF_GUNICORN = "gunicorn.socket"
_WORK = "melm_work"


def register(app: Served) -> None:
    """Connect the requests and what ends them."""
    app.server.before_request(begin)
    app.server.teardown_request(end)
    app.server.register_error_handler(AbandonedError, left)


def begin() -> None:
    """Note who waits, where the server says so."""
    environment = flask.request.environ
    connection = environment.get(CONNECTION) or environment.get(OF_GUNICORN)
    if connection is not None:
        work = ExitStack()
        work.enter_context(made_for(partial(has_left, connection)))
        setattr(flask.g, _WORK, work)


def end(_: BaseException | None) -> None:
    """Forget who waited."""
    work = flask.g.pop(_WORK, None)
    if work is not None:
        work.close()


def left(_: AbandonedError) -> tuple[str, int]:
    """Return an empty answer, which nobody receives but the log has."""
    return "", LEFT


def has_left(connection: socket.socket) -> bool:
    """Return whether the other end has closed a connection, without waiting or taking from it."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | getattr(socket, "MSG_DONTWAIT", 0))
    except BlockingIOError:
        return False
    except OSError:
        return True

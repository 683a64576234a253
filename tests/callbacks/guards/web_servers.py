"""A web server in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import flask
from waitress.wasyncore import close_all

from callbacks.guards.web_server import web_server
from melm_studio.programs.local_studio import free_port

PATIENCE_S = 30


@contextmanager
def serving(application: flask.Flask, host: str = "127.0.0.1", **options: Any) -> Iterator[int]:
    """The port at which an application is served."""
    port = free_port()
    server = web_server(application, host=host, port=port, **{"threads": 2, **options})
    # It looks after its connections more often than once a second.
    server.adj.asyncore_loop_timeout = server.adj.cleanup_interval = 0.05
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield port
    finally:
        # In the thread that serves, which ends without connections. An earlier pull would close
        # the trigger before this one, were it not for the lock.
        with server.trigger.lock:
            server.trigger.thunks.append(partial(_close, server))
            server.pull_trigger()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        server.task_dispatcher.shutdown()


def _close(server: Any) -> None:
    """Close all connections, and the files of bodies that were on their way."""
    for channel in server.active_channels.values():
        if channel.request is not None:
            channel.request.close()
    close_all(server._map)  # noqa: SLF001

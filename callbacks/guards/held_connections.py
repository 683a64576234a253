"""Connections that stay open once their request is answered: what is sent on them takes no thread.

The embedded server has a few threads, and an audience would hold one each. Instead a route hands
its connection over, and a single thread writes to all of them. Servers that have no such
connections, such as gunicorn, answer the same requests at once.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import flask
from waitress.channel import ClientDisconnected
from waitress.task import WSGITask

from callbacks.guards.abandoned_requests import CONNECTION

HOLD = "melm_studio.hold"
# A client that vanished without a word, such as a phone out of range, acknowledges nothing. The
# system would try for a quarter of an hour, during which the connection takes a place.
UNACKNOWLEDGED_MS = 30_000

Receiver: TypeAlias = "Callable[[HeldConnection], None]"


class HeldConnection:
    """A connection whose answer goes on.

    Parameters
    ----------
    channel : waitress.channel.HTTPChannel
    is_chunked : bool
        Whether the answer is sent in chunks, as HTTP/1.1 has them.
    """

    def __init__(self, channel: Any, *, is_chunked: bool) -> None:
        self._channel, self._is_chunked = channel, is_chunked

    @property
    def is_open(self) -> bool:
        """True if the client is still there."""
        channel = self._channel
        return bool(channel.connected) and not (channel.will_close or channel.close_when_flushed)

    @property
    def n_waiting_bytes(self) -> int:
        """Number of bytes sent before that the client has yet to take."""
        return int(self._channel.total_outbufs_len)

    @property
    def is_busy(self) -> bool:
        """True if the client has yet to take what was sent before."""
        return self.n_waiting_bytes > 0

    def drop(self) -> None:
        """Close the connection, whatever is still to be sent."""
        self._channel.will_close = True
        self._channel.server.pull_trigger()

    def send(self, data: bytes) -> None:
        """Send some more of the answer; does not wait for the client."""
        part = b"%x\r\n%s\r\n" % (len(data), data) if self._is_chunked else data
        self._write(part)

    def end(self) -> None:
        """End the answer, and the connection once all of it is sent."""
        if self._is_chunked:
            self._write(b"0\r\n\r\n")
        self._channel.close_when_flushed = True
        self._channel.server.pull_trigger()

    def _write(self, data: bytes) -> None:
        channel = self._channel
        if not channel.connected:
            return
        try:
            with channel.outbuf_lock:
                # Most often the system takes all of it at once, which needs no buffer of ours.
                n_sent = 0 if channel.total_outbufs_len else channel.send(data, do_close=False)
            if n_sent < len(data):
                channel.write_soon(data[n_sent:])
        except (ClientDisconnected, OSError):
            channel.will_close = True


class HoldingTask(WSGITask):
    """A request whose route may keep the connection."""

    _receive: Receiver | None = None

    def get_environment(self) -> dict[str, Any]:
        environment: dict[str, Any] = super().get_environment()
        environment[HOLD] = self._hold
        environment[CONNECTION] = self.channel.socket
        return environment

    def finish(self) -> None:
        """End the answer, or hand the connection over."""
        # Answers to requests that were sent ahead would get in between.
        if self._receive is None or len(self.channel.requests) > 1:
            super().finish()
            return
        if not self.wrote_header:
            self.write(b"")
        self.close_on_finish = False
        self.channel.is_held = True
        _give_up_on_vanished(self.channel.socket)
        self._receive(HeldConnection(self.channel, is_chunked=self.chunked_response))

    def _hold(self, receive: Receiver) -> None:
        self._receive = receive


def _give_up_on_vanished(connection: socket.socket) -> None:
    # macOS has no such option.
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is not None:
        with suppress(OSError):  # the client has left at this moment
            connection.setsockopt(socket.IPPROTO_TCP, option, UNACKNOWLEDGED_MS)


def can_hold() -> bool:
    """Return whether the server of this request is the embedded one, which can."""
    return HOLD in flask.request.environ


def hold_connection(receive: Receiver) -> bool:
    """Keep the connection of this request, whose answer has no length, once the answer is sent.

    Parameters
    ----------
    receive : callable
        Called with the connection, in the thread of the request.

    Returns
    -------
    bool
        Whether the server can.
    """
    hold = flask.request.environ.get(HOLD)
    if hold is None:
        return False
    hold(receive)
    return True

"""The embedded web server: networks share connections and threads, requests arrive in time."""

from __future__ import annotations

import socket
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from callbacks.addresses import Directory
from callbacks.guards.abandoned_requests import has_left
from callbacks.guards.arriving_requests import (
    IN_MEMORY_BYTES,
    ArrivingRequest,
    BodyError,
    Reception,
)
from callbacks.guards.client_network import network_of
from callbacks.guards.error_answers import BUSY, REPEAT_AFTER_S
from callbacks.guards.fair_requests import (
    Client,
    FairQueue,
    RequestLimits,
    client_of,
    not_prompt_threads,
)
from callbacks.guards.held_connections import HoldingTask
from melm_studio.configuration.logs import ALIVE, tell_service_manager

_CLEANUP_S = 1


# Less than are left below.
_ACCEPTED_AT_ONCE = 32
# Of the connections; beyond, those that wait make room.
_MOST_TAKEN = 0.9


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on the number of connections, and on the time that a request may take to arrive."""

    connections: int = 1_000
    # Browsers open six to a host. Behind a proxy, one network stands for all visitors.
    connections_of_network: int = 64
    headers_s: float = 10
    # With its body: 64 MB at 5 Mbit a second.
    request_s: float = 120


class _Channel(HTTPChannel):
    """A connection that knows when its current request began, and may be held after it."""

    task_class = HoldingTask

    requests: list[ArrivingRequest]
    is_held = False
    # Its request was refused, and what is still sent of it is let past: a connection that is closed
    # meanwhile would take the answer with it.
    is_refused = False
    is_let_past = False

    def __init__(
        self,
        server: _Server,
        sock: Any,
        addr: Any,
        adj: Any,
        map: Any = None,  # noqa: A002
    ) -> None:
        super().__init__(server, sock, addr, adj, map=map)
        self.network = network_of(str(addr[0]))
        self.since_s = monotonic()
        self.parser_class = partial(
            ArrivingRequest,
            reception=server.reception,
            peer=str(addr[0]),
            refused=self._refuse,
        )
        server.make_room(self)

    def received(self, data: bytes) -> Any:
        if self.is_let_past:
            return False
        if self.is_held:  # its answer has not ended, so another cannot begin
            self.will_close = True
            return False
        before = self.request
        result = super().received(data)
        if self.request is not before:
            self.since_s = monotonic()
        return result

    def service(self) -> None:
        """Answer a request; not of a client who takes no answers, or left before a long one."""
        request = self.requests[0]
        is_heavy = request.address.is_heavy and request.error is None
        is_untaken = self.total_outbufs_len > self.adj.outbuf_overflow
        if not (is_untaken or (is_heavy and has_left(self.socket))):
            super().service()
            return
        with self.requests_lock:
            for waiting in self.requests:
                waiting.close()
            self.requests = []
            self.close_when_flushed = True
        self.server.pull_trigger()

    def refuse_late(self) -> None:
        """Tell who has waited too long to ask again."""
        request = self.requests[0]
        request.error = BodyError(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, REPEAT_AFTER_S)
        super().service()

    def handle_close(self) -> None:
        """Close the connection, once a body that was refused has passed."""
        is_answered = self.is_refused and not self.is_let_past and not self.total_outbufs_len
        if is_answered and self._let_past():
            return
        if self.request is not None:
            self.request.close()  # whose body will never be complete
        super().handle_close()

    def _flush_some(self, do_close: bool = True) -> Any:
        # Waitress takes no lock where no task is at work; another thread may write to held ones.
        with self.outbuf_lock:
            return super()._flush_some(do_close=do_close)

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait for nobody: waitress's thread would, for as long as the other end takes nothing."""

    def _refuse(self) -> None:
        self.is_refused = True

    def _let_past(self) -> bool:
        """Say that nothing more will be sent; return whether the other end may still send."""
        self.is_let_past = True
        self.will_close = False
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        return True

    @property
    def waits(self) -> bool:
        """True if it waits for the other end: to ask for something, or to send the rest of it."""
        return not (self.requests or self.total_outbufs_len or self.is_held)

    def is_late(self, limits: ConnectionLimits) -> bool:
        """Return whether its request should have arrived by now."""
        request = self.request
        if request is None and not self.is_let_past:
            return False
        has_headers = request is None or request.headers_finished
        allowed_s = limits.request_s if has_headers else limits.headers_s
        return monotonic() - self.since_s > allowed_s


class _Server(TcpWSGIServer):
    """Waitress, with a share of the connections for each network and a time for each request."""

    channel_class = _Channel

    def __init__(
        self, *args: Any, limits: ConnectionLimits, reception: Reception, **options: Any
    ) -> None:
        self._limits, self.reception = limits, reception
        super().__init__(*args, **options)

    def handle_accept(self) -> None:
        # Waitress accepts one after each look at all connections, which takes milliseconds where
        # there are hundreds: whoever comes last would wait for all that came at once.
        for _ in range(_ACCEPTED_AT_ONCE):
            n_before = len(self._map)
            super().handle_accept()
            if len(self._map) in {n_before, self._limits.connections}:
                return

    def maintenance(self, now: float) -> None:
        """Close what is idle or late; called every second."""
        super().maintenance(now)
        tell_service_manager(ALIVE)
        self.task_dispatcher.wake()  # for what has waited too long
        for channel in self.active_channels.values():
            if not channel.is_held and channel.is_late(self._limits):
                channel.will_close = True

    def make_room(self, newcomer: _Channel) -> None:
        """Close a connection that waits, where the newcomer is one too many; else the newcomer.

        It is of the newcomer's network if that has its share; if few connections are left to all,
        of the network with the most. Of these, it is the one that has waited longest.
        """
        # The map has the connections of all servers, and these themselves.
        every = [other for other in self._map.values() if isinstance(other, _Channel)]
        staying = [other for other in every if not other.will_close]
        # Those that are held are bounded by their route.
        n_of = Counter(other.network for other in staying if not other.is_held)
        waiting = [other for other in staying if other.waits and other is not newcomer]
        if n_of[newcomer.network] > self._limits.connections_of_network:
            waiting = [other for other in waiting if other.network == newcomer.network]
            waiting = waiting or [newcomer]
        elif len(staying) <= _MOST_TAKEN * self._limits.connections:
            return
        if waiting:
            idlest = max(waiting, key=lambda other: (n_of[other.network], -other.since_s))
            idlest.will_close = True  # before the next one is accepted


class _Dispatcher(ThreadedTaskDispatcher):
    """Waitress's threads, with a queue that is fair."""

    def __init__(self, limits: RequestLimits, who: Callable[[Any], Client]) -> None:
        super().__init__()
        self.queue = FairQueue(limits, who, self.wake)

    def wake(self) -> None:
        """Have a thread look whether there is something to do."""
        with self.lock:
            self.queue_cv.notify()


def web_server(
    application: Flask,
    *,
    host: str,
    port: int,
    threads: int,
    proxies: int = 0,
    path_prefix: str = "",
    max_upload_mb: int = 128,
    limits: ConnectionLimits = ConnectionLimits(),
) -> Any:
    """Return the server of an application, bound to its address; `run()` serves.

    Parameters
    ----------
    application : Flask
    host : str
    port : int
    threads : int
        Requests served at the same time.
    proxies : int, default=0
        Trusted proxies in front; the request guards evaluate their headers.
    path_prefix : str
        Path of the studio at the proxies.
    max_upload_mb : int, default=128
        Megabytes of a file, which some addresses take.
    limits : ConnectionLimits

    Raises
    ------
    OSError
        If the address cannot be bound.
    """
    adjustments = Adjustments(
        host=host,
        port=port,
        threads=threads,
        connection_limit=limits.connections,
        cleanup_interval=_CLEANUP_S,
        asyncore_use_poll=True,  # select ends at 1,024 open files
        clear_untrusted_proxy_headers=proxies == 0,
        inbuf_overflow=IN_MEMORY_BYTES,
        max_request_body_size=sys.maxsize,  # each address has a limit of its own
    )
    # Half of the threads, so that no network keeps others waiting.
    shares = RequestLimits(of_network=max(threads // 2, 1), not_prompt=not_prompt_threads(threads))
    dispatcher = _Dispatcher(shares, client_of)
    dispatcher.set_thread_count(threads)
    sockets: dict[int, Any] = {}
    directory = Directory(application.url_map, path_prefix)
    options = {
        "dispatcher": dispatcher,
        "adj": adjustments,
        "limits": limits,
        "reception": Reception.of(directory, max_upload_mb, proxies),
    }
    try:
        servers = [
            _Server(application, sockets, sockinfo=info, **options) for info in adjustments.listen
        ]
    except OSError:
        dispatcher.shutdown()
        for opened in tuple(sockets.values()):
            opened.close()
        raise
    if len(servers) == 1:
        return servers[0]
    addresses = [(server.effective_host, server.effective_port) for server in servers]
    return MultiSocketServer(sockets, adjustments, addresses, dispatcher, servers[0].log_info)

"""The embedded web server: connections and threads are shared by address, requests end in time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from callbacks.guards.fair_requests import Client, FairQueue, RequestLimits, client_of
from callbacks.guards.held_connections import HoldingTask
from callbacks.guards.request_parser import RequestParser
from melm_studio.worker.config.service_manager import ALIVE, tell_service_manager

_CLEANUP_S = 1


@dataclass(frozen=True)
class ConnectionLimits:
    """How many connections there may be, and how long a request may take to arrive."""

    connections: int = 1_000
    # Browsers open six to a host. Behind a proxy, one address stands for all visitors.
    connections_of_address: int = 64
    headers_s: float = 10
    # With its body: the largest file, 64 MB, at 5 Mbit a second.
    request_s: float = 120


class _Channel(HTTPChannel):
    """A connection that knows when its current request began, and may be held after it."""

    task_class = HoldingTask
    parser_class = RequestParser

    began_s = 0.0
    is_held = False

    def received(self, data: bytes) -> Any:
        if self.is_held:  # its answer has not ended, so another cannot begin
            self.will_close = True
            return False
        is_new = self.request is None
        result = super().received(data)
        if is_new:
            self.began_s = time.monotonic()
        return result

    def _flush_some(self, do_close: bool = True) -> Any:
        # Waitress takes no lock where no task is at work; another thread may write to held ones.
        with self.outbuf_lock:
            return super()._flush_some(do_close=do_close)

    def is_late(self, limits: ConnectionLimits) -> bool:
        """Whether its request should have arrived by now."""
        request = self.request
        if request is None:
            return False
        allowed_s = limits.request_s if request.headers_finished else limits.headers_s
        return time.monotonic() - self.began_s > allowed_s


class _Server(TcpWSGIServer):
    """Waitress, with a share of the connections for each address and a time for each request."""

    channel_class = _Channel

    def __init__(self, *args: Any, limits: ConnectionLimits, **options: Any) -> None:
        self._limits = limits
        super().__init__(*args, **options)

    def maintenance(self, now: float) -> None:
        """Close what is idle, late, or more than an address may have; called every second."""
        super().maintenance(now)
        tell_service_manager(ALIVE)
        n_open: Counter[str] = Counter()
        for channel in self.active_channels.values():
            if channel.is_held:  # by a route, which has bounds of its own
                continue
            address = str(channel.addr[0])
            n_open[address] += 1
            is_too_many = n_open[address] > self._limits.connections_of_address
            if is_too_many or channel.is_late(self._limits):
                channel.will_close = True


class _Dispatcher(ThreadedTaskDispatcher):
    """Waitress's threads, with a queue that is fair."""

    def __init__(self, limits: RequestLimits, who: Callable[[Any], Client]) -> None:
        super().__init__()
        self.queue = FairQueue(limits, who, self._wake)

    def _wake(self) -> None:
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
    )
    # Half of the threads, so that no address keeps others waiting.
    who = partial(client_of, proxies=proxies, path_prefix=path_prefix)
    dispatcher = _Dispatcher(RequestLimits(of_address=max(threads // 2, 1)), who)
    dispatcher.set_thread_count(threads)
    sockets: dict[int, Any] = {}
    options = {"dispatcher": dispatcher, "adj": adjustments, "limits": limits}
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

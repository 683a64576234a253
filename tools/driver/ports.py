"""Ports for the servers that tests start."""

from __future__ import annotations

import socket


def free_port() -> int:
    """An unused port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port

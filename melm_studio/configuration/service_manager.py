"""Messages to systemd from a web process or a worker: that it is ready, and still works.

The protocol is that of sd_notify(3): a datagram to the socket that the environment names.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress

READY = b"READY=1"
ALIVE = b"WATCHDOG=1"


def tell_service_manager(state: bytes) -> None:
    """Send a state to systemd, where it started this process."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A name in the abstract namespace is written with an at sign.
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.connect(name)
        sender.send(state)

"""Messages of the studio's processes: lines of key-value pairs in the log, states to systemd."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
from contextlib import suppress
from datetime import UTC, datetime

_EXTRA = ("run", "visitor", "address", "status")
_PLAIN = re.compile(r"[\w.:+-]+")

READY = b"READY=1"
ALIVE = b"WATCHDOG=1"


class KeyValueFormatter(logging.Formatter):
    """Format an event as one line, including ``extra={"run": ..., "trace": ...}`` and the like."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        pairs = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            **{name: getattr(record, name, None) for name in _EXTRA},
            "message": record.getMessage(),
            "trace": self._trace(record),
        }
        return " ".join(f"{key}={_quoted(value)}" for key, value in pairs.items() if value)

    def _trace(self, record: logging.LogRecord) -> str:
        trace: str = getattr(record, "trace", "")
        return trace or (self.formatException(record.exc_info) if record.exc_info else "")


def configure_logging() -> None:
    """Log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(KeyValueFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # A line for each request that waits: a flood of requests would be one of lines.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def _quoted(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def tell_service_manager(state: bytes) -> None:
    """Send a state to systemd, where it started this process.

    The protocol is that of sd_notify(3): a datagram to the socket that the environment names.
    """
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A name in the abstract namespace is written with an at sign.
    name = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.connect(name)
        sender.send(state)

"""Jobs of readers in the tests: ways to be hostile, and to look around."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from melm_studio.reading import Channel
from melm_studio.reading.fork_server import MOST_OPEN_FILES


def warm_up() -> None:
    """Do nothing."""


def echo(channel: Channel) -> None:
    channel.send(channel.receive(2**20))


def repeat(channel: Channel) -> None:
    """Say the messages that come, packed, as a file with a request before it."""
    channel.receive(2**20)
    for message in msgspec.msgpack.decode(channel.receive(2**28), type=list[bytes]):
        channel.send(message)


def crash(channel: Channel) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def crash_midway(channel: Channel) -> None:
    _write(struct.pack("<BQ", 0, 1_000) + b"half")
    os.kill(os.getpid(), signal.SIGSEGV)


def raise_error(channel: Channel) -> None:
    raise ZeroDivisionError


def spin(channel: Channel) -> None:
    while True:
        pass


def spin_without_alarm(channel: Channel) -> None:
    signal.alarm(0)
    spin(channel)


def wait(channel: Channel) -> None:
    signal.pause()


def take_memory(channel: Channel) -> None:
    bytearray(2**34)


def abort(channel: Channel) -> None:
    """End as compiled packages do that get no more memory."""
    os.abort()


def say_too_much(channel: Channel) -> None:
    channel.send(bytes(11))


def claim_too_much(channel: Channel) -> None:
    _write(struct.pack("<BQ", 0, 2**63))
    signal.pause()


def speak_nonsense(channel: Channel) -> None:
    _write(b"\xff" * 100)
    signal.pause()


def look_around(channel: Channel) -> None:
    """Say what is within reach: variables, open files, and what happens on the way out."""
    descriptors = Path("/proc/self/fd")
    found = {
        "variables": sorted(os.environ),
        "niceness": os.nice(0),
        "open": [_target(each) for each in descriptors.iterdir()] if descriptors.is_dir() else [],
        "writing": _error(lambda: Path(channel.receive(1_000).decode()).write_bytes(b"x")),
        "files": _error(_open_many),
    }
    channel.send(json.dumps(found).encode())


def connect(channel: Channel) -> None:
    """Say what happens on the way to a port of this machine."""
    port = int(channel.receive(100))
    channel.send(_error(lambda: socket.create_connection(("127.0.0.1", port), 5)).encode())


def _write(raw: bytes) -> None:
    """Write to the only open socket, bypassing the channel."""
    for descriptor in range(3, MOST_OPEN_FILES):
        with suppress(OSError):
            os.write(descriptor, raw)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the one of the listing itself
        return ""


def _error(action) -> str:
    try:
        action()
    except OSError as error:
        return type(error).__name__ if error.errno is None else os.strerror(error.errno)
    return ""


def _open_many() -> None:
    with ExitStack() as opened:
        for _ in range(1_000):
            opened.enter_context(Path("/dev/null").open())

"""What readers do in the tests: each job is a way to be hostile, or to look around."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from melm_studio.reading import Conversation
from melm_studio.reading.bounds import MOST_OPEN_FILES


def warm_up() -> None:
    """Do nothing."""


def echo(talk: Conversation) -> None:
    talk.send(talk.receive(2**20))


def repeat(talk: Conversation) -> None:
    """Say the messages that come, packed, as a file with a request before it."""
    talk.receive(2**20)
    for message in msgspec.msgpack.decode(talk.receive(2**28), type=list[bytes]):
        talk.send(message)


def crash(talk: Conversation) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def crash_midway(talk: Conversation) -> None:
    _write(struct.pack("<BQ", 0, 1_000) + b"half")
    os.kill(os.getpid(), signal.SIGSEGV)


def raise_error(talk: Conversation) -> None:
    raise ZeroDivisionError


def spin(talk: Conversation) -> None:
    while True:
        pass


def spin_without_alarm(talk: Conversation) -> None:
    signal.alarm(0)
    spin(talk)


def wait(talk: Conversation) -> None:
    signal.pause()


def take_memory(talk: Conversation) -> None:
    bytearray(2**34)


def say_too_much(talk: Conversation) -> None:
    talk.send(bytes(11))


def claim_too_much(talk: Conversation) -> None:
    _write(struct.pack("<BQ", 0, 2**63))
    signal.pause()


def speak_nonsense(talk: Conversation) -> None:
    _write(b"\xff" * 100)
    signal.pause()


def look_around(talk: Conversation) -> None:
    """Say what is within reach: variables, open files, and what happens on the way out."""
    descriptors = Path("/proc/self/fd")
    found = {
        "variables": sorted(os.environ),
        "open": [_target(each) for each in descriptors.iterdir()] if descriptors.is_dir() else [],
        "writing": _error(lambda: Path(talk.receive(1_000).decode()).write_bytes(b"x")),
        "files": _error(_open_many),
    }
    talk.send(json.dumps(found).encode())


def connect(talk: Conversation) -> None:
    """Say what happens on the way to a port of this machine."""
    port = int(talk.receive(100))
    talk.send(_error(lambda: socket.create_connection(("127.0.0.1", port), 5)).encode())


def _write(raw: bytes) -> None:
    """Write to the only socket there is, past the conversation."""
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

"""Messages between the studio and a reader process, and the jobs that they ask for."""

from __future__ import annotations

import logging
import os
import socket
import struct
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import chain
from typing import IO, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from melm_core.base import UserError, known_type

MOST_VALUES = 2**20  # bytes of an encoded model

T = TypeVar("T")
Bytes: TypeAlias = "bytes | bytearray | memoryview"
Job: TypeAlias = "Callable[[Channel], None]"

_HEAD = struct.Struct("<BQ")
_CONTENT, _REFUSAL = 0, 1
_MOST_REFUSAL = 20_000  # bytes of a sentence
_PIECE = 2**20

STARTED = b"+"
TOO_SLOW = (
    "Reading this file takes longer than {seconds} s, the most that is allowed here. Remove rows "
    "or columns, save it as CSV, and drop it again."
)
TOO_LARGE = (
    "Reading this file takes more than {memory_mb} MB of memory, the most that is allowed here. "
    "Remove rows or columns, save it as CSV, and drop it again."
)
FAILED = (
    "This file could not be read: its reader failed. It may be damaged; save the table again, or "
    "as CSV, and drop that."
)

logger = logging.getLogger(__name__)


class RefusedError(Exception):
    """The peer refuses the request; the message is a sentence for the user."""


class ChannelError(Exception):
    """The peer closed the connection, timed out, or sent an invalid message."""


class Channel:
    """One end of a connection.

    Parameters
    ----------
    connection : socket
        A stream socket; closed by `close`.
    seconds : float, optional
        Time limit for all messages together; unlimited by default.
    """

    def __init__(self, connection: socket.socket, seconds: float | None = None) -> None:
        self._connection = connection
        self._ends_s = None if seconds is None else time.monotonic() + seconds

    def send(self, content: Bytes) -> None:
        """Send a message.

        Raises
        ------
        RefusedError
            If the peer has refused the request and closed the connection.
        ChannelError
        """
        self._send(_CONTENT, content)

    def send_values(self, values: Struct) -> None:
        """Send a model as a message.

        Raises
        ------
        RefusedError
        ChannelError
        """
        self.send(msgspec.msgpack.encode(values))

    def receive_values(self, model: type[T], most: int = MOST_VALUES) -> T:
        """Return the next message, of at most `most` bytes, as a model or another type.

        Raises
        ------
        RefusedError
        ChannelError
            If it is none, too.
        """
        try:
            return msgspec.msgpack.decode(self.receive(most), type=known_type(model))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ChannelError(str(error)) from None

    def send_file(self, file: IO[bytes]) -> None:
        """Send all of a file as one message, a piece at a time.

        Raises
        ------
        RefusedError
        ChannelError
        """
        n_bytes = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._send_pieces(_CONTENT, n_bytes, iter(partial(file.read, _PIECE), b""))

    def refuse(self, sentence: str) -> None:
        """Refuse the request of the peer."""
        self._send(_REFUSAL, sentence.encode()[:_MOST_REFUSAL])

    def receive(self, most: int) -> bytearray:
        """Return the next message of at most `most` bytes.

        Raises
        ------
        RefusedError
        ChannelError
            If it is longer, too.
        """
        content = bytearray(self._next_length(0, most))
        self._fill(memoryview(content))
        return content

    def receive_into(self, memory: memoryview) -> None:
        """Receive the next message, which has the size of the memory.

        Raises
        ------
        RefusedError
        ChannelError
            If it has another size, too.
        """
        view = memory.cast("B")
        self._next_length(len(view), len(view))
        self._fill(view)

    def end(self) -> None:
        """End the connection for both sides; a thread that sends or receives fails then."""
        with suppress(OSError):  # it has been closed
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, kind: int, content: Bytes) -> None:
        view = memoryview(content).cast("B")
        pieces = (view[begin : begin + _PIECE] for begin in range(0, len(view), _PIECE))
        self._send_pieces(kind, len(view), pieces)

    def _send_pieces(self, kind: int, n_bytes: int, pieces: Iterable[Bytes]) -> None:
        try:
            with _socket_errors_converted():
                for piece in chain((_HEAD.pack(kind, n_bytes),), pieces):
                    self._limit_time()
                    self._connection.sendall(piece)
        except ChannelError:
            if kind == _CONTENT:
                self.receive(0)  # raises the refusal that the peer sent last, if any
            raise

    def _next_length(self, least: int, most: int) -> int:
        head = bytearray(_HEAD.size)
        self._fill(memoryview(head))
        kind, length = _HEAD.unpack(head)
        if kind == _REFUSAL and length <= _MOST_REFUSAL:
            sentence = bytearray(length)
            self._fill(memoryview(sentence))
            raise RefusedError(sentence.decode("utf-8", "replace"))
        if kind != _CONTENT or not least <= length <= most:
            raise ChannelError(f"a message of {length} bytes, at most {most}")
        return int(length)

    def _fill(self, view: memoryview) -> None:
        with _socket_errors_converted():
            while len(view):
                self._limit_time()
                n_bytes = self._connection.recv_into(view, min(len(view), _PIECE))
                if n_bytes == 0:
                    raise ChannelError("no more messages")
                view = view[n_bytes:]

    def _limit_time(self) -> None:
        """Limit the next socket call to the remaining time."""
        if self._ends_s is None:
            return
        left_s = self._ends_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._connection.settimeout(left_s)


@contextmanager
def _socket_errors_converted() -> Generator[None]:
    """Convert socket errors to ChannelError."""
    try:
        yield
    except OSError as error:
        raise ChannelError(type(error).__name__) from error


class Task(msgspec.Struct, frozen=True):
    """The job of a reader process and its limits."""

    job: str
    memory_mb: int
    seconds: int


def job_of(name: str, *, is_warm: bool = False) -> Job:
    """Import a job, ``module:function``.

    Parameters
    ----------
    name : str
    is_warm : bool
        Whether to call `warm_up` of its module, which loads what the job imports lazily.
    """
    place, _, function = name.partition(":")
    module = import_module(place)
    if is_warm:
        module.warm_up()
    job: Job = getattr(module, function)
    return job


def answered(job: Job, channel: Channel, memory_mb: int) -> int:
    """Run a job, which answers on a channel; return the exit code of its process."""
    try:
        try:
            job(channel)
        except UserError as error:
            channel.refuse(str(error))
        except MemoryError:
            channel.refuse(TOO_LARGE.format(memory_mb=f"{memory_mb:,}"))
    except (ChannelError, RefusedError):  # the studio has stopped waiting
        return 0
    except BaseException:
        logger.exception("a reader failed")
        return 1
    return 0

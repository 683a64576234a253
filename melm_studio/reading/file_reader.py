"""Starts a process for each file that is read, and talks to it."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock

import msgspec

from melm_core.base import UserError
from melm_studio.reading.conversation import Conversation, ConversationError
from melm_studio.reading.fork_server import FAILED, STARTED, Task

# Of each job; the embedded server answers as many requests that read files at the same time.
MOST_AT_ONCE = 2
# After its time a process is ended by the system, which says so before this.
GRACE_S = 5.0
_STARTS_WITHIN_S, _ANSWERS_WITHIN_S = 60.0, 5.0
_ENDS_WITHIN_S = 5.0
_ROOT = Path(__file__).resolve().parents[2]
# What Python and its packages need; no address or password of a store.
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "PYTHONHOME")
_OWN = {
    # A fork of a process with threads may deadlock.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Others reserve addresses, of which readers have few.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
_BUSY = "Other files are being read at the moment. Try again in a minute."

logger = logging.getLogger(__name__)


class ReaderFailedError(UserError):
    """A file was not read, as its reader ended; the message is a sentence for the user."""


@dataclass(frozen=True)
class ReadingLimits:
    """What reading a file may take.

    Attributes
    ----------
    memory_mb : int
        Megabytes of memory.
    seconds : int
    """

    memory_mb: int
    seconds: int


class FileReader:
    """Has files read by processes that hold nothing else; thread-safe.

    Parameters
    ----------
    jobs : sequence of str
        What they may be asked to do, ``module:function`` each: called with a `Conversation`. The
        ``warm_up`` of the module is called once, before there is a file.
    limits : ReadingLimits
        Of each process.
    """

    def __init__(self, jobs: Sequence[str], limits: ReadingLimits) -> None:
        self._jobs, self._limits = tuple(jobs), limits
        self._places = {job: BoundedSemaphore(MOST_AT_ONCE) for job in jobs}
        self._server: _ForkServer | None = None
        self._lock = Lock()

    @property
    def pid(self) -> int | None:
        """The process that forks readers; None before it is started."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Load what readers need, in the background, before the first file comes."""
        with self._lock:
            self._running()

    @contextmanager
    def conversation(self, job: str, seconds: int | None = None) -> Iterator[Conversation]:
        """Talk to a new process that does a job; it is gone afterwards.

        Parameters
        ----------
        job : str
            One of `jobs`.
        seconds : int, optional
            How long it may take, if not as long as others.

        Raises
        ------
        ReaderFailedError
            If the process ends before the conversation does, or none can be had.
        """
        seconds = self._limits.seconds if seconds is None else seconds
        place = self._places[job]
        if not place.acquire(timeout=seconds):
            raise ReaderFailedError(_BUSY)
        try:
            talk = self._begun(Task(job, self._limits.memory_mb, seconds))
            try:
                yield talk
            except ConversationError as error:
                logger.warning("a reader of %s said no more: %s", job, error)
                raise ReaderFailedError(FAILED) from None
            finally:
                talk.close()
        finally:
            place.release()

    def close(self) -> None:
        """End all processes; a later conversation starts anew."""
        with self._lock:
            if self._server is not None:
                self._server.end()
                self._server = None

    def _begun(self, task: Task) -> Conversation:
        with self._lock:
            for _ in range(2):  # the fork server may have been killed
                here, there = socket.socketpair()
                with there:
                    if self._running().start(task, there):
                        return Conversation(here, task.seconds + GRACE_S)
                here.close()
                logger.warning("the process that forks readers does not answer, starting it again")
                self._running().end()
                self._server = None
        raise ReaderFailedError(FAILED)

    def _running(self) -> _ForkServer:
        if self._server is None:
            self._server = _ForkServer(self._jobs)
        return self._server


class _ForkServer:
    """The process that forks readers."""

    def __init__(self, jobs: Sequence[str]) -> None:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_STARTS_WITHIN_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __package__, str(theirs.fileno()), *jobs],
                cwd=_ROOT,
                env={name: os.environ[name] for name in _INHERITED if name in os.environ} | _OWN,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # out of reach of the terminal's Ctrl-C
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self, task: Task, connection: socket.socket) -> bool:
        """Start a reader at the other end of a connection; return whether it was."""
        try:
            socket.send_fds(self._control, [msgspec.json.encode(task)], [connection.fileno()])
            is_started = self._control.recv(len(STARTED)) == STARTED
        except OSError:
            return False
        self._control.settimeout(_ANSWERS_WITHIN_S)  # all is loaded from now on
        return is_started

    def end(self) -> None:
        """End it with all readers."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDS_WITHIN_S)
        self._process.kill()
        self._process.wait()

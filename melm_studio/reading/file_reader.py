"""Reads files in isolated processes, one process per file, or in threads of this process."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread

import msgspec

from melm_core.base import UserError
from melm_studio.reading.channel import (
    FAILED,
    STARTED,
    Channel,
    ChannelError,
    Task,
    answered,
    job_of,
)
from melm_studio.reading.readings import (
    PATIENCE_S,
    STARTING_S,
    Readings,
    ReadingsHere,
    current_reading,
)

# The system kills a reader after its time; the fork server reports that within this grace.
GRACE_S = 5.0
_STARTS_WITHIN_S, _ANSWERS_WITHIN_S = 60.0, 5.0
# For a place, of the thread of a request.
_WAITS_S = 10.0
_ENDS_WITHIN_S = 5.0
_ROOT = Path(__file__).resolve().parents[2]
# Environment variables that Python and its packages need; not the address of a store.
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "PYTHONHOME")
_OWN = {
    # A fork of a process with threads may deadlock.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Other allocators reserve address space, which is limited in readers.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
_BUSY = "Other files are being read at the moment. Try again in a minute."

logger = logging.getLogger(__name__)


class ReaderFailedError(UserError):
    """The reader of a file failed; the message is a sentence for the user."""


@contextmanager
def failing_in_words(channel: Channel, job: str) -> Generator[None]:
    """Close the channel after the block; if its reader fails, raise ReaderFailedError."""
    try:
        yield
    except ChannelError as error:
        logger.warning("a reader of %s failed: %s", job, error)
        raise ReaderFailedError(FAILED) from None
    finally:
        channel.close()


@dataclass(frozen=True)
class ReadingLimits:
    """Limits of a reader process.

    Attributes
    ----------
    memory_mb : int
        Megabytes of memory.
    seconds : int
        CPU time and elapsed time.
    """

    memory_mb: int
    seconds: int


class FileReader:
    """Runs jobs in reader processes; thread-safe.

    Parameters
    ----------
    jobs : mapping of str to int
        Functions that a reader can run, as ``module:function``, and how many readers run each at a
        time. A function takes a `Channel`. The module also has a function ``warm_up``, which is
        called once before the first file.
    limits : ReadingLimits
        Limits of each process.
    patience_s : float
        How long a request waits for a file, once a first one was read.

    Attributes
    ----------
    readings : Readings
        Asked for the contents of files.
    preparations : Readings
        Asked for what is made of them, and stored.
    """

    def __init__(
        self, jobs: Mapping[str, int], limits: ReadingLimits, patience_s: float = PATIENCE_S
    ) -> None:
        self._jobs, self._limits = tuple(jobs), limits
        self._places = {job: BoundedSemaphore(most) for job, most in jobs.items()}
        self.readings = Readings(patience_s=patience_s, starting_s=STARTING_S)
        self.preparations = Readings(patience_s=patience_s, starting_s=STARTING_S, most_kept=0)
        self._server: _ForkServer | None = None
        self._lock = Lock()

    @property
    def pid(self) -> int | None:
        """The process id of the fork server; None before it is started."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start the fork server in the background, before the first file arrives."""
        with self._lock:
            self._running()

    @contextmanager
    def channel(self, job: str, seconds: int | None = None) -> Generator[Channel]:
        """Run a job in a new process for the block, and return the channel to it.

        Parameters
        ----------
        job : str
            One of `jobs`.
        seconds : int, optional
            Time limit, by default that of `limits`.

        Raises
        ------
        ReaderFailedError
            If the process exits early, sends an invalid message, or cannot be started.
        """
        seconds = self._limits.seconds if seconds is None else seconds
        place = self._places[job]
        if not place.acquire(timeout=min(seconds, _WAITS_S)):
            raise ReaderFailedError(_BUSY)
        try:
            channel = self._begun(Task(job, self._limits.memory_mb, seconds))
            if reading := current_reading():
                reading.ends_by(channel.end)
            with failing_in_words(channel, job):
                yield channel
        finally:
            place.release()

    def close(self) -> None:
        """End all processes; `channel` starts them again."""
        with self._lock:
            if self._server is not None:
                self._server.end()
                self._server = None

    def _begun(self, task: Task) -> Channel:
        with self._lock:
            for _ in range(2):  # the fork server may have been killed
                here, there = socket.socketpair()
                with there:
                    if self._running().start(task, there):
                        return Channel(here, task.seconds + GRACE_S)
                here.close()
                logger.warning("the fork server does not answer, restarting it")
                self._running().end()
                self._server = None
        raise ReaderFailedError(FAILED)

    def _running(self) -> _ForkServer:
        if self._server is None:
            self._server = _ForkServer(self._jobs)
        return self._server


class _ForkServer:
    """The process that forks readers, and the socket on which it takes tasks."""

    def __init__(self, jobs: Iterable[str]) -> None:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_STARTS_WITHIN_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.fork_server", str(theirs.fileno()), *jobs],
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
        """Start a reader at the other end of a connection; return whether it started."""
        try:
            socket.send_fds(self._control, [msgspec.json.encode(task)], [connection.fileno()])
            is_started = self._control.recv(len(STARTED)) == STARTED
        except OSError:
            return False
        self._control.settimeout(_ANSWERS_WITHIN_S)  # it has started
        return is_started

    def end(self) -> None:
        """End the fork server and all readers."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDS_WITHIN_S)
        self._process.kill()
        self._process.wait()


class OwnProcessReader(FileReader):
    """Runs the jobs of a file reader in threads of this process.

    For a command that reads the file of whoever called it, and for systems that cannot fork. What a
    reader refuses is refused as well; the limits of time and memory are those of this process.

    Parameters
    ----------
    jobs : mapping of str to int
    limits : ReadingLimits
        Said of a file that takes more memory than this process may have.
    """

    def __init__(self, jobs: Mapping[str, int], limits: ReadingLimits) -> None:
        super().__init__(jobs, limits)
        self.readings: Readings = ReadingsHere()
        self.preparations: Readings = self.readings
        self._memory_mb = limits.memory_mb
        self._job = cache(job_of)

    def start(self) -> None:
        """Nothing needs a start."""

    @contextmanager
    def channel(self, job: str, seconds: int | None = None) -> Generator[Channel]:
        """Run a job in a thread for the block, and return the channel to it."""
        here, there = socket.socketpair()
        Thread(target=self._answer, args=(job, there), name="reader", daemon=True).start()
        channel = Channel(here)
        with failing_in_words(channel, job):
            yield channel

    def _answer(self, job: str, connection: socket.socket) -> None:
        with connection:
            answered(self._job(job), Channel(connection), self._memory_mb)

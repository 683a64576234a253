"""The fork server: loads all packages once, then forks a reader process for each file.

A reader reads one file and exits, so its memory never contains data of another visitor.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from melm_core.base import known_type
from melm_studio.reading.channel import (
    FAILED,
    STARTED,
    TOO_LARGE,
    TOO_SLOW,
    Channel,
    ChannelError,
    Job,
    Task,
    answered,
    job_of,
)

_MOST_REQUEST = 4_096
_OUT_OF_TIME = {signal.SIGXCPU, signal.SIGALRM}
logger = logging.getLogger(__name__)
# Standard streams, the channel, and a few for files that Python opens, such as time zones.
MOST_OPEN_FILES = 24
# As of what somebody looks at in the lane: the web process comes first.
NICENESS = 5
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000


@dataclass
class _Reader:
    """A running reader, and its end of the channel, on which the cause of its exit is sent."""

    task: Task
    connection: socket.socket
    is_unwanted: bool = False


def main(arguments: Sequence[str]) -> None:
    """Serve on the socket whose number comes first; the rest are jobs, ``module:function``."""
    number, *names = arguments
    with socket.socket(fileno=int(number)) as control:
        leave_network()
        _ForkServer(control, {name: job_of(name, is_warm=True) for name in names}).serve()


class _ForkServer:
    """Forks a reader for each task; kills those whose channel the studio closes."""

    def __init__(self, control: socket.socket, jobs: Mapping[str, Job]) -> None:
        self._control, self._jobs = control, jobs
        self._readers: dict[int, _Reader] = {}
        self._woken, self._waker = socket.socketpair()  # written when a reader exits
        self._poll = select.poll()

    def serve(self) -> None:
        gc.collect()
        gc.freeze()  # so that garbage collections in readers do not copy these pages
        for end in (self._woken, self._waker):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno())
        for source in (self._control, self._woken):
            self._poll.register(source, select.POLLIN)
        is_wanted = True
        while is_wanted:
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            if self._woken.fileno() in ready:
                self._reap()
            self._kill_unwanted(ready)
            if self._control.fileno() in ready:
                is_wanted = self._start_next()
        for pid in self._readers:
            os.kill(pid, signal.SIGKILL)

    def _start_next(self) -> bool:
        """Fork a reader for the next task; return false if the studio has closed its socket."""
        raw, descriptors, _, _ = socket.recv_fds(self._control, _MOST_REQUEST, 1)
        if not raw:
            return False
        task = msgspec.json.decode(raw, type=known_type(Task))
        connection = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            self._forget_others()
            os._exit(_done(self._jobs[task.job], task, connection))
        self._readers[pid] = _Reader(task, connection)
        self._poll.register(connection, 0)  # tells when the studio closes its end
        self._control.sendall(STARTED)
        return True

    def _kill_unwanted(self, closed: set[int]) -> None:
        """Kill the readers whose answer nobody waits for."""
        for pid, reader in self._readers.items():
            if reader.connection.fileno() in closed and not reader.is_unwanted:
                reader.is_unwanted = True
                self._poll.unregister(reader.connection)
                os.kill(pid, signal.SIGKILL)

    def _forget_others(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        others = (reader.connection for reader in self._readers.values())
        for each in (self._control, self._woken, self._waker, *others):
            each.close()

    def _reap(self) -> None:
        """Reap exited readers; report to the studio those that crashed or ran out of time."""
        self._woken.recv(_MOST_REQUEST)
        with suppress(ChildProcessError):
            while (exited := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = exited
                reader = self._readers.pop(pid)
                code = os.waitstatus_to_exitcode(status)
                if not reader.is_unwanted:
                    self._poll.unregister(reader.connection)
                if code != 0 and not reader.is_unwanted:
                    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
                    logger.warning("a reader ended with %s", cause)
                    # Never block on a studio that does not read.
                    reader.connection.setblocking(False)
                    with suppress(ChannelError):
                        Channel(reader.connection).refuse(_sentence_for(code, reader.task))
                reader.connection.close()


def _done(job: Job, task: Task, connection: socket.socket) -> int:
    """Run a job within its limits; return the exit code."""
    try:
        os.nice(NICENESS)
        bound_this_process(task.memory_mb, task.seconds)
    except BaseException:
        logger.exception("a reader has no limits")
        return 1
    return answered(job, Channel(connection), task.memory_mb)


def _sentence_for(code: int, task: Task) -> str:
    if -code in _OUT_OF_TIME:
        return TOO_SLOW.format(seconds=task.seconds)
    if -code == signal.SIGABRT:  # so packages of compiled code end that get no more memory
        return TOO_LARGE.format(memory_mb=f"{task.memory_mb:,}")
    return FAILED


def bound_this_process(memory_mb: int, seconds: int) -> None:
    """Limit this process: more memory raises MemoryError, more time kills it, no file is written.

    Parameters
    ----------
    memory_mb : int
        Megabytes that it may allocate in addition to its present memory.
    seconds : int
        Limit of CPU time and of elapsed time.
    """
    _limit(resource.RLIMIT_AS, _address_space() + memory_mb * 2**20)
    _limit(resource.RLIMIT_CPU, seconds, grace=1)  # SIGXCPU, which names the cause, then SIGKILL
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, MOST_OPEN_FILES)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)


def leave_network() -> None:
    """Move this process and its children to an empty network namespace, where permitted.

    Most Linux systems permit it; the default system call filter of container engines does not.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if libc.unshare(_CLONE_NEWNET) != 0:
            libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _limit(kind: int, most: int, grace: int = 0) -> None:
    _, hardest = resource.getrlimit(kind)
    if hardest != resource.RLIM_INFINITY:
        most = min(most, hardest - grace)
    with suppress(ValueError):  # macOS refuses a limit of the address space
        resource.setrlimit(kind, (most, most + grace))


def _address_space() -> int:
    """Return the size of the address space in bytes, most of which is that of libraries."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(sys.argv[1:])

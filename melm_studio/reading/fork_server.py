"""Forks a process for each file: started once, so that all packages are loaded when one comes.

A process reads one file and ends: there is never anything of another visitor in it.
"""

from __future__ import annotations

import gc
import logging
import os
import selectors
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

import msgspec

from melm_core.base import UserError
from melm_studio.reading.bounds import bound_this_process, leave_network
from melm_studio.reading.conversation import Conversation, ConversationError, RefusedError

Job: TypeAlias = Callable[[Conversation], None]

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
_MOST_REQUEST = 4_096
_OUT_OF_TIME = {signal.SIGXCPU, signal.SIGALRM}

logger = logging.getLogger(__name__)


class Task(msgspec.Struct, frozen=True):
    """What a new process is to do, and within which bounds."""

    job: str
    memory_mb: int
    seconds: int


@dataclass(frozen=True)
class _Reader:
    """A process at work, and its end of the conversation, to tell why it ended."""

    task: Task
    connection: socket.socket


def main(arguments: Sequence[str]) -> None:
    """Serve on the socket whose number comes first; the rest are jobs, ``module:function``."""
    number, *names = arguments
    with socket.socket(fileno=int(number)) as control:
        leave_network()
        _serve(control, {name: _job(name) for name in names})


def _job(name: str) -> Job:
    """The function of that name; what its module needs later is loaded by its `warm_up`."""
    place, _, function = name.partition(":")
    module = import_module(place)
    module.warm_up()
    found: Job = getattr(module, function)
    return found


def _serve(control: socket.socket, jobs: Mapping[str, Job]) -> None:
    """Start a process for each task until the studio is gone, which ends them all."""
    readers: dict[int, _Reader] = {}
    gc.collect()
    gc.freeze()  # what is loaded is not copied by collections in the processes
    woken, waker = socket.socketpair()
    for end in (woken, waker):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno())
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if woken in ready:
                with suppress(BlockingIOError):
                    woken.recv(_MOST_REQUEST)
                _bury(readers)
            if control in ready and not _start(control, jobs, readers):
                break
    for pid in readers:
        os.kill(pid, signal.SIGKILL)


def _start(control: socket.socket, jobs: Mapping[str, Job], readers: dict[int, _Reader]) -> bool:
    """Fork for the next task; return whether there was one."""
    raw, descriptors, _, _ = socket.recv_fds(control, _MOST_REQUEST, 1)
    if not raw:
        return False
    task = msgspec.json.decode(raw, type=Task)
    connection = socket.socket(fileno=descriptors[0])
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        for reader in readers.values():  # the conversations of others
            reader.connection.close()
        os._exit(_done(jobs[task.job], task, connection))
    readers[pid] = _Reader(task, connection)
    control.sendall(STARTED)
    return True


def _done(job: Job, task: Task, connection: socket.socket) -> int:
    """Do a job within its bounds; return the exit code."""
    talk = Conversation(connection)
    try:
        bound_this_process(task.memory_mb, task.seconds)
        try:
            job(talk)
        except UserError as error:
            talk.refuse(str(error))
        except MemoryError:
            talk.refuse(TOO_LARGE.format(memory_mb=f"{task.memory_mb:,}"))
    except (ConversationError, RefusedError):  # nobody waits any more
        return 0
    except BaseException:
        logger.exception("a reader failed")
        return 1
    return 0


def _bury(readers: dict[int, _Reader]) -> None:
    """Tell the studio why readers ended that could not do so themselves."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            reader = readers.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            if code != 0:
                cause = f"signal {-code}" if code < 0 else f"exit code {code}"
                logger.warning("a reader ended with %s", cause)
                # Not to wait where the studio does not listen.
                reader.connection.setblocking(False)
                with suppress(ConversationError):
                    Conversation(reader.connection).refuse(_said_of(code, reader.task))
            reader.connection.close()


def _said_of(code: int, task: Task) -> str:
    if -code in _OUT_OF_TIME:
        return TOO_SLOW.format(seconds=task.seconds)
    return FAILED

"""Starting, restarting and stopping the supervisor process."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from multiprocessing import connection
from pathlib import Path
from typing import IO, cast

from melm_studio.configuration.settings import Settings

RESTART_DELAY_S = 0.5
# The supervisor writes this often; it is hung when it has been silent for longer.
BEAT_S = 0.5
SILENT_AFTER_S = 3.0
STARTS_WITHIN_S = 60.0
GONE_WITHIN_S = 2.0  # enough for processes to die
GONE_POLL_S = 0.005
PROJECT_ROOT = Path(__file__).resolve().parents[2]

logger = logging.getLogger(__name__)


def start_supervisor(settings: Settings) -> SupervisorHandle:
    """Start the supervisor process, which is restarted if it dies."""
    settings = replace(settings, data_dir=settings.data_dir.absolute())
    return SupervisorHandle(
        [sys.executable, "-m", "melm_studio.workers"], settings.as_environment()
    )


@contextmanager
def supervised(settings: Settings) -> Generator[None]:
    """Run a supervisor process for the block, unless the settings leave runs to others."""
    if not settings.workers:
        yield
        return
    if sys.platform == "win32":
        with import_module("melm_studio.workers.pool").pool_in_this_process(settings):
            yield
        return
    supervisor = start_supervisor(settings)
    try:
        yield
    finally:
        supervisor.stop()


class SupervisorHandle:
    """A supervisor process that is restarted until `stop`, where it exits or falls silent.

    Parameters
    ----------
    command : list of str
        The process ends when its standard input closes, so it ends with this process too.
    environment : mapping of str to str
        Variables of the process in addition to those of this one.
    """

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = {**os.environ, **environment}
        # systemd expects to hear from the web process, and must not take this one for it.
        self._environment.pop("NOTIFY_SOCKET", None)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._process = self._launch()
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """The id of the current or last supervisor process."""
        return self._process.pid

    def stop(self, timeout_s: float = 10.0) -> None:
        """Stop the supervisor, and return when it and all its descendants have exited.

        Parameters
        ----------
        timeout_s : float
            How long the supervisor may take to exit before it is killed.
        """
        with self._lock:
            if self._stopping.is_set():
                return
            self._stopping.set()
        _close_input(self._process)
        self._process.terminate()  # which ends it at once if it is still starting
        self._watcher.join(timeout_s)
        if self._watcher.is_alive():
            logger.warning("supervisor pid=%d did not stop, killing it", self.pid)
            self._process.kill()
            self._watcher.join()
        _end_session(self._process)

    def _watch(self) -> None:
        while True:
            exit_code = self._wait_or_kill()
            if self._stopping.wait(RESTART_DELAY_S):
                return
            logger.warning("supervisor pid=%d exited with %d, restarting it", self.pid, exit_code)
            with self._lock:
                if self._stopping.is_set():
                    return
                _end_session(self._process)
                self._process = self._launch()

    def _wait_or_kill(self) -> int:
        """Return the exit code of the process; kill it once it is silent for too long."""
        process = self._process
        output = cast("IO[bytes]", process.stdout)
        left_s = STARTS_WITHIN_S
        while (exit_code := process.poll()) is None:
            # Counted rather than timed, since the whole machine may have been suspended.
            if not connection.wait([output.fileno()], BEAT_S):
                left_s -= BEAT_S
            elif os.read(output.fileno(), 1024):
                left_s = SILENT_AFTER_S
            else:  # it closed its output, and is about to exit
                left_s -= BEAT_S
                with suppress(subprocess.TimeoutExpired):
                    process.wait(BEAT_S)
            if left_s <= 0.0:
                logger.warning("supervisor pid=%d is silent, killing it", process.pid)
                process.kill()
        output.close()
        return exit_code

    def _launch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            cwd=PROJECT_ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,  # its heartbeats
            start_new_session=True,  # out of reach of the terminal's Ctrl-C
        )


def _end_session(process: subprocess.Popen[bytes]) -> None:
    """Kill what remains in the session of a supervisor that exited; return when it is gone."""
    _close_input(process)
    deadline_s = time.monotonic() + GONE_WITHIN_S
    with suppress(ProcessLookupError, PermissionError):  # no living process in the group
        while time.monotonic() < deadline_s:
            os.killpg(process.pid, signal.SIGKILL)
            if _is_dead(process.pid):
                return
            time.sleep(GONE_POLL_S)


def _is_dead(group: int) -> bool:
    """Return whether all processes of a group wait to be reaped, which an init process may not do.

    Where the system does not say, no.
    """
    statuses = (process_status(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return {state for state, its_group in statuses if its_group == group} == {"Z"}


def process_status(pid: int | str) -> tuple[str, int]:
    """Return the state and the group of a process, of proc_pid_stat(5); ("", 0) of none.

    Nor does every system say them.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "", 0
    # The name of the program is in parentheses and may have any characters.
    state, _, group, *_ = stat.rpartition(")")[2].split()
    return state, int(group)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()

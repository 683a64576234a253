"""The supervisor process as its parent sees it: start it, keep it alive, stop it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from melm_studio.worker.config.settings import Settings

RESTART_DELAY_S = 1.0
# Long enough for dying processes, short where nobody collects dead ones and they stay listed.
GONE_WITHIN_S = 2.0
GONE_POLL_S = 0.005
PROJECT_ROOT = Path(__file__).resolve().parents[3]

logger = logging.getLogger(__name__)


def start_supervisor(settings: Settings) -> SupervisorHandle:
    """Start the process that works the queue, and start it again should it die."""
    settings = replace(settings, data_dir=settings.data_dir.absolute())
    return SupervisorHandle([sys.executable, "-m", "melm_studio.worker"], settings.as_environment())


@contextmanager
def supervised(settings: Settings) -> Iterator[None]:
    """Have the queue worked for the block, unless others work it."""
    if not settings.workers:
        yield
        return
    supervisor = start_supervisor(settings)
    try:
        yield
    finally:
        supervisor.stop()


class SupervisorHandle:
    """A supervisor process that is kept alive until `stop`.

    Parameters
    ----------
    command : list of str
        The process ends when its standard input closes, so it ends with this process too.
    environment : mapping of str to str
        Variables that the process gets besides those of this one.
    """

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = {**os.environ, **environment}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._process = self._launch()
        self._keeper = threading.Thread(target=self._keep_alive, name="supervisor", daemon=True)
        self._keeper.start()

    @property
    def pid(self) -> int:
        """The id of the supervisor process that is alive now, or was last."""
        return self._process.pid

    def stop(self, timeout_s: float = 10.0) -> None:
        """Stop the supervisor and return when it and all its descendants are gone.

        Parameters
        ----------
        timeout_s : float
            How long the supervisor may take to end by itself before it is killed.
        """
        with self._lock:
            if self._stopping.is_set():
                return
            self._stopping.set()
        _close_input(self._process)
        self._process.terminate()  # ends it at once should it still be starting
        self._keeper.join(timeout_s)
        if self._keeper.is_alive():
            logger.warning("supervisor pid=%d did not stop and is killed", self.pid)
            self._process.kill()
            self._keeper.join()
        _end_session(self._process)

    def _keep_alive(self) -> None:
        while True:
            exit_code = self._process.wait()
            if self._stopping.wait(RESTART_DELAY_S):
                return
            logger.warning(
                "supervisor pid=%d ended with %d, starting it again", self.pid, exit_code
            )
            with self._lock:
                if self._stopping.is_set():
                    return
                _end_session(self._process)
                self._process = self._launch()

    def _launch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            cwd=PROJECT_ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            start_new_session=True,  # out of reach of the terminal's Ctrl-C
        )


def _end_session(process: subprocess.Popen[bytes]) -> None:
    """Kill what an ended supervisor left in its session, and return when it is gone."""
    _close_input(process)
    deadline_s = time.monotonic() + GONE_WITHIN_S
    with suppress(ProcessLookupError, PermissionError):  # said of a group without living members
        while time.monotonic() < deadline_s:
            os.killpg(process.pid, signal.SIGKILL)
            time.sleep(GONE_POLL_S)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()

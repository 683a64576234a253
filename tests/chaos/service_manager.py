"""What systemd does for a studio, by deploy/melm-studio.service: a test has no systemd."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from melm_studio.configuration.logs import ALIVE
from tests.deployment import ROOT, unit

WATCHDOG_S = float(unit("melm-studio.service")["WatchdogSec"])
RESTART_S = float(unit("melm-studio.service")["RestartSec"])


class Service:
    """A studio that is started again whenever it ends, or falls silent."""

    def __init__(self, folder: Path, flags: Sequence[str]) -> None:
        self._command = [sys.executable, str(ROOT / "app.py"), *flags]
        self._address = folder / "notify"
        self._stopping = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._listener.bind(str(self._address))
        self._output = (folder / "output.txt").open("ab")
        self.process = self._start()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the studio for good."""
        self._stopping.set()
        self.process.send_signal(signal.SIGINT)
        self._thread.join()
        self._listener.close()
        self._output.close()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "NOTIFY_SOCKET": str(self._address)}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": self._output, "stderr": self._output}
        return subprocess.Popen(self._command, cwd=ROOT, env=environment, **pipes)

    def _watch(self) -> None:
        while True:
            self._kill_once_silent()
            if self._stopping.wait(RESTART_S):
                return
            self.process = self._start()

    def _kill_once_silent(self) -> None:
        """Return when the studio has ended; kill it if it no longer says that it works."""
        is_ready, silent_s = False, 0.0
        self._listener.settimeout(0.1)
        while self.process.poll() is None:
            try:
                is_ready = self._listener.recv(100) == ALIVE or is_ready
                silent_s = 0.0
            except TimeoutError:
                silent_s += 0.1
            if is_ready and silent_s > WATCHDOG_S:
                self.process.kill()


@contextmanager
def serviced(folder: Path, flags: Sequence[str]) -> Iterator[Service]:
    """A studio as a service of systemd, for the block."""
    service = Service(folder, flags)
    try:
        yield service
    finally:
        service.stop()

"""The whole studio in its own processes, for tests that kill them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from lab.driver.visitor import Visitor
from tests.melm_studio.runs.helpers import wait_until
from tests.melm_studio.runs.processes import alive

PROJECT_ROOT = Path(__file__).parents[2]
ANNOUNCED = "MELM Studio is at "


@dataclass(frozen=True)
class StudioProcess:
    """A running studio."""

    url: str
    process: subprocess.Popen[str]

    def family(self) -> list[psutil.Process]:
        """The web server and all its descendants."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def end(self, number: signal.Signals) -> int:
        """Send a signal and return the exit code, once all processes have exited."""
        family = self.family()
        self.process.send_signal(number)
        code = self.process.wait()
        wait_until(lambda: not any(alive(process) for process in family))
        return code

    def frames(self, run_id: str, visitor: Visitor) -> dict[str, Any]:
        """What a visitor's page receives about a run."""
        headers = {"Cookie": f"{visitor.cookie_name}={visitor.cookie}"}
        request = urllib.request.Request(f"{self.url}/frames?run={run_id}", headers=headers)
        with urllib.request.urlopen(request) as answer:
            news: dict[str, Any] = json.load(answer)["runs"][run_id]
        return news


@contextmanager
def studio_process(data_dir: Path, port: int, *, workers: int = 1) -> Iterator[StudioProcess]:
    """Start a studio, wait until it prints its address, and leave no process behind."""
    flags = ["--data-dir", str(data_dir), "--port", str(port), "--workers", str(workers)]
    command = [sys.executable, "app.py", *flags]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=PROJECT_ROOT, text=True, **pipes) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith(ANNOUNCED), f"The studio did not start: {line!r}"
            yield StudioProcess(line.removeprefix(ANNOUNCED).strip(), process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)

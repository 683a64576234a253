"""The studio as users start it: `python app.py` in a separate process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from melm_studio.programs.local_studio import answers, free_port

ROOT = Path(__file__).parents[2]
AS_IN_THE_CHECKOUT = (sys.executable, str(ROOT / "app.py"))
START_S = 60
STOP_S = 60


@dataclass(frozen=True)
class Studio:
    """A running studio."""

    url: str
    process: subprocess.Popen[bytes]
    data_dir: Path
    output_file: Path

    @property
    def output(self) -> str:
        """Everything printed so far."""
        return self.output_file.read_text(errors="replace")

    def family(self) -> list[psutil.Process]:
        """Every descendant process."""
        return psutil.Process(self.process.pid).children(recursive=True)


@contextmanager
def running_studio(
    folder: Path,
    *,
    workers: int = 2,
    store: str = "",
    proxies: int = 0,
    command: Sequence[str] = AS_IN_THE_CHECKOUT,
    flags: Sequence[str] = (),
) -> Generator[Studio]:
    """Start a studio that keeps its data in `folder` or in a shared store; stop it by Ctrl-C."""
    shape = ["--workers", str(workers), "--store", store, "--proxies", str(proxies)]
    studio = _start(folder, command, [*shape, *flags])
    try:
        _wait_for_answer(studio)
        yield studio
        _stop(studio)
    finally:
        _kill_what_is_left(studio)


def _start(folder: Path, command: Sequence[str], more_flags: list[str]) -> Studio:
    port, data_dir, output_file = free_port(), folder / "data", folder / "output.txt"
    flags = ["--host", "127.0.0.1", "--port", str(port)]
    flags += ["--data-dir", str(data_dir), *more_flags]
    with output_file.open("wb") as output:
        process = subprocess.Popen(
            [*command, *flags],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return Studio(f"http://127.0.0.1:{port}", process, data_dir, output_file)


def _environment() -> dict[str, str]:
    # The settings of the caller must not reach the studio under test.
    return {
        name: value
        for name, value in os.environ.items()
        if name not in {"HOST", "PORT"} and not name.startswith("MELM_")
    }


def _wait_for_answer(studio: Studio) -> None:
    deadline = time.monotonic() + START_S
    while not answers(studio.url):
        assert _still_runs(studio), f"The studio ended before it answered:\n{studio.output}"
        assert time.monotonic() < deadline, f"No answer within {START_S} s:\n{studio.output}"


def _still_runs(studio: Studio) -> bool:
    try:
        studio.process.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        return True
    return False


def _stop(studio: Studio) -> None:
    code = studio.process.poll()
    assert code is None, f"The studio ended by itself, with exit code {code}:\n{studio.output}"
    family = studio.family()
    studio.process.send_signal(signal.SIGINT)
    code = studio.process.wait(STOP_S)
    _, left = psutil.wait_procs(family, timeout=STOP_S)
    for process in left:
        process.kill()
    assert code == 0, f"Ctrl-C ended the studio with exit code {code}:\n{studio.output}"
    assert not left, f"Ctrl-C left processes behind: {left}"


def _kill_what_is_left(studio: Studio) -> None:
    if studio.process.poll() is None:
        for process in [*studio.family(), psutil.Process(studio.process.pid)]:
            process.kill()
        studio.process.wait()

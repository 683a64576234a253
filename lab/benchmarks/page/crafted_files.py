"""Files that are made to hurt, sent again and again: what others notice, and the page's memory."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from requests import RequestException

from lab.benchmarks.page.attacks import ADDRESS, HOME, AddressedClient, p95_ms
from lab.benchmarks.table import Measurement
from lab.driver.crafted_files import CRAFTED
from lab.driver.launcher import Studio, running_studio
from lab.driver.visitor import Visitor

_WATCHED_S = 8.0
_PAUSE_S = 0.1
_MOST_AT_ONCE = 4
_MB = 2**20


def crafted_files(repeats: int) -> list[Measurement]:
    """/health of one visitor and the memory of the page, while another sends crafted files."""
    with tempfile.TemporaryDirectory() as folder, running_studio(Path(folder)) as studio:
        found = {
            kind: [_while_sent(studio, crafted.make()) for _ in range(repeats)]
            for kind, crafted in CRAFTED.items()
        }
    rows = []
    for kind, each in found.items():
        health, peak = zip(*each, strict=True)
        rows += [
            Measurement(f"{kind}: /health, 95th percentile", "ms", health),
            Measurement(f"{kind}: most memory of the page so far", "MB", peak),
        ]
    return rows


def _while_sent(studio: Studio, raw: bytes) -> tuple[float, float]:
    client, asked_s = AddressedClient(studio.url, HOME), list[float]()
    with _repeated(_MOST_AT_ONCE, lambda: _send(studio.url, raw)):
        ends_s = time.monotonic() + _WATCHED_S
        while time.monotonic() < ends_s:
            begin_s = time.monotonic()
            client.get("/health")
            asked_s.append(time.monotonic() - begin_s)
            time.sleep(_PAUSE_S)
    return p95_ms(asked_s), _peak_memory(studio.process.pid) / _MB


def _send(url: str, raw: bytes) -> None:
    """Send a file, and have it read."""
    visitor = Visitor(AddressedClient(url, ADDRESS))
    http: Any = visitor.http
    source = http.upload(raw)
    visitor.choose({"kind": "upload", **source})


@contextmanager
def _repeated(n_threads: int, act: Callable[[], None]) -> Generator[None]:
    """Repeat an act in some threads during the block; refusals are what is hoped for."""
    stop = threading.Event()

    def repeat() -> None:
        while not stop.is_set():
            with suppress(RequestException, AssertionError, KeyError, ValueError):
                act()

    threads = [threading.Thread(target=repeat, daemon=True) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _peak_memory(pid: int) -> int:
    """The most bytes of memory that a process had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return 1_024 * kilobytes

"""One visitor attacks a studio, one way after another; what another one notices of it.

Of each attack: how many of the other's requests were answered as they should be, and how soon.
"""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path

from requests import RequestException

from lab.benchmarks.page.attacks import (
    ATTACKS,
    BACKGROUND,
    HOME,
    AddressedClient,
    attack,
    p95,
    p95_ms,
)
from lab.benchmarks.page.crafted_files import crafted_files
from lab.benchmarks.table import Measurement
from lab.driver.launcher import Studio, running_studio
from lab.driver.visitor import Visitor

BEFORE_S = 6.0
WATCHED_S = 15.0
PAUSE_S = 0.1
READY = 200
N_WORKERS = 2
CLOSED_FORMS = ("pca", "lda")
LEAST_PLANES = 3
LOOKS = 15
LOOK_S = 0.02
# A disk that can be filled within an attack.
TOTAL_MB = 512


def hostile(repeats: int) -> list[Measurement]:
    """/health, frames, PCA and a short run of one visitor, while another attacks the studio.

    Then the memory of the page, while another sends files that are made to hurt.
    """
    rows = []
    for name in ("nothing", *ATTACKS):
        found = [_under(name) for _ in range(repeats)]
        passed, health, frames, pca, run = zip(*found, strict=True)
        rows += [
            Measurement(f"{name}: answered as they should be", "%", passed),
            Measurement(f"{name}: /health, 95th percentile", "ms", health),
            Measurement(f"{name}: frames, 95th percentile", "ms", frames),
            Measurement(f"{name}: PCA until its plane, 95th percentile", "ms", pca),
            Measurement(f"{name}: a run of half a second, until it is done", "s", run),
        ]
    return [*rows, *lanes(repeats), *crafted_files(repeats)]


def lanes(repeats: int) -> list[Measurement]:
    """PCA and LDA of one visitor, while another's checks, ranking and tree hold both workers."""
    waits_s: dict[str, list[float]] = {method: [] for method in CLOSED_FORMS}
    for _ in range(repeats):
        with _studio_of(BACKGROUND) as (_, visitor):
            for _ in range(LOOKS):
                for method in CLOSED_FORMS:
                    waits_s[method].append(first_plane_s(visitor, method=method))
    what = "{} beside " + BACKGROUND + ", until its first plane, {}"
    return [
        row
        for method, seconds in waits_s.items()
        for row in (
            Measurement(what.format(method, "median"), "s", (statistics.median(seconds),)),
            Measurement(what.format(method, "95th percentile"), "s", (p95(seconds),)),
        )
    ]


def first_plane_s(visitor: Visitor, **controls: object) -> float:
    """Seconds from pressing Run until the first plane of the run, which is removed then."""
    begin = time.monotonic()
    run_id = visitor.start(**controls)
    asked = {"run": f"{run_id}:-1"}
    while not visitor.http.get("/frames", query_string=asked).json["runs"][run_id]["plane"]:
        time.sleep(LOOK_S)
    seconds = time.monotonic() - begin
    visitor.command(run_id, "remove")
    return seconds


def _under(name: str) -> tuple[float, ...]:
    """The share that is answered, percentiles in ms and the seconds of a run, during an attack."""
    with _studio_of(name) as (studio, visitor):
        return _watched(studio, visitor)


@contextmanager
def _studio_of(name: str) -> Generator[tuple[Studio, Visitor]]:
    """A studio that is attacked, and a visitor of it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_studio(
            Path(folder), workers=N_WORKERS, flags=["--max-total-mb", str(TOTAL_MB)]
        ) as studio,
    ):
        visitor = Visitor(AddressedClient(studio.url, HOME))
        while visitor.http.get("/ready").status_code != READY:
            time.sleep(PAUSE_S)
        visitor.choose_sample("wine")
        with _attacked(name, studio):
            time.sleep(BEFORE_S)
            yield studio, visitor


@contextmanager
def _attacked(name: str, studio: Studio) -> Generator[None]:
    if name not in ATTACKS:
        yield
        return
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=attack, args=(name, studio.url), daemon=True)
    process.start()
    try:
        yield
        if not process.is_alive():
            raise RuntimeError(f"The attack ended by itself: {name}")
    finally:
        process.kill()
        process.join()


def _watched(studio: Studio, visitor: Visitor) -> tuple[float, ...]:
    asked_s: dict[str, list[float]] = {"/health": [], "/frames": []}
    is_answered = list[bool]()
    stop = threading.Event()

    def ask(path: str) -> None:
        client = AddressedClient(studio.url, HOME)
        client.take_cookies(visitor.http)
        while not stop.is_set():
            begin = time.monotonic()
            status = None
            with suppress(RequestException):  # after its patience, which counts
                status = client.get(path).status_code
            is_answered.append(status == HTTPStatus.OK)
            asked_s[path].append(time.monotonic() - begin)
            stop.wait(PAUSE_S)

    threads = [threading.Thread(target=ask, args=(path,), daemon=True) for path in asked_s]
    for thread in threads:
        thread.start()
    begin_s = time.monotonic()
    run_s = _run(visitor)
    planes_s = list[float]()
    while len(planes_s) < LEAST_PLANES or time.monotonic() - begin_s < WATCHED_S:
        planes_s.append(first_plane_s(visitor, method="pca"))
    stop.set()
    for thread in threads:
        thread.join()
    frames_ms = p95_ms(asked_s["/frames"])
    passed = 100.0 * statistics.mean(is_answered)
    return passed, p95_ms(asked_s["/health"]), frames_ms, p95_ms(planes_s), run_s


def _run(visitor: Visitor) -> float:
    """Seconds from pressing Run until the run is done."""
    begin = time.monotonic()
    run_id = visitor.start(method="melm", n_init=4)
    while True:
        answer = visitor.http.get("/frames", query_string={"run": f"{run_id}:-1"})
        if answer.json["runs"][run_id]["is_final"]:
            return time.monotonic() - begin
        time.sleep(PAUSE_S)

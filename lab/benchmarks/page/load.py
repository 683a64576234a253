"""Many concurrent visitors: time to drain the queue, frame rates, and resource leaks.

Visitors are simulated over HTTP, one thread each: they call the callbacks and routes of the page
without rendering it.
"""

from __future__ import annotations

import random
import socket
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import psutil
from requests import RequestException

from lab.benchmarks.page.studio import own_studio
from lab.benchmarks.table import Measurement
from lab.driver.launcher import Studio
from lab.driver.remote_client import Answer, RemoteClient
from lab.driver.visitor import Visitor

N_VISITORS = 20
RUNS_EACH = 3
CROWDS = (5, 20, 40)
N_WATCHERS = 8
WATCHED_PANELS = 4
WATCHED_S = 15
LEAST_FRAME_S = 0.06  # as in the page's frame loop
FOLLOW_S = 0.5
SOAK_MINUTES = 30.0
SAMPLE_EVERY_S = 2.0
# Of the visits of a soak, those that upload a table and print its plane, which take most memory.
PRINTED_SHARE = 0.2
# Of those that ask for a check, follow it for a while and stop it; and of those that present.
ASKED_SHARE, PRESENTED_SHARE = 0.1, 0.1
N_LOOKS = 10
DRAGGED = 5
UPLOADED_SHAPE = (2_000, 20)
DOCUMENTS = {"report.html", "replay.html", "figure"}
SAMPLES = ("iris", "wine", "breast_cancer")
METHODS = ("melm", "lda", "pca", "rotations")
N_WORKERS = 2
_BYTES = 2**20


@dataclass
class Clock:
    """Response times by kind of request, and what was not answered, by the end of its address."""

    callbacks: list[float] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    documents: list[float] = field(default_factory=list)
    unanswered: Counter[str] = field(default_factory=Counter)
    runs: dict[str, list[float]] = field(default_factory=dict)

    def note_run(self, method: str, seconds: float) -> None:
        """Record how long a run took from the press until it was done."""
        self.runs.setdefault(method, []).append(seconds)

    def note(self, path: str, seconds: float) -> None:
        """Record a response time."""
        kind = path.rpartition("/")[2]
        if path.startswith("/_dash"):
            self.callbacks.append(seconds)
        elif kind == "frames":
            self.frames.append(seconds)
        elif kind in DOCUMENTS:
            self.documents.append(seconds)

    def note_unanswered(self, path: str) -> None:
        """Record a request without a response, or with an error of the server."""
        self.unanswered[path.rpartition("/")[2]] += 1


class TimedClient(RemoteClient):
    """An HTTP client that records response times."""

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url)
        self._clock = clock

    def get(self, path: str, query_string: Mapping[str, Any] | None = None) -> Answer:
        return self._timed(path, lambda: RemoteClient.get(self, path, query_string))

    def post(self, path: str, json: Any) -> Answer:
        return self._timed(path, lambda: RemoteClient.post(self, path, json))

    def upload(self, raw: bytes) -> dict[str, str]:
        with self._noted("/upload"):
            return super().upload(raw)

    def _timed(self, path: str, ask: Callable[[], Answer]) -> Answer:
        begin = time.monotonic()
        with self._noted(path):
            answer = ask()
        self._clock.note(path, time.monotonic() - begin)
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._clock.note_unanswered(path)
        return answer

    @contextmanager
    def _noted(self, path: str) -> Generator[None]:
        try:
            yield
        except RequestException:
            self._clock.note_unanswered(path)
            raise


def crowd(repeats: int) -> list[Measurement]:
    """Twenty visitors start three runs each at the same time, with two workers."""
    clock = Clock()
    with own_studio(N_WORKERS) as studio:
        results = [_crowd(studio, clock, N_VISITORS) for _ in range(repeats)]
    drained, waits, lost = zip(*results, strict=True)
    return [
        Measurement("60 runs of 20 visitors, until the last is done", "s", drained),
        Measurement("longest wait for a first run, as a share of that", "", waits),
        Measurement("runs that did not finish", "", lost),
        _percentile("a callback of the page, 95th percentile", clock.callbacks),
        _percentile("a response of the frames route, 95th percentile", clock.frames),
    ]


def sizes(repeats: int) -> list[Measurement]:
    """Time, response times and memory for several numbers of visitors, with two workers."""
    return [row for n_visitors in CROWDS for row in _size(n_visitors, repeats)]


def _size(n_visitors: int, repeats: int) -> list[Measurement]:
    clock = Clock()
    with own_studio(N_WORKERS) as studio:
        drained = tuple(_crowd(studio, clock, n_visitors)[0] for _ in range(repeats))
        memory = _memory_mb(_family(studio))
    of = f"{n_visitors} visitors"
    return [
        Measurement(f"{of}, {RUNS_EACH * n_visitors} runs until the last is done", "s", drained),
        _percentile(f"{of}, a callback of the page, 95th percentile", clock.callbacks),
        Measurement(f"{of}, memory of all processes at the end", "MB", (memory,)),
    ]


def watchers(repeats: int) -> list[Measurement]:
    """Eight pages of one visitor watch four active runs."""
    with own_studio(WATCHED_PANELS) as studio:
        rates = tuple(_watched(studio) for _ in range(repeats))
    return [Measurement("frames per second and panel, slowest of 8 pages of 4 panels", "", rates)]


def soak(_: int, minutes: float = SOAK_MINUTES) -> list[Measurement]:
    """Twenty visitors come and go; what the studio holds after a warm-up and at the end."""
    clock, stop = Clock(), threading.Event()
    with _warm_studio() as studio, _visitors(studio, clock, stop) as ends:
        samples = _samples(studio, 60 * minutes)
        stop.set()
    # The first sixth warms up: caches fill, and every kind of answer is made once.
    warm = [sample for sample in samples if sample.at_s > 10 * minutes]
    rows = []
    for what, unit, of in _SOAKED:
        values = [of(sample) for sample in warm]
        slope = 3_600 * np.polyfit([sample.at_s for sample in warm], values, 1)[0]
        n_end = max(len(values) // 6, 1)
        rows += [
            Measurement(f"{what}, after the warm-up", unit, tuple(values[:n_end])),
            Measurement(f"{what}, at the end", unit, tuple(values[-n_end:])),
            Measurement(f"{what}, growth in an hour", unit, (float(slope),)),
        ]
    return [
        *rows,
        Measurement("runs done", "", (ends.count("done"),)),
        Measurement("runs that ended otherwise", "", (ends.count("otherwise"),)),
        Measurement("requests without a response within 30 s", "", (clock.unanswered.total(),)),
        *(Measurement(f"of these {what}", "", (n,)) for what, n in clock.unanswered.items()),
        *(
            _percentile(f"{method} from the press until it is done, 95th percentile", seconds)
            for method, seconds in clock.runs.items()
        ),
        _percentile("a callback of the page, 95th percentile", clock.callbacks),
        _percentile("a response of the frames route, 95th percentile", clock.frames),
        _percentile("a report, a replay or a figure, 95th percentile", clock.documents),
    ]


@contextmanager
def _warm_studio() -> Generator[Studio]:
    """A studio that has executed a run: for the first, its workers load their libraries."""
    with own_studio(N_WORKERS) as studio:
        client = TimedClient(studio.url, Clock())
        _visit(Visitor(client), random.Random(0), Clock())  # noqa: S311 - not used for security
        client.close()
        yield studio


def _percentile(what: str, seconds: list[float]) -> Measurement:
    return Measurement(what, "ms", (1000 * statistics.quantiles(seconds, n=20)[-1],))


def _crowd(studio: Studio, clock: Clock, n_visitors: int) -> tuple[float, float, float]:
    """Seconds until all runs end, the share until each visitor has one, and unfinished runs."""
    begin = time.monotonic()
    with ThreadPoolExecutor(n_visitors) as pool:
        ends = list(
            pool.map(lambda seed: _one_of_the_crowd(studio, clock, seed), range(n_visitors))
        )
    drained = max(max(done.values(), default=begin) for done, _ in ends) - begin
    first = max(min(done.values(), default=begin) for done, _ in ends) - begin
    return drained, first / drained, float(sum(others for _, others in ends))


def _one_of_the_crowd(studio: Studio, clock: Clock, seed: int) -> tuple[dict[str, float], int]:
    """When each run of a visitor was done, and the number of runs that ended otherwise."""
    visitor = Visitor(TimedClient(studio.url, clock))
    visitor.choose_sample("wine")
    runs = [visitor.start(method="melm", random_state=seed + i, n_init=4) for i in range(RUNS_EACH)]
    done: dict[str, float] = {}
    others = 0
    while len(done) + others < len(runs):
        for run_id, news in _news(visitor, runs).items():
            if news["is_final"] and run_id not in done:
                if news["state"] == "done":
                    done[run_id] = time.monotonic()
                else:
                    others += 1
        time.sleep(FOLLOW_S)
    return done, others


def _news(visitor: Visitor, runs: list[str]) -> dict[str, dict[str, object]]:
    answer = visitor.http.get("/frames", query_string={"run": [f"{run}:99999999" for run in runs]})
    news: dict[str, dict[str, object]] = answer.json["runs"]
    return news


def _watched(studio: Studio) -> float:
    """Frames per second and panel of the slowest page."""
    visitor = Visitor(RemoteClient(studio.url))
    visitor.choose_sample("breast_cancer")
    runs = [
        visitor.start(method="melm", random_state=seed, n_init=500)
        for seed in range(WATCHED_PANELS)
    ]
    while not all(news["state"] == "running" for news in _news(visitor, runs).values()):
        time.sleep(FOLLOW_S)
    with ThreadPoolExecutor(N_WATCHERS) as pool:
        rates = list(pool.map(lambda _: _watch(visitor.http, runs), range(N_WATCHERS)))
    for run_id in runs:
        visitor.command(run_id, "remove")
    return min(rates)


def _watch(client: RemoteClient, runs: list[str]) -> float:
    after = dict.fromkeys(runs, -1)
    n_frames, begin = 0, time.monotonic()
    while (now := time.monotonic()) - begin < WATCHED_S:
        asked = [f"{run_id}:{sequence}" for run_id, sequence in after.items()]
        for run_id, news in client.get("/frames", query_string={"run": asked}).json["runs"].items():
            if news["plane"]:
                n_frames += 1
                after[run_id] = news["sequences"][-1]
        time.sleep(max(0.0, now + LEAST_FRAME_S - time.monotonic()))
    return n_frames / (time.monotonic() - begin) / len(runs)


@contextmanager
def _visitors(studio: Studio, clock: Clock, stop: threading.Event) -> Generator[list[str]]:
    """Let visitors come and go until `stop`; yield how their runs ended."""
    ends: list[str] = []
    with ThreadPoolExecutor(N_VISITORS) as pool:
        coming = [
            pool.submit(_come_and_go, studio, clock, stop, ends, seed) for seed in range(N_VISITORS)
        ]
        try:
            yield ends
        finally:
            stop.set()
            for one in coming:
                one.result()


def _come_and_go(
    studio: Studio, clock: Clock, stop: threading.Event, ends: list[str], seed: int
) -> None:
    choice = random.Random(seed)  # noqa: S311 - not used for security
    while not stop.is_set():
        client = TimedClient(studio.url, clock)
        with suppress(RequestException):  # which the client has noted
            ends.append(_visit(Visitor(client), choice, clock))
        client.close()
        stop.wait(choice.uniform(1.0, 5.0))


def _visit(visitor: Visitor, choice: random.Random, clock: Clock) -> str:
    """Make one visit and return how its run ended."""
    seed, prints = choice.randrange(100), choice.random() < PRINTED_SHARE
    if prints:
        visitor.choose({"kind": "upload", **visitor.http.upload(_table(seed))})
    else:
        visitor.choose_sample(choice.choice(SAMPLES))
    method = choice.choice(METHODS)
    pressed_s = time.monotonic()
    run_id = visitor.start(method=method, random_state=seed, n_init=2)
    while not (news := _news(visitor, [run_id])[run_id])["is_final"]:
        time.sleep(FOLLOW_S)
    clock.note_run(method, time.monotonic() - pressed_s)
    _drag(visitor, run_id)
    if choice.random() < ASKED_SHARE:
        _ask(visitor, run_id)
    if choice.random() < PRESENTED_SHARE:
        _present(visitor, run_id)
    if prints:
        visitor.http.get(f"/runs/{run_id}/report.html")
        visitor.http.get(f"/runs/{run_id}/replay.html")
        style = {"dpi": 300, "width": 170, "height": 170}
        figure = {"panels": [{"run": run_id}], "style": style, "format": "png"}
        visitor.http.post("/figure", figure)
    visitor.command(run_id, "remove")
    return "done" if news["state"] == "done" else "otherwise"


def _drag(visitor: Visitor, run_id: str) -> None:
    """Look at a plane, and drag the arrow of its first feature."""
    for step in range(DRAGGED):
        query = {"edits": f"0:{step / DRAGGED}:0.1"} if step else {}
        visitor.http.get(f"/runs/{run_id}/planes/0", query_string=query)


def _ask(visitor: Visitor, run_id: str) -> None:
    """Ask whether the run is more than chance, and stop before the answer is final."""
    path = f"/runs/{run_id}/analyses/check"
    visitor.http.post(path, {})
    for _ in range(N_LOOKS):
        time.sleep(FOLLOW_S)
        if visitor.http.get(path).json["is_final"]:
            return
    visitor.http.post(f"{path}/stop", {})


def _present(visitor: Visitor, run_id: str) -> None:
    """Show the run to somebody who opens the link and leaves."""
    answer = visitor.http.post("/talk", {})
    if answer.status_code != HTTPStatus.OK:  # as many talks as there may be
        return
    address = urlsplit(answer.json["talk"]["link"])
    visitor.http.post("/talk/shown", {"run": run_id, "plane": 0})
    visitor.http.get(address.path)
    with socket.create_connection((str(address.hostname), int(address.port or 80))) as viewer:
        viewer.sendall(
            f"GET {address.path}/pictures HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
        )
        viewer.recv(1_000)
    visitor.http.post("/talk/end", {})


@dataclass(frozen=True)
class _Sample:
    """What a studio holds at a moment."""

    at_s: float
    web_mb: float
    all_mb: float
    n_descriptors: int
    n_threads: int
    disk_mb: float


_SOAKED: tuple[tuple[str, str, Callable[[_Sample], float]], ...] = (
    ("memory of the web process", "MB", lambda sample: sample.web_mb),
    ("memory of all processes", "MB", lambda sample: sample.all_mb),
    ("open files", "", lambda sample: sample.n_descriptors),
    ("threads", "", lambda sample: sample.n_threads),
    ("data folder", "MB", lambda sample: sample.disk_mb),
)


def _samples(studio: Studio, seconds: float) -> list[_Sample]:
    begin, found = time.monotonic(), []
    while (at_s := time.monotonic() - begin) < seconds:
        time.sleep(SAMPLE_EVERY_S)
        with suppress(psutil.Error, FileNotFoundError):  # of a child or file that has just ended
            found.append(_sample(studio, at_s))
    return found


def _sample(studio: Studio, at_s: float) -> _Sample:
    family = _family(studio)
    files = [path for path in studio.data_dir.rglob("*") if path.is_file()]
    return _Sample(
        at_s=at_s,
        web_mb=_memory_mb(family[:1]),
        all_mb=_memory_mb(family),
        n_descriptors=sum(process.num_fds() for process in family),
        n_threads=sum(process.num_threads() for process in family),
        disk_mb=sum(path.stat().st_size for path in files) / _BYTES,
    )


def _table(seed: int) -> bytes:
    """A table that no visitor has uploaded before."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=UPLOADED_SHAPE) + np.arange(UPLOADED_SHAPE[0])[:, None] % 3
    heads = [f"f{i}" for i in range(UPLOADED_SHAPE[1])]
    frame = pd.DataFrame(numbers, columns=heads).assign(label=np.arange(UPLOADED_SHAPE[0]) % 3)
    return frame.to_csv(index=False).encode()


def _family(studio: Studio) -> list[psutil.Process]:
    """The running processes of a studio."""
    processes = [psutil.Process(studio.process.pid), *studio.family()]
    return [process for process in processes if process.is_running()]


def _memory_mb(processes: list[psutil.Process]) -> float:
    return sum(process.memory_info().rss for process in processes) / _BYTES

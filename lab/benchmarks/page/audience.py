"""A talk with an audience: what viewers receive, how fast they join, what it costs the presenter.

The presenter watches a run over HTTP as the page does, and shows each plane. Viewers are HTTP
clients of one process, each with a connection of its own; a handful are pages in a browser.
"""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, ViewportSize, sync_playwright

from lab.benchmarks.page.studio import own_studio
from lab.benchmarks.table import Measurement
from lab.driver.remote_client import RemoteClient
from lab.driver.visitor import Visitor
from lab.setup.find_browser import launch_options

N_VIEWERS = 200
N_PAGES = 3
N_WORKERS = 1
ARRIVE_S = 10  # the time in which they all come
WATCHED_S = 15
LEAST_FRAME_S = 0.06  # as in the page's frame loop
SHOW_EVERY_S = 0.15  # as in the page's talk
# The run must not end meanwhile: that of a smaller sample would.
STARTS = 500
PHONE: ViewportSize = {"width": 390, "height": 844}
_HEAD_BYTES = 5


@dataclass(frozen=True)
class Received:
    """What one viewer received: seconds until the first picture, and pictures per second."""

    joined_s: float
    rate: float


def audience(repeats: int) -> list[Measurement]:
    """200 viewers follow a run that is under way, with one worker."""
    with own_studio(N_WORKERS) as studio:
        results = [_talk(studio.url) for _ in range(repeats)]
    alone, shared, rates, joins, pages, drawn = zip(*results, strict=True)
    kept = tuple(with_ / without for with_, without in zip(shared, alone, strict=True))
    last = tuple(statistics.quantiles(each, n=20)[-1] for each in joins)
    return [
        Measurement("pictures per second and viewer, median of 200", "", _medians(rates)),
        Measurement("the slowest of them", "", tuple(map(min, rates))),
        Measurement("joining until the first picture, median", "s", _medians(joins)),
        Measurement("joining, 95th percentile", "s", last),
        Measurement("joining of a page in the browser, slowest of 3", "s", tuple(map(max, pages))),
        Measurement("pictures drawn per second by these pages, median", "", _medians(drawn)),
        Measurement("frames per second of the presenter, alone", "", alone),
        Measurement("the same with the audience", "", shared),
        Measurement("share that is kept", "", kept),
    ]


def _medians(results: tuple[list[float], ...]) -> tuple[float, ...]:
    return tuple(map(statistics.median, results))


def _talk(url: str) -> tuple[float, float, list[float], list[float], list[float], list[float]]:
    """Frame rates alone and shared; rates and joining times of viewers; those of pages."""
    visitor = Visitor(RemoteClient(url))
    visitor.choose_sample("digits")
    run = visitor.start(method="melm", n_init=STARTS)
    with _Presenter(visitor, run) as presenter, ExitStack() as stack:
        alone = presenter.rate_over(WATCHED_S)
        link = visitor.http.post("/talk", {}).json["talk"]["link"]
        presenter.is_showing.set()
        pool = stack.enter_context(ProcessPoolExecutor(1, mp_context=get_context("spawn")))
        pool.submit(_viewers, link, 0, 0, 0).result()  # its imports take seconds
        viewers = pool.submit(_viewers, link, N_VIEWERS, ARRIVE_S, WATCHED_S)
        time.sleep(ARRIVE_S)
        shared = presenter.rate_over(WATCHED_S)
        received = viewers.result()
        pages = stack.enter_context(_pages(link, N_PAGES))
        before, began = [_n_drawn(page) for page, _ in pages], time.monotonic()
        time.sleep(WATCHED_S)
        seconds = time.monotonic() - began
        drawn = [(_n_drawn(page) - n) / seconds for (page, _), n in zip(pages, before, strict=True)]
    visitor.http.post("/talk/end", {})
    visitor.command(run, "remove")
    rates, joins = [one.rate for one in received], [one.joined_s for one in received]
    return alone, shared, rates, joins, [joined for _, joined in pages], drawn


class _Presenter:
    """Watches a run from one thread, and shows its newest plane to the audience from another."""

    def __init__(self, visitor: Visitor, run: str) -> None:
        self._run, self._newest, self._n_frames = run, -1, 0
        self._watching, self._showing = (RemoteClient(visitor.http.url) for _ in range(2))
        for client in (self._watching, self._showing):
            client.take_cookies(visitor.http)
        self.is_showing, self._is_over = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=act) for act in (self._watch, self._show)]

    def __enter__(self) -> _Presenter:
        for thread in self._threads:
            thread.start()
        while self._newest < 0:
            time.sleep(LEAST_FRAME_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def rate_over(self, seconds: float) -> float:
        """Return the planes that arrive per second."""
        before, began = self._n_frames, time.monotonic()
        time.sleep(seconds)
        return (self._n_frames - before) / (time.monotonic() - began)

    def _watch(self) -> None:
        while not self._is_over.is_set():
            began = time.monotonic()
            answer = self._watching.get("/frames", {"run": f"{self._run}:{self._newest}"})
            news = answer.json["runs"][self._run]
            if news["plane"]:
                self._n_frames += 1
                self._newest = news["sequences"][-1]
            time.sleep(max(0.0, began + LEAST_FRAME_S - time.monotonic()))

    def _show(self) -> None:
        shown = -1
        while not self._is_over.wait(SHOW_EVERY_S):
            if self.is_showing.is_set() and self._newest != shown:
                shown = self._newest
                self._showing.post("/talk/shown", {"run": self._run, "plane": shown})


def _viewers(link: str, n_viewers: int, arrive_s: float, stay_s: float) -> list[Received]:
    """Let viewers come within a time and stay for another."""

    async def all_of_them() -> list[Received]:
        delays = (arrive_s * i / n_viewers for i in range(n_viewers))
        return await asyncio.gather(*(_viewer(link, delay, stay_s) for delay in delays))

    return asyncio.run(all_of_them())


async def _viewer(link: str, delay: float, stay_s: float) -> Received:
    """Load the page and its script, then follow."""
    await asyncio.sleep(delay)
    began = time.monotonic()
    page = await _loaded(link)
    script = page.partition(b'type="module" src="')[2].partition(b'"')[0].decode()
    parts = urlsplit(link)
    await _loaded(f"{parts.scheme}://{parts.netloc}{script}")
    reader, writer = await _request(f"{link}/pictures")
    await reader.readuntil(b"\r\n\r\n")
    arrived = [time.monotonic() async for _ in _pictures(reader, time.monotonic() + stay_s)]
    writer.close()
    # Of the time that it stayed, so that one who gets nothing more counts as such.
    return Received(arrived[0] - began, (len(arrived) - 1) / stay_s)


async def _request(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    writer.write(f"{head}\r\n".encode())
    return reader, writer


async def _loaded(address: str) -> bytes:
    """A whole answer, uncompressed."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(
        f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await reader.read()
    writer.close()
    return answer


async def _pictures(reader: asyncio.StreamReader, until: float) -> Any:
    """Yield at each picture; chunks and messages are cut independently."""
    waiting = b""
    while time.monotonic() < until:
        size = int(await reader.readline(), 16)
        waiting += (await reader.readexactly(size + 2))[:-2]
        while len(waiting) >= _HEAD_BYTES:
            end = _HEAD_BYTES + int.from_bytes(waiting[1:_HEAD_BYTES], "big")
            if len(waiting) < end:
                break
            if waiting[:1] == b"p":
                yield end
            waiting = waiting[end:]


@contextmanager
def _pages(link: str, n_pages: int) -> Generator[list[tuple[Page, float]]]:
    """Pages that have drawn a picture, and the seconds that each took."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        opened = []
        for _ in range(n_pages):
            page = browser.new_context(viewport=PHONE).new_page()
            began = time.monotonic()
            page.goto(link)
            page.locator(".plot[data-drawn]").wait_for()
            opened.append((page, time.monotonic() - began))
        yield opened
        browser.close()


def _n_drawn(page: Page) -> int:
    return int(page.locator(".plot").get_attribute("data-drawn") or 0)

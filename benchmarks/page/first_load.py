"""The first load of the page: bytes, requests, and time to the largest contentful paint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Browser, sync_playwright

from benchmarks.page.conditions import Conditions, throttle
from benchmarks.page.studio import VIEWPORT, own_studio
from benchmarks.table import Measurement
from tools.find_browser import launch_options

# Records the time of the largest contentful paint so far, in milliseconds.
_RECORD = """
window.largestPaint = 0;
new PerformanceObserver((list) => {
  window.largestPaint = list.getEntries().at(-1).startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
"""
_PLOTLY = "/plotly-"  # the script that the page loads last
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Load:
    """One load of the page with an empty cache."""

    n_bytes: int
    n_requests: int
    largest_paint_ms: float


CONDITIONS = (
    Conditions("unthrottled"),
    Conditions("10 Mbit/s, 40 ms", megabits_per_second=10, latency_ms=40),
    Conditions("a quarter of the CPU", cpu_slowdown=4),
    Conditions("both", megabits_per_second=10, latency_ms=40, cpu_slowdown=4),
)


def first_load(repeats: int) -> list[Measurement]:
    """Load the page as a new visitor, under each of the conditions."""
    with own_studio(workers=1) as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        load_page(browser, studio.url, CONDITIONS[0])  # the studio answers its first request
        loads = {
            conditions.name: [load_page(browser, studio.url, conditions) for _ in range(repeats)]
            for conditions in CONDITIONS
        }
        browser.close()
    return list(_measurements(loads))


def load_page(browser: Browser, url: str, conditions: Conditions) -> Load:
    """Load the page in a new browser context, until nothing is requested any more."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(_RECORD)
        protocol = context.new_cdp_session(page)
        sizes: list[int] = []
        protocol.on("Network.loadingFinished", lambda event: sizes.append(_n_bytes(event)))
        throttle(protocol, conditions)
        with page.expect_request_finished(lambda request: _PLOTLY in request.url):
            page.goto(url, wait_until="networkidle")
        page.wait_for_load_state("networkidle")
        return Load(sum(sizes), len(sizes), float(page.evaluate("window.largestPaint")))


def _n_bytes(event: dict[str, float]) -> int:
    return int(event["encodedDataLength"])


def _measurements(loads: dict[str, list[Load]]) -> Iterator[Measurement]:
    every = [load for of_conditions in loads.values() for load in of_conditions]
    megabytes = tuple(load.n_bytes / _MEGABYTE for load in every)
    yield Measurement("first load, transferred", "MB", megabytes)
    yield Measurement("first load, requests", "", tuple(float(load.n_requests) for load in every))
    for name, of_conditions in loads.items():
        seconds = tuple(load.largest_paint_ms / 1000 for load in of_conditions)
        yield Measurement(f"largest contentful paint, {name}", "s", seconds)

"""The first load of the page: bytes, requests, and times until it is seen and can be used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Browser, sync_playwright

from lab.benchmarks.page.conditions import Conditions, throttle
from lab.benchmarks.page.studio import ANSWERED, DEADLINE_MS, VIEWPORT, own_studio
from lab.benchmarks.table import Measurement
from lab.setup.find_browser import launch_options

# Records in milliseconds the times of the largest contentful paint so far, for which canvases do
# not count, of the picture of the first look, from when its button begins a run, when a plane
# of that run is on screen, and when the page with all of its controls shows the data.
_RECORD = """
window.largestPaint = 0;
window.seen = {};
new MutationObserver(() => {
  const note = (name, selector) => {
    if (document.querySelector(selector)) window.seen[name] ??= performance.now();
  };
  note("look", "[data-drawn]");
  note("button", "[data-part=begin]:enabled");
  note("plane", "[data-run][data-sequence]");
  note("page", "#data-summary .legend");
}).observe(document, {
  subtree: true,
  childList: true,
  attributeFilter: ["data-drawn", "data-sequence", "disabled"],
});
new PerformanceObserver((list) => {
  window.largestPaint = list.getEntries().at(-1).startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
"""
# Presses the button at once.
_PRESS = """
new MutationObserver((_, observer) => {
  const button = document.querySelector("[data-part=begin]:enabled");
  if (!button) return;
  observer.disconnect();
  setTimeout(() => button.click());
}).observe(document, { subtree: true, childList: true, attributeFilter: ["disabled"] });
"""
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Load:
    """One load of the page with an empty cache."""

    n_bytes: int
    n_requests: int
    largest_paint_ms: float
    first_look_ms: float
    ready_ms: float
    first_plane_ms: float
    page_ms: float


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
    """Load the page in a new browser context, until nothing is requested any more.

    Then once more in another, with a press of the button as soon as it begins a run.
    """
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(_RECORD)
        protocol = context.new_cdp_session(page)
        sizes: list[int] = []
        protocol.on("Network.loadingFinished", lambda event: sizes.append(_n_bytes(event)))
        throttle(protocol, conditions)
        page.goto(url, wait_until="networkidle")
        page.wait_for_function("() => window.seen.page", timeout=DEADLINE_MS)
        page.wait_for_load_state("networkidle")
        seen = page.evaluate("window.seen")
        largest_paint = float(page.evaluate("window.largestPaint"))
    return Load(
        sum(sizes),
        len(sizes),
        largest_paint,
        seen["look"],
        seen["button"],
        first_plane_ms(browser, url, conditions),
        seen["page"],
    )


def first_plane_ms(browser: Browser, url: str, conditions: Conditions) -> float:
    """Load the page in a new browser context, and begin a run as soon as that can be done."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(_RECORD)
        page.add_init_script(_PRESS)
        throttle(context.new_cdp_session(page), conditions)
        page.goto(url)
        page.wait_for_function("() => window.seen.plane", timeout=DEADLINE_MS)
        first_plane = float(page.evaluate("window.seen.plane"))
        page.wait_for_function(ANSWERED, timeout=DEADLINE_MS)  # what is measured next has all cores
        return first_plane


def _n_bytes(event: dict[str, float]) -> int:
    return int(event["encodedDataLength"])


def _measurements(loads: dict[str, list[Load]]) -> Iterator[Measurement]:
    every = [load for of_conditions in loads.values() for load in of_conditions]
    megabytes = tuple(load.n_bytes / _MEGABYTE for load in every)
    yield Measurement("first load, transferred", "MB", megabytes)
    yield Measurement("first load, requests", "", tuple(float(load.n_requests) for load in every))
    for name, of_conditions in loads.items():
        for event, times in {
            "largest contentful paint": [load.largest_paint_ms for load in of_conditions],
            "picture of the first look": [load.first_look_ms for load in of_conditions],
            "first run can be started": [load.ready_ms for load in of_conditions],
            "first plane of that run": [load.first_plane_ms for load in of_conditions],
            "the whole page": [load.page_ms for load in of_conditions],
        }.items():
            yield Measurement(f"{event}, {name}", "s", tuple(time / 1000 for time in times))

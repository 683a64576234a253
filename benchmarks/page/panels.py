"""Many panels: frame rate of nine, and what a further panel and the wheel cost the main thread."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import CDPSession

from benchmarks.page.live import LONG_STARTS, frames_per_second
from benchmarks.page.studio import StudioPage, studio_page
from benchmarks.table import Measurement

MOST_PANELS = 9
BEFORE = ("PCA", "Class PCA", "LDA, regularized")  # as quick as one another
WHEEL_TICKS = 10
SETTLED_MS = 1_500
FIRST = "LDA"
ADDED_MS = 2_000  # the panel is drawn long before

# Collects the durations of tasks of more than 50 ms.
_RECORD = """() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: "longtask" });
}"""


def nine_panels(repeats: int) -> list[Measurement]:
    """Planes drawn per second in each of nine panels, with two workers."""
    with studio_page(workers=2) as page:
        rates = tuple(_rate_of_nine(page) for _ in range(repeats))
    return [Measurement("frames per second and panel, 9 panels, 2 workers", "", rates)]


def long_tasks(repeats: int) -> list[Measurement]:
    """Time in long tasks while a panel of the digits is added, and while it is zoomed."""
    with studio_page(workers=2) as page:
        measured = [_added_and_zoomed(page) for _ in range(repeats)]
    added, longest, zoomed = zip(*measured, strict=True)
    return [
        Measurement("long tasks when a panel is added to three", "ms", added),
        Measurement("the longest of them", "ms", longest),
        Measurement(f"long tasks of {WHEEL_TICKS} turns of the wheel", "ms", zoomed),
    ]


def add_panel(repeats: int) -> list[Measurement]:
    """Processor time of the page's main thread for each panel that is added in Compare."""
    with studio_page(workers=2) as page:
        times = [_cost_of_each(page) for _ in range(repeats)]
    return [
        Measurement(f"main thread, panel {at + 2} added", "ms", of_panel)
        for at, of_panel in enumerate(zip(*times, strict=True))
    ]


def _cost_of_each(page: StudioPage) -> list[float]:
    """Milliseconds of the second panel, the third and the fourth, beyond a page at rest."""
    page.choose("Wine", "178 rows")
    page.finished(FIRST)
    protocol = page.page.context.new_cdp_session(page.page)
    protocol.send("Performance.enable", {"timeDomain": "threadTicks"})
    costs = []
    for method in BEFORE:
        page.choose_method(1, method)
        page.show("Compare")
        page.page.wait_for_timeout(SETTLED_MS)
        at_rest = _busy_for(page, protocol, lambda: None)
        costs.append(_busy_for(page, protocol, page.press_run_of_explore) - at_rest)
        page.show("Explore")
    protocol.detach()
    page.begin_anew()
    return costs


def _busy_for(page: StudioPage, protocol: CDPSession, act: Callable[[], None]) -> float:
    """Milliseconds of the main thread's processor time from an act until the page is at rest."""
    before = _processor_ms(protocol)
    act()
    page.page.wait_for_timeout(ADDED_MS)
    return _processor_ms(protocol) - before


def _processor_ms(protocol: CDPSession) -> float:
    metrics = protocol.send("Performance.getMetrics")["metrics"]
    (seconds,) = (metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
    return 1000 * float(seconds)


def _rate_of_nine(page: StudioPage) -> float:
    run_ids = [page.run(LONG_STARTS - at) for at in range(MOST_PANELS)]
    page.show("Compare")
    for run_id in run_ids[:2]:  # the others wait for a worker
        page.wait_for_first_frame(run_id)
    rate = frames_per_second(page)
    page.stop_all()
    page.begin_anew()
    return rate / 2


def _added_and_zoomed(page: StudioPage) -> tuple[float, float, float]:
    page.choose("Digits", "1,797 rows")
    for method in BEFORE:
        page.wait_for_end(page.run(1, method))
    page.show("Compare")
    page.page.wait_for_timeout(SETTLED_MS)
    page.page.evaluate(_RECORD)
    page.show("Explore")
    run_id = page.run(1, "LDA")
    page.show("Compare")
    page.wait_for_first_frame(run_id)
    added = _settled(page)
    page.page.locator("[data-run] .plot").first.hover()
    for _ in range(WHEEL_TICKS):
        page.page.mouse.wheel(0, -40)
        page.page.wait_for_timeout(30)
    zoomed = _settled(page)
    page.begin_anew()
    return sum(added), max(added, default=0.0), sum(zoomed)


def _settled(page: StudioPage) -> list[float]:
    """The long tasks since the last call, once the page has come to rest."""
    page.page.wait_for_timeout(SETTLED_MS)
    return list(page.page.evaluate("window.longTasks.splice(0)"))

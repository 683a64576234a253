"""Many panels: frame rate of nine, and what a further panel and the wheel cost the main thread."""

from __future__ import annotations

from benchmarks.page.live import LONG_STARTS, frames_per_second
from benchmarks.page.studio import StudioPage, studio_page
from benchmarks.table import Measurement

MOST_PANELS = 9
BEFORE = ("PCA", "Class PCA", "LDA, regularized")  # as quick as one another
WHEEL_TICKS = 10
SETTLED_MS = 1_500

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

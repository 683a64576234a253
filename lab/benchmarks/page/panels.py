"""Many panels: frame rate of nine, and what a further panel and the wheel cost the main thread."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

from playwright.sync_api import CDPSession, ViewportSize

from lab.benchmarks.page.live import LONG_STARTS, WINDOW_MS
from lab.benchmarks.page.studio import VIEWPORT, StudioPage, studio_page
from lab.benchmarks.table import Measurement

MOST_PANELS = 9
LARGE: ViewportSize = {
    "width": 2880,
    "height": 1800,
}  # that one zoomed out to a half: all are in sight
FEWEST = 8  # planes shown of a run that has had a worker; most wait, and all take turns of seconds
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


# Of every panel its run, whether its picture is in sight, and the newest plane that the page knows.
_SIGHTS = """() => [...document.querySelectorAll("[data-run]")].map((panel) => {
  const place = panel.closest("#panels").getBoundingClientRect();
  const plot = panel.querySelector(".plot").getBoundingClientRect();
  const isInSight = plot.top < place.bottom && plot.bottom > place.top;
  const slider = panel.querySelector('[aria-label="History of the run"]');
  return [panel.dataset.run, isInSight, slider.max - 1];
})"""


def nine_panels(repeats: int) -> list[Measurement]:
    """Planes shown per second in each panel of nine that a viewer sees, while a worker has its run.

    Two workers in a usual window, where most pictures are scrolled out of sight, and in one that
    shows all nine; then nine runs at once.
    """
    cases = ((2, VIEWPORT), (2, LARGE), (MOST_PANELS, VIEWPORT))
    return [row for case in cases for row in _nine_panels(repeats, *case)]


def _nine_panels(repeats: int, workers: int, viewport: ViewportSize) -> list[Measurement]:
    with studio_page(workers) as page:
        page.page.set_viewport_size(viewport)
        rates = [_rate_of_nine(page) for _ in range(repeats)]
    in_sight, counted, shown, made = zip(*rates, strict=True)
    where = f"9 panels, {workers} workers, {viewport['width']} x {viewport['height']}"
    return [
        Measurement(f"pictures in sight, {where}", "", in_sight),
        Measurement("  of these, whose run had a turn", "", counted),
        Measurement("  frames per second of each of these in its turn", "", shown),
        Measurement("  planes that the run of each made per second", "", made),
    ]


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


def _rate_of_nine(page: StudioPage) -> tuple[float, ...]:
    """Pictures in sight, those whose run has had a turn, and planes that each shows and makes."""
    run_ids = [page.run(LONG_STARTS - at) for at in range(MOST_PANELS)]
    page.show("Compare")
    page.wait_for_first_frame(run_ids[0])
    page.page.wait_for_timeout(SETTLED_MS)
    before = {run: newest for run, _, newest in page.page.evaluate(_SIGHTS)}
    begin = page.now()
    page.page.wait_for_timeout(WINDOW_MS)
    drawn = [(at, run) for at, run in page.drawn() if at >= begin]
    made = {run: newest - before[run] for run, _, newest in page.page.evaluate(_SIGHTS)}
    in_sight = [run for run, is_in_sight, _ in page.page.evaluate(_SIGHTS) if is_in_sight]
    turns = {run: [at for at, of_run in drawn if of_run == run] for run in in_sight}
    turns = {run: times for run, times in turns.items() if len(times) >= FEWEST}
    if not turns:
        raise RuntimeError("No run in sight had a worker.")
    page.stop_all()
    page.begin_anew()
    seconds = {run: (times[-1] - times[0]) / 1000 for run, times in turns.items()}
    return (
        len(in_sight),
        len(turns),
        fmean((len(times) - 1) / seconds[run] for run, times in turns.items()),
        fmean(made[run] / seconds[run] for run in turns),
    )


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

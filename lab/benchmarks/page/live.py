"""The live page: time to the first frame, frame rate, and the cost of watching."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.benchmarks.page.studio import StudioPage, fit_seconds, studio_page
from lab.benchmarks.paper_data import paper_table
from lab.benchmarks.table import Measurement

USUAL_STARTS = 16
LONG_STARTS = 500  # takes longer than the window
WATCHED_STARTS = 150
N_PANELS = (1, 2, 4)
WINDOW_MS = 4_000


def first_frame(repeats: int) -> list[Measurement]:
    """Time from pressing Run to the first plane on screen, after a warm-up."""
    heart = paper_table("heart")
    with studio_page(workers=2) as page:
        _time_to_first_frame(page)
        times = tuple(_time_to_first_frame(page) for _ in range(repeats))
        on_heart = tuple(_time_to_first_frame(page, heart) for _ in range(repeats if heart else 0))
    rows = [("first frame after Run", times), ("first frame after Run, heart", on_heart)]
    return [Measurement(what, "ms", taken) for what, taken in rows if taken]


def frame_rate(repeats: int) -> list[Measurement]:
    """Planes drawn per second in each panel while all of them run."""
    with studio_page(workers=max(N_PANELS)) as page:
        return [
            Measurement(
                f"frames per second and panel, {n} panel{'s' if n > 1 else ''}",
                "",
                tuple(_frames_a_second(page, n) for _ in range(repeats)),
            )
            for n in N_PANELS
        ]


def watching(repeats: int) -> list[Measurement]:
    """Duration of the same run with the page open and closed, alternately."""
    with studio_page(workers=2) as page:
        pairs = list(_watched_and_not(page, repeats))
    watched, alone = zip(*pairs, strict=True)
    ratios = tuple(with_page / without for with_page, without in pairs)
    return [
        Measurement(f"run of {WATCHED_STARTS} starts, page closed", "s", alone),
        Measurement(f"run of {WATCHED_STARTS} starts, page open", "s", watched),
        Measurement("ratio of the two", "", ratios),
    ]


def frames_per_second(page: StudioPage) -> float:
    """Planes drawn per second, of all panels together."""
    begin = page.now()
    page.page.wait_for_timeout(WINDOW_MS)
    end = page.now()
    return 1000 * sum(begin <= at < end for at, _ in page.drawn()) / (end - begin)


def _time_to_first_frame(page: StudioPage, table: Path | None = None) -> float:
    if table is not None:
        page.upload(table.read_bytes(), table.name)
    run_id = page.run(USUAL_STARTS)
    page.wait_for_first_frame(run_id)
    first = min(at for at, of_run in page.drawn() if of_run == run_id)
    milliseconds = first - page.pressed()
    page.begin_anew()
    return milliseconds


def _frames_a_second(page: StudioPage, n_panels: int) -> float:
    # Of different numbers of starts: the page offers an equal run instead of another.
    run_ids = [page.run(LONG_STARTS - at) for at in range(n_panels)]
    page.show("Compare")
    for run_id in run_ids:
        page.wait_for_first_frame(run_id)
    rate = frames_per_second(page) / n_panels
    page.stop_all()
    page.begin_anew()
    return rate


def _watched_and_not(page: StudioPage, repeats: int) -> Iterator[tuple[float, float]]:
    for _ in range(repeats):
        watched = fit_seconds(page.wait_for_end(page.run(WATCHED_STARTS)))
        page.begin_anew()
        run_id = page.run(WATCHED_STARTS)
        page.leave()
        alone = fit_seconds(page.wait_for_end(run_id))
        page.begin_anew()
        yield watched, alone

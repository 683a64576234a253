"""The live page over a distance: first frame and frame rate by the round trip to the server."""

from __future__ import annotations

from lab.benchmarks.page.conditions import Conditions, throttle
from lab.benchmarks.page.live import LONG_STARTS, frames_per_second
from lab.benchmarks.page.studio import StudioPage, studio_page
from lab.benchmarks.table import Measurement

ROUND_TRIPS_MS = (0, 50, 100, 200)


def distance(repeats: int) -> list[Measurement]:
    """First frame and frame rate of one panel, by the round trip to the server."""
    with studio_page(workers=2) as page:
        _measured(page, 0)  # the studio has worked one run
        by_distance = {
            round_trip: [_measured(page, round_trip) for _ in range(repeats)]
            for round_trip in ROUND_TRIPS_MS
        }
    return [
        Measurement(f"{what}, round trip of {round_trip} ms", unit, tuple(values))
        for round_trip, measured in by_distance.items()
        for what, unit, values in zip(
            ("first frame after Run", "frames per second"),
            ("ms", ""),
            zip(*measured, strict=True),
            strict=True,
        )
    ]


def _measured(page: StudioPage, round_trip_ms: int) -> tuple[float, float]:
    """Milliseconds to the first frame, and frames per second."""
    protocol = page.page.context.new_cdp_session(page.page)
    throttle(protocol, Conditions("distant", latency_ms=round_trip_ms))
    run_id = page.run(LONG_STARTS)
    page.wait_for_first_frame(run_id)
    first = min(at for at, _ in page.drawn()) - page.pressed()
    rate = frames_per_second(page)
    page.stop_all()
    throttle(protocol, Conditions("near"))
    page.begin_anew()
    return first, rate

"""What removed runs leave behind in the browser: memory, nodes and listeners."""

from __future__ import annotations

from lab.benchmarks.page.studio import StudioPage, studio_page
from lab.benchmarks.table import Measurement

N_RUNS = 200
N_WARM = 5  # they fill what stays once, as plotly and the caches of React
COUNTED = {"JSHeapUsedSize": "bytes", "Nodes": "nodes", "JSEventListeners": "listeners"}


def leaks(_repeats: int) -> list[Measurement]:
    """Growth of the page by each of 200 runs that are added and removed."""
    with studio_page(workers=2) as page:
        for _ in range(N_WARM):
            _add_and_remove(page)
        before = page.collected()
        for _ in range(N_RUNS):
            _add_and_remove(page)
        after = page.collected()
    return [
        Measurement(
            f"growth by each of {N_RUNS} removed runs",
            unit,
            ((after[name] - before[name]) / N_RUNS,),
        )
        for name, unit in COUNTED.items()
    ]


def _add_and_remove(page: StudioPage) -> None:
    page.finished("PCA")
    page.remove()

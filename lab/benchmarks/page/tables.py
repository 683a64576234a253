"""Wide and long tables on the page: first frame of PCA, memory of the page's process, γ."""

from __future__ import annotations

import numpy as np
import pandas as pd
import psutil
from sklearn.datasets import make_blobs

from lab.benchmarks.page.hands import GAMMAS, NARROW_GAMMAS, median_to_paint
from lab.benchmarks.page.studio import StudioPage, studio_page
from lab.benchmarks.table import Measurement

WIDE = (300, 5_000)
LONG = (1_000_000, 10)
_MEGABYTE = 1e6


def wide(repeats: int) -> list[Measurement]:
    """From Run to the first frame of PCA of a table of many features."""
    with studio_page(workers=2) as page:
        times = _first_frames(page, WIDE, repeats)
        memory = _megabytes(page)
    return [
        Measurement(f"first frame of PCA, {_size(WIDE)}", "ms", times),
        Measurement(f"memory of the page's process, {_size(WIDE)}", "MB", (memory,)),
    ]


def long(repeats: int) -> list[Measurement]:
    """From Run to the first frame of PCA of a table of many rows; from γ to its contours."""
    with studio_page(workers=2) as page:
        times = _first_frames(page, LONG, repeats)
        run_id = page.panels.first.get_attribute("data-run") or ""
        page.wait_for_end(run_id)
        medians = [
            tuple(median_to_paint(page, run_id, repeat, gammas) for repeat in range(repeats))
            for gammas in (GAMMAS, NARROW_GAMMAS)
        ]
    return [Measurement(f"first frame of PCA, {_size(LONG)}", "ms", times)] + [
        Measurement(
            f"γ changed to contours painted, {_size(LONG)}, "
            f"{len(gammas)} γ from {min(gammas):g} to {max(gammas):g}",
            "ms",
            times,
        )
        for gammas, times in zip((GAMMAS, NARROW_GAMMAS), medians, strict=True)
    ]


def _first_frames(page: StudioPage, size: tuple[int, int], repeats: int) -> tuple[float, ...]:
    """Milliseconds to the first frame; each time as a new visitor, for whom nothing is prepared."""
    raw = _table(*size)
    return tuple(_first_frame(page, raw, at > 0) for at in range(repeats))


def _first_frame(page: StudioPage, raw: bytes, is_again: bool) -> float:
    if is_again:
        page.begin_anew()
    page.upload(raw, "blobs.csv")
    run_id = page.run(1, "PCA")
    page.wait_for_first_frame(run_id)
    return min(at for at, of_run in page.drawn() if of_run == run_id) - page.pressed()


def _megabytes(page: StudioPage) -> float:
    return float(psutil.Process(page.studio.process.pid).memory_info().rss / _MEGABYTE)


def _table(n_rows: int, n_features: int) -> bytes:
    frame, labels = make_blobs(n_rows, n_features, centers=3, cluster_std=4.0, random_state=0)
    table = pd.DataFrame(frame, columns=[f"x{i}" for i in range(n_features)])
    table["class"] = np.array(list("abc"))[labels]
    return table.to_csv(index=False, float_format="%.4g").encode()


def _size(size: tuple[int, int]) -> str:
    return "{:,} x {:,}".format(*size)

"""Tables that are read from Parquet files block by block: time, memory, the plane."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import dask
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from lab.benchmarks.engines import with_clusters
from lab.benchmarks.scale import reset_peak, resident_bytes
from lab.benchmarks.table import Measurement
from melm_core import MELM, DiscriminantPlane, Progress, read_rows
from melm_core.base import FloatArray

_ROWS = (100_000, 1_000_000, 10_000_000)
_MOST_ROWS = 100_000_000
_N_FEATURES = 10
_BLOCK = 500_000
_COLUMNS = [f"x{number}" for number in range(_N_FEATURES)]


@dataclass(frozen=True)
class _Found:
    """Seconds of each phase, the smallest cosine to the planted plane, and the peak of memory."""

    seconds: dict[str, float]
    cosine: float
    peak_bytes: float


def beyond_memory(_repeats: int) -> list[Measurement]:
    """Default fits to generated files of a planted plane, which are deleted afterwards."""
    return [entry for n_rows in _ROWS for entry in _measured(n_rows)]


def hundred_million(_repeats: int) -> list[Measurement]:
    """The same for 100,000,000 rows, 8 GB of files."""
    return _measured(_MOST_ROWS)


def _measured(n_rows: int) -> list[Measurement]:
    with (
        tempfile.TemporaryDirectory() as folder,
        multiprocessing.get_context("spawn").Pool(1) as pool,
    ):
        plane = write_planted(Path(folder), n_rows, seed=0)
        found = pool.apply(_fits, (folder, plane))
    name = f"{n_rows:,} x {_N_FEATURES} from files"
    return [
        *(Measurement(f"{what}, {name}", "s", (s,)) for what, s in found.seconds.items()),
        Measurement(f"smallest principal cosine to the true plane, {name}", "", (found.cosine,)),
        Measurement(f"peak memory of the process, {name}", "GB", (found.peak_bytes / 1e9,)),
    ]


def write_planted(folder: Path, n_rows: int, seed: int) -> FloatArray:
    """Write files of at most half a million rows each; returns the planted plane.

    Parameters
    ----------
    folder : Path
    n_rows : int
    seed : int
    """
    normal = np.random.default_rng(seed).standard_normal((_N_FEATURES, 2))
    plane = np.linalg.qr(normal)[0].T
    for number, begin in enumerate(range(0, n_rows, _BLOCK)):
        count = min(_BLOCK, n_rows - begin)
        stream = np.random.default_rng([seed, number])
        y = stream.integers(0, 2, count)
        X = with_clusters(stream.standard_normal((count, _N_FEATURES)), y, plane)
        frame = pd.DataFrame(X, columns=_COLUMNS).assign(label=y)
        frame.to_parquet(folder / f"part-{number:05d}.parquet", index=False)
    return plane


def _fits(folder: str, plane: FloatArray) -> _Found:
    X, y = read_rows(folder, label="label")
    reset_peak()
    clock = _Clock("MELM fit, checks and moments")
    with threadpool_limits(1), dask.config.set(scheduler="threads", num_workers=2):
        melm = MELM(random_state=0, callback=clock.note).fit(X, y)
        clock.begin("MELM score of all rows")
        melm.score(X, y)
        clock.begin("LDA fit")
        DiscriminantPlane().fit(X, y)
        clock.begin("")
    cosine = float(np.linalg.svd(melm.components_ @ plane.T)[1].min())
    return _Found(clock.seconds, cosine, resident_bytes("VmHWM"))


class _Clock:
    """The seconds of each phase."""

    def __init__(self, phase: str) -> None:
        self.seconds: dict[str, float] = {}
        self._phase, self._began = phase, time.perf_counter()
        self._last_step = self._began

    def begin(self, phase: str, at: float | None = None) -> None:
        """End the phase before, now or at an earlier time."""
        at = time.perf_counter() if at is None else at
        self.seconds[self._phase] = at - self._began
        self._phase, self._began = phase, at

    def note(self, step: Progress) -> bool:
        """Note the phase of a step of a fit, which goes on."""
        now, on_all_rows = time.perf_counter(), "MELM fit, the best plane on all rows"
        if not self.seconds:
            self.begin("MELM fit, starts on samples", now)
        if step.stage.endswith("all rows") and self._phase != on_all_rows:
            # The first evaluation on all rows precedes the first step.
            self.begin(on_all_rows, self._last_step)
        self._last_step = now
        return False

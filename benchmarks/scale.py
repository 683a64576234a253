"""A million rows: time, accuracy of the plane, and memory."""

from __future__ import annotations

import multiprocessing
import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.engines import planted
from benchmarks.table import Measurement
from melm_core import MELM

_SHAPES = ((1_000_000, 30), (100_000, 100))
_KIB = 1024


def million(_repeats: int) -> list[Measurement]:
    """Default fits to large data with a planted plane, each in its own process."""
    return [row for shape in _SHAPES for row in _in_own_process(*shape)]


def _in_own_process(n_rows: int, n_features: int) -> list[Measurement]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, cosine, beyond, data = pool.apply(_fit, (n_rows, n_features))
    name = f"{n_rows:,} x {n_features}"
    return [
        Measurement(f"MELM fit, {name}", "s", (seconds,)),
        Measurement(f"smallest principal cosine to the true plane, {name}", "", (cosine,)),
        Measurement(f"peak memory beyond the data, {name}", "GB", (beyond / 1e9,)),
        Measurement(f"the same relative to the size of the data, {name}", "", (beyond / data,)),
    ]


def _fit(n_rows: int, n_features: int) -> tuple[float, float, float, float]:
    """Seconds, cosine, peak bytes beyond those before the fit, and bytes of the data."""
    X, y, plane = planted(n_rows, n_features, seed=0)
    _reset_peak()
    before = _resident_bytes("VmRSS")
    began = time.perf_counter()
    with threadpool_limits(1):
        melm = MELM(random_state=0).fit(X, y)
    seconds = time.perf_counter() - began
    cosine = float(np.linalg.svd(melm.components_ @ plane.T)[1].min())
    return seconds, cosine, _resident_bytes("VmHWM") - before, float(X.nbytes)


def _reset_peak() -> None:
    """Reset the peak to the memory that is resident now."""
    with open("/proc/self/clear_refs", "w") as file:  # noqa: PTH123 - a kernel interface
        file.write("5")


def _resident_bytes(field: str) -> float:
    with open("/proc/self/status") as file:  # noqa: PTH123
        line = next(line for line in file if line.startswith(field))
    return float(line.split()[1]) * _KIB

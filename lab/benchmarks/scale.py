"""A million rows: time, accuracy of the plane, and memory."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from lab.benchmarks.engines import planted
from lab.benchmarks.table import Measurement
from melm_core import MELM

_SHAPES = ((1_000_000, 30), (100_000, 100))
_KIB = 1024


@dataclass(frozen=True)
class Fit:
    """What a fit took, in seconds and bytes beyond those before it, and what it found."""

    seconds: float
    beyond: float
    cosine: float
    data: float


def million(_repeats: int) -> list[Measurement]:
    """Default fits to large data with a planted plane, each in its own process."""
    measurements = []
    for n_rows, n_features in _SHAPES:
        done = fit_apart(MELM(random_state=0), n_rows, n_features)
        name = f"{n_rows:,} x {n_features}"
        cosine = f"smallest principal cosine to the true plane, {name}"
        relative = f"the same relative to the size of the data, {name}"
        measurements += [
            Measurement(f"MELM fit, {name}", "s", (done.seconds,)),
            Measurement(cosine, "", (done.cosine,)),
            Measurement(f"peak memory beyond the data, {name}", "GB", (done.beyond / 1e9,)),
            Measurement(relative, "", (done.beyond / done.data,)),
        ]
    return measurements


def fit_apart(method: Any, n_rows: int, n_features: int) -> Fit:
    """Fit to data with a planted plane, in a process of its own.

    Parameters
    ----------
    method : estimator of planes
    n_rows, n_features : int
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_fit, (method, n_rows, n_features))


def _fit(method: Any, n_rows: int, n_features: int) -> Fit:
    X, y, plane = planted(n_rows, n_features, seed=0)
    reset_peak()
    before = resident_bytes("VmRSS")
    began = time.perf_counter()
    with threadpool_limits(1):
        method.fit(X, y)
    seconds = time.perf_counter() - began
    cosine = float(np.linalg.svd(method.components_ @ plane.T)[1].min())
    return Fit(seconds, resident_bytes("VmHWM") - before, cosine, float(X.nbytes))


def reset_peak() -> None:
    """Reset the peak to the memory that is resident now."""
    with open("/proc/self/clear_refs", "w") as file:  # noqa: PTH123 - a kernel interface
        file.write("5")


def resident_bytes(field: str) -> float:
    """Memory of this process by a field of its status, in bytes."""
    with open("/proc/self/status") as file:  # noqa: PTH123
        line = next(line for line in file if line.startswith(field))
    return float(line.split()[1]) * _KIB

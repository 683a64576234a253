"""Rotations: one start by each solver, and the printed rule compared with the default."""

from __future__ import annotations

import time
from statistics import median

from threadpoolctl import threadpool_limits

from lab.benchmarks.table import Measurement
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import two_gaussians
from melm_core.rotations import RotationPlane

# Iterations of the printed rule, which does not converge.
_PRINTED_STEPS = 1000
_N_DRAWS = 5


def rotations(repeats: int) -> list[Measurement]:
    """Milliseconds of one start on 300 x 10 for a plane, and the optimum reached, by solver."""
    draws = [two_gaussians(seed) for seed in range(_N_DRAWS)]
    solvers = {
        "default": RotationPlane(n_init=1, random_state=0),
        "L-BFGS": RotationPlane(solver="lbfgs", n_init=1, random_state=0),
        "printed rule": RotationPlane(
            solver="paper", n_init=1, max_iter=_PRINTED_STEPS, random_state=0
        ),
    }
    rows = []
    with threadpool_limits(1):
        times = {name: _times(model, draws, repeats) for name, model in solvers.items()}
        for name, took in times.items():
            rows.append(Measurement(f"one start, 300 x 10, plane: {name}", "ms", took))
        ratio = tuple(a / b for a, b in zip(times["printed rule"], times["default"], strict=True))
        rows.append(Measurement("printed rule / default, time", "", ratio))
        for name, model in solvers.items():
            found = tuple(model.fit(X, y).objective_ for X, y in draws)
            rows.append(Measurement(f"M of one start on {_N_DRAWS} draws: {name}", "", found))
    return rows


def _times(
    model: RotationPlane, draws: list[tuple[FloatArray, IntArray]], repeats: int
) -> tuple[float, ...]:
    """Milliseconds of one fit, each the median over the draws."""
    return tuple(median(_once(model, X, y) for X, y in draws) for _ in range(repeats))


def _once(model: RotationPlane, X: FloatArray, y: IntArray) -> float:
    began = time.perf_counter()
    model.fit(X, y)
    return 1000 * (time.perf_counter() - began)

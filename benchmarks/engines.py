"""The engines of the divergence against the paper's formulas and against each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import paper
from benchmarks.table import Measurement
from melm_core import MELM
from melm_core._typing import FloatArray, IntArray
from melm_core.density import KernelClasses, whitened_kernel_classes
from melm_core.divergence import divergence_and_gradient
from melm_core.potentials import is_direct_better

_PAPER_ROWS = (200, 500, 1_000, 2_000)
_ENGINE_ROWS = (200, 1_000, 2_000, 5_000, 10_000, 100_000)
_MOST_DIRECT_ROWS = 10_000
_N_FEATURES = 20
_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def against_paper(repeats: int) -> list[Measurement]:
    """Value and gradient: how many times longer the paper's formulas take."""
    rows = []
    with threadpool_limits(1):
        for n_rows in _PAPER_ROWS:
            classes, components = _problem(n_rows)
            theirs = _seconds(partial(paper.value_and_gradient, components.T, classes), repeats)
            ours = _seconds(partial(divergence_and_gradient, classes, components), repeats)
            ratio = tuple(a / b for a, b in zip(theirs, ours, strict=True))
            rows.append(Measurement(f"paper / ours, value and gradient, N = {n_rows}", "", ratio))
    return rows


def direct_and_nufft(repeats: int) -> list[Measurement]:
    """Milliseconds of both engines, and which one "auto" takes."""
    rows = []
    with threadpool_limits(1):
        for n_rows in _ENGINE_ROWS:
            classes, components = _problem(n_rows)
            projected = classes.project(components)
            is_direct = is_direct_better(projected.rows, projected.covariances)
            for engine in ("direct", "nufft"):
                if engine == "direct" and n_rows > _MOST_DIRECT_ROWS:
                    continue
                work = partial(divergence_and_gradient, classes, components, engine=engine)
                took = _seconds(work, repeats)
                mark = " (auto)" if (engine == "direct") == is_direct else ""
                name = f"{engine}{mark}, N = {n_rows}"
                rows.append(Measurement(name, "ms", tuple(1000 * s for s in took)))
    return rows


def paper_fit(_repeats: int) -> list[Measurement]:
    """One start of the paper's program against our whole default fit, on its heart data."""
    path = _DATA / "heart.csv"
    if not path.exists():
        print(f"{path.name} is not in {_DATA.parent.name}/{_DATA.name}, left out.")
        return []
    X, y = _standardised(path)
    with threadpool_limits(1):
        began = time.perf_counter()
        theirs, _ = paper.fit(X, y, n_init=1, seed=0)
        their_seconds = time.perf_counter() - began
        began = time.perf_counter()
        ours = MELM(random_state=0).fit(X, y).divergence_
        our_seconds = time.perf_counter() - began
    return [
        Measurement("paper, one start / our whole fit, heart", "", (their_seconds / our_seconds,)),
        Measurement("divergence of the paper's start, heart", "", (theirs,)),
        Measurement("divergence of our fit, heart", "", (ours,)),
    ]


def million(_repeats: int) -> list[Measurement]:
    """A default fit of a million rows with thirty features, and the plane it finds."""
    X, y, plane = planted(1_000_000, 30, seed=0)
    began = time.perf_counter()
    with threadpool_limits(1):
        melm = MELM(random_state=0).fit(X, y)
    seconds = time.perf_counter() - began
    cosine = float(np.linalg.svd(melm.components_ @ plane.T)[1].min())
    return [
        Measurement("MELM fit, 1 000 000 x 30", "s", (seconds,)),
        Measurement("smallest principal cosine to the true plane", "", (cosine,)),
    ]


def planted(n_rows: int, n_features: int, seed: int) -> tuple[FloatArray, IntArray, FloatArray]:
    """Two classes that differ within one plane only: one round, one in four clusters."""
    stream = np.random.default_rng(seed)
    X = stream.standard_normal((n_rows, n_features))
    y = stream.integers(0, 2, n_rows)
    plane = np.linalg.qr(stream.standard_normal((n_features, 2)))[0].T
    inside = X @ plane.T
    clustered = 0.5 * inside + 1.2 * np.sign(inside)
    X += np.where(y[:, None] == 1, clustered - inside, 0.0) @ plane
    return X, y, plane


def _standardised(path: Path) -> tuple[FloatArray, IntArray]:
    table = pd.read_csv(path)
    X = StandardScaler().fit_transform(table.drop(columns="label"))
    return X, (table["label"].to_numpy() > 0).astype(np.int64)


def _problem(n_rows: int) -> tuple[KernelClasses, FloatArray]:
    X, y, _ = planted(n_rows, _N_FEATURES, seed=1)
    classes, _ = whitened_kernel_classes(X, y, n_components=2)
    return classes, np.linalg.qr(np.random.default_rng(2).standard_normal((_N_FEATURES, 2)))[0].T


def _seconds(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    """Seconds of one call, each the median of three."""
    work()
    return tuple(median(_once(work) for _ in range(3)) for _ in range(repeats))


def _once(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

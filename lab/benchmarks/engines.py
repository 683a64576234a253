"""The engines of the divergence, compared with the paper's formulas and with each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from statistics import median
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from lab.benchmarks import paper
from lab.benchmarks.paper_data import paper_table, standardized_table
from lab.benchmarks.table import Measurement
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.density import (
    ClassDensities,
    density_on_grid,
    kernel_classes,
    whitened_kernel_classes,
)
from melm_core.melm import divergence_and_gradient

_PAPER_ROWS = (200, 500, 1_000, 2_000, 5_000)
_PAPER_STARTS, _MEASURED_STARTS = 17, 2
_QUICK_FORM = "whole matrix"
_ENGINE_ROWS = (200, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000)
_MOST_DIRECT_ROWS = 10_000
_TRANSFORMED_ROWS = (1_000, 10_000, 100_000, 1_000_000)
_BREAK_EVEN_ROWS = (400, 700, 1_000, 1_500, 2_000, 3_000, 4_500)
_GRID_LINES = 100
_N_FEATURES = 20


def against_paper(repeats: int) -> list[Measurement]:
    """Value and gradient: time of both forms of the paper's formulas relative to ours."""
    with threadpool_limits(1):
        return [
            _against_paper(n_rows, form, repeats) for n_rows in _PAPER_ROWS for form in paper.FORMS
        ]


def _against_paper(n_rows: int, form: str, repeats: int) -> Measurement:
    classes, components = _problem(n_rows)
    formulas = partial(paper.value_and_gradient, components.T, classes, paper.FORMS[form])
    theirs = _seconds(formulas, repeats)
    ours = _seconds(partial(divergence_and_gradient, classes, components), repeats)
    ratio = tuple(a / b for a, b in zip(theirs, ours, strict=True))
    return Measurement(f"paper, {form} / ours, value and gradient, N = {n_rows}", "", ratio)


def direct_and_nufft(repeats: int) -> list[Measurement]:
    """Milliseconds of both engines, and which one "auto" selects."""
    rows = []
    with threadpool_limits(1):
        for n_rows in _ENGINE_ROWS:
            classes, components = _problem(n_rows)
            projected = classes.project(components)
            is_direct = projected.engine("potentials") == "direct"
            for engine in ("direct", "nufft"):
                if engine == "direct" and n_rows > _MOST_DIRECT_ROWS:
                    continue
                work = partial(divergence_and_gradient, classes, components, engine=engine)
                took = _seconds(work, repeats)
                mark = " (auto)" if (engine == "direct") == is_direct else ""
                name = f"{engine}{mark}, N = {n_rows}"
                rows.append(Measurement(name, "ms", tuple(1000 * s for s in took)))
    return rows


def without_finufft(repeats: int) -> list[Measurement]:
    """Value and gradient with our own transforms: time relative to those of finufft."""
    rows = []
    with threadpool_limits(1):
        for n_rows in _TRANSFORMED_ROWS:
            classes, components = _problem(n_rows)
            work = partial(divergence_and_gradient, classes, components, engine="nufft")
            theirs = _seconds(work, repeats)
            with patch("melm_core.density.engines.nufft.finufft", None):
                ours = _seconds(work, repeats)
            ratio = tuple(a / b for a, b in zip(ours, theirs, strict=True))
            rows.append(Measurement(f"without / with finufft, N = {n_rows}", "", ratio))
    return rows


def break_even(repeats: int) -> list[Measurement]:
    """Numbers of rows at which the engines are equally fast, and at which "auto" switches."""
    with threadpool_limits(1):
        found = tuple(_crossing(_log_ratios()) for _ in range(repeats))
    changes = _switch()
    return [
        Measurement("rows at which the engines are equally fast", "", found),
        Measurement('rows at which "auto" switches', "", (changes,)),
        Measurement("ratio of the two", "", tuple(changes / rows for rows in found)),
    ]


def paper_fit(_repeats: int) -> list[Measurement]:
    """The paper's algorithm with 17 starts, extrapolated from two, and with one, against our fit.

    Both forms compute the same numbers, so they take the same steps: the evaluations are
    counted with the faster form, and a few are timed with each.
    """
    return [row for name in ("heart", "sonar", "splice") for row in _paper_fit(name)]


def _paper_fit(name: str) -> list[Measurement]:
    path = paper_table(name)
    if path is None:
        return []
    X, y = standardized_table(path)
    melm = MELM(gamma=1.0, shrinkage="auto", random_state=0)  # the objective of the paper
    with threadpool_limits(1):
        before = _once(lambda: melm.fit(X, y))
        theirs, n_evaluations = paper.fit(
            X, y, paper.FORMS[_QUICK_FORM], n_init=_MEASURED_STARTS, seed=0
        )
        evaluation_s = {form: _evaluation_seconds(X, y, form) for form in paper.FORMS}
        after = _once(lambda: melm.fit(X, y))
    n_in_all = n_evaluations * _PAPER_STARTS / _MEASURED_STARTS
    best = f"divergence of the paper's best of {_MEASURED_STARTS}, {name}"
    return [
        *(
            Measurement(
                f"paper, {form}, {n_starts} start{'s' * (n_starts > 1)} / our complete fit, {name}",
                "",
                tuple(
                    n_in_all * n_starts / _PAPER_STARTS * seconds / ours for ours in (before, after)
                ),
            )
            for form, seconds in evaluation_s.items()
            for n_starts in (_PAPER_STARTS, 1)
        ),
        Measurement(f"evaluations of the paper's {_PAPER_STARTS} starts, {name}", "", (n_in_all,)),
        Measurement(best, "", (theirs,)),
        Measurement(f"divergence of our fit, {name}", "", (melm.divergence_,)),
    ]


def _evaluation_seconds(X: FloatArray, y: IntArray, form: str) -> float:
    """Seconds of one value with its gradient in a random plane, the median of three."""
    classes = kernel_classes(X, y, n_components=2, shrinkage="auto")
    plane = np.linalg.qr(np.random.default_rng(0).standard_normal((X.shape[1], 2)))[0]
    return _seconds(
        partial(paper.value_and_gradient, plane, classes, paper.FORMS[form]), repeats=1
    )[0]


def density_grid(repeats: int) -> list[Measurement]:
    """A density of a million rows on a grid, as for the contours."""
    rows = np.random.default_rng(0).standard_normal((1_000_000, 2))
    axis = np.linspace(-4.0, 4.0, _GRID_LINES)
    kernel = 0.1**2 * np.eye(2)
    with threadpool_limits(1):
        took = _seconds(partial(density_on_grid, axis, axis, rows, kernel), repeats)
    name = f"density of 1,000,000 rows on {_GRID_LINES} x {_GRID_LINES}"
    return [Measurement(name, "ms", tuple(1000 * s for s in took))]


def planted(n_rows: int, n_features: int, seed: int) -> tuple[FloatArray, IntArray, FloatArray]:
    """Two classes that differ only within one plane: one is Gaussian, one has four clusters."""
    stream = np.random.default_rng(seed)
    X = stream.standard_normal((n_rows, n_features))
    y = stream.integers(0, 2, n_rows)
    plane = np.linalg.qr(stream.standard_normal((n_features, 2)))[0].T
    return with_clusters(X, y, plane), y, plane


def with_clusters(X: FloatArray, y: IntArray, plane: FloatArray) -> FloatArray:
    """The rows, those of class 1 moved within a plane so that they form four clusters."""
    inside = X @ plane.T
    clustered = 0.5 * inside + 1.2 * np.sign(inside)
    X += np.where(y[:, None] == 1, clustered - inside, 0.0) @ plane
    return X


def _problem(n_rows: int) -> tuple[ClassDensities, FloatArray]:
    X, y, _ = planted(n_rows, _N_FEATURES, seed=1)
    classes, _ = whitened_kernel_classes(X, y, n_components=2)
    return classes, np.linalg.qr(np.random.default_rng(2).standard_normal((_N_FEATURES, 2)))[0].T


def _log_ratios() -> dict[int, float]:
    """Logarithm of the ratio of direct to Fourier time, by number of rows."""
    ratios = {}
    for n_rows in _BREAK_EVEN_ROWS:
        classes, components = _problem(n_rows)
        direct, nufft = (
            min(
                _once(partial(divergence_and_gradient, classes, components, engine=engine))
                for _ in range(9)
            )
            for engine in ("direct", "nufft")
        )
        ratios[n_rows] = float(np.log(direct / nufft))
    return ratios


def _crossing(log_ratios: dict[int, float]) -> float:
    """Number of rows at which the ratio crosses one, by interpolation."""
    for (few, below), (many, above) in pairwise(log_ratios.items()):
        if below < 0 <= above:
            share = below / (below - above)
            return float(few * (many / few) ** share)
    raise ValueError(f"The engines do not break even within {_BREAK_EVEN_ROWS} rows.")


def _switch() -> float:
    """The smallest number of rows at which "auto" selects the Fourier engine."""
    few, many = _BREAK_EVEN_ROWS[0], _BREAK_EVEN_ROWS[-1]
    while many - few > 10:
        middle = (few + many) // 2
        classes, components = _problem(middle)
        projected = classes.project(components)
        if projected.engine("potentials") == "direct":
            few = middle
        else:
            many = middle
    return float(many)


def _seconds(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    """Seconds per call, each the median of three."""
    work()
    return tuple(median(_once(work) for _ in range(3)) for _ in range(repeats))


def _once(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began

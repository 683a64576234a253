"""Time of a fit without the studio."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.paper_data import paper_table, standardized_table
from benchmarks.table import Measurement
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.density import kernel_classes, within_class_whitening
from melm_core.melm import divergence_and_gradient
from melm_studio.tables import LabeledData, load_sample, prepare

SAMPLE = "breast_cancer"
N_COMPONENTS = 2
EVALUATIONS_A_RUN = 100
_PAPER_DATA = ("heart", "sonar", "splice")


def fit(repeats: int) -> list[Measurement]:
    """A fit in this process, with one thread for linear algebra, as in a worker."""
    data = prepare(load_sample(SAMPLE))
    estimator = MELM(N_COMPONENTS, random_state=0)
    with threadpool_limits(1):
        estimator.fit(data.X, data.y)
        fits_s = _timed(lambda: estimator.fit(data.X, data.y), repeats)
        evaluations_s = _timed(_evaluations(data), repeats)
    n_evaluations = estimator.n_evaluations_
    evaluation_ms = tuple(1000 * seconds / EVALUATIONS_A_RUN for seconds in evaluations_s)
    return [
        Measurement(f"MELM fit, {estimator.n_init} starts", "s", fits_s),
        Measurement("evaluations in that fit", "", (float(n_evaluations),)),
        Measurement("value and gradient", "ms", evaluation_ms),
    ]


def small(repeats: int) -> list[Measurement]:
    """Default fits to small data, and fits of NCA, which begins at the linear discriminants."""
    measurements = []
    for name, (X, y) in _small_data().items():
        methods = {
            "MELM": MELM(N_COMPONENTS, random_state=0),
            "NCA of scikit-learn": NeighborhoodComponentsAnalysis(N_COMPONENTS, random_state=0),
        }
        with threadpool_limits(1):
            measurements += [
                Measurement(f"{method}, {name}", "s", _timed(partial(one.fit, X, y), repeats))
                for method, one in methods.items()
            ]
    return measurements


def _small_data() -> dict[str, tuple[FloatArray, IntArray]]:
    """Those of the papers' data that lie beside the project, and digits, standardized."""
    tables = {name: paper_table(name) for name in _PAPER_DATA}
    small = {name: standardized_table(path) for name, path in tables.items() if path}
    X, y = load_digits(return_X_y=True)
    return {**small, "digits": (StandardScaler().fit_transform(X), y)}


def _evaluations(data: LabeledData) -> Callable[[], None]:
    """Values and gradients at a random plane, as in the search."""
    centered = data.X - data.X.mean(axis=0)
    whitened = centered @ within_class_whitening(centered, data.y)
    classes = kernel_classes(whitened, data.y, n_components=N_COMPONENTS)
    components = np.random.default_rng(0).normal(size=(N_COMPONENTS, whitened.shape[1]))

    def evaluate() -> None:
        for _ in range(EVALUATIONS_A_RUN):
            divergence_and_gradient(classes, components)

    return evaluate


def _timed(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return tuple(seconds)

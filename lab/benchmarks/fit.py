"""Time of a fit without the studio."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from lab.benchmarks.paper_data import paper_table, standardized_table
from lab.benchmarks.table import Measurement
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.density import kernel_classes, within_class_whitening
from melm_core.evaluation import Study, permutation_test
from melm_core.melm import divergence_and_gradient
from melm_studio.tables import LabeledData, load_sample, prepare

SAMPLE = "breast_cancer"
N_COMPONENTS = 2
EVALUATIONS_A_RUN = 100
_PAPER_DATA = ("heart", "sonar", "splice")
_N_SHUFFLES = 19


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
    """Default fits to small data, and fits of NCA, which begins at the linear discriminants.

    CPU seconds of one thread, each repeat of all of them after the other. The compiled library and
    numpy find the same planes.
    """
    measurements = []
    for name, (X, y) in _small_data().items():
        works: dict[str, Callable[[], object]] = {
            "MELM": _fit_with("", X, y),
            "MELM in numpy": _fit_with("numpy", X, y),
            "NCA of scikit-learn": partial(_nca().fit, X, y),
        }
        with threadpool_limits(1):
            rounds = [[_cpu_s(work) for work in works.values()] for _ in range(repeats)]
        compiled, in_numpy, nca = zip(*rounds, strict=True)
        measurements += [
            Measurement(f"{name}: {what}", "CPU s", seconds)
            for what, seconds in zip(works, (compiled, in_numpy, nca), strict=True)
        ]
        measurements += [
            Measurement(f"{name}: MELM takes of NCA's time", "", _ratios(compiled, nca)),
            Measurement(
                f"{name}: MELM takes of its time in numpy", "", _ratios(compiled, in_numpy)
            ),
        ]
    return measurements


def refits(repeats: int) -> list[Measurement]:
    """What "Is it real?" waits for: refits and shuffles, by the compiled library and in numpy."""
    measurements = []
    for name, (X, y) in _refitted().items():
        study = Study("melm", X, y)
        works = {"": partial(_shuffles, study), "numpy": partial(_shuffles, study)}
        with threadpool_limits(1):
            one = [_cpu_s(study.fitted) for _ in range(10 * repeats)]
            rounds = [
                [_in_engine(engine, work) for engine, work in works.items()] for _ in range(repeats)
            ]
        compiled, in_numpy = zip(*rounds, strict=True)
        measurements += [
            Measurement(f"{name}: a refit", "CPU ms", tuple(1000 * seconds for seconds in one)),
            Measurement(f"{name}: {_N_SHUFFLES} shuffles", "CPU s", compiled),
            Measurement(f"{name}: the same in numpy", "CPU s", in_numpy),
            Measurement(f"{name}: numpy takes times as long", "", _ratios(in_numpy, compiled)),
        ]
    return measurements


def _nca() -> NeighborhoodComponentsAnalysis:
    return NeighborhoodComponentsAnalysis(N_COMPONENTS, random_state=0)


def _fit_with(engine: str, X: FloatArray, y: IntArray) -> Callable[[], object]:
    def work() -> None:
        with _engine(engine):
            MELM(N_COMPONENTS, random_state=0).fit(X, y)

    return work


def _in_engine(engine: str, work: Callable[[], object]) -> float:
    with _engine(engine):
        return _cpu_s(work)


@contextmanager
def _engine(name: str) -> Generator[None]:
    before = os.environ.get("MELM_ENGINE", "")
    os.environ["MELM_ENGINE"] = name
    try:
        yield
    finally:
        os.environ["MELM_ENGINE"] = before


def _shuffles(study: Study) -> object:
    return permutation_test(study, n_permutations=_N_SHUFFLES, level=None)


def _ratios(seconds: Sequence[float], others: Sequence[float]) -> tuple[float, ...]:
    return tuple(own / other for own, other in zip(seconds, others, strict=True))


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _small_data() -> dict[str, tuple[FloatArray, IntArray]]:
    """Those of the papers' data that lie beside the project, and digits, standardized."""
    tables = {name: paper_table(name) for name in _PAPER_DATA}
    small = {name: standardized_table(path) for name, path in tables.items() if path}
    loaded = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    for name, load in loaded.items():
        X, y = load(return_X_y=True)
        small[name] = StandardScaler().fit_transform(X), y
    return small


def _refitted() -> dict[str, tuple[FloatArray, IntArray]]:
    planted = make_classification(1_000, 30, n_informative=5, random_state=0)
    return {"wine": load_wine(return_X_y=True), "1,000 x 30": planted}


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

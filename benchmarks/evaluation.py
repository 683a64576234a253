"""Times of the validation: separability, permutations, and the first answer of a check."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.table import Measurement
from melm_core.baselines import DiscriminantPlane
from melm_core.datasets import pure_noise
from melm_core.evaluation import (
    cross_validated_separability,
    permutation_test,
    separability,
)
from melm_studio.analyses.analysis import Work
from melm_studio.analyses.check import CHECK
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.request import Command, RunRequest
from melm_studio.runs.records.run import new_run
from melm_studio.tables import LabeledData, Table, prepare

_N_PERMUTATIONS = 20
_N_PLANNED = 999
_CHECKED_CLASSES = (152, 68, 124)
_N_CHECKED_FEATURES = 11


def evaluation(repeats: int) -> list[Measurement]:
    """CPU seconds of each part for LDA, and the draws needed with early stopping."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    Z = DiscriminantPlane().fit_transform(X, y)
    with threadpool_limits(1):
        scoring = _timed(lambda: separability(Z, y), repeats)
        refitting = _timed(lambda: cross_validated_separability("lda", X, y), repeats)
        drawing = _timed(lambda: _draws(X, y, _N_PERMUTATIONS, None), repeats)
        needed = tuple(
            float(_draws(*pure_noise(random_state=seed), _N_PLANNED, 0.05))
            for seed in range(repeats)
        )
        data = _checked_table()
        answering = [
            _timed(partial(_first_answer, method, data), repeats) for method in ("lda", "melm")
        ]
    each_ms = tuple(1000 * seconds / (_N_PERMUTATIONS + 1) for seconds in drawing)
    return [
        Measurement("separability of a plane", "CPU s", scoring),
        Measurement("LDA, in-sample and held out", "CPU s", refitting),
        Measurement("LDA, one permutation, held out", "CPU ms", each_ms),
        Measurement(f"permutations of {_N_PLANNED} that pure noise needs", "", needed),
        Measurement("LDA, first answer of a check, 344 x 11", "CPU s", answering[0]),
        Measurement("MELM, first answer of a check, 344 x 11", "CPU s", answering[1]),
    ]


class _Answered:
    """A store that asks a check to stop at its first answer."""

    def __init__(self) -> None:
        self.has_answer = False

    def put_report(self, _run_id: str, raw: bytes) -> None:
        self.has_answer = bool(CheckReport.from_bytes(raw).answer)

    def request(self, _run_id: str) -> RunRequest:
        return RunRequest(Command.CANCEL if self.has_answer else Command.GO)


def _checked_table() -> LabeledData:
    """Three classes that overlap, in numbers and in indicators."""
    y = np.repeat(np.arange(len(_CHECKED_CLASSES)), _CHECKED_CLASSES)
    X = np.random.default_rng(0).normal(size=(len(y), _N_CHECKED_FEATURES))
    X[:, 0] += 1.5 * y
    X[:, 5:] = X[:, 5:] > 0
    frame = pd.DataFrame({**{f"x{at}": cells for at, cells in enumerate(X.T)}, "label": y})
    return prepare(Table("simulated", frame.astype({"label": str}), ()), "label")


def _first_answer(method: str, data: LabeledData) -> None:
    source = DataSource(kind="sample", key="iris")  # a check does not read it
    record = new_run("", "", data.name, method, checked_parameters(method, {}), source=source)
    store = _Answered()
    CHECK.compute(Work(store, record, data, time))  # type: ignore[arg-type]


def _draws(X: object, y: object, n_permutations: int, level: float | None) -> int:
    test = permutation_test("lda", X, y, n_permutations=n_permutations, level=level)
    return len(test.values)


def _timed(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return tuple(seconds)

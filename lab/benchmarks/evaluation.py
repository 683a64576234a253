"""Times of the validation: separability, permutations, and the first answer of a check."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from lab.benchmarks.table import Measurement
from melm_core.baselines import DiscriminantPlane
from melm_core.datasets import pure_noise
from melm_core.evaluation import Refits, Separability, Study, permutation_test
from melm_core.methods import METHODS
from melm_studio.analyses.analysis import Analysis, Subject, Work
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.lot_change import LOT_CHANGE, LotRows
from melm_studio.analyses.more_rows import MORE_ROWS
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.analyses.sets import SETS
from melm_studio.runs.execution.giving_way import StoppedError
from melm_studio.runs.execution.rows import prepared_for
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.runs.records.run import Command, RunRequest, new_run
from melm_studio.scores import refits_sentence
from melm_studio.tables import LabeledData, Table, prepare

_N_PERMUTATIONS = 20
_N_PLANNED = 999
_CHECKED_CLASSES = (152, 68, 124)
_N_CHECKED_FEATURES = 11
_N_LARGE, _N_LARGE_FEATURES = 1_000, 50


def evaluation(repeats: int) -> list[Measurement]:
    """CPU seconds of each part for LDA, and the draws needed with early stopping."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    Z = DiscriminantPlane().fit_transform(X, y)
    with threadpool_limits(1):
        scoring = _timed(lambda: Separability.of(Z, y), repeats)
        refitting = _timed(lambda: Refits.of(Study("lda", X, y)).share, repeats)
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
        Measurement("LDA, refits and their share", "CPU s", refitting),
        Measurement("LDA, one permutation, held out", "CPU ms", each_ms),
        Measurement(f"permutations of {_N_PLANNED} that pure noise needs", "", needed),
        Measurement("LDA, first answer of a check, 344 x 11", "CPU s", answering[0]),
        Measurement("MELM, first answer of a check, 344 x 11", "CPU s", answering[1]),
    ]


def first_words(repeats: int) -> list[Measurement]:
    """CPU seconds until each answer to a table of 1,000 x 50 says something.

    As in a worker, on one core: from the data in the store to the report in the store. The refits,
    which come first on the page, say the share of the folds so far.
    """
    table, lot = _large_tables()
    measurements = []
    for method in ("lda", "melm"):
        for analysis in (REFITS_OF_RUN, CHECK, SETS, MORE_ROWS, LOT_CHANGE):
            name = f"{analysis.title or 'Refits'}, {METHODS[method].label}, 1,000 x 50"
            with threadpool_limits(1):
                first = _timed(partial(_first_report, analysis, method, table, lot), repeats)
            measurements.append(Measurement(f"{name}, first words", "CPU s", first))
    return measurements


def _large_tables() -> tuple[LabeledData, bytes]:
    """A table of two classes that overlap, and a second lot, in which a feature has shifted."""
    stream = np.random.default_rng(0)
    y = np.arange(2 * _N_LARGE) % 2
    X = stream.normal(size=(len(y), _N_LARGE_FEATURES))
    X[:, 0] += 1.5 * y
    X[_N_LARGE:, 1] += 1.0
    frame = pd.DataFrame({f"x{at}": cells for at, cells in enumerate(X[:_N_LARGE].T)})
    table = Table("large", frame.assign(label=y[:_N_LARGE].astype(str)), ())
    data = prepare(table, "label")
    rows = (X[_N_LARGE:] - data.center) / data.scale
    numbers = np.arange(1, len(rows) + 1)
    is_filled = np.zeros(len(rows), dtype=np.bool_)
    lot = LotRows("second.csv", rows, y[_N_LARGE:].astype(np.int64), numbers, is_filled)
    return data, lot.to_bytes()


def _first_report(analysis: Analysis[Any], method: str, data: LabeledData, lot: bytes) -> None:
    source = DataSource(kind="sample", key="iris")  # an analysis does not read it
    record = new_run("", "", data.name, method, checked_parameters(method, {}), source=source)
    subject = Subject(record, record, data.feature_names, data.class_names)

    def has_words(raw: bytes) -> bool:
        report = analysis.read(raw)
        if isinstance(report, RefitsReport):
            return bool(refits_sentence(report))
        return analysis.section(report, subject) is not None

    store: Any = _Watching(has_words, lot)
    with suppress(StoppedError):
        analysis.compute(Work(store, record, prepared_for(data, record), time))


class _Watching:
    """A store that asks an analysis to stop at the first report that is wanted."""

    def __init__(self, is_wanted: Callable[[bytes], bool], file: bytes = b"") -> None:
        self.is_wanted, self.file = is_wanted, file
        self.has_wanted = False

    def put_report(self, _run_id: str, raw: bytes) -> None:
        self.has_wanted = self.has_wanted or self.is_wanted(raw)

    def report(self, _run_id: str) -> None:
        """Nothing is known of the run yet: neither its refits, nor its plane."""

    get = last_event = report

    def get_file(self, *_: object) -> bytes:
        return self.file

    def request(self, _run_id: str) -> RunRequest:
        return RunRequest(Command.CANCEL if self.has_wanted else Command.GO)


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
    store: Any = _Watching(lambda raw: bool(CheckReport.from_bytes(raw).answer))
    with suppress(StoppedError):
        CHECK.compute(Work(store, record, prepared_for(data, record), time))


def _draws(X: object, y: object, n_permutations: int, level: float | None) -> int:
    study = Study("lda", X, y)
    return len(permutation_test(study, n_permutations=n_permutations, level=level).values)


def _timed(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return tuple(seconds)

"""What the tests of the worker share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from melm_core.base import ColumnEncoding
from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import principal_angles
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState, new_run
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables.labeled_data import LabeledData

DEADLINE_S = 60.0
# Without a label, so that its data alone say which rows a run has.
SOURCE = DataSource(kind="sample", key="iris")
UPLOADED = DataSource(kind="upload", key="ab" * 32, name="rows.csv")
PARAMETERS = {"n_components": 2, "gamma": 1.0, "n_init": 2, "random_state": 0, "held_out": 0.0}


@dataclass
class ManualClock:
    """A clock whose time is set by the test."""

    now_s: float = 0.0
    ahead_s: float = 0.0  # of the time of day, which may be set wrong

    def time(self) -> float:
        return self.now_s + self.ahead_s

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def wait_until(condition: Callable[[], Any], *, deadline_s: float = DEADLINE_S) -> Any:
    """Return the first true value of the condition; fail when the deadline passes."""
    end_s = time.monotonic() + deadline_s
    while not (value := condition()):
        if time.monotonic() > end_s:
            raise AssertionError(f"Not so after {deadline_s} s: {condition}")
        time.sleep(0.01)
    return value


def run_of(owner: str = "ada", data_id: str = "d", method: str = "melm", **parameters) -> RunRecord:
    given = RunParameters.of(PARAMETERS | parameters)
    return new_run(owner, data_id, "blobs", method, given, source=SOURCE)


def created(store: RunStore, owner: str = "ada") -> RunRecord:
    """Put a run into the store."""
    record = run_of(owner)
    store.create(record)
    return record


def started(store: RunStore, owner: str = "ada") -> RunRecord:
    """Put a running run into the store."""
    record = created(store, owner)
    assert store.transition(record.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    return record


def plane(objective: float = 1.0, seed: int = 0, **changes) -> PlaneEvent:
    frame, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(5, 2)))
    event = PlaneEvent(
        sequence=0,
        components=np.ascontiguousarray(frame.T),
        objective=objective,
        best_objective=objective,
        start=1,
        n_starts=2,
        iteration=3,
        n_evaluations=4,
        stage="start 1 of 2",
        fraction=0.1,
        elapsed_s=0.2,
        is_final=False,
    )
    return structs.replace(event, **changes)


def blobs(n_rows: int = 90, n_classes: int = 3, seed: int = 0) -> LabeledData:
    """Return overlapping Gaussian classes in five dimensions."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(size=(n_rows, 5)) + rng.normal(scale=1.5, size=(n_classes, 5))[y]
    return LabeledData(
        name="blobs",
        X=X,
        y=y,
        class_names=tuple(map(str, range(n_classes))),
        feature_names=tuple("abcde"),
        center=np.zeros(5),
        scale=np.ones(5),
        row_numbers=np.arange(1, n_rows + 1),
        steps=(),
        encodings=tuple(map(ColumnEncoding, "abcde")),
    )


def queue_run(
    store: RunStore, data: LabeledData, method: str = "melm", *, owner: str = "ada", **parameters
) -> RunRecord:
    """Put the data and a run on them into the store."""
    store.put_file(owner, FileKind.DATA, data.content_hash, data.to_bytes())
    record = run_of(owner, data.content_hash, method, **parameters)
    store.create(record)
    return record


def assert_same_plane(components: FloatArray, expected: FloatArray) -> None:
    """Assert that both frames are orthonormal and all principal cosines are one."""
    np.testing.assert_allclose(components @ components.T, np.eye(len(components)), atol=1e-9)
    np.testing.assert_allclose(principal_angles(components, expected), 0.0, atol=1e-9)


class Trap:
    """Touches a file when unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)

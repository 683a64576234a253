"""Frozen values that describe a run and its history."""

from __future__ import annotations

import json
import secrets
import struct
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from melm_core.base import FloatArray

HEADER_LENGTH = struct.Struct("<I")


class RunState(StrEnum):
    """Where a run stands in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"  # the work itself met an error
    CANCELLED = "cancelled"
    LOST = "lost"  # whoever worked it is gone

    @property
    def is_final(self) -> bool:
        """Whether a run in this state never changes again."""
        return self is RunState.DONE or self.is_cut_short

    @property
    def is_cut_short(self) -> bool:
        """Whether a run in this state ended before its work was done."""
        return self in (RunState.FAILED, RunState.CANCELLED, RunState.LOST)


# A process works the run; in PAUSED it holds still.
AT_WORK = frozenset({RunState.RUNNING, RunState.PAUSED})


# What names the rows of a table: equal for data that differ in their features alone.
Table: TypeAlias = tuple[str, ...]


class RunKind(StrEnum):
    """What a run does."""

    FIT = "fit"  # finds a plane and streams the way there
    CHECK = "check"  # asks whether what another run found is real


@dataclass(frozen=True)
class RunRecord:
    """A method, its parameters and a data set, and how far the work on them is.

    Attributes
    ----------
    run_id : str
        Unguessable name of the run.
    owner : str
        Who asked for the run and alone may see it.
    data_id, data_name : str
        The data set in the store, and its name for people.
    method : str
        Key into ``melm_core.methods.registry.METHODS``.
    parameters : mapping of str to JSON values
        ``n_components``, ``gamma``, ``n_init``, ``random_state``, ``held_out``.
    state : RunState
    created_s, started_s, finished_s, heartbeat_s : float or None
        Seconds since the epoch.
    message : str
        One sentence for the user about the end; empty while all is well.
    traceback : str
        For the log; never shown to a user.
    pid : int or None
        The process that works the run.
    source : mapping of str to JSON values
        Where the data came from and how they were prepared: ``kind`` "sample" or "upload",
        ``key`` or ``name``, ``label``, ``standardise``.
    kind : RunKind
    of_run : str
        The run that a check is about.
    outcome : mapping of str to JSON values
        What a fit that is done knows besides its plane: of ``starts``, how many are known to
        agree on it, ``agreeing``.
    """

    run_id: str
    owner: str
    data_id: str
    data_name: str
    method: str
    parameters: Mapping[str, Any]
    state: RunState
    created_s: float
    started_s: float | None = None
    finished_s: float | None = None
    heartbeat_s: float | None = None
    message: str = ""
    traceback: str = ""
    pid: int | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    kind: RunKind = RunKind.FIT
    of_run: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """The table whose rows the run is of, however its features were prepared."""
        return table_of(self.data_id, self.source)

    def to_bytes(self) -> bytes:
        """Return the record as JSON in UTF-8."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> RunRecord:
        """Return the record that `to_bytes` wrote."""
        values = json.loads(raw)
        kind = RunKind(values.get("kind", RunKind.FIT))
        return cls(**values | {"state": RunState(values["state"]), "kind": kind})


def new_run(
    owner: str,
    data_id: str,
    data_name: str,
    method: str,
    parameters: Mapping[str, Any],
    *,
    source: Mapping[str, Any] | None = None,
) -> RunRecord:
    """Return the record of a run that nobody has worked yet, under a fresh unguessable name."""
    return RunRecord(
        run_id=secrets.token_urlsafe(16),
        owner=owner,
        data_id=data_id,
        data_name=data_name,
        method=method,
        parameters=dict(parameters),
        state=RunState.QUEUED,
        created_s=time.time(),
        source=dict(source or {}),
    )


def table_of(data_id: str, source: Mapping[str, Any]) -> Table:
    """Return what names the rows of data that came from there; of an unknown source, their own."""
    names = [source.get(part) for part in ("kind", "key", "label")]
    return tuple(map(str, names)) if all(names) else (data_id,)


def new_check(of: RunRecord) -> RunRecord:
    """Return the record of a check of a run that nobody has worked yet."""
    check = new_run(of.owner, of.data_id, of.data_name, of.method, of.parameters, source=of.source)
    return replace(check, kind=RunKind.CHECK, of_run=of.run_id)


@dataclass(frozen=True, eq=False)
class PlaneEvent:
    """One plane in the history of a run.

    Attributes
    ----------
    sequence : int
        0, 1, 2, ... within a run; the store assigns it when the event is appended.
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows, kept bit for bit.
    objective, best_objective : float
        Of this plane, and the best of the run so far.
    start, n_starts, iteration, n_evaluations : int
        As in ``melm_core.base.progress.Progress``.
    stage : str
        What the run is doing, in words.
    fraction : float
        Share of the work done, 0 to 1.
    elapsed_s : float
        Seconds since the fit began.
    is_final : bool
        Whether this is the plane of the fitted estimator, the last event of its run.
    """

    sequence: int
    components: FloatArray
    objective: float
    best_objective: float
    start: int
    n_starts: int
    iteration: int
    n_evaluations: int
    stage: str
    fraction: float
    elapsed_s: float
    is_final: bool

    def to_bytes(self) -> bytes:
        """Return a JSON header, its length before it, and the raw float64 components after it."""
        header = json.dumps(self._scalars() | {"shape": self.components.shape}).encode()
        numbers = np.ascontiguousarray(self.components, dtype="<f8").tobytes()
        return HEADER_LENGTH.pack(len(header)) + header + numbers

    @classmethod
    def from_bytes(cls, raw: bytes) -> PlaneEvent:
        """Return the event that `to_bytes` wrote; its components are read-only."""
        (length,) = HEADER_LENGTH.unpack_from(raw)
        end = HEADER_LENGTH.size + length
        values = json.loads(raw[HEADER_LENGTH.size : end])
        numbers = np.frombuffer(raw, dtype="<f8", offset=end).reshape(values.pop("shape"))
        return cls(components=numbers.astype(np.float64, copy=False), **values)

    def _scalars(self) -> dict[str, Any]:
        names = (field.name for field in fields(self) if field.name != "components")
        return {name: getattr(self, name) for name in names}

"""Records of a run, of the planes in its history, and of what is requested of it until it ends."""

from __future__ import annotations

import json
import secrets
import struct
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any, Self, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace

from melm_core.base import DEFAULT_DENSITY_GAMMA, FloatArray, Progress, known_type
from melm_core.methods import CURVED, GAMMA, METHODS, STARTS, STRAIGHT
from melm_core.recipe import MOST_CURVED
from melm_studio.configuration.messages import OTHER_VERSION
from melm_studio.record import UNREADABLE, Record, from_json, to_json
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome, GammaPath
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.refits_report import REFITS, refits_id

HEADER_LENGTH = struct.Struct("<I")
# A long record, such as one with a plane of thousands of features, takes more than one place.
BYTES_PER_PLACE = 2**16

_UNREADABLE_NAME = "Run of another version"
_ANY_METHOD = "pca"
_UNKNOWN_SOURCE = DataSource(kind="table", key="")

# The planes compared do not depend on the width of the run, nor on where its search starts.
_ANY_VALUE = (GAMMA.name, STARTS.name, "init")

# The kind of a run that finds a plane. Every other kind is the name of an analysis.
FIT = "fit"


class Command(StrEnum):
    """Commands to a run."""

    GO = "go"
    PAUSE = "pause"
    CANCEL = "cancel"


class RunRequest(Record, frozen=True):
    """A command, and how many single steps were requested so far.

    A paused run compares `n_steps` with the number it has carried out, so requests and steps need
    no further synchronization. A cancelled run stays cancelled. A run that gives way waits until it
    is its turn again or it is cancelled, whatever else is requested.
    """

    command: Command = msgspec.field(default=Command.GO, name="order")
    n_steps: int = 0
    gives_way: bool = False
    # Why a run was cancelled, as its message; empty where the user did it.
    reason: str = ""
    # That of the run: an earlier one finds here that the run is no longer its own.
    attempt: int = 0

    @classmethod
    def stored(cls, raw: bytes | None) -> RunRequest:
        """Return the request that a store has; to go on, if it has none that can be read."""
        return (None if raw is None else cls.readable(raw)) or GO

    @property
    def is_cancelled(self) -> bool:
        """True if the run should stop."""
        return self.command is Command.CANCEL

    @property
    def is_paused(self) -> bool:
        """True if the run should pause."""
        return self.command is Command.PAUSE

    def cancelled(self, reason: str = "") -> Self:
        """Return the request after Stop, or after a limit that says why."""
        if self.is_cancelled:
            return self
        return replace(self, command=Command.CANCEL, reason=reason)

    def giving_way(self, gives_way: bool) -> Self:
        """Return the request after the turn of a run, or when it is its turn again."""
        return replace(self, gives_way=gives_way)

    def paused(self) -> Self:
        """Return the request after Pause."""
        return self._unless_cancelled(Command.PAUSE)

    def stepped(self) -> Self:
        """Return the request after Step."""
        return replace(self.paused(), n_steps=self.n_steps + 1)

    def resumed(self) -> Self:
        """Return the request after Resume."""
        return self._unless_cancelled(Command.GO)

    def of_attempt(self, attempt: int) -> Self:
        """Return what a new attempt at the run is to heed: whether to pause, at its first plane."""
        command = Command.PAUSE if self.is_paused else Command.GO
        return type(self)(command=command, attempt=attempt)

    def _unless_cancelled(self, command: Command) -> Self:
        return self if self.is_cancelled else replace(self, command=command)


GO = RunRequest()


class RunState(StrEnum):
    """The state of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"  # the computation raised an error
    CANCELLED = "cancelled"
    LOST = "lost"  # its worker died

    @property
    def is_final(self) -> bool:
        """True if a run in this state never changes again."""
        return self is RunState.DONE or self.is_cut_short

    @property
    def is_cut_short(self) -> bool:
        """True if a run in this state ended before it was done."""
        return self in (RunState.FAILED, RunState.CANCELLED, RunState.LOST)


# A process executes the run; in PAUSED it waits.
AT_WORK = frozenset({RunState.RUNNING, RunState.PAUSED})


# Identifies the rows of a table: equal for data that differ only in their features.
Table: TypeAlias = tuple[str, ...]


class RunRecord(Record, frozen=True):
    """A method, its parameters, a data set, and the state of their computation.

    Attributes
    ----------
    run_id : str
        Unguessable identifier.
    owner : str
        The visitor who started the run; no one else may see it.
    data_id, data_name : str
        The data set in the store, and its display name.
    method : str
        Key into ``melm_core.methods.METHODS``.
    parameters : RunParameters
    source : DataSource
        Where the data come from and how they were prepared.
    state : RunState
    created_s, started_s, finished_s, heartbeat_s : float or None
        Seconds since the epoch.
    message : str
        One sentence for the user about how the run ended; empty if it is done or has not ended.
    traceback : str
        For the log; never shown to users.
    pid : int or None
        The process that executes the run.
    table_version : str
        Of the files of a registered table of which the data are a sample; else empty.
    kind : str
        `FIT`, or the name of an analysis.
    of_run : str
        The fit that an analysis is of; empty for a fit, and where it is of the data.
    new_rows : str
        The file in the store with the rows that an analysis compares those of its fit with; empty
        for all others.
    outcome : FitOutcome
    name : str
        The title of the run, where the user chose it or that of its settings was taken.
    removed_s : float or None
        When the user removed the run, in seconds since the epoch; until it is deleted, that can be
        undone.
    gave_way_s : float or None
        Since when the run waits for another turn, since others wait too; None while it computes.
    n_classes : int
        Of the data of a fit; 0 where it is not known.
    n_features : int
        Number of features of its data; 0 if unknown.
    attempt : int
        How often the run was queued again. What an earlier attempt still does is refused.
    n_losses : int
        How many workers died with the run since its user started or continued it.
    from_page : bool
        Whether it was started on the page, rather than by a program or by another run.
    """

    run_id: str
    owner: str
    data_id: str
    data_name: str
    method: str
    parameters: RunParameters
    source: DataSource
    state: RunState
    created_s: float
    started_s: float | None = None
    finished_s: float | None = None
    heartbeat_s: float | None = None
    message: str = ""
    traceback: str = ""
    pid: int | None = None
    table_version: str = ""
    kind: str = FIT
    of_run: str = ""
    new_rows: str = ""
    outcome: FitOutcome = NO_OUTCOME
    name: str = ""
    removed_s: float | None = None
    gave_way_s: float | None = None
    n_features: int = 0
    n_classes: int = 0
    attempt: int = 0
    n_losses: int = 0
    from_page: bool = False

    @property
    def is_looked_at(self) -> bool:
        """True if a page waits for its first plane; not of one that took a worker down.

        What follows a run is not: folds and shuffles of a room would precede the planes of others.
        """
        return self.from_page and self.kind == FIT and self.n_losses == 0

    @property
    def is_search(self) -> bool:
        """True if its method searches, which may take long; others find a plane in one step."""
        method = METHODS[self.method]
        return method.streams or not method.is_linear

    @property
    def gamma(self) -> float:
        """The kernel width of the divergence; until the run has chosen it, the default."""
        given = self.parameters.gamma
        return (self.chosen_gamma or GAMMA.default) if isinstance(given, str) else given

    @property
    def density_gamma(self) -> float:
        """The kernel width of the densities that are drawn and by which rows are classified."""
        return DEFAULT_DENSITY_GAMMA

    @property
    def chosen_gamma(self) -> float | None:
        """The kernel width that the run has chosen; None if it has not, or is not to choose."""
        path = self.outcome.gamma_path
        return None if path is None else path.chosen

    @property
    def is_curved(self) -> bool:
        """True if its features bend; where the run is to choose, not before it has."""
        choice = self.outcome.curves
        return self.parameters.curves == CURVED or (choice is not None and choice.is_curved)

    @property
    def can_bend(self) -> bool:
        """True if its features are straight, and its method could find by the labels which bend.

        Of one feature alone, a plane that bends it shows no more: densities have any shape along
        the straight one.
        """
        method, is_straight = METHODS[self.method], self.parameters.curves == STRAIGHT
        is_fitting = 1 < self.n_features <= MOST_CURVED
        return is_straight and is_fitting and method.is_linear and method.uses_labels

    @property
    def parameters_without_start(self) -> dict[str, Any]:
        """Those of the method: a refined run started from a plane that was fitted to the labels."""
        return self.parameters.without_start.values

    @property
    def batch_weight(self) -> float:
        """Weight of keeping batches apart from the plane; 0 for none."""
        return self.parameters.batch_weight

    @property
    def is_of_sample(self) -> bool:
        """True if the data are a sample of the rows of a registered table."""
        return bool(self.table_version)

    @property
    def n_places(self) -> int:
        """The number of places that it takes in the queue."""
        return 1 + len(self.to_bytes()) // BYTES_PER_PLACE

    @property
    def can_continue(self) -> bool:
        """True if it was cut short and can be queued again."""
        return self.state.is_cut_short

    @property
    def table(self) -> Table:
        """The table whose rows the run uses, however its features were prepared."""
        return table_of(self.data_id, self.source, self.table_version)


class UnreadableRun(RunRecord, frozen=True):
    """Placeholder of a run that another version made in a form that this one cannot read.

    It has failed, says so, and has the settings of a run, so that lists of runs can have it. Stored
    again, it is what the other version made of it, but for what its user says of it.

    Attributes
    ----------
    raw : bytes
        What the other version stored.
    """

    raw: bytes = b""

    @property
    def can_continue(self) -> bool:
        return False

    def to_bytes(self) -> bytes:
        fields = fields_of(self.raw)
        if not fields:
            return to_json(replace(self, raw=b""))
        named = {} if self.name == _UNREADABLE_NAME else {"name": self.name}
        return to_json({**fields, **named, "removed_s": self.removed_s})


def stored_run(run_id: str, raw: bytes, owner_of: Callable[[str], str]) -> RunRecord:
    """Return the run that is stored as `raw`, or its placeholder if it cannot be read.

    Parameters
    ----------
    run_id : str
    raw : bytes
    owner_of : callable
        Finds the owner of a run by its id, where the record does not say.
    """
    with suppress(*UNREADABLE):
        record = RunRecord.from_bytes(raw)
        if record.method in METHODS:
            return record
    fields = fields_of(raw)
    return UnreadableRun(
        run_id=run_id,
        owner=_text(fields, "owner") or owner_of(run_id),
        data_id=_text(fields, "data_id"),
        data_name=_text(fields, "data_name"),
        method=_ANY_METHOD,
        parameters=RunParameters(),
        source=_place_of(fields.get("source")),
        state=RunState.FAILED,
        created_s=_seconds(fields, "created_s") or time.time(),
        message=OTHER_VERSION,
        kind=_text(fields, "kind") or FIT,
        of_run=_text(fields, "of_run"),
        name=_text(fields, "name") or _UNREADABLE_NAME,
        removed_s=_seconds(fields, "removed_s"),
        raw=raw,
    )


def fields_of(raw: bytes) -> dict[str, Any]:
    """Return the fields of a record, whatever they are; none if it is not JSON."""
    with suppress(ValueError, RecursionError):
        fields = json.loads(raw)
        if isinstance(fields, dict):
            return fields
    return {}


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _seconds(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    return float(value) if isinstance(value, int | float) else None


def _place_of(source: object) -> DataSource:
    """Return what a source says of the table below which a run is listed."""
    fields = source if isinstance(source, dict) else {}
    named = {name: _text(fields, name) or _text(fields, "key") for name in ("kind", "key", "name")}
    with suppress(*UNREADABLE):
        label = _text(fields, "label") or None
        return msgspec.convert({**named, "label": label}, known_type(DataSource))
    return _UNKNOWN_SOURCE


def new_run(
    owner: str,
    data_id: str,
    data_name: str,
    method: str,
    parameters: RunParameters,
    *,
    source: DataSource,
    table_version: str = "",
    n_features: int = 0,
    n_classes: int = 0,
) -> RunRecord:
    """Return the record of a queued run with a new unguessable identifier."""
    return RunRecord(
        run_id=secrets.token_urlsafe(16),
        owner=owner,
        data_id=data_id,
        data_name=data_name,
        method=method,
        parameters=parameters,
        source=source,
        state=RunState.QUEUED,
        created_s=time.time(),
        table_version=table_version,
        n_features=n_features,
        n_classes=n_classes,
    )


def reopened(record: RunRecord, *, n_losses: int = 0) -> RunRecord:
    """Return a run that was cut short as one that is queued again, with its history."""
    return replace(
        record,
        state=RunState.QUEUED,
        started_s=None,
        finished_s=None,
        heartbeat_s=None,
        message="",
        traceback="",
        pid=None,
        gave_way_s=None,
        attempt=record.attempt + 1,
        n_losses=n_losses,
    )


def table_of(data_id: str, source: DataSource, version: str = "") -> Table:
    """Return what identifies the rows of data from a source; if that is unknown, the data."""
    if not (source.key and source.label):
        return (data_id,)
    # Other classes of the same label are other data: their runs cannot be compared. So are other
    # rows chosen by a column, which may have other classes.
    relabeled = [mark for mark in source.marks if mark.column == source.label]
    parts = (source.classes, source.read_options, relabeled, source.filters, version)
    rules = [rule for rule in map(msgspec.to_builtins, parts) if rule]
    return (
        source.kind,
        source.key,
        source.label,
        *(msgspec.json.encode(rule, order="sorted").decode() for rule in rules),
    )


def new_analysis(of: RunRecord, name: str, new_rows: str = "") -> RunRecord:
    """Return the record of a queued analysis of a fit, which has the settings of the fit."""
    run = new_run(of.owner, of.data_id, of.data_name, of.method, of.parameters, source=of.source)
    # The outcome has the kernel width that the run chose.
    return replace(
        run,
        run_id=refits_id(of.run_id) if name == REFITS else run.run_id,
        table_version=of.table_version,
        kind=name,
        of_run=of.run_id,
        new_rows=new_rows,
        outcome=of.outcome,
    )


def new_ranking(
    owner: str, data_id: str, data_name: str, source: DataSource, *, table_version: str = ""
) -> RunRecord:
    """Return the record of a queued comparison of all methods, in two dimensions."""
    record = new_run(
        owner,
        data_id,
        data_name,
        "melm",
        RunParameters(held_out=0.0),
        source=source,
        table_version=table_version,
    )
    return replace(record, kind="ranking")


def gamma_advice(record: RunRecord, fits: Iterable[RunRecord]) -> GammaPath | None:
    """The path by which a run chose gamma, or the newest of another run on the same rows.

    None if no such run has chosen yet, or the method has no kernel width.

    Parameters
    ----------
    record : RunRecord
    fits : iterable of RunRecord
        The runs of the visitor, oldest first.

    Returns
    -------
    GammaPath or None
    """
    paths = [
        path
        for other in (*fits, record)
        if _is_comparable(other, record) and (path := _chosen_path(other)) is not None
    ]
    return paths[-1] if paths else None


def recommended_gamma(record: RunRecord, fits: Iterable[RunRecord]) -> float | None:
    """The width of the best held-out accuracy in inner folds; None where none are known.

    The one number that `auto`, "Find the best γ", *By γ* and the tree of planes go by.
    """
    advice = gamma_advice(record, fits)
    return advice.chosen if advice else None


def can_choose_gamma(record: RunRecord) -> bool:
    """Return whether a run with the same method could choose gamma by inner folds."""
    return METHODS[record.method].takes(GAMMA.name)


def _chosen_path(record: RunRecord) -> GammaPath | None:
    return None if record.chosen_gamma is None else record.outcome.gamma_path


def _is_comparable(other: RunRecord, record: RunRecord) -> bool:
    """Return whether two runs have the same rows, and differ in nothing their path depends on."""
    return (
        (other.data_id, other.method) == (record.data_id, record.method)
        and _fixed(other) == _fixed(record)
        and can_choose_gamma(record)
    )


def _fixed(record: RunRecord) -> dict[str, Any]:
    return {
        name: value for name, value in record.parameters.values.items() if name not in _ANY_VALUE
    }


class PlaneEvent(Progress, frozen=True, eq=False, kw_only=True):
    """One plane in the history of a run: a step as the optimizer reported it, and its place.

    Attributes
    ----------
    sequence : int
        0, 1, 2, ... within a run; assigned by the store when the event is appended.
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows, kept bit for bit.
    is_final : bool
        Whether this is the plane of the fitted estimator, the last event of its run.
    """

    sequence: int
    is_final: bool
    components: FloatArray = msgspec.field(name="shape")  # all that the JSON header has of them

    def to_bytes(self) -> bytes:
        """Return a JSON header, preceded by its length and followed by the float64 components."""
        header = to_json(self)
        numbers = np.ascontiguousarray(self.components, dtype="<f8").tobytes()
        return HEADER_LENGTH.pack(len(header)) + header + numbers

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Return the event that `to_bytes` wrote; its components are read-only."""
        (length,) = HEADER_LENGTH.unpack_from(raw)
        end = HEADER_LENGTH.size + length
        numbers = np.frombuffer(raw, dtype="<f8", offset=end).astype(np.float64, copy=False)
        header = raw[HEADER_LENGTH.size : end]
        return from_json(header, cls, lambda _, shape: numbers.reshape(shape))

    @classmethod
    def readable(cls, raw: bytes) -> Self | None:
        """Return the event, or None where another version wrote what this one cannot read."""
        try:
            return cls.from_bytes(raw)
        except (*UNREADABLE, struct.error):
            return None

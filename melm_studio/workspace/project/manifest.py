"""The description inside a project file: which table, which runs, which story; and their results.

Planes and reports are checked against the data that they are of.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import IO, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from melm_core.base import array_header, known_type
from melm_core.methods import COMPONENTS
from melm_studio.analyses import ANALYSES, analysis_of
from melm_studio.analyses.analysis import DataShape, demand
from melm_studio.operator_tables.plane_densities import PlaneDensities
from melm_studio.rows.held_out_probabilities import finite_array
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.run import FIT, PlaneEvent, RunState
from melm_studio.tables import shortened
from melm_studio.validation import Count, InputError, Sha256, Text, read
from melm_studio.workspace.story import Story
from melm_studio.workspace.view_spec import Method, Parameters

SUFFIX = ".melm"
FORMAT = "melm-studio project"
# Raised whenever a studio of the version before could misread a project.
VERSION = 1

MANIFEST = "project.json"
MAX_MANIFEST = 32 * 2**20
MAX_RUNS = 1_000

_NO_PROJECT = "This file is not a project. Choose a project that was saved by MELM Studio."
_NEWER = (
    "This project was saved by a newer studio, in version {found} of the format; this studio opens "
    "projects up to version {most}. Update the studio, or save the project with the older one."
)
_NOT_ENDED = "A run in the project must have ended; its state is {state}."

_NO_KIND = "A project keeps no runs of the kind {kind!r}. Choose another copy of it."

Seconds = Annotated[float, Meta(ge=0, le=1e12)]

MAX_REPORT = 64 * 2**20
EVENTS_AT_ONCE = 200  # planes that are held in memory
_LENGTH = struct.Struct("<I")
_MAX_HEADER = 2**16
_MAX_STAGE = 500
_MAX_COUNT = 10**9
_ORTHONORMAL = 1e-6
_NPY = b"\x93NUMPY"
_UNREADABLE = (
    struct.error,
    ValueError,
    TypeError,
    KeyError,
    RecursionError,
    OverflowError,
    msgspec.MsgspecError,
)

_BAD_PLANE = "Plane {number} of a run in the project cannot be read. Choose another copy of it."
_BAD_REPORT = "A result in the project does not belong to its data. Choose another copy of it."
_OTHER_FEATURES = (
    "A run in the project has planes of {found} features, but its table has {expected} when it is "
    "prepared here. Open the project with the version of the studio that saved it."
)


def is_about_fit(kind: str) -> bool:
    """Return whether a project stores runs of this kind, and they are about a fit."""
    return kind in ANALYSES and ANALYSES[kind].is_saved


class ProjectRun(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run that has ended, as `RunRecord` describes it.

    Attributes
    ----------
    of : int or None
        The position in the project of the fit that a check, or probabilities, are about.
    """

    kind: str
    of: Annotated[Count, Meta(title="The run of a check")] | None = None
    source: Annotated[DataSource, Meta(title="The data of a run")]
    data_id: Annotated[Sha256, Meta(title="The hash of the data")]
    method: Method
    parameters: Parameters
    state: Annotated[RunState, Meta(title="The state of a run")]
    created_s: Annotated[Seconds, Meta(title="The time of a run")]
    started_s: Annotated[Seconds, Meta(title="The start of a run")] | None = None
    finished_s: Annotated[Seconds, Meta(title="The end of a run")] | None = None
    message: Annotated[Text, Meta(title="The message of a run")] = ""
    name: Annotated[Text, Meta(title="The name of a run")] = ""
    outcome: Annotated[FitOutcome, Meta(title="The outcome of a run")] = NO_OUTCOME

    def __post_init__(self) -> None:
        if not self.state.is_final:
            raise InputError(_NOT_ENDED.format(state=self.state))
        if self.kind == FIT:
            checked = checked_parameters(self.method, self.parameters)
            force_setattr(self, "parameters", checked.values)
        if self.kind not in (FIT, "ranking") and not is_about_fit(self.kind):
            raise InputError(_NO_KIND.format(kind=shortened(self.kind)))
        if (self.of is None) is is_about_fit(self.kind):
            raise InputError("A check in the project does not name the run that it is about.")


class Project(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """A table, its runs, and a story.

    Attributes
    ----------
    version : int
    shown : DataSource
        The data that the page showed.
    runs : tuple of ProjectRun
        Fits before the checks that are about them.
    story : Story
    """

    version: Count
    shown: Annotated[DataSource, Meta(title="The data of the project")]
    runs: Annotated[tuple[ProjectRun, ...], Meta(title="The list of runs", max_length=MAX_RUNS)]
    story: Story = Story()

    def __post_init__(self) -> None:
        for position, run in enumerate(self.runs):
            if run.of is not None and not (run.of < position and self.runs[run.of].kind == FIT):
                raise InputError("A check in the project is about a run that is not in it.")


class _Head(Struct):
    """Fields that every version of the format has."""

    format: Literal["melm-studio project"]
    version: Annotated[int, Meta(ge=1)]


def project_of(raw: bytes) -> Project:
    """Return the project that a manifest describes.

    Raises
    ------
    InputError
        If it is none, of a newer version, or a value in it breaks a rule.
    """
    try:
        values = msgspec.json.decode(raw)
        head = msgspec.convert(values, known_type(_Head))
    except (ValueError, RecursionError, msgspec.ValidationError):
        raise InputError(_NO_PROJECT) from None
    if head.version > VERSION:
        raise InputError(_NEWER.format(found=head.version, most=VERSION))
    return read(values, Project, "The project")


def tables_of(project: Project) -> set[str]:
    """Return the keys of the files that the data of a project are read from."""
    specs = [view.spec for view in project.story.views]
    sources = [project.shown, *(run.source for run in project.runs), *(s.source for s in specs)]
    keys = {source.key for source in sources if source.kind == "upload"}
    return keys | {spec.marks.new_rows.key for spec in specs if spec.marks.new_rows}


def table_part(key: str) -> str:
    """Name the part with an uploaded file, by the hash of its content."""
    return f"tables/{key}"


def history_part(position: int) -> str:
    """Name the part with the planes of a run, by its position."""
    return f"histories/{position}"


def report_part(position: int) -> str:
    """Name the part with the report of a check or a comparison."""
    return f"reports/{position}"


def verdict_part(position: int) -> str:
    """Name the part with the verdict of a fit, for people: opening a project ignores it."""
    return f"verdicts/{position}.json"


def packed_event(event: PlaneEvent) -> bytes:
    """Return an event preceded by its length."""
    raw = event.to_bytes()
    return _LENGTH.pack(len(raw)) + raw


def checked_events(file: IO[bytes], n_features: int, most: int) -> Iterator[PlaneEvent]:
    """Read the planes of a run.

    Parameters
    ----------
    file : file
        Packed events.
    n_features : int
        Of the data, or the number of coordinates of a nonlinear projection.
    most : int
        The number of planes that a run may have.

    Raises
    ------
    InputError
        If one breaks a rule, or there are more.
    """
    longest = _MAX_HEADER + 8 * n_features * int(COMPONENTS.maximum)
    shape, number = None, 0
    while prefix := file.read(_LENGTH.size):
        number += 1
        try:
            (length,) = _LENGTH.unpack(prefix)
            if length > longest or number > most:
                raise ValueError
            event = PlaneEvent.from_bytes(file.read(length))
            is_plane = _is_plane(event, shape)
        except _UNREADABLE:
            is_plane = False
        if not is_plane:
            raise InputError(_BAD_PLANE.format(number=number))
        shape = event.components.shape
        if shape[1] != n_features:
            raise InputError(_OTHER_FEATURES.format(found=shape[1], expected=n_features))
        yield event


def _is_plane(event: PlaneEvent, shape: tuple[int, ...] | None) -> bool:
    """Return whether an event has orthonormal components, of one shape in a run, and its bounds."""
    components = event.components
    places = (event.sequence, event.start, event.n_starts, event.iteration)
    counts = (*places, event.n_evaluations, event.n_sampled)
    return (
        components.ndim == 2
        and 1 <= components.shape[0] <= COMPONENTS.maximum
        and (shape is None or components.shape == shape)
        and bool((np.abs(components) <= 1 + _ORTHONORMAL).all())  # so the product cannot overflow
        and bool(np.allclose(components @ components.T, np.eye(len(components)), atol=_ORTHONORMAL))
        and all(0 <= each <= _MAX_COUNT for each in counts)
        # Of nothing so far it is -inf; nothing is better than any number, and NaN than none.
        and event.objective < math.inf
        and event.best_objective < math.inf
        and 0 <= event.fraction <= 1
        and 0 <= event.elapsed_s < math.inf
        and len(event.stage) <= _MAX_STAGE
    )


def checked_report(raw: bytes, kind: str, shape: DataShape) -> bytes:
    """Return the report of a run of a kind, as this version writes it.

    Raises
    ------
    InputError
        If it is not one of these data.
    """
    try:
        analysis = analysis_of(kind)
        return _of_fit(raw, shape) if analysis is None else analysis.checked(raw, shape)
    except _UNREADABLE:
        raise InputError(_BAD_REPORT) from None


def _of_fit(raw: bytes, shape: DataShape) -> bytes:
    """Check what a fit stored: coordinates, or the densities of its table."""
    if raw.startswith(_NPY):
        return _embedding(raw, shape)
    densities = PlaneDensities.from_bytes(raw)
    demand(len(densities.counts) == shape.n_classes)
    demand(densities.components.shape[1] == shape.n_features)
    return densities.to_bytes()


def _embedding(raw: bytes, shape: DataShape) -> bytes:
    """Check coordinates, except that they are of the rows, which a view does."""
    dimensions, dtype = array_header(raw)
    demand(len(dimensions) == 2 and dtype == np.float64)
    demand(0 < dimensions[0] <= shape.n_rows and dimensions[1] <= COMPONENTS.maximum)
    return finite_array(raw)

"""The description inside a project file: which table, which runs, which story."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from melm_core.base import known_type
from melm_studio.analyses import ANALYSES
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.run import FIT, RunState
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

Seconds = Annotated[float, Meta(ge=0, le=1e12)]


_NO_KIND = "A project keeps no runs of the kind {kind!r}. Choose another copy of it."


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

"""Project files: the table on the page with its runs and the story, saved and opened."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import quote

import flask
import msgspec
from dash import Dash
from msgspec import Meta, Struct

from callbacks.addresses import Body
from callbacks.routes.export import download_name
from callbacks.services import services
from callbacks.session import workspace
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import SAMPLES, count
from melm_studio.validation import Sha256, Text, read
from melm_studio.workspace.project import SUFFIX, OpenedProject, opened_project, save_project
from melm_studio.workspace.story import MAX_VIEWS, Story, StoryView

# Smaller files stay in memory.
_IN_MEMORY_BYTES = 8 * 2**20

_OTHER_PREPARATION = "This version prepares the table differently, so results may differ."
_TOO_LARGE_HERE = (
    "The project is larger than {mb} MB, the most that this studio opens; another needs a higher "
    "MELM_MAX_UPLOAD_MB."
)


class ProjectRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The table and the story to be saved."""

    source: Annotated[DataSource, Meta(title="The data")]
    views: Annotated[tuple[StoryView, ...], Meta(title="The story", max_length=MAX_VIEWS)] = ()


class UploadedProject(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a project, as the route of uploads has named it."""

    key: Annotated[Sha256, Meta(title="The key of the project")]
    name: Annotated[Text, Meta(title="The name of the project")] = "project"


def register(app: Dash) -> None:
    """Connect the routes: one answers with a project file, one opens an uploaded one."""
    app.server.post("/project-file", body=Body.JSON, is_heavy=True)(save)
    app.server.post("/project", body=Body.SETTINGS)(open_file)


def save() -> flask.Response:
    """Save the project of the table and the story in the body of the request."""
    request = read(flask.request.get_json(silent=True), ProjectRequest, "The project")
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 (Flask closes it)
    try:
        save_project(workspace(), request.source, Story(request.views), file)
    except BaseException:
        file.close()
        raise
    n_bytes = file.tell()
    file.seek(0)
    response = flask.send_file(
        file,
        mimetype="application/octet-stream",
        as_attachment=True,
        download_name=_file_name(request.source),
    )
    response.headers["X-Notes"] = quote(_note(n_bytes))
    response.headers["Cache-Control"] = "no-store"
    return response


def open_file() -> dict[str, Any]:
    """Store what a project holds, and say what the page is to show."""
    asked = read(flask.request.get_json(silent=True), UploadedProject, "The project")
    source = DataSource("upload", asked.key, asked.name)
    space = workspace()
    opened = opened_project(space, asked.key, partial(space.files.uploaded, source))
    return {
        "source": msgspec.to_builtins(opened.source),
        "story": opened.story.to_json(),
        "revision": workspace().revision(),
        "words": _sentence(opened),
    }


def _file_name(source: DataSource) -> str:
    name = SAMPLES[source.key].label if source.kind == "sample" else PurePath(source.name).stem
    return download_name(name, SUFFIX)


def _note(n_bytes: int) -> str:
    mb = services().settings.max_upload_mb
    return _TOO_LARGE_HERE.format(mb=mb) if n_bytes > mb * 2**20 else ""


def _sentence(opened: OpenedProject) -> str:
    parts = [count(opened.n_runs, "run")]
    if opened.n_known:
        parts[0] += f" ({opened.n_known} here already)"
    if opened.story.views:
        parts.append(f"a story of {count(len(opened.story.views), 'view')}")
    caution = "" if opened.is_prepared_alike else f" {_OTHER_PREPARATION}"
    return f"The project has {' and '.join(parts)}.{caution}"

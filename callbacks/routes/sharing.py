"""Links to views, projects with their runs, and stories, which a visitor takes along or brings."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import quote

import flask
import msgspec
from flask import Blueprint
from msgspec import Meta, Struct

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.routes.export import download_name
from callbacks.routes.requested_view import (
    requested,
    requested_body,
    requested_event,
)
from callbacks.services import services
from callbacks.session import known_runs, own_run, workspace
from melm_studio.planes.captions import reproduced_sentence, title
from melm_studio.planes.view_options import Shown
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import SAMPLES, count
from melm_studio.validation import InputError, Sha256, Text
from melm_studio.workspace.project import SUFFIX, OpenedProject, opened_project, save_project
from melm_studio.workspace.stories import INCLUDED_STORIES
from melm_studio.workspace.story import MAX_VIEWS, Story, StoryView
from melm_studio.workspace.view_query import to_query
from melm_studio.workspace.view_spec import ViewSpec, row_scales, spec_of

# Smaller files stay in memory.
_IN_MEMORY_BYTES = 8 * 2**20

_OTHER_PREPARATION = "This version prepares the table differently, so results may differ."
_TOO_LARGE_HERE = (
    "The project is larger than {mb} MB, the most that this studio opens; another needs a higher "
    "MELM_MAX_UPLOAD_MB."
)
_NO_FILE = "No file arrived. Choose a story that was saved here."
routes = Blueprint("sharing", __name__)


@routes.get("/runs/<run_id>/planes/<int:sequence>/shared-view")
def share(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the shared view of a plane; ``mode``, ``hidden``, marks are those of the page."""
    record = own_run(run_id)
    spec = _spec(requested(record, requested_event(run_id, sequence)))
    name = f"{title(record)}, {record.data_name}"
    return {"view": spec.to_json(), "title": name, **_link(spec)}


@routes.get("/runs/<run_id>/planes/<int:sequence>/reproduction")
def reproduction(run_id: str, sequence: int) -> dict[str, Any]:
    """Say whether the plane has the ``divergence`` of the shared view."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    expected = flask.request.args.get("divergence", type=float)
    if expected is None:
        flask.abort(400)
    divergence = services().renderer.divergence(requested(record, event))
    is_same, words = reproduced_sentence(expected, divergence)
    return {"is_same": is_same, "words": words}


def _spec(shown: Shown) -> ViewSpec:
    query = flask.request.args
    return spec_of(
        shown,
        other=known_runs().morph_target(shown.options),
        mode=query.get("mode", "explore"),
        hidden=query["hidden"].split(",") if query.get("hidden") else [],
        layers=query["layers"].split(",") if query.get("layers") else [],
        marks=_marks(query),
        divergence=services().renderer.divergence(shown),
    )


def _marks(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the marks of rows on the page, and the file of the new ones."""
    marks: dict[str, Any] = {
        name: query[name] for name in ("color_by", "shape_by") if query.get(name)
    }
    if query.get("new_rows"):
        marks["new_rows"] = {
            "key": query["new_rows"],
            "name": query.get("new_rows_name", ""),
            "scaled": row_scales(query.get("new_rows_scaled", "")),
        }
    return marks


def _link(spec: ViewSpec) -> dict[str, str]:
    """Return the query, or the reason why there is none."""
    try:
        return {"query": to_query(spec), "words": ""}
    except InputError as error:
        return {"query": "", "words": str(error)}


class ProjectRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The table and the story to be saved."""

    source: Annotated[DataSource, Meta(title="The data")]
    views: Annotated[tuple[StoryView, ...], Meta(title="The story", max_length=MAX_VIEWS)] = ()


class UploadedProject(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a project, as the route of uploads has named it."""

    key: Annotated[Sha256, Meta(title="The key of the project")]
    name: Annotated[Text, Meta(title="The name of the project")] = "project"


@routes.post("/project-file", body=Body.JSON, is_heavy=True)
def save() -> flask.Response:
    """Save the project of the table and the story in the body of the request."""
    request = requested_body(ProjectRequest, "The project")
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


@routes.post("/project", body=Body.SETTINGS)
def open_file() -> dict[str, Any]:
    """Store what a project holds, and say what the page is to show."""
    asked = requested_body(UploadedProject, "The project")
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


@routes.post("/stories/<key>")
def open_story(key: str) -> dict[str, Any]:
    """Store the runs of a story, and return its views; answers 404 for an unknown one."""
    if key not in INCLUDED_STORIES:
        flask.abort(404)
    opened = opened_project(workspace(), key, INCLUDED_STORIES[key].file.read_bytes)
    return {"story": opened.story.to_json(), "revision": workspace().revision()}


@routes.post("/story", body=Body.STORY)
def read_story() -> tuple[dict[str, Any], int]:
    """Return the story of a file."""
    raw = flask.request.get_data()
    if not raw:
        return sentence(_NO_FILE), 400
    return {"story": Story.from_bytes(raw).to_json()}, 200

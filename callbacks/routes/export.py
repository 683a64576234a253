"""Downloads: points and components as CSV, the plane as JSON, a program, a replay.

`plane` names the plane, the newest by default; the view options apply as on screen. A nonlinear
projection has points only.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

import flask
import numpy as np
import pandas as pd
from flask import Blueprint

from callbacks.routes.requested_view import (
    requested,
    requested_event,
    requested_plane,
    viewed_event,
)
from callbacks.services import services
from callbacks.session import known_runs, own_run
from melm_core.methods import METHODS, SavedPlane
from melm_studio.layout.scripts import replay_script
from melm_studio.planes.theme import Scheme
from melm_studio.publication.program import program_of
from melm_studio.publication.run_replay import RunReplay
from melm_studio.rows.placement import model_text, saved_plane
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.execution.rows import RunData
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.tables import LabeledData

_MOST_OF_NAME = 50


routes = Blueprint("export", __name__)


@routes.get("/runs/<run_id>/points.csv", is_heavy=True)
def points(run_id: str) -> flask.Response:
    """Return the coordinates of every row."""
    record = own_run(run_id)
    parts = services().planes.rows(record)
    return _csv(points_table(parts, _event(record)), record, "points")


@routes.get("/runs/<run_id>/components.csv")
def components(run_id: str) -> flask.Response:
    """Return the linear map from a row to its coordinates."""
    record = _linear_run(run_id)
    data = services().planes.data(record)
    return _csv(components_table(data, _event(record)), record, "components")


@routes.get("/runs/<run_id>/model.json")
def model(run_id: str) -> flask.Response:
    """Return the plane in the format of `SavedPlane`."""
    record = _linear_run(run_id)
    return attachment(
        model_text(record, _saved_plane(record)), record, "model.json", "application/json"
    )


def _saved_plane(record: RunRecord) -> SavedPlane:
    shown = requested(record, requested_plane(record.run_id))
    refits = known_runs().probabilities_in_plane(shown)
    components = services().planes.components(shown)
    return saved_plane(
        services().planes.data(record),
        record,
        components,
        shown.options.gamma,
        rule=refits.rule_along(components) if refits else None,
        limits=services().rows.placer(shown).limits,
        set_limits=refits.set_limits(components) if refits else None,
    )


@routes.get("/runs/<run_id>/script.py")
def program(run_id: str) -> flask.Response:
    """Return a Python program that computes the coordinates and classes of any rows."""
    record = _linear_run(run_id)
    data = services().planes.data(record)
    text = program_of(record, _event(record), data, _saved_plane(record))
    return attachment(text, record, "script.py", "text/x-python")


@routes.get("/runs/<run_id>/replay.html", is_heavy=True)
def replay(run_id: str) -> flask.Response:
    """Return the replay of a run, at evenly spaced planes, with its tree and resamples.

    `layers` names what else it shows, see `MoreLayer`.
    """
    record, query = own_run(run_id), flask.request.args
    scheme = query.get("scheme", type=Scheme)
    events = services().store.events(run_id)
    if not events:
        flask.abort(404)
    made = RunReplay(known_runs(), record, events)
    page = made.page(replay_script(), query.get("layers", "").split(","), scheme)
    return attachment(page, record, "replay.html", "text/html")


def points_table(parts: tuple[LabeledData, LabeledData], event: PlaneEvent) -> pd.DataFrame:
    """Row number in the file, label, whether it is a training row, and coordinates."""
    train, held_out = parts
    coordinates = np.concatenate([train.X, held_out.X]) @ event.components.T
    codes = np.concatenate([train.y, held_out.y])
    table = pd.DataFrame(
        {
            "row": np.concatenate([train.row_numbers, held_out.row_numbers]),
            "label": [train.class_names[code] for code in codes],
            "training": np.arange(len(codes)) < len(train.y),
            **{f"component_{i + 1}": coordinates[:, i] for i in range(coordinates.shape[1])},
        }
    )
    return table.sort_values("row", ignore_index=True)


def components_table(data: RunData, event: PlaneEvent) -> pd.DataFrame:
    """Tabulate components: a coordinate sums (value - center) / scale * component."""
    return pd.DataFrame(
        {
            "feature": list(data.feature_names),
            "center": data.center,
            "scale": data.scale,
            **{f"component_{i + 1}": row for i, row in enumerate(event.components)},
        }
    )


def attachment(
    content: str | bytes, record: RunRecord, suffix: str, mimetype: str
) -> flask.Response:
    """Return a file that is named after the data, the method, and a suffix."""
    response = flask.Response(content, mimetype=mimetype)
    name = download_name(record.data_name, f"-{record.method}-{suffix}")
    response.headers.set("Content-Disposition", "attachment", **_named(name))
    return response


def _linear_run(run_id: str) -> RunRecord:
    record = own_run(run_id)
    if not METHODS[record.method].is_linear:
        flask.abort(404)
    return record


def _event(record: RunRecord) -> PlaneEvent:
    sequence = flask.request.args.get("plane", type=int)
    return viewed_event(requested(record, requested_event(record.run_id, sequence)))


def _csv(table: pd.DataFrame, record: RunRecord, suffix: str) -> flask.Response:
    return attachment(csv_text(table), record, f"{suffix}.csv", "text/csv")


def download_name(data_name: str, suffix: str) -> str:
    """Return a file's name: proxies refuse long headers, and file systems more than 255 bytes."""
    return re.sub(r"[^\w.-]+", "-", f"{data_name[:_MOST_OF_NAME]}{suffix}")


def _named(name: str) -> dict[str, str]:
    """Return a file's name as a header takes it: headers are Latin-1, names are in any script."""
    if name.isascii():
        return {"filename": name}
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lstrip("-")
    return {"filename": plain, "filename*": f"UTF-8''{quote(name)}"}

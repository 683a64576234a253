"""Downloads of what is on screen: points and components as CSV, the plane as JSON, a program."""

from __future__ import annotations

import io
import re

import flask
import numpy as np
import pandas as pd
from dash import Dash

from callbacks.routes.frames import known_event
from callbacks.routes.session import own_run
from callbacks.routes.view_query import looked_at
from callbacks.services import Studio
from melm_core.base import SavedPlane
from melm_core.methods import METHODS
from melm_studio.tables import LabelledData
from melm_studio.views.program import script_of
from melm_studio.worker.execution.rows import rows_of
from melm_studio.worker.records.run import PlaneEvent, RunRecord

# A cell that begins with one of these would run as a formula in a spreadsheet; some take the
# wide forms for the same.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")


def register(app: Dash, studio: Studio) -> None:
    """Add the download routes; `plane` names the event, the newest by default, and a look what
    is on screen of it.

    A curved picture has no components to give.
    """

    @app.server.get("/runs/<run_id>/points.csv")
    def points(run_id: str) -> flask.Response:
        record = own_run(studio, run_id)
        data, event = studio.gallery.data(record), _asked_event(studio, record)
        return _csv(points_table(data, record, event), record, "points")

    @app.server.get("/runs/<run_id>/components.csv")
    def components(run_id: str) -> flask.Response:
        record = _linear_run(studio, run_id)
        data, event = studio.gallery.data(record), _asked_event(studio, record)
        return _csv(components_table(data, event), record, "components")

    @app.server.get("/runs/<run_id>/model.json")
    def model(run_id: str) -> flask.Response:
        record = _linear_run(studio, run_id)
        data, event = studio.gallery.data(record), _asked_event(studio, record)
        return attachment(model_text(data, record, event), record, "model.json", "application/json")

    @app.server.get("/runs/<run_id>/script.py")
    def script(run_id: str) -> flask.Response:
        record = _linear_run(studio, run_id)
        if not record.source:
            flask.abort(404)
        text = script_of(record, _asked_event(studio, record), _file_name(record, "script.py"))
        return attachment(text, record, "script.py", "text/x-python")


def points_table(data: LabelledData, record: RunRecord, event: PlaneEvent) -> pd.DataFrame:
    """Row of the file, label, whether the fit saw it, and the coordinates in the plane."""
    seen, unseen = rows_of(data, record)
    coordinates = np.concatenate([seen.X, unseen.X]) @ event.components.T
    codes = np.concatenate([seen.y, unseen.y])
    table = pd.DataFrame(
        {
            "row": np.concatenate([seen.row_numbers, unseen.row_numbers]),
            "label": [_safe(data.class_names[code]) for code in codes],
            "seen": np.arange(len(codes)) < len(seen.y),
            **{f"component_{i + 1}": coordinates[:, i] for i in range(coordinates.shape[1])},
        }
    )
    return table.sort_values("row", ignore_index=True)


def components_table(data: LabelledData, event: PlaneEvent) -> pd.DataFrame:
    """What turns a row into coordinates: the sum of (value - center) / scale * component."""
    return pd.DataFrame(
        {
            "feature": [_safe(name) for name in data.feature_names],
            "center": data.center,
            "scale": data.scale,
            **{f"component_{i + 1}": row for i, row in enumerate(event.components)},
        }
    )


def model_text(data: LabelledData, record: RunRecord, event: PlaneEvent) -> str:
    """The plane as `melm_core.base.saved_plane.SavedPlane` reads it, and what it was found with."""
    plane = SavedPlane.of(
        event.components,
        center=data.center,
        scale=data.scale,
        feature_names=data.feature_names,
    )
    return plane.to_json(
        method=record.method,
        parameters=dict(record.parameters),
        data={"name": record.data_name, "sha256": record.data_id},
        class_names=list(data.class_names),
    )


def _linear_run(studio: Studio, run_id: str) -> RunRecord:
    record = own_run(studio, run_id)
    if not METHODS[record.method].is_linear:
        flask.abort(404)
    return record


def _asked_event(studio: Studio, record: RunRecord) -> PlaneEvent:
    sequence = flask.request.args.get("plane", type=int)
    return looked_at(studio, record, known_event(studio, record.run_id, sequence))


def _csv(table: pd.DataFrame, record: RunRecord, what: str) -> flask.Response:
    text = io.StringIO()
    table.to_csv(text, index=False)
    return attachment(text.getvalue(), record, f"{what}.csv", "text/csv")


def attachment(text: str, record: RunRecord, what: str, mimetype: str) -> flask.Response:
    """The text as a file that is named after the data, the method and what it is."""
    response = flask.Response(text, mimetype=mimetype)
    name = _file_name(record, what)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def _file_name(record: RunRecord, what: str) -> str:
    return re.sub(r"[^\w.-]+", "-", f"{record.data_name}-{record.method}-{what}")


def _safe(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text

"""The dialog with the decision surface of a kernel machine in the plane of a run."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output

from callbacks.named_control import NamedRun
from callbacks.scripts import connect_script
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.layout import ids
from melm_studio.planes.captions import title


def register(app: Dash) -> None:
    """Connect the dialog; its script draws the figure."""
    app.callback(
        Output(ids.SURFACE, "opened"),
        Output(ids.SURFACE, "title"),
        Output(ids.SURFACE_RUN, "data"),
        Output(ids.SURFACE_CLASS, "data"),
        Output(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_REQUESTED, "data"),
        prevent_initial_call=True,
    )(open_surface)
    connect_script(
        app,
        "showSurface",
        Output(ids.SURFACE_CAPTION, "children"),
        Input(ids.SURFACE_RUN, "data"),
        Input(ids.SURFACE_KIND, "value"),
        Input(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_METHOD, "value"),
        Input(ids.SURFACE, "opened"),
    )


def open_surface(requested: NamedRun) -> tuple[Any, ...]:
    """Open the dialog for a run, with its classes to choose from."""
    record = own_run(requested["run"])
    names = services().renderer.data(record).class_names
    classes = [{"value": str(code), "label": name} for code, name in enumerate(names)]
    heading = f"Decision surface in the plane of {title(record)}"
    return True, heading, record.run_id, classes, classes[0]["value"]

"""Figures for print: what panels show, as PDF, SVG or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import flask
import numpy as np
import pandas as pd
from dash import Dash
from msgspec import Meta, Struct, field

from callbacks.routes.export import attachment
from callbacks.routes.publication.panels import column_marks, figure_panel, print_figure
from callbacks.routes.requested_view import options_in, requested_event
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.planes.coloring import Marks, point_colors, point_symbols
from melm_studio.planes.every_row import numbers_by_class
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import Scheme
from melm_studio.publication.style import FigureFormat, FigureStyle
from melm_studio.validation import Coordinate, Count, Text, read

if TYPE_CHECKING:
    from melm_studio.publication.printing import FigurePanel

MAX_PANELS = 9
MAX_ROWS = 1_000_000

_TYPES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}

Range = tuple[Coordinate, Coordinate]


class PanelRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a panel of the page shows.

    Attributes
    ----------
    run : str
    plane : int or None
        None for the newest.
    view : mapping of str to str
        The view options, as the fields of a query.
    limits : tuple of tuple of float, or None
        The ranges of x and y that are shown at least.
    color_by, shape_by : str or None
        The columns that give points their colors and shapes; None for the classes.
    marks_outside : bool
        Whether rows beyond the limits have a mark at the edge.
    n_arrows : int or None
    classes, rows : tuple of int, or None
        The classes by code and the rows by number that are shown in full; None for all.
    """

    run: Annotated[Text, Meta(title="The run")]
    plane: Annotated[Count, Meta(title="The plane number")] | None = None
    view: dict[Text, Text] = field(default_factory=dict)
    limits: Annotated[tuple[Range, Range], Meta(title="The limits")] | None = None
    color_by: Text | None = None
    shape_by: Text | None = None
    marks_outside: Annotated[bool, Meta(title="The option to mark rows outside")] = True
    n_arrows: Annotated[Count, Meta(title="The number of arrows")] | None = None
    classes: Annotated[tuple[Count, ...], Meta(title="The list of classes")] | None = None
    rows: (
        Annotated[tuple[Count, ...], Meta(title="The list of rows", max_length=MAX_ROWS)] | None
    ) = None


class FigureRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure of panels, as a file of some format."""

    panels: Annotated[
        tuple[PanelRequest, ...],
        Meta(
            title="The list of panels",
            description=f"a list of 1 to {MAX_PANELS} panels",
            min_length=1,
            max_length=MAX_PANELS,
        ),
    ]
    style: FigureStyle = FigureStyle()
    format: Annotated[FigureFormat, Meta(title="The format")] = "pdf"


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/figure")(print_panels)


def print_panels() -> flask.Response:
    """The figure that the body of the request describes; notes on it are in a header."""
    request = read(flask.request.get_json(silent=True), FigureRequest, "The figure")
    panels = [_panel(panel) for panel in request.panels]
    printed = print_figure(panels, request.style, request.format)
    kind = "figure" if len(panels) == 1 else "comparison"
    response = attachment(
        printed.content,
        own_run(request.panels[0].run),
        f"{kind}.{request.format}",
        _TYPES[request.format],
    )
    response.headers["X-Notes"] = quote(" ".join(printed.notes))
    response.headers["Cache-Control"] = "no-store"
    return response


def _panel(request: PanelRequest) -> FigurePanel:
    record = own_run(request.run)
    event, options = requested_event(request.run, request.plane), options_in(request.view)
    return figure_panel(
        record,
        event,
        options,
        limits=None if request.limits is None else np.array(request.limits),
        marks_outside=request.marks_outside,
        n_arrows=request.n_arrows,
        shown_classes=None if request.classes is None else frozenset(request.classes),
        colors=column_marks(record, request.color_by, _light_colors),
        shapes=column_marks(record, request.shape_by, point_symbols),
        selected=_selected(services().renderer.viewer(record), request.rows),
    )


def _light_colors(values: Sequence[pd.Series]) -> Marks:
    return point_colors(values, Scheme.LIGHT)


def _selected(viewer: PlaneViewer, rows: tuple[int, ...] | None) -> Any:
    """For each class, which of its training and of its held-out points are selected."""
    if rows is None:
        return None
    return tuple(
        (np.isin(train, rows), np.isin(held_out, rows))
        for train, held_out in numbers_by_class(viewer.parts)
    )

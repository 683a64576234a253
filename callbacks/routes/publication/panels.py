"""The panels of figures for print. Matplotlib is loaded here, when the first figure is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pandas as pd

from callbacks.routes.rows.marks import column_values
from callbacks.services import services
from melm_studio.planes.axis_titles import axis_titles
from melm_studio.planes.captions import title_of_view
from melm_studio.planes.coloring import Marks
from melm_studio.planes.every_row import every_point_by_class, numbers_by_class
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import ViewOptions
from melm_studio.publication.style import FigureFormat, FigureStyle
from melm_studio.runs.records.run import PlaneEvent, RunRecord

if TYPE_CHECKING:
    from melm_studio.publication.printing import ColumnMarks, FigurePanel, PrintedFigure

_ROOM = "melm_studio.publication.printing"


def figure_panel(
    record: RunRecord, event: PlaneEvent, options: ViewOptions, **shown: Any
) -> FigurePanel:
    """Return the panel of a plane; `shown` is what `FigurePanel` takes besides the view."""
    renderer = services().renderer
    viewer = renderer.viewer(record)
    panel: FigurePanel = import_module(_ROOM).FigurePanel(
        view=_view_of_every_row(record, event, options),
        class_names=viewer.class_names,
        title=title_of_view(record, options),
        axis_titles=axis_titles(renderer, record, event, options),
        has_equal_units=viewer.n_components > 1,
        **shown,
    )
    return panel


def _view_of_every_row(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> PlaneView:
    """The view of a plane with all of its rows, as the page shows a plane at rest."""
    renderer = services().renderer
    view, viewer = renderer.view(record, event, options), renderer.viewer(record)
    if viewer.n_drawn == viewer.n_rows:
        return view
    axes = renderer.axes(record, event, options)
    points = every_point_by_class(axes, viewer.parts, is_line=viewer.n_components == 1)
    classes = tuple(
        replace(part, train=train, held_out=held_out)
        for part, (train, held_out) in zip(view.classes, points, strict=True)
    )
    return replace(view, classes=classes)


def column_marks(
    record: RunRecord, name: str | None, marks: Callable[[Sequence[pd.Series]], Marks]
) -> ColumnMarks | None:
    """Return the colors or shapes of all rows by a column; None for no column."""
    if name is None:
        return None
    by_class = numbers_by_class(services().renderer.viewer(record).parts)
    train, held_out = zip(*by_class, strict=True)
    values = column_values(record, name, [*train, *held_out])
    found: ColumnMarks = import_module(_ROOM).ColumnMarks(name, marks(values))
    return found


def print_figure(
    panels: Sequence[FigurePanel], style: FigureStyle, file_format: FigureFormat
) -> PrintedFigure:
    """Return a figure as a file."""
    printed: PrintedFigure = import_module(_ROOM).print_figure(panels, style, file_format)
    return printed

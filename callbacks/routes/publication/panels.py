"""The panels of figures for print. Matplotlib is loaded here, when the first figure is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pandas as pd

from callbacks.routes.rows.marks import column_values
from callbacks.services import services
from melm_studio.figures.coloring import Marks
from melm_studio.views.captions import title_of_view
from melm_studio.views.publication.axis_titles import axis_titles
from melm_studio.views.publication.style import FigureFormat, FigureStyle
from melm_studio.views.view_options import ViewOptions
from melm_studio.worker.records.run import PlaneEvent, RunRecord

if TYPE_CHECKING:
    from melm_studio.figures.publication import ColumnMarks, FigurePanel, PrintedFigure

_ROOM = "melm_studio.figures.publication"


def figure_panel(
    record: RunRecord, event: PlaneEvent, options: ViewOptions, **shown: Any
) -> FigurePanel:
    """Return the panel of a plane; `shown` is what `FigurePanel` takes besides the view."""
    renderer = services().renderer
    viewer = renderer.viewer(record)
    panel: FigurePanel = import_module(_ROOM).FigurePanel(
        view=renderer.view(record, event, options),
        class_names=viewer.class_names,
        title=title_of_view(record, options),
        axis_titles=axis_titles(renderer, record, event, options),
        has_equal_units=viewer.n_components > 1,
        **shown,
    )
    return panel


def column_marks(
    record: RunRecord, name: str | None, marks: Callable[[Sequence[pd.Series]], Marks]
) -> ColumnMarks | None:
    """Return the colors or shapes of the drawn points by a column; None for no column."""
    if name is None:
        return None
    train, held_out = services().renderer.viewer(record).drawn_rows
    values = column_values(record, name, [*train, *held_out])
    found: ColumnMarks = import_module(_ROOM).ColumnMarks(name, marks(values))
    return found


def print_figure(
    panels: Sequence[FigurePanel], style: FigureStyle, file_format: FigureFormat
) -> PrintedFigure:
    """Return a figure as a file."""
    printed: PrintedFigure = import_module(_ROOM).print_figure(panels, style, file_format)
    return printed

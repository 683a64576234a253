"""Publications of a visitor's runs, put together: panels of figures for print, and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from msgspec import structs

from melm_studio.abandonment import go_on
from melm_studio.analyses.analysis import Picture, Section
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.tree import TREE, Height, TreeReport, tree_arrays
from melm_studio.analyses.verdict_file import NoVerdictError
from melm_studio.planes.captions import axis_titles, changes_of, title_of_view
from melm_studio.planes.coloring import Marks, point_colors
from melm_studio.planes.drawn_rows import every_point_by_class, numbers_by_class
from melm_studio.planes.pixel_images import pixel_images
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.publication.comparison import agreement
from melm_studio.publication.report import (
    ReportedRun,
    printed_images,
    report_of_comparison,
    report_of_run,
    report_page,
)
from melm_studio.publication.style import FigureFormat, FigureStyle
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import InputError
from melm_studio.workspace.known_runs import KnownRuns
from melm_studio.workspace.view_query import to_query
from melm_studio.workspace.view_spec import spec_of
from melm_studio.workspace.workspace import Workspace

if TYPE_CHECKING:
    from melm_studio.publication.printing import ColumnMarks, FigurePanel, PrintedFigure

_ONE = FigureStyle(width=150, height=110, legend="right", font=8)
_TREE_MM = (150.0, 75.0)
_SEVERAL = FigureStyle(width=170, height=150, font=7)


@dataclass(frozen=True)
class Publisher:
    """Writes about the runs of a visitor.

    Attributes
    ----------
    runs : KnownRuns
    root : str
        The address of the studio, of which links are.
    """

    runs: KnownRuns
    root: str

    @property
    def _renderer(self) -> PlaneRenderer:
        return self.runs.renderer

    @property
    def _space(self) -> Workspace:
        return self.runs.space

    def report(self, shown: Shown) -> str:
        """Return the report of a run, of a plane under view options, as a page."""
        return report_page(report_of_run(self._reported(shown)))

    def comparison(self, records: Sequence[RunRecord], events: Sequence[PlaneEvent]) -> str:
        """Return the report that compares runs, each by one of its planes, as a page."""
        options = ViewOptions(toward=records[0].run_id)
        planes = [Shown.of(*each) for each in zip(records, events, strict=True)]
        panels = [self.figure_panel(plane.under(options)) for plane in planes]
        picture = _picture(panels, _SEVERAL, f"The planes of {len(records)} runs side by side")
        runs = list(map(self._reported, planes))
        angles = agreement(self._space.store, self._renderer.planes, records)
        return report_page(report_of_comparison(runs, picture, angles))

    def figure_panel(self, shown: Shown, **drawn: Any) -> FigurePanel:
        """Return the panel of a plane; `drawn` is what `FigurePanel` takes besides the view."""
        from melm_studio.publication.printing import FigurePanel  # noqa: PLC0415 - with matplotlib

        go_on()
        renderer = self._renderer
        viewer = renderer.planes.viewer(shown.record)
        view = self._view_of_every_row(shown)
        return FigurePanel(
            view=view,
            class_names=viewer.class_names,
            title=title_of_view(shown),
            axis_titles=axis_titles(renderer.planes, shown, view),
            has_equal_units=viewer.n_components > 1,
            unseen=renderer.planes.unseen_features(shown),
            **drawn,
        )

    def _view_of_every_row(self, shown: Shown) -> PlaneView:
        """Return the view of a plane with all of its rows, as the page shows it at rest."""
        renderer = self._renderer
        view, viewer = renderer.view(shown), renderer.planes.viewer(shown.record)
        if viewer.n_drawn == viewer.n_rows:
            return view
        axes, parts = renderer.planes.drawn_parts(shown)
        points = every_point_by_class(axes, parts, is_line=viewer.n_components == 1)
        classes = tuple(
            replace(part, train=train, held_out=held_out)
            for part, (train, held_out) in zip(view.classes, points, strict=True)
        )
        return replace(view, classes=classes)

    def column_marks(
        self, record: RunRecord, name: str | None, marks: Callable[[Sequence[pd.Series]], Marks]
    ) -> ColumnMarks | None:
        """Return the colors or shapes of all rows by a column; None for no column."""
        from melm_studio.publication.printing import ColumnMarks  # noqa: PLC0415 - with matplotlib

        if name is None:
            return None
        by_class = numbers_by_class(self._renderer.planes.viewer(record).parts)
        train, held_out = zip(*by_class, strict=True)
        values = self.runs.column(record, name, [*train, *held_out])
        return ColumnMarks(name, marks(values))

    def _reported(self, shown: Shown) -> ReportedRun:
        renderer = self._renderer
        check = self._space.checks().get(shown.record.run_id)
        view = renderer.view(shown)
        name = f"The plane of {title_of_view(shown)}, with points, contours and arrows"
        return ReportedRun(
            record=shown.record,
            event=structs.replace(shown.event, components=renderer.planes.components(shown)),
            data=renderer.planes.data(shown.record),
            divergence=renderer.divergence(shown),
            scores=view.scores,
            arrows=view.loadings,
            lengths=view.lengths,
            importance=renderer.planes.importance(shown),
            verdict=self.runs.verdict(shown),
            check=None if check is None else CHECK.stored(self._space.store, check.run_id),
            is_check_final=check is not None and check.state.is_final,
            pictures=(_picture([self.figure_panel(shown)], _ONE, name),),
            link=self._link(shown),
            more=(*self._images(shown), *self._analyses(shown.record)),
            changes=changes_of(shown.options, self.runs.morph_target(shown.options)),
            shown_gamma=shown.options.gamma,
            verdict_file=self._verdict_file(shown.record),
        )

    def _verdict_file(self, record: RunRecord) -> bytes:
        with suppress(NoVerdictError):
            return self._space.verdict(record)
        return b""

    def _images(self, shown: Shown) -> Iterator[Section]:
        images = pixel_images(self._renderer, shown)
        if images is not None:
            yield Section("The features as pixels", pictures=(printed_images(images),))

    def _analyses(self, record: RunRecord) -> Iterator[Section]:
        for name, report, subject, section in self.runs.sections(record):
            if name == TREE.name:
                yield replace(section, pictures=(_tree(report, len(subject.class_names)),))
            elif name != CHECK.name:  # the section of the run itself says it, beside the picture
                yield section

    def _link(self, shown: Shown) -> str:
        """Return the address of the view; empty if it is too long, or its data are unknown."""
        divergence = self._renderer.divergence(shown)
        try:
            spec = spec_of(
                shown,
                other=self.runs.morph_target(shown.options),
                mode="explore",
                hidden=(),
                marks={},
                divergence=divergence,
            )
            return f"{self.root}?{to_query(spec)}"
        except InputError:
            return ""


def print_figure(
    panels: Sequence[FigurePanel], style: FigureStyle, file_format: FigureFormat
) -> PrintedFigure:
    """Return a figure as a file."""
    from melm_studio.publication import printing  # noqa: PLC0415 - with matplotlib

    return printing.print_figure(panels, style, file_format)


def _tree(report: TreeReport, n_classes: int) -> Picture:
    arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
    from melm_studio.publication.printing import draw  # noqa: PLC0415 - with matplotlib

    panel = draw.TreePanel("", arrays, height, 1 / n_classes)
    return Picture(draw.print_trees([panel], _TREE_MM), "Optima by kernel width")


def _picture(panels: list[FigurePanel], style: FigureStyle, description: str) -> Picture:
    return Picture(print_figure(panels, style, "svg").content, description)


def light_colors(values: Sequence[pd.Series]) -> Marks:
    """Return the colors of points by the values of a column, on paper."""
    return point_colors(values, Scheme.LIGHT)


def selected_points(viewer: PlaneViewer, rows: tuple[int, ...] | None) -> Any:
    """For each class, which of its training and of its held-out points are selected; None for all.

    Parameters
    ----------
    viewer : PlaneViewer
    rows : tuple of int or None
        Numbers of rows in the file.
    """
    if rows is None:
        return None
    return tuple(
        (np.isin(train, rows), np.isin(held_out, rows))
        for train, held_out in numbers_by_class(viewer.parts)
    )

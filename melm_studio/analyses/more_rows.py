"""Learning curve of the method of a run, and the expected gain of more rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from melm_core.evaluation import RowsNeeded, rows_needed
from melm_core.folds import sampled_rows
from melm_core.methods import GAMMA
from melm_studio.analyses import charts, content
from melm_studio.analyses.analysis import (
    Analysis,
    DataShape,
    Section,
    Subject,
    Table,
    Work,
    chosen,
    demand,
)
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.record import Record
from melm_studio.runs.execution.rows import resampled_rows, split_of, study_of
from melm_studio.scores import UNKNOWN
from melm_studio.tables import number

MOST_ROWS = 1_000  # of larger tables, a sample

_NOTE = (
    "Cross-validation with fewer and fewer training rows; groups stay together and are what is "
    "counted. The line is an inverse power law, the band of 90 % is what a table of a size would "
    "show. Rows that the run holds out take no part."
)


class CurvePoint(Record, frozen=True):
    """A number of training rows, or groups, with the balanced accuracy of held-out rows."""

    size: float
    share: float
    standard_error: float


class Forecast(Record, frozen=True):
    """The curve at a number of training rows, or groups, with its band."""

    size: float
    share: float
    lower: float
    upper: float


class MoreRowsReport(Record, frozen=True):
    """The learning curve so far.

    Attributes
    ----------
    sentence : str
        What it says; empty before a repetition of the folds is done.
    expectations : tuple of str
        The shares of tables with more rows.
    points : tuple of CurvePoint
    n_before : int
        Points before the line begins.
    forecasts : tuple of Forecast
        At the sizes of the other points, then at those of tables with more rows.
    n_classes : int
    n_done, n_all : int
        Folds so far, and how many there will be.
    n_rows, n_training : int
        Rows that were used, and training rows of the run; more where it is a sample.
    """

    sentence: str = ""
    expectations: tuple[str, ...] = ()
    points: tuple[CurvePoint, ...] = ()
    n_before: int = 0
    forecasts: tuple[Forecast, ...] = ()
    n_classes: int = 0
    n_done: int = 0
    n_all: int = 0
    n_rows: int = 0
    n_training: int = 0


class MoreRows(Analysis[MoreRowsReport]):
    """Analysis of how many more rows are needed."""

    report = MoreRowsReport
    name = "more_rows"
    title = "How many more rows?"

    def compute(self, work: Work) -> None:
        """Draw the learning curve, after each repetition of the folds anew."""
        record = work.record
        train, _ = split_of(work.data, record)
        sample = sampled_rows(train.y, MOST_ROWS, train.groups)
        fixed = {GAMMA.name: record.gamma}

        def after_fold(needed: RowsNeeded | None, n_done: int, n_all: int) -> None:
            report = _report(needed, n_done, n_all, (len(sample), len(train.y)))
            work.put(report.to_bytes())

        rows_needed(
            study_of(train, record, sample, rows=resampled_rows, fixed=fixed),
            gamma=record.density_gamma,
            callback=after_fold,
        )

    def progress(self, report: MoreRowsReport) -> tuple[float, str]:
        return report.n_done / max(1, report.n_all), ""

    def sentence(self, report: MoreRowsReport, *, is_final: bool) -> str:
        if not report.sentence:
            return "No fold yet." if is_final else "Refitting to fewer and fewer rows."
        so_far = "" if is_final else f" {report.n_done} of {report.n_all} folds so far."
        return f"{report.sentence}{so_far}"

    def shown(
        self, report: MoreRowsReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        if not report.points:
            return {"content": [content.notes([_note(report)])]}
        figure = curve_figure(report, chosen(query, "scheme", Scheme.LIGHT))
        return {
            "content": [
                content.plot(figure, self.sentence(report, is_final=subject.is_final)),
                content.items(report.expectations),
                content.notes([_note(report)]),
            ]
        }

    def section(self, report: MoreRowsReport, subject: Subject) -> Section | None:
        if not report.points:
            return None
        table = Table(
            "Balanced accuracy by number of training rows or groups",
            ("Training rows or groups", "Held out", "Curve", "Band"),
            tuple(
                _row(point, forecast)
                for point, forecast in zip(
                    report.points,
                    [None] * report.n_before
                    + list(report.forecasts[: len(report.points) - report.n_before]),
                    strict=True,
                )
            ),
            note="± is the bootstrap standard error.",
        )
        return Section(
            "How many more rows",
            sentences=(
                self.sentence(report, is_final=subject.is_final),
                *(f"{each}." for each in report.expectations),
                _note(report),
            ),
            tables=(table,),
        )

    def validate(self, report: MoreRowsReport, shape: DataShape) -> None:
        demand(not report.points or report.n_classes == shape.n_classes)
        demand(0 <= report.n_before <= len(report.points))
        demand(len(report.forecasts) >= len(report.points) - report.n_before)
        sizes = [point.size for point in report.points] + [each.size for each in report.forecasts]
        demand(all(0 < size < math.inf for size in sizes))
        shares = [each.share for each in report.points]
        shares += [x for each in report.forecasts for x in (each.share, each.lower, each.upper)]
        demand(all(-1 <= share <= 1 for share in shares))
        demand(all(0 <= point.standard_error < math.inf for point in report.points))
        demand(0 <= report.n_done <= report.n_all)


MORE_ROWS = MoreRows()


def _report(
    needed: RowsNeeded | None, n_done: int, n_all: int, n_rows: tuple[int, int]
) -> MoreRowsReport:
    if needed is None:
        return MoreRowsReport(n_done=n_done, n_all=n_all)
    points = zip(needed.sizes, needed.shares, needed.standard_errors, strict=True)
    trained = needed.sizes[-1] / needed.n_units
    at_sizes = np.vstack([needed.sizes[needed.n_before :], needed.fitted])
    future = np.vstack([trained * (needed.n_units + needed.more), needed.expected])
    forecasts = at_sizes if needed.falls else np.hstack([at_sizes, future])
    return MoreRowsReport(
        sentence=needed.sentence,
        expectations=()
        if needed.falls
        else tuple(needed.expectation(number) for number in range(len(needed.more))),
        points=tuple(CurvePoint(*map(float, each)) for each in points),
        n_before=needed.n_before,
        forecasts=tuple(Forecast(*each) for each in forecasts.T.tolist()),
        n_classes=needed.n_classes,
        n_done=n_done,
        n_all=n_all,
        n_rows=n_rows[0],
        n_training=n_rows[1],
    )


def _note(report: MoreRowsReport) -> str:
    if report.n_rows >= report.n_training:
        return _NOTE
    return (
        f"{_NOTE} Of {number(report.n_training)} training rows, {number(report.n_rows)} were used."
    )


def _row(point: CurvePoint, forecast: Forecast | None) -> tuple[str, ...]:
    fitted = (UNKNOWN,) * 2
    if forecast is not None:
        fitted = (f"{forecast.share:.3f}", f"{forecast.lower:.3f} to {forecast.upper:.3f}")
    return f"{point.size:,.0f}", f"{point.share:.3f} ± {point.standard_error:.3f}", *fitted


def curve_figure(report: MoreRowsReport, scheme: Scheme = Scheme.LIGHT) -> dict[str, Any]:
    """Plot the learning curve with its band, as a figure of plotly.

    Examples
    --------
    >>> point, forecast = CurvePoint(10, 0.7, 0.02), Forecast(10, 0.7, 0.6, 0.8)
    >>> report = MoreRowsReport(points=(point,), forecasts=(forecast,), n_classes=2)
    >>> [trace["name"] for trace in curve_figure(report)["data"][1:]]
    ['power law', 'measured, held out']
    """
    theme, guessing = THEMES[scheme], 1.0 / report.n_classes
    sizes, color = [each.size for each in report.forecasts], theme.class_colors[0]
    forecast = {
        name: [getattr(each, name) for each in report.forecasts]
        for name in ("share", "lower", "upper")
    }
    law = charts.line(sizes, forecast["share"], "power law", color=theme.faint_ink, dash="dash")
    measured = charts.line(
        [point.size for point in report.points],
        [point.share for point in report.points],
        "measured, held out",
        color=color,
    )
    layout = charts.layout(
        theme,
        xaxis=charts.axis(theme, "training rows or groups"),
        yaxis=charts.accuracies(theme),
        shapes=charts.across(theme, [(guessing, "dot")]),
        annotations=[charts.guessing_note(theme, guessing)],
        hovermode="x unified",
    )
    band = charts.band(sizes, forecast["lower"], forecast["upper"], color)
    return {"data": [band, law | {"mode": "lines"}, measured], "layout": layout}

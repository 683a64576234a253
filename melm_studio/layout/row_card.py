"""The card beside the row under the pointer."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.rows.details import RowDetails
from melm_studio.rows.row_summaries import RowSummary


def row_card(details: RowDetails) -> list[Component]:
    """What is known of a row: its class, its prediction, what moves it, and its other columns."""
    summary = details.summary
    name = summary.label or "no label"
    values = [
        *(
            (each.feature, f"{each.value} ({_signed(each.deviations)} SD)")
            for each in details.contributions
        ),
        *details.info,
        *([("nearest rows", ", ".join(details.nearest))] if details.nearest else []),
    ]
    return [
        html.Strong(summary.name or f"row {summary.row}"),
        html.Div(f"{name}, row {summary.row}" if summary.name else name),
        _prediction(summary),
        *_possible(summary),
        *([html.Dl([part for entry in values for part in _entry(*entry)])] if values else []),
    ]


def _prediction(summary: RowSummary) -> Component:
    if summary.unlike:
        return html.Div(f"unlike the training rows, {summary.unlike}", className="is-other")
    is_other = summary.predicted not in ("", summary.label)
    words = "its class"
    if not summary.label:
        words = f"predicted {summary.predicted}"
    elif is_other:
        words = f"taken for {summary.predicted}"
    sure = f": {summary.probability}" if summary.probability else ""
    return html.Div(
        f"{words}{sure} ({summary.basis})",
        className="is-other" if summary.label and is_other else "row-card-dim",
    )


def _possible(summary: RowSummary) -> list[Component]:
    if not summary.possible:
        return []
    return [html.Div(f"at 90 %: {summary.possible}", className="row-card-dim")]


def _entry(name: str, value: str) -> list[Component]:
    # Pictures were made small where they were read.
    is_picture = value.startswith("data:image/")
    return [html.Dt(name), html.Dd(html.Img(src=value, alt=name) if is_picture else value)]


def _signed(deviations: float) -> str:
    return f"{'−' if deviations < 0 else '+'}{abs(deviations):.1f}"

"""Lists of rows: the selected ones with what distinguishes them, and new ones."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data
from melm_studio.rows.row_summaries import RowSummary
from melm_studio.rows.selection import Difference, Selection
from melm_studio.tables import count, number

_STRANGER = "unlike the training rows"


def selection_words(found: Selection) -> list[Component | str]:
    """How many rows are selected, in all and of each class."""
    classes = ", ".join(f"{number(n)} {name}" for name, n in found.classes)
    return [html.Strong(count(found.n_rows, "row")), f" {classes}"]


def difference_items(differences: Sequence[Difference]) -> list[Component]:
    """The features that distinguish the selected rows."""
    return [
        html.Li(
            [html.Span(each.feature, className="row-name"), html.Span(_size(each.deviations))],
            title=f"{each.feature}: mean {each.selected}, {each.others} of the other rows",
        )
        for each in differences
    ]


def row_items(rows: Sequence[RowSummary], n_rows: int) -> list[Component]:
    """The first rows as buttons that ring them, and how many more there are."""
    n_more = n_rows - len(rows)
    more = f"and {number(n_more)} more; save as CSV for all"
    buttons = [
        html.Button(
            _line(row),
            type="button",
            className="row-line",
            title=f"{_name(row)}: {_prediction(row)} ({row.basis})",
            **data(mark=str(row.row)),
            **aria(pressed="false"),
        )
        for row in rows
    ]
    return [
        *(html.Li(button) for button in buttons),
        *([html.Li(more, className="hint")] if n_more > 0 else []),
    ]


def new_row_items(rows: Sequence[RowSummary]) -> list[Component]:
    """The first new rows."""
    return [html.Li(_line(row), className="row-line") for row in rows]


def _line(row: RowSummary) -> list[Component]:
    """Its name, its class, and what else it may be.

    That is another class that is more probable, or the classes that it may be of; none of a row
    unlike the others.
    """
    if row.unlike:
        name, taken, modifier = row.label, _STRANGER, "row-unlike"
    else:
        is_other = bool(row.label) and row.predicted not in ("", row.label)
        name = row.label or row.possible or row.predicted
        sure = "" if row.possible and not row.label else row.possible or row.probability
        taken = _prediction(row) if is_other else sure
        modifier = "row-taken is-other" if is_other else "row-taken"
    return [
        html.Span(_name(row), className="row-name"),
        html.Span(name, className="row-class"),
        html.Span(taken, className=modifier),
    ]


def _name(row: RowSummary) -> str:
    return row.name or f"row {row.row}"


def _prediction(row: RowSummary) -> str:
    return _STRANGER if row.unlike else f"{row.predicted} {row.probability}".strip()


def _size(deviations: float | None) -> str:
    if deviations is None:
        return ""
    return f"{'−' if deviations < 0 else '+'}{abs(deviations):.1f} SD"

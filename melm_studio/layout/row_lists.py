"""Lists of rows: the selected ones with what distinguishes them, and new ones."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data, part
from melm_studio.rows.new_rows import ScaleQuestion
from melm_studio.rows.new_rows_report import NewRowsReport
from melm_studio.rows.row_summaries import RowSummary
from melm_studio.rows.selection import Difference, Selection
from melm_studio.tables import count, number

_STRANGER = "unlike the training rows"


def selected(found: Selection) -> list[Component]:
    """How many rows are selected, what distinguishes them, and the first ones."""
    return [
        html.P(selection_words(found), className="row-words", **part("selection-words")),
        html.Ul(
            difference_items(found.differences),
            className="differences",
            **part("differences"),
            **aria(label="Differences"),
        ),
        html.Ol(
            row_items(found.rows, found.n_rows),
            className="row-list",
            **part("selected-rows"),
            **aria(label="Selected rows"),
        ),
    ]


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


def new_rows(report: NewRowsReport) -> list[Component]:
    """What is said of new rows below the headline; questions first: classes depend on the units.

    The keyboard scrolls what has the focus.
    """
    rows = html.Ol(
        new_row_items(report.rows),
        className="row-list",
        tabIndex="0",
        **part("new-list"),
        **aria(label="New rows"),
    )
    notes = html.Ul(
        [html.Li(note) for note in report.notes], className="notes", **part("new-notes")
    )
    confusion = [_confusion(report)] if report.confusion else []
    return [*map(_scale_question, report.scales), rows, *confusion, notes]


def _scale_question(scale: ScaleQuestion) -> Component:
    """A column that seems to be in another unit, with the button that converts it."""
    convert = html.Button(
        scale.label,
        type="button",
        className="button",
        **data(scales=scale.column, factor=repr(scale.factor)),
    )
    choices = html.Div(convert, className="choices")
    return html.Div([html.P(scale.sentence), choices], className="table-question")


def _confusion(report: NewRowsReport) -> Component:
    names = report.class_names
    head = html.Tr([html.Td(), *(html.Th(name) for name in names)])
    rows = [
        html.Tr(
            [
                html.Th(names[code]),
                *(
                    html.Td(str(n), className="is-right" if code == other else "")
                    for other, n in enumerate(counts)
                ),
            ]
        )
        for code, counts in enumerate(report.confusion)
    ]
    caption = html.Caption("Class by row, prediction by column")
    return html.Table([caption, head, *rows], className="confusion", tabIndex="0")


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

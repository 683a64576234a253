"""The sheet of the table: where it comes from, its label, its classes, and its questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.base import percent
from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.layout.elements import (
    Element,
    aria,
    button,
    by_name,
    data,
    menu,
    menu_button,
    menu_item,
    plain,
    source_item,
)
from melm_studio.layout.first_page import question
from melm_studio.layout.table_dialog.dialog import columns_button, recipe_button
from melm_studio.operator_tables.published import PublishedTable
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    EACH_WAY,
    FEATURES,
    SAMPLES,
    Column,
    Question,
    Summary,
    count,
    number,
    told_apart,
)
from melm_studio.workspace.described_tables import TableDescription
from melm_studio.workspace.stories import INCLUDED_STORIES

_MOST_OFFERED = 100  # at once; typing finds the others
_LONGEST_NAME = 36
_MANY_CLASSES = 12
_BEING_READ = "Being read for the first time"
_MOST_QUESTIONS = 3  # in sight
_MOST_COLUMNS = 12  # in sight


def table_sheet(settings: Settings) -> Component:
    """The sheet, closed until the name of the table in the header is pressed; a script opens it."""
    most = data(megabytes=str(settings.max_upload_mb))
    label = _file_label(settings)
    return html.Section(
        [
            plain(html.Div(label, id=ids.DROP_ZONE, className="drop-zone", **most)),
            html.Div(
                [
                    menu_button("Samples", ids.SAMPLES, id=ids.SAMPLES_OPEN),
                    menu_button("Recent", ids.RECENT_LIST, id=ids.RECENT_OPEN),
                    html.Button(
                        "Draw",
                        type="button",
                        className="button menu-button",
                        title="Paint a table, hidden in noise",
                        **data(draws="table"),
                    ),
                ],
                className="side-by-side",
            ),
            menu(
                "Samples",
                [
                    html.Div(id=ids.TABLES, role="group", **aria(label="Tables of this studio")),
                    plain(
                        html.Div(
                            [_sample(*each) for each in enumerate(SAMPLES)],
                            className="menu-pictures",
                            role="group",
                            **aria(label="Samples"),
                        )
                    ),
                    plain(html.Div(_stories(), role="group")),
                ],
                "is-widest",
                id=ids.SAMPLES,
            ),
            menu("Recent data", modifier="is-wide", id=ids.RECENT_LIST),
            html.Div([html.Span("Label"), columns_button()], className="field-head row"),
            dmc.Select(
                id=ids.LABEL,
                allowDeselect=False,
                limit=_MOST_OFFERED,
                size="sm",
                **by_name(),
                **aria(label="Label column"),
            ),
            html.Div(id=ids.DATA_SUMMARY),
            html.Div(
                [html.Span("Preparation"), recipe_button()], className="field-head is-apart row"
            ),
            button(
                "Remove all runs",
                "is-text",
                title="Of this table, and can be undone",
                **data(removes="runs"),
            ),
        ],
        id=ids.TABLE_SHEET,
        className="table-sheet not-present card",
        tabIndex=-1,
        **aria(label="Table"),
    )


def _file_label(settings: Settings) -> Component:
    """A button that takes a file; a script takes those dropped on the page, too."""
    rows, columns = f"{settings.max_rows:,} rows", f"{settings.max_columns:,} columns"
    return html.Label(
        [
            Element("input", type="file", **aria(label="Table file")),
            html.Span(className="icon icon-upload"),
            html.Span("Drop a table, or choose a file", role="status"),
        ],
        title="CSV, Excel, Parquet, Feather, NumPy or ARFF, also as .gz or .zip, or a project; "
        "cells copied from a spreadsheet can be pasted. "
        f"At most {settings.max_upload_mb} MB, {rows}, {columns}.",
    )


def _sample(position: int, key: str) -> Component:
    """Its first look, which `lab.sample_pictures` draws, with its name and its size."""
    sample = SAMPLES[key]
    picture = html.Span(className="menu-picture", style={"--at": position}, **aria(hidden="true"))
    size = re.split(", |: | in ", sample.explanation)[0]
    more = html.Span(sample.explanation, className="menu-more small", **aria(hidden="true"))
    label = [picture, html.Strong(sample.label), html.Small(size), more]
    return source_item(label, DataSource(kind="sample", key=key), title=sample.explanation)


def _stories() -> list[Component]:
    """The stories that come with the studio; a script opens the one that is chosen."""
    items = [
        menu_item(story.title, **data(included_story=story.key))
        for story in INCLUDED_STORIES.values()
    ]
    return [html.Div("Stories to present", className="menu-label"), *items]


def data_size(summary: Summary, n_rows: int = 0) -> str:
    """The number of rows, features and classes, which stands beside the name of the data.

    Parameters
    ----------
    summary : Summary
    n_rows : int
        Of the table of which the data are a sample; 0 if they are no sample.
    """
    rows = count(n_rows or summary.n_samples, "row")
    features = count(summary.n_features, "feature")
    classes = count(len(summary.class_sizes), "class", "classes")
    return f"{rows}, {features}, {classes}"


def data_notes(table: TableDescription) -> list[Component]:
    """Count the open questions and the cautions, on the button that opens them."""
    n_open = sum(map(_is_in_sight, table.questions))
    counts = (count(n_open, "question"), count(len(table.warnings), "caution"))
    words = [text for text in counts if not text.startswith("0 ")]
    if not words:
        return []
    return [button(", ".join(words), "is-text", **data(sheet=ids.TABLE_SHEET))]


def data_summary(
    table: TableDescription, swatches: Sequence[tuple[str, str]], note: str = ""
) -> list[Component]:
    """The classes with their colors, warnings and questions in sight, and other notes folded.

    Parameters
    ----------
    table : TableDescription
    swatches : sequence of (color, shape)
        How each class is drawn; the color is a CSS value.
    note : str
        The step that is in sight although it is no warning.
    """
    notes = [step for step in table.steps if step not in (*table.warnings, note)]
    return [
        *_search(len(table.class_names)),
        _legend(table, swatches),
        *([html.P(note, className="hint")] if note else []),
        *[html.P(warning, className="warning") for warning in table.warnings],
        *_questions(table.questions),
        *_features(table.columns),
        _folded([*notes, _key_figures(table.summary)]),
    ]


def _key_figures(summary: Summary) -> str:
    is_sample = summary.n_rows_used < summary.n_samples
    sampled = f", in a sample of {number(summary.n_rows_used)} rows" if is_sample else ""
    components = count(summary.n_directions, "principal component")
    return (
        f"{percent(summary.density)} of the cells are filled, that is, not zero. {components} "
        f"hold{'s' if summary.n_directions == 1 else ''} 95 % of the variance{sampled}."
    )


def _search(n_classes: int) -> list[Component]:
    """The field that finds classes by name, where there are many."""
    if n_classes < _MANY_CLASSES:
        return []
    field = Element(
        "input",
        type="search",
        placeholder=f"Find one of {n_classes} classes",
        **aria(label="Find a class"),
    )
    return [plain(html.Div(field, className="class-search"))]


def _legend(table: TableDescription, swatches: Sequence[tuple[str, str]]) -> Component:
    names, summary = table.class_names, table.summary
    shown = told_apart(names, _LONGEST_NAME)
    classes = zip(
        names, shown, summary.class_sizes, summary.class_directions, swatches, strict=True
    )
    items = [
        html.Li(
            [
                html.Span(
                    html.Span(className=f"swatch {shape}", style={"backgroundColor": color}),
                    className="grip",
                    title="Drag to change the order of the classes",
                ),
                html.Button(
                    shown,
                    type="button",
                    className="button is-text class-name",
                    title=f"Show only {name}",
                    **data(class_=str(code)),
                    **aria(pressed="false"),
                ),
                html.Span(
                    number(size),
                    className="count",
                    title=f"{count(size, 'row')}; {count(directions, 'principal component')} for "
                    "95 % of their variance",
                ),
            ],
            **data(name=name),
        )
        for code, (name, shown, size, directions, (color, shape)) in enumerate(classes)
    ]
    # The title of Present, and the data whose pictures it stands over.
    asked = data(question=question(names), of=table.id)
    if table.has_batches:
        asked |= data(batches="")
    return plain(html.Ul(items, className="legend", **asked, **aria(label="Classes")))


def _questions(questions: Sequence[Question]) -> list[Component]:
    """A few questions in sight, those that need an answer first; the others folded.

    What the verdict is computed for each way is asked only by a verdict that depends on it.
    """
    order = sorted(
        range(len(questions)),
        key=lambda index: (not _is_in_sight(questions[index]), bool(questions[index].default)),
    )
    items = [_question(index, questions[index]) for index in order]
    n_seen = min(sum(map(_is_in_sight, questions)), _MOST_QUESTIONS)
    if len(items) == n_seen:
        return items
    is_more = "more " if n_seen else ""
    answered = "answered " if all(questions[index].answer for index in order[n_seen:]) else ""
    words = count(len(items) - n_seen, f"{is_more}{answered}question")
    return [
        *items[:n_seen],
        html.Details([html.Summary(words), *items[n_seen:]], className="notes"),
    ]


def _is_in_sight(question: Question) -> bool:
    return not question.answer and question.default != EACH_WAY


def _question(index: int, question: Question) -> Component:
    """A question with a button for each answer; that of the answer given is pressed."""
    buttons = [
        button(
            choice.label,
            "is-toggle",
            id=ids.answer(index, number),
            **aria(pressed=str(choice.value == (question.answer or question.default)).lower()),
        )
        for number, choice in enumerate(question.choices)
    ]
    is_open = {} if question.answer or question.default else data(open="")
    return html.Div(
        [
            html.P(question.sentence),
            *([_preview(question)] if question.preview else []),
            html.Div(buttons, className="wrap"),
        ],
        role="group",
        className="table-question",
        **is_open,
        **aria(label=question.short),
    )


def _features(columns: Sequence[Column]) -> list[Component]:
    """A button for each column: pressed if it is a feature, as what is measured of each row is."""
    if not columns:
        return []
    buttons = [
        button(
            name,
            "is-toggle",
            id=ids.feature(index),
            title=f"{column.name}: {column.reason}",
            **aria(pressed=str(column.role in FEATURES).lower()),
        )
        for index, (column, name) in enumerate(
            zip(columns, told_apart([each.name for each in columns], _LONGEST_NAME), strict=True)
        )
    ]
    return [
        html.Details(
            [
                html.Summary("Measured of each row"),
                html.Div(buttons, className="wrap", role="group", **aria(label="Features")),
            ],
            open=len(columns) <= _MOST_COLUMNS,
            className="notes column-buttons",
        )
    ]


def _preview(question: Question) -> Component:
    """The first cells of the table as an answer would have it."""
    header, *rows = question.preview
    return html.Table(
        [
            html.Caption("Turned, it begins"),
            html.Thead(html.Tr([html.Th(cell) for cell in header])),
            html.Tbody([html.Tr([html.Td(cell) for cell in row]) for row in rows]),
        ],
        className="preview",
    )


def _folded(notes: Sequence[str]) -> Component:
    return plain(
        html.Details(
            [
                html.Summary(f"{count(len(notes), 'note')} on the table"),
                html.Ul([html.Li(note) for note in notes], className="steps hint"),
            ],
            className="notes",
        )
    )


def table_items(tables: Sequence[PublishedTable]) -> list[Component]:
    """The tables with their sizes; those that cannot be chosen say why."""
    return [_table_item(table) for table in tables]


def _table_item(table: PublishedTable) -> Component:
    label = [html.Strong(table.name), html.Small(_explanation_of(table))]
    if not table.is_ready:
        return menu_item(label, disabled=True)
    return source_item(label, DataSource(kind="table", key=table.key, name=table.name))


def _explanation_of(table: PublishedTable) -> str:
    if table.problem:
        return table.problem
    if not table.is_ready:
        return _BEING_READ
    return f"{count(table.n_rows, 'row')}, {count(table.n_columns, 'column')}"

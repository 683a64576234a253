"""The sheet of the table: where it comes from, its label, its classes, and its questions."""

from __future__ import annotations

import re

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button
from melm_studio.layout.menus import menu, menu_button, menu_item, source_item
from melm_studio.layout.shell.markup import Element, plain
from melm_studio.layout.table_dialog.dialog import columns_button, recipe_button
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import SAMPLES
from melm_studio.workspace.stories import INCLUDED_STORIES

_MOST_OFFERED = 100  # at once; typing finds the others


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
            html.Div([html.Span("Label"), columns_button()], className="field-head"),
            dmc.Select(
                id=ids.LABEL,
                allowDeselect=False,
                searchable=True,
                limit=_MOST_OFFERED,
                size="sm",
                **aria(label="Label column"),
            ),
            html.Div(id=ids.DATA_SUMMARY),
            html.Div([html.Span("Preparation"), recipe_button()], className="field-head is-apart"),
            button(
                "Remove all runs",
                "is-text",
                title="Of this table, and can be undone",
                **data(removes="runs"),
            ),
        ],
        id=ids.TABLE_SHEET,
        className="table-sheet",
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


def _sample(at: int, key: str) -> Component:
    """Its first look, which `lab.sample_pictures` draws, with its name and its size."""
    sample = SAMPLES[key]
    picture = html.Span(className="menu-picture", style={"--at": at}, **aria(hidden="true"))
    size = re.split(", |: | in ", sample.explanation)[0]
    more = html.Span(sample.explanation, className="menu-more", **aria(hidden="true"))
    label = [picture, html.Strong(sample.label), html.Small(size), more]
    return source_item(label, DataSource(kind="sample", key=key), title=sample.explanation)


def _stories() -> list[Component]:
    """The stories that come with the studio; a script opens the one that is chosen."""
    items = [
        menu_item(story.title, **data(included_story=story.key))
        for story in INCLUDED_STORIES.values()
    ]
    return [html.Div("Stories to present", className="menu-label"), *items]

"""The sidebar: data above, method below, Run at the bottom."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import HELD_OUT, METHODS, SEED, STARTS, Method
from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.compare import batch_form, run_batch_button
from melm_studio.layout.menus import menu, menu_button, menu_item, source_item
from melm_studio.layout.method_form import (
    components_control,
    curves_control,
    gamma_control,
    number_input,
    own_settings,
)
from melm_studio.layout.shell.markup import Element, plain
from melm_studio.layout.table_dialog.dialog import columns_button, recipe_button
from melm_studio.runs.execution.refusals import missing_package
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import SAMPLES
from melm_studio.workspace.stories import INCLUDED_STORIES

FIRST_METHOD = next(iter(METHODS))
_GROUPS = ("Supervised", "Unsupervised", "Nonlinear", "From the papers")
# What their authors compare with, and few look for.
_RIVALS_OF_THE_PAPERS = {"cpca", "2epca", "ppca", "opca", "vca"}
_MOST_OFFERED = 100  # at once; typing finds the others
_METHOD_NOTE = "method-note"


def sidebar(settings: Settings) -> list[Component]:
    """The contents of the sidebar."""
    return [
        html.Div([_data(settings), batch_form(_menu()), _method()], className="sidebar-body"),
        html.Div(_run(), className="sidebar-foot"),
    ]


def _data(settings: Settings) -> Component:
    most = data(megabytes=str(settings.max_upload_mb))
    label = _file_label(settings)
    return html.Section(
        [
            html.H2("Data"),
            plain(html.Div(label, id=ids.DROP_ZONE, className="drop-zone", **most)),
            html.Div(
                [
                    menu_button("Samples", ids.SAMPLES, id=ids.SAMPLES_OPEN),
                    menu_button("Recent", ids.RECENT_LIST, id=ids.RECENT_OPEN),
                ],
                className="side-by-side",
            ),
            menu(
                "Samples",
                [
                    html.Div(id=ids.TABLES, role="group", **aria(label="Tables of this studio")),
                    plain(html.Div([*map(_sample, SAMPLES), *_stories()], role="group")),
                ],
                "is-widest",
                id=ids.SAMPLES,
            ),
            html.P(id=ids.DATA_ERROR, role="alert", className="alert"),
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
        ]
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


def _sample(key: str) -> Component:
    sample = SAMPLES[key]
    label = [html.Strong(sample.label), html.Small(sample.explanation)]
    return source_item(label, DataSource(kind="sample", key=key))


def _stories() -> list[Component]:
    """The stories that come with the studio; a script opens the one that is chosen."""
    items = [
        menu_item(story.title, **data(included_story=story.key))
        for story in INCLUDED_STORIES.values()
    ]
    return [html.Div("Stories to present", className="menu-label"), *items]


def _method() -> Component:
    return html.Section(
        [
            html.Div(_one_method(), className="explore-only"),
            _more(),
        ]
    )


def _one_method() -> list[Component]:
    """What Explore runs; Compare has a form of its own."""
    return [
        html.H2("Method"),
        html.Div(
            [
                dmc.Select(
                    id=ids.METHOD,
                    data=_menu(),
                    value=FIRST_METHOD,
                    allowDeselect=False,
                    searchable=True,
                    size="sm",
                    **aria(label="Method"),
                ),
                plain(
                    html.Button(
                        html.Span(className="icon icon-info"),
                        type="button",
                        className="button is-icon",
                        **data(opens=_METHOD_NOTE),
                        **aria(label="About the method"),
                    )
                ),
            ],
            className="method-choice",
        ),
        html.Div(
            html.P(id=ids.METHOD_EXPLANATION), id=_METHOD_NOTE, className="menu is-wide is-note"
        ),
        gamma_control(ids.GAMMA, ids.GAMMA_SLIDER),
    ]


def _more() -> Component:
    """What the defaults serve well, folded away; a script sums it up."""
    return html.Details(
        [
            html.Summary(["More", html.Span(id=ids.MORE_SETTINGS)]),
            html.Div(
                [
                    components_control(ids.N_COMPONENTS),
                    curves_control(ids.CURVES),
                    html.Div(
                        [
                            number_input(ids.N_INIT, STARTS),
                            number_input(ids.RANDOM_STATE, SEED),
                            number_input(ids.HELD_OUT, HELD_OUT, usual="auto"),
                        ],
                        className="field-grid is-three",
                    ),
                    html.P(id=ids.N_INIT_REASON, className="field-note"),
                    html.Div([html.Span("Preparation"), recipe_button()], className="field-head"),
                    html.Div(own_settings(METHODS[FIRST_METHOD]), id=ids.SETTINGS),
                ],
                className="folded",
            ),
        ],
        className="more",
    )


def _menu() -> list[dict[str, Any]]:
    """The methods in groups, each in the order of the registry; the rare ones come last."""
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in _GROUPS}
    for method in METHODS.values():
        groups.setdefault(_group(method), []).append(_menu_item(method))
    return [{"group": group, "items": items} for group, items in groups.items()]


def _menu_item(method: Method) -> dict[str, Any]:
    install = missing_package(method.key)
    if install is None:
        return {"value": method.key, "label": method.label}
    label = f"{method.label}: not installed ({install})"
    return {"value": method.key, "label": label, "disabled": True}


def _group(method: Method) -> str:
    if method.key in _RIVALS_OF_THE_PAPERS:
        return "From the papers"
    if not method.is_linear:
        return "Nonlinear"
    return "Supervised" if method.uses_labels else "Unsupervised"


def _run() -> list[Component]:
    keys = html.Kbd("Ctrl Enter", **aria(hidden="true"))
    return [
        html.P(id=ids.RUN_ERROR, role="alert", className="alert"),
        run_batch_button(),
        html.Button(
            ["Run", keys],
            id=ids.RUN,
            type="button",
            className="button is-primary explore-only",
            disable_n_clicks=True,  # a script listens
        ),
    ]

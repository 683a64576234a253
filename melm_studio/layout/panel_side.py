"""The inspector of a run, beside its picture: features, rows, trust and new rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_core.methods import BATCH_WEIGHT
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import CLASSES
from melm_studio.layout.elements import (
    FLAT,
    LATENT,
    LINEAR,
    MACHINE,
    MAP,
    ONE_CLASS,
    PLANAR,
    Element,
    aria,
    button,
    data,
    icon_button,
    menu,
    menu_item,
    needs,
    part,
    tip,
)
from melm_studio.layout.found import analysis
from melm_studio.layout.panel_tools import slider

# Finer steps are no other picture, and each is a refit.
_STEP = 0.25
_ACTIONS = {
    "new-class": "As a class of their own…",
    "new-column": "As a column of information…",
    "copy": "Copy",
    "csv": "Save as CSV",
}


def side() -> Component:
    """The inspector: four tabs, of which scripts show one and fill all."""
    tabs = [
        html.Button(
            label,
            type="button",
            role="tab",
            className="inspector-tab",
            **data(inspects=name),
            **aria(selected="false"),
        )
        for name, (label, _) in _TABS.items()
    ]
    return html.Div(
        [
            html.Div(
                tabs, className="inspector-tabs", role="tablist", **aria(label="About the run")
            ),
            *(
                html.Div(
                    contents(),
                    role="tabpanel",
                    className="inspected",
                    **data(inspected=name),
                    **aria(label=label),
                )
                for name, (label, contents) in _TABS.items()
            ),
        ],
        className="panel-side card",
    )


def _features_tab() -> list[Component]:
    words = "A nonlinear projection has no directions, and its features no loadings."
    of_one = analysis("", "", hidden=True, **part("feature-densities"))
    doors = [
        of_one,
        *_analyses_of("features"),
        analysis("loadings", "Loadings", PLANAR, CLASSES),
        analysis("latent-structure", "R²Y and Q²", LATENT, of_line=part("latent")),
    ]
    return [
        _features(),
        html.Section(doors, className="side-card doors stack", **needs(LINEAR)),
        html.P(words, className="hint side-card stack", **needs(MAP)),
    ]


def _rows_tab() -> list[Component]:
    return [selection_card()]


def _trust_tab() -> list[Component]:
    """Return the tab of what the answer rests on, and of other answers."""
    return [
        html.Section(
            [
                *_analyses_of("trust"),
                analysis("surface", "Decision surface", FLAT, CLASSES, MACHINE),
            ],
            className="side-card doors stack",
        ),
        batch_card(),
    ]


def _new_rows_tab() -> list[Component]:
    return [
        html.Section(
            [
                html.P(
                    "Rows of another file, placed in this plane. A file can be dropped on the "
                    "picture.",
                    className="hint",
                ),
                html.Div(
                    [
                        button("Rows from a file…", **part("add-rows")),
                        button("Paste rows", **part("paste-rows")),
                    ],
                    className="wrap",
                ),
                Element(
                    "textarea",
                    className="row-field",
                    placeholder="Paste rows here, with their header",
                    hidden=True,
                    **part("pasted-rows"),
                    **aria(label="Rows with their header"),
                ),
            ],
            className="side-card stack",
        ),
        new_rows_card(),
        html.Section(
            _analyses_of("new"),
            className="side-card doors stack",
        ),
    ]


def _analyses_of(tab: str) -> list[Component]:
    """Doors to the analyses of a tab; a script writes below each what it has found out."""
    return [
        part_of_door
        for each in ANALYSES.values()
        if each.title and each.tab == tab
        for part_of_door in (
            analysis(f"analyses/{each.name}", each.title, *each.needs, again=each.again),
            html.P(className="door-words hint", **data(known=each.name), **needs(*each.needs)),
        )
    ]


_TABS: dict[str, tuple[str, Callable[[], list[Component]]]] = {
    "features": ("Features", _features_tab),
    "rows": ("Rows", _rows_tab),
    "trust": ("Trust", _trust_tab),
    "new": ("New rows", _new_rows_tab),
}


def _features() -> Component:
    return html.Section(
        [
            html.Div(
                [
                    html.H3("What tells them apart", **needs(CLASSES)),
                    html.H3("Features", **needs(ONE_CLASS)),
                    button("List", "is-text", hidden=True, **part("features-as")),
                ],
                className="features-head row",
            ),
            html.Div(className="pixel-images stack", hidden=True, **part("pixel-images")),
            html.Div(className="card-body", **part("feature-list")),
            button("", "is-text more-features", hidden=True, **part("more-features")),
            html.P(
                [
                    html.Span(**part("second-words")),
                    button(
                        "Show it",
                        "is-text",
                        title="Run the method again with one component",
                        **part("one-component"),
                    ),
                ],
                className="hint",
                hidden=True,
                **part("second"),
            ),
            slider("Keep top features", "top-features", 1, 2, 2),
            html.P(className="hint", role="status", **part("top-features-words")),
        ],
        className="side-card features-card stack",
        **needs(LINEAR),
    )


def batch_card() -> Component:
    """Hidden until a plane has batches; a script fills it."""
    return html.Section(
        [
            html.H3("Batches", **tip(BATCH_WEIGHT.explanation)),
            html.P(className="hint", role="status", **part("batch-words")),
            html.Div(
                [
                    slider(
                        BATCH_WEIGHT.label,
                        "batch-weight",
                        int(BATCH_WEIGHT.minimum),
                        int(BATCH_WEIGHT.maximum),
                        int(BATCH_WEIGHT.default),
                        step=_STEP,
                    ),
                    analysis("trade-off", "What it costs"),
                ],
                **part("batch-tools"),
            ),
        ],
        className="side-card batch-card stack",
        hidden=True,
        **part("batch-card"),
        **aria(label="Batches"),
    )


def selection_card() -> Component:
    """Rows that are found or selected; a script lists them."""
    return html.Section(
        [
            html.Div(
                [
                    html.H3("Selection"),
                    button("Clear", "is-text", hidden=True, **part("clear-rows")),
                ],
                className="card-head",
            ),
            html.Div([_finder(), _selected(), _edits()], className="rows", **part("selection")),
        ],
        className="side-card selection-card stack",
    )


def new_rows_card() -> Component:
    """The report of new rows, hidden while there are none."""
    return html.Section(
        [
            html.Div(
                [
                    html.H3("New rows"),
                    button("Save as CSV", "is-text", **part("new-csv")),
                    button("Remove", "is-text", **part("new-remove")),
                ],
                className="card-head",
            ),
            html.P(className="row-words", role="status", **part("new-headline")),
            html.Div(className="card-body", **part("new-body")),
        ],
        className="side-card new-rows-card stack",
        hidden=True,
        **part("new-rows"),
    )


def _finder() -> Component:
    """The ways to rows."""
    label = aria(label="Find rows by name, number or text")
    wanted = _field("search", placeholder="Name or text", **part("wanted-rows"), **label)
    lists = [
        button(
            "Outliers",
            title="Rows beyond the 99 % limit of T² in the plane, or of Q off it",
            **part("find-outliers"),
            **needs(LINEAR),
        ),
        button(
            "Suspect labels",
            title="Rows that planes fitted without them place in another class",
            **part("find-suspects"),
        ),
    ]
    return html.Div(
        [
            html.P("Draw around rows with the lasso, or find them:", className="hint"),
            html.Form([wanted], role="search", className="row", **part("row-finder")),
            html.Div(lists, className="wrap"),
            html.P(className="row-words", role="status", **part("found-words")),
            analysis(
                "distances",
                "T² and Q of every row",
                LINEAR,
                hidden=True,
                of_line={"title": "The distance of every row within the plane and from it"},
                **part("show-distances"),
            ),
        ],
        className="finder stack",
    )


def _selected() -> Component:
    items = [menu_item(label, **data(rows=name)) for name, label in _ACTIONS.items()]
    commands = [
        button("Leave out, run again", **part("leave-out")),
        icon_button("more", "More about the selected rows", **part("row-actions"), **data(menu="")),
        menu("Selected rows", items, **part("row-menu")),
    ]
    name = _field("text", maxlength=100, required=True, **part("mark-name"))
    run_again = html.Button("Run again", type="submit", className="button is-small")
    return html.Div(
        [
            html.Div(className="card-body", **part("selected")),
            html.Form([name, run_again], className="row", hidden=True, **part("mark-form")),
            html.Div(commands, className="wrap"),
        ],
        className="selected stack",
    )


def _field(kind: str, **attributes: Any) -> Component:
    return Element("input", type=kind, className="row-field", **attributes)


def _edits() -> Component:
    """Return the edits of rows of the run's table, and the way back."""
    return html.P(
        [html.Span(**part("edits-words")), button("Undo", "is-text is-link", **part("put-back"))],
        className="row-words edits",
        hidden=True,
        **part("edits"),
    )

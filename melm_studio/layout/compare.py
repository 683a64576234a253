"""Runs beside each other: what to start several with, and the tables below the panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_core.methods import GAMMA
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.validation import CLASSIFIERS
from melm_studio.views.comparison import Agreement, ComparedRun, Mover

GAMMAS = (0.1, 0.25, 0.5, 1, 2, 5, 10)
TABS = {"table": "Table", "agreement": "Agreement of planes", "movers": "Biggest movers"}
DRAGS = {"pan": "Move", "lasso": "Lasso", "select": "Box"}
_FOLLOWED_EVERY_MS = 1000
_FIRST_METHODS = ("melm", "lda", "pca")

# Two figures each, of the rows that the fit saw and of those that it did not.
_PAIRS = {
    "divergence": ("Divergence", "Cauchy-Schwarz divergence of the classes in the plane"),
    **{
        judge: (label, "Balanced accuracy in the plane; before a check, of the class densities")
        for judge, label in CLASSIFIERS.items()
    },
}
_SINGLES = {
    "gap": ("Gap", "Seen less unseen accuracy: what the plane owes to the rows it was fitted to"),
    "p": ("p", "Share of shuffled labels that do as well; a check tells"),
    "seconds": ("Seconds", "Time that the fit took"),
    "features": (
        "Features used",
        "Participation ratio of the squared loadings: as many features weighing the same would "
        "make such a plane",
    ),
}
_LIVE = "Of the run's own held-out rows; a check refits the plane in folds"
# In standard deviations: less is not seen.
_STILL = 0.005
# The best of these is the smallest.
_ASCENDING = ("title", "gap", "p", "seconds", "features")


def several(menu: Sequence[dict[str, Any]]) -> Component:
    """What several runs at once are made of; all else is as in the rail."""
    return dmc.Stack(
        [
            dmc.Title("Side by side", order=2, size="h5"),
            dmc.MultiSelect(
                id=ids.SEVERAL_METHODS,
                label="Methods",
                data=menu,
                value=list(_FIRST_METHODS),
                searchable=True,
                hidePickedOptions=True,
                size="sm",
                maxDropdownHeight=420,
            ),
            dmc.TagsInput(
                id=ids.SEVERAL_GAMMAS,
                label="Kernel widths γ",
                data=[f"{gamma:g}" for gamma in GAMMAS],
                value=[f"{GAMMA.default:g}"],
                size="sm",
            ),
            dmc.Switch(
                id=ids.SEVERAL_BOTH,
                label="Both standardised and not",
                checked=False,
                size="sm",
            ),
        ],
        gap="xs",
        className="compare-only",
    )


def run_several() -> Component:
    """The button that starts them all."""
    return dmc.Button(
        "Run these",
        id=ids.RUN_SEVERAL,
        fullWidth=True,
        size="md",
        variant="light",
        className="compare-only",
    )


def drag_choice() -> Component:
    """What dragging in a picture does."""
    return dmc.Tooltip(
        dmc.SegmentedControl(
            id=ids.DRAG,
            data=[{"value": drag, "label": label} for drag, label in DRAGS.items()],
            value=next(iter(DRAGS)),
            size="xs",
            **aria(label="What dragging does"),
        ),
        label="Move the picture, or select rows in it: they are shown in every panel",
        openDelay=400,
    )


def singled_out() -> Component:
    """Which rows and classes are singled out, in words that a script says."""
    return html.Div(
        [_said(ids.BRUSHED, "Clear"), _said(ids.ISOLATED, "Show all classes")],
        className="selection",
    )


def _said(component_id: str, way_back: str) -> Component:
    return html.Div(
        [
            html.Span(role="status"),
            dmc.Button(way_back, variant="subtle", size="compact-xs"),
        ],
        id=component_id,
        hidden=True,
    )


def tables() -> Component:
    """The tables below the panels, closed until one is asked for."""
    return html.Div(
        [
            dcc.Store(id=ids.SORT, data={"column": None, "descending": False}),
            dcc.Interval(id=ids.COMPARE_CLOCK, interval=_FOLLOWED_EVERY_MS, disabled=True),
            dmc.Tabs(
                [
                    dmc.TabsList([dmc.TabsTab(label, value=tab) for tab, label in TABS.items()]),
                    dmc.TabsPanel(html.Div(id=ids.COMPARED), value="table"),
                    dmc.TabsPanel(html.Div(id=ids.AGREEMENT), value="agreement"),
                    dmc.TabsPanel(_movers(), value="movers"),
                ],
                id=ids.COMPARE_TAB,
                value=None,
                allowTabDeactivation=True,
            ),
            _check_all(),
        ],
        className="tables compare-only",
    )


def _check_all() -> Component:
    button = dmc.Tooltip(
        dmc.Button("Check all", id=ids.CHECK_ALL, variant="light", size="compact-sm"),
        label="Ask of every run whether it is real: refits in folds and to shuffled labels",
        openDelay=400,
    )
    return html.Div(button, className="tables-action")


def _movers() -> Component:
    return html.Div(
        [
            dmc.Stack(
                [_run_choice(ids.MOVERS_FROM, "From"), _run_choice(ids.MOVERS_TO, "To")],
                gap="xs",
            ),
            html.Div(id=ids.MOVERS, className="movers-found"),
        ],
        className="movers",
    )


def _run_choice(component_id: str, label: str) -> Component:
    return dmc.Select(id=component_id, label=label, data=[], allowDeselect=False, size="sm", w=260)


def compare_table(
    rows: Sequence[ComparedRun], column: str | None = None, *, descending: bool = False
) -> Component:
    """A row a run, in the order given, which is that of a column if one is named."""

    def head(key: str, label: str, name: str, **options: Any) -> Component:
        is_sorted = key == column
        button = html.Button(
            label,
            type="button",
            className="button is-text",
            **data(sort=key, descending=str(_next_descending(key, is_sorted, descending)).lower()),
            **aria(label=f"Sort by {name}"),
        )
        order = ("descending" if descending else "ascending") if is_sorted else "none"
        return html.Th(button, scope="col", **aria(sort=order), **options)

    groups = [
        head("title", "Run", "run", rowSpan=2),
        *(
            html.Th(label, scope="colgroup", colSpan=2, title=meaning)
            for label, meaning in _PAIRS.values()
        ),
        *(
            head(key, label, label, rowSpan=2, title=meaning)
            for key, (label, meaning) in _SINGLES.items()
        ),
    ]
    sides = [
        head(f"{key}-{side}", side, f"{label}, {side}")
        for key, (label, _) in _PAIRS.items()
        for side in ("seen", "unseen")
    ]
    body = [_row(row) for row in rows]
    return html.Table(
        [html.Thead([html.Tr(groups), html.Tr(sides)]), html.Tbody(body)],
        className="figures compared",
        **aria(label="The runs and their figures"),
    )


def _next_descending(key: str, is_sorted: bool, descending: bool) -> bool:
    """The best first; the other way round where it is so already."""
    return not descending if is_sorted else key not in _ASCENDING


def _row(row: ComparedRun) -> Component:
    pairs = [
        _figure(row, f"{key}-{side}", _divergence if key == "divergence" else _accuracy)
        for key in _PAIRS
        for side in ("seen", "unseen")
    ]
    p_value = html.Td(_p_value(row), className="" if row.checked_share is None else "is-coming")
    singles = [
        _figure(row, "gap", lambda gap: f"{gap:+.2f}"),
        p_value,
        _figure(row, "seconds", lambda seconds: f"{seconds:.1f}"),
        _figure(row, "features", lambda features: f"{features:.1f}"),
    ]
    name = html.Th(row.title, scope="row", title=row.title)
    live: dict[str, Any] = {} if row.is_checked else {"className": "is-live", "title": _LIVE}
    return html.Tr([name, *pairs, *singles], **live)


def _figure(row: ComparedRun, key: str, shown: Callable[[float], str]) -> Component:
    value = row.figures.get(key)
    return html.Td("–" if value is None else shown(value))


def _divergence(value: float) -> str:
    return f"{value:.3g}"


def _accuracy(value: float) -> str:
    return f"{value:.2f}"


def _p_value(row: ComparedRun) -> str:
    value = row.figures.get("p")
    known = "–" if value is None else f"{value:.3f}"
    if row.checked_share is None:
        return known
    return f"{100 * row.checked_share:.0f} %" if value is None else f"{known} …"


def agreement_table(agreement: Agreement) -> Component:
    """The largest angle between each two planes, in degrees."""
    numbers = range(1, len(agreement.titles) + 1)
    head = html.Tr(
        [
            html.Td(""),
            *(html.Th(str(n), scope="col", title=agreement.titles[n - 1]) for n in numbers),
        ]
    )
    rows = [
        html.Tr(
            [
                html.Th(f"{n}  {title}", scope="row", title=title),
                *(_angle(angle, is_own=n == m) for m, angle in zip(numbers, degrees, strict=True)),
            ]
        )
        for n, title, degrees in zip(numbers, agreement.titles, agreement.degrees, strict=True)
    ]
    table = html.Table(
        [html.Thead(head), html.Tbody(rows)],
        className="figures matrix angles",
        **aria(label="Angles between the planes"),
    )
    words = [
        "The largest angle between each two planes: 0° is the same plane; at 90° one of them has "
        "a direction at right angles to all of the other.",
        *agreement.notes,
    ]
    return html.Div([table, html.Div([html.P(text) for text in words], className="aside")])


def _angle(degrees: float | None, *, is_own: bool) -> Component:
    if is_own or degrees is None:
        return html.Td("" if is_own else "–")
    share = 1.0 - degrees / 90.0
    return html.Td(f"{degrees:.0f}°", style={"--share": f"{share:.3f}"})


def movers_table(movers: Sequence[Mover]) -> Component:
    """The rows that move most; pressing one marks it in every panel, by a script."""
    if movers[0].distance < _STILL:
        return html.P("No row moves between these two: they are the same picture.")
    head = html.Tr([html.Th(text, scope="col") for text in ("Row", "Class", "Distance")])
    rows = [
        html.Tr(
            [
                html.Th(_mark(mover.row), scope="row"),
                html.Td(mover.class_name),
                html.Td(f"{mover.distance:.2f}"),
            ],
            key=str(mover.row),
        )
        for mover in movers
    ]
    table = html.Table(
        [html.Thead(head), html.Tbody(rows)],
        className="figures",
        **aria(label="The rows that move most"),
    )
    words = "Distances are in standard deviations of the pictures, the second turned like the first"
    return html.Div([table, html.Div(html.P(f"{words}."), className="aside")])


def _mark(row: int) -> Component:
    return html.Button(
        str(row),
        type="button",
        className="button is-text",
        title="Mark this row in every panel",
        **data(mark=str(row)),
        **aria(label=f"Mark row {row}", pressed="false"),
    )

"""A panel: one run with its plane, its scores and its history.

A script makes each panel of a copy of the template, many times faster than Dash would render its
parts, and of what is said of its run. `data-needs` marks what only some runs have, `data-part` what
the script fills.
"""

from __future__ import annotations

import math
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_core.methods import BANDWIDTH, GAMMA, METHODS
from melm_studio.analyses.analysis import CLASSES
from melm_studio.analyses.tree import TREE_METHOD
from melm_studio.layout import ids
from melm_studio.layout.elements import (
    FLAT,
    LATENT,
    LINEAR,
    MACHINE,
    MAP,
    ONE_CLASS,
    PLANAR,
    SPACE,
    TREE,
    WITHIN_SUBJECTS,
    Element,
    aria,
    button,
    data,
    icon_button,
    needs,
    part,
)
from melm_studio.layout.panel_side import side
from melm_studio.layout.panel_tools import picture_tools
from melm_studio.planes.captions import edited_rows, title
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import TermsInWords
from melm_studio.tables import WITHIN

SEARCH = "search"
_SHAPES = {1: "line", 2: FLAT, 3: SPACE}
_AXES = {
    "line": ("Component 1", "Density"),
    FLAT: ("Component 1", "Component 2"),
    SPACE: ("Horizontal direction", "Vertical direction"),
}
_COMMANDS = {"pause": "Pause", "step": "Step", "continue": "Continue"}
_DIVERGENCE = "Cauchy-Schwarz divergence between the classes; press for its terms"
_CURVES = {"search": "Along the search", "gamma": "By γ"}
# What the lines of a curve are; "advice" is the curve by γ that inner folds have measured.
_LINES = {
    "search": {"best": "best so far", "held-out": "held out", "steps": "each step"},
    "advice": {"held-out": "held-out accuracy", "band": "± 1 standard error"},
    "morph": {"best": "training", "held-out": "held out"},
}
_OF_DENSITIES = "γ of the densities"


def described_panel(run: RunRecord) -> dict[str, str]:
    """Return the description from which the panel of a run is made.

    A nonlinear projection has no components, only a search has a history, only MELM has a tree of
    planes, only PLS-DA and OPLS-DA latent components, and only a kernel machine a decision surface;
    of rows of one class there is nothing to tell apart. Runs in the same ``space`` can be morphed
    into each other. ``edits`` is what the user did to rows of its table. ``projection`` names the
    axes of a nonlinear one, as "t-SNE".
    """
    method, n_components = METHODS[run.method], run.parameters.n_components
    kinds = {
        PLANAR: n_components > 1,
        LINEAR: method.is_linear,
        SEARCH: method.streams,
        TREE: run.method == TREE_METHOD,
        LATENT: method.predicts_indicators,
        CLASSES if run.n_classes != 1 else ONE_CLASS: True,
        MACHINE: method.takes(BANDWIDTH.name),
        MAP: not method.is_linear,
        WITHIN_SUBJECTS: WITHIN in run.source.answers.values(),
    }
    features = [_SHAPES[n_components], *(kind for kind, applies in kinds.items() if applies)]
    name = title(run)
    return {
        "run": run.run_id,
        "label": f"{name}, {run.data_name}",
        "title": name,
        "gamma": f"{run.density_gamma:g}",
        "components": str(n_components),
        "has": " ".join(features),
        "space": f"{run.data_id}:{n_components}" if method.is_linear else "",
        "edits": ", ".join(edited_rows(run)),
        "projection": "" if method.is_linear else method.label,
    }


def panel_model() -> Component:
    """The template that scripts clone into every placeholder; not displayed itself."""
    return html.Template(
        [
            _head(),
            html.Div(
                className="progress",
                role="progressbar",
                **part("progress"),
                **aria(label="Progress of the run"),
            ),
            _verdict(),
            html.Div([_picture(), side()], className="panel-body"),
            history(),
        ],
        id=ids.PANEL_MODEL,
    )


def _head() -> Component:
    return html.Header(
        [
            html.Div(
                [
                    html.H2(_title(), className="panel-title cut", **part("name")),
                    html.P(className="words small cut", **part("words")),
                    html.Span(className="only-spoken", role="status", **part("words-spoken")),
                ],
                className="panel-names",
            ),
            html.Div([*_run_commands(), picture_tools(), *_menus()], className="panel-actions row"),
        ],
        className="panel-head not-present row wrap",
    )


def _title() -> Component:
    """The title of the run, which a script fills in and lets the user change in its place."""
    return html.Button(
        "Run", type="button", className="button is-text", title="Rename", **part("title")
    )


def _run_commands() -> list[Component]:
    """The commands of a running or interrupted run, of which those are in sight that apply."""
    return [
        *(button(label, **part(name)) for name, label in _COMMANDS.items()),
        button([html.Span(className="icon icon-stop"), "Stop"], "is-red", **part("stop")),
    ]


def _menus() -> list[Component]:
    return [
        icon_button(
            "anchor",
            "Align the other panels with this one",
            "compare-only several-only",
            **part("anchor"),
            **aria(pressed="false"),
        ),
        icon_button("close", "Remove this run", **part("remove")),
    ]


def _verdict() -> Component:
    """Return the share of held-out rows told apart, against chance; a script writes it."""
    return html.Div(
        [
            html.Div(
                [
                    html.P(_sentence(), **part("verdict")),
                    html.Span(className="only-spoken", role="status", **part("verdict-spoken")),
                    html.Ul(
                        className="verdict-notes explore-only small cut", **part("verdict-notes")
                    ),
                ],
                className="verdict-words",
            ),
            html.Progress(
                max="1",
                hidden=True,
                className="explore-only",
                **part("check-progress"),
                **aria(label="Check"),
            ),
            button("Stop", "explore-only", hidden=True, **part("stop-check")),
            button("", "explore-only", hidden=True, **part("remedy")),
            _is_it_real(),
        ],
        className="verdict row",
    )


def _sentence() -> list[Any]:
    """Of the strip; narrow panels leave the last of it to the tables."""
    return [
        html.Span(className="sign", **part("sign"), **aria(hidden="true")),
        html.Strong(**part("lead")),
        " ",
        html.Strong(className="caution", **part("caution")),
        " ",
        html.Span(**part("follow")),
        html.Span(className="verdict-more", **part("more")),
    ]


def _is_it_real() -> Component:
    return button(
        "Is it real?",
        "ask-check explore-only",
        title="Cross-validation and a permutation test: would chance score as well?",
        **part("check"),
    )


def _picture() -> Component:
    return html.Div(
        [
            html.Div(
                className="plot",
                role="img",
                tabIndex="0",
                **part("plot"),
                **aria(label="No plane yet"),
            ),
            html.P(className="only-spoken", **part("description")),
            html.Canvas(className="motion", **part("motion")),
            html.Div(className="path-mark", hidden=True, **part("path-mark")),
            html.P(className="path-reading", hidden=True, **part("path-reading")),
            *_axis_titles(),
            html.P(className="drawn", **part("drawn")),
            html.P(
                [html.Span("training", className="is-filled"), html.Span("held out")],
                className="point-legend",
            ),
            _places(),
            html.Ul(className="class-legend present-only", **part("class-legend")),
            html.P(className="changed", **part("changed")),
            _edited_commands(),
            *_over_the_picture(),
        ],
        className="picture",
    )


def _places() -> Component:
    """Return the choice of places of rows, which a script shows once the refits are done."""
    labels = {"unseen": "As unseen", "fitted": "As fitted"}
    titles = {
        "unseen": "Each row where planes that never saw it put it, as they would a new row",
        "fitted": "Each row where the plane that was fitted to all rows puts it",
    }
    states = [
        html.Button(
            label,
            type="button",
            className="segment",
            title=titles[state],
            **data(places=state),
            **aria(pressed="false"),
        )
        for state, label in labels.items()
    ]
    group = html.Div(states, className="segments", role="group", **aria(label="Rows are drawn"))
    words = (html.Span(**part("blur")), html.Span(**part("moves")))
    return html.Div([group, *words], className="places row", hidden=True, **part("places"))


def _over_the_picture() -> list[Component]:
    """Return lists over the picture: features, rows, new rows, and columns that color points."""
    lit = [Element("line"), Element("path", d="M0 0L-11 5L-11 -5Z"), Element("text")]
    return [
        Element("svg", lit, className="lit-arrow", **part("lit-arrow"), **aria(hidden="true")),
        html.Span(className="ring is-hovered", hidden=True, **part("ring-hovered")),
        html.Span(className="ring is-marked", hidden=True, **part("ring-marked")),
        html.Div(className="mark-legend", **part("mark-legend")),
        html.P(className="new-rows-line small", **part("new-line")),
        html.Div(className="row-card card", role="tooltip", hidden=True, **part("row-card")),
    ]


def _axis_titles() -> list[Component]:
    return [
        html.Span(
            [html.Span(title, **data(axis=axis)), *unit],
            className=f"axis-title is-{axis}",
            **needs(shape),
        )
        for shape, titles in _AXES.items()
        for axis, title, unit in zip("xy", titles, ([_unit()], []), strict=True)
    ]


def _unit() -> Component:
    """Of both axes, which styles leave out where there is no room."""
    return html.Span(" (standard deviations)", className="unit")


def _edited_commands() -> Component:
    """The commands of a plane that is shown edited, or at another kernel width than its run's."""
    back = button("", **part("back"))
    refine = button("Refine from here", **part("refine"), **needs(LINEAR))
    return html.Div([back, refine], className="elsewhere not-present wrap")


def history() -> Component:
    """The curve of a run, what replays it, and its scores."""
    return html.Div(
        [
            html.Div(
                [
                    _player(),
                    html.Div(
                        [_tab(name, label) for name, label in _CURVES.items()],
                        className="segments explore-only",
                        role="group",
                        **aria(label="Curve"),
                    ),
                    html.Ul(
                        _explained_lines(), className="curve-legend small", **part("curve-legend")
                    ),
                    button("", "gamma-advice explore-only", hidden=True, **part("gamma-advice")),
                    _position(),
                    html.Span(className="gamma-note explore-only small", **part("gamma-note")),
                    _numbers(),
                ],
                className="history-bar row wrap",
            ),
            html.Div(
                [
                    html.Div(className="curve", **part("curve")),
                    html.Div(className="cursor", **part("cursor")),
                    html.Div(_sliders(), className="scrubber"),
                ],
                className="curve-frame",
            ),
        ],
        className="history",
    )


def _explained_lines() -> list[Component]:
    """Of every curve; a script shows those of one."""
    return [
        html.Li(text, className=f"line-{line}", hidden=True, **data(of=curve))
        for curve, texts in _LINES.items()
        for line, text in texts.items()
    ]


def _player() -> Component:
    play = html.Button(
        type="button", className="play", disabled=True, **part("play"), **aria(label="Play")
    )
    return html.Span(play, className="player")


def _position() -> Component:
    """The plane on screen or the kernel width of its densities, as a number to be typed."""
    plane = Element("input", type="number", min=1, **part("plane-number"))
    bounds = {"min": GAMMA.minimum, "max": GAMMA.maximum, "step": 0.1}
    width = Element("input", type="number", title=_OF_DENSITIES, **bounds, **part("gamma-number"))
    return html.Div(
        [
            html.Label([html.Span("Plane"), plane], **data(along="search")),
            html.Span(**data(along="search"), **part("plane-count")),
            html.Label([html.Span("γ"), width], **data(along="gamma")),
        ],
        className="position explore-only row small",
    )


def _sliders() -> list[Component]:
    """Over the curve: their ends are those of its axis, for kernel widths in decimal logarithms."""
    widths = {"min": math.log10(GAMMA.minimum), "max": math.log10(GAMMA.maximum), "step": 0.02}
    return [
        _slider("plane-slider", "search", "History of the run", min=1, max=1, disabled=True),
        _slider("gamma-slider", "gamma", _OF_DENSITIES, **widths),
    ]


def _slider(name: str, along: str, label: str, **range_: Any) -> Component:
    names = {**data(along=along), **part(name), **aria(label=label)}
    return Element("input", type="range", **range_, **names)


def _tab(name: str, label: str) -> Component:
    return html.Button(
        label,
        type="button",
        className="segment",
        **data(curve=name),
        **part("by-gamma" if name == "gamma" else "along-search"),
        **aria(pressed="false"),
    )


def _numbers() -> Component:
    """Every score for the training rows and, beside it, for the held-out rows."""
    names = {**part("terms-button"), **data(opens="")}
    terms = [
        button("Divergence", "is-text", title=_DIVERGENCE, **names),
        html.Div(
            html.P("Computing", className="hint"),
            className="popover terms",
            role="status",
            **part("terms"),
        ),
    ]
    accuracy = html.Dt("Accuracy", title="Balanced accuracy of the class-density classifier")
    return html.Dl(
        [html.Dt(terms), _score("divergence"), accuracy, _score("accuracy")], className="numbers"
    )


def divergence_terms(words: TermsInWords) -> list[Component]:
    """Return the terms of the divergence of the plane on screen, beside its number."""
    rows = [
        html.Tr([html.Th(name, scope="row"), html.Td(number), html.Td(meaning)])
        for name, number, meaning in words.rows
    ]
    note = html.P(words.note, className="hint")
    return [html.Strong(words.title), html.Table(html.Tbody(rows)), note]


def _score(field: str) -> Component:
    return html.Dd(
        [
            html.Span("–", className="value", **part(f"{field}-training")),
            html.Span("train", className="unit"),
            html.Span("–", className="value", **part(f"{field}-held-out")),
            html.Span("held out", className="unit"),
        ]
    )

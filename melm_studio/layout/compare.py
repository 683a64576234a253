"""Compare: its runs as one list, the form of a batch, and the tables of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.base import p_value_figure, percent
from melm_core.methods import GAMMA
from melm_studio.layout import ids
from melm_studio.layout.elements import Element, aria, button, data, plain, table_file, tip
from melm_studio.publication.comparison import Agreement, ComparedRun, Mover
from melm_studio.scores import (
    UNKNOWN,
    accuracy_text,
    ahead_text,
    divergence_text,
    is_level,
    levels_sentence,
)

GAMMAS = (0.1, 0.25, 0.5, 1, 2, 5, 10)
_FIRST_METHODS = ("melm", "lda", "pca")

# Scores of the training rows and of the held-out rows.
_PAIRS = {
    "divergence": (
        "Divergence",
        "Cauchy-Schwarz divergence between the classes in the plane, between training rows and "
        "between these and held-out rows",
    ),
    "accuracy": (
        "Accuracy",
        "Balanced accuracy of the class densities in the plane; after a check, over its folds",
    ),
    # Of tables with a Batch column.
    "batch": (
        "Batch",
        "Balanced accuracy of telling the batch from the position in the plane, within each class; "
        "a plane without an effect of the batch is at guessing",
    ),
}
# The two sides of a pair, by the suffixes of its keys.
SIDES = {"training": "training", "held-out": "held out"}
_SHORT = {"training": "train", "held-out": "held out"}
_SINGLES = {
    "ahead": (
        "To the best",
        "Share of held-out rows less that of the best run, in the same folds, with its standard "
        "error; level where it is within two of these",
    ),
    "p": ("p", "Share of shuffled labels that score as well; computed by a check"),
    "seconds": ("Time (s)", "Duration of the fit"),
    "features": (
        "Features",
        "Features that matter, an effective number: that of equally weighted ones whose squared "
        "loadings have the same participation ratio",
    ),
}
_OF_FOLDS = "Share of held-out rows told apart, in the same folds, ± its standard error."
_TICK_TWO = " Tick two to compare their planes."
_LIVE = "Accuracies of the first folds, or on the run's own held-out rows"
_COMPARED = (
    "Balanced accuracy of the class densities over five folds that all methods share. Every method "
    "is refitted to the training rows of each fold with its defaults; kernel widths are chosen by "
    "folds within them. Methods within two standard errors of the first are tied with it. The "
    "share of the first is without the luck of having been chosen: that of the next may be larger."
)
_LARGEST = (
    "The largest principal angle between the two planes: at 0° they are the same, at 90° one has a "
    "direction orthogonal to all of the other"
)
# In standard deviations; smaller distances are invisible.
_STILL = 0.005
_N_NAMED = 3  # of the rows that move
# The smallest of these is the best.
_ASCENDING = ("batch-training", "batch-held-out", "p", "seconds", "features")


def batch_form(menu: Sequence[dict[str, Any]]) -> Component:
    """The methods and kernel widths of a batch."""
    return html.Div(
        [
            dmc.MultiSelect(
                id=ids.BATCH_METHODS,
                data=menu,
                value=list(_FIRST_METHODS),
                searchable=True,
                hidePickedOptions=True,
                size="sm",
                **aria(label="Methods"),
            ),
            html.Span(
                "γ", className="explained", **tip("Kernel widths of the methods that have one")
            ),
            dmc.TagsInput(
                id=ids.BATCH_GAMMAS,
                data=[f"{gamma:g}" for gamma in GAMMAS],
                value=[f"{GAMMA.default:g}"],
                size="sm",
                **aria(label="Kernel widths γ"),
            ),
        ],
        className="batch compare-only",
    )


def both_preparations() -> Component:
    """The switch by which a batch runs on the table as it is, too."""
    return html.Div(
        dmc.Switch(
            id=ids.BATCH_BOTH,
            label="With and without standardization",
            checked=False,
            size="sm",
        ),
        className="compare-only",
    )


def run_batch_button() -> Component:
    """The button that starts the batch."""
    return html.Button(
        "Run",
        id=ids.RUN_BATCH,
        type="button",
        title="Ctrl+Enter",
        className="button is-primary compare-only",
        disable_n_clicks=True,  # a script listens
    )


def selection() -> Component:
    """The selected rows and the classes shown alone, as text that a script writes."""
    return plain(
        html.Div(
            [_selected(ids.BRUSHED, "Clear"), _selected(ids.ISOLATED, "Show all classes")],
            className="selection wrap",
        )
    )


def _selected(component_id: str, reset: str) -> Component:
    return html.Div(
        [html.Span(role="status"), button(reset, "is-text")],
        id=component_id,
        hidden=True,
    )


def tables(switches: Component) -> Component:
    """Beside the pictures: the list of runs, what two of them differ in, and their numbers.

    `switches` are those of all pictures.
    """
    return html.Div(
        [
            html.Div(id=ids.COMPARED_LIST),
            html.Div(id=ids.PAIR),
            _table_actions(),
            _folded("Numbers", html.Div(id=ids.COMPARED), open=True),
            _folded(
                "All methods",
                _how_they_are_compared(),
                id=ids.RANKING,
                **data(again="Compare all methods"),
            ),
            html.P(id=ids.CHANGED_NOTE, className="changed-note", role="status"),
            _folded("View", switches, className="view several-only"),
        ],
        className="tables compare-only stack",
    )


def _folded(label: str, content: Component, **options: Any) -> Component:
    return html.Details([html.Summary(label), content], **options)


def _table_actions() -> Component:
    """The check of every run; the file of the open table is beside it."""
    check = button(
        "Test all",
        id=ids.CHECK_ALL,
        title="Cross-validate every run and test it against shuffled labels",
    )
    return html.Div(check, className="tables-action row")


def _how_they_are_compared() -> Component:
    return html.Details(
        [html.Summary("How they are compared"), html.P(_COMPARED)], className="hint"
    )


def compare_table(
    rows: Sequence[ComparedRun], column: str | None = None, *, descending: bool = False
) -> Component:
    """The numbers of each run below its name, in the order given, sorted by `column` if any.

    A number that no run has, has no column.
    """

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

    pairs = {key: [side for side in SIDES if _is_known(f"{key}-{side}", rows)] for key in _PAIRS}
    singles = {key: words for key, words in _SINGLES.items() if _is_known(key, rows)}
    groups = [
        html.Th(_PAIRS[key][0], scope="colgroup", colSpan=len(known), title=_PAIRS[key][1])
        for key, known in pairs.items()
        if known
    ]
    heads = [
        head(key, label, label, rowSpan=2, title=meaning)
        for key, (label, meaning) in singles.items()
    ]
    of_pairs = [(key, side) for key, known in pairs.items() for side in known]
    sides = [
        head(f"{key}-{side}", _SHORT[side], f"{_PAIRS[key][0]}, {SIDES[side]}")
        for key, side in of_pairs
    ]
    columns = [*(f"{key}-{side}" for key, side in of_pairs), *singles]
    return html.Table(
        [
            html.Thead([html.Tr([*groups, *heads]), html.Tr(sides)]),
            *(_rows_of(row, columns) for row in rows),
        ],
        className="figures compared",
        **aria(label="Scores of the runs"),
    )


def _is_known(key: str, rows: Sequence[ComparedRun]) -> bool:
    """Return whether a run has the figure, or is to have it: what none has needs no column."""
    is_coming = key == "p" and any(row.checked_share is not None for row in rows)
    return is_coming or any(row.figures.get(key) is not None for row in rows)


def run_list(rows: Sequence[ComparedRun]) -> Component:
    """Return the leader and each run with its share; a script shows pictures of those ticked."""
    return html.Div(
        [
            *_levels(rows),
            html.P(_OF_FOLDS + (_TICK_TWO if len(rows) > 2 else ""), className="hint"),
            html.Ul([_listed(row) for row in rows], className="compared-runs"),
        ]
    )


def _listed(row: ComparedRun) -> Component:
    share, error = row.figures.get("accuracy-held-out"), row.figures.get("accuracy-error")
    text = "" if share is None else percent(share, error)
    parts = [
        Element("input", type="checkbox", checked=True, **data(shows_run=row.run_id)),
        html.Span(row.title, className="run-name cut", title=row.title),
        *([] if share is None else [_mark_of(share, error or 0.0)]),
        html.Span(f"{text}{'' if row.is_checked else ' so far'}" if text else UNKNOWN),
    ]
    return html.Li(html.Label(parts))


def _mark_of(share: float, error: float) -> Component:
    """Draw a share between 0 and 1, as wide as two standard errors on either side."""
    low, high = max(0.0, share - 2.0 * error), min(1.0, share + 2.0 * error)
    ends = {"--low": f"{low:.4f}", "--high": f"{high:.4f}"}
    return html.Span(className="interval", style=ends, **aria(hidden="true"))


def _next_descending(key: str, is_sorted: bool, descending: bool) -> bool:
    """The best first; reversed if the table is sorted by this column already."""
    return not descending if is_sorted else key not in _ASCENDING


def _rows_of(row: ComparedRun, columns: Sequence[str]) -> Component:
    name = html.Th(row.title, scope="rowgroup", colSpan=len(columns))
    live: dict[str, Any] = {} if row.is_checked else {"className": "is-live", "title": _LIVE}
    figures = [_figure(row, column) for column in columns]
    return html.Tbody([html.Tr(name), html.Tr(figures)], **live)


def _figure(row: ComparedRun, key: str) -> Component:
    if key == "ahead":
        return html.Td(_ahead(row))
    if key == "p":
        return html.Td(_p_value(row), className="" if row.checked_share is None else "is-coming")
    value = row.figures.get(key)
    # A dash beside numbers that touch it would be a minus sign.
    return html.Td("" if value is None else _shown(key)(value))


def _shown(key: str) -> Callable[[float], str]:
    """Return how the figures of a column are written."""
    if key in _SINGLES:
        return "{:.1f}".format
    return divergence_text if key.startswith("divergence") else accuracy_text


def _ahead(row: ComparedRun) -> str:
    ahead = _ahead_of_best(row)
    return "" if ahead is None else ahead_text(*ahead)


def _ahead_of_best(row: ComparedRun) -> tuple[float, float] | None:
    """The difference and its error; None without equal folds."""
    ahead, error = row.figures.get("ahead"), row.figures.get("ahead-error")
    return None if ahead is None or error is None else (ahead, error)


def _levels(rows: Sequence[ComparedRun]) -> list[Component]:
    """The sentence above the list, where folds compare at least two runs."""
    level: list[str] = []
    behind: list[str] = []
    methods = [_method(row) for row in rows]
    for row in rows:
        ahead = _ahead_of_best(row)
        if ahead is not None:
            is_alone = methods.count(_method(row)) == 1
            name = _method(row) if is_alone else row.title
            (level if is_level(*ahead) else behind).append(name)
    return [html.H2(levels_sentence(level, behind), className="levels")] if level else []


def _method(row: ComparedRun) -> str:
    """The title without its parameters, which names the run where no other has the same."""
    return row.title.partition(",")[0]


def _p_value(row: ComparedRun) -> str:
    value = row.figures.get("p")
    text = "" if value is None else p_value_figure(value)
    if row.checked_share is None:
        return text
    return percent(row.checked_share) if value is None else f"{text} …"


def pair_view(
    agreement: Agreement, movers: Sequence[Mover] | str, runs: Sequence[str], *, can_morph: bool
) -> list[Component]:
    """Show the differences of two runs: the angle, the rows that move most, and the morph.

    Parameters
    ----------
    agreement : Agreement
        Of the two.
    movers : sequence of Mover, or str
        The rows that move, farthest first, or why they cannot be compared.
    runs : sequence of str
        The ids of the two.
    can_morph : bool
        Whether both planes are of the same features.
    """
    degrees = agreement.degrees[0][1]
    angle = () if degrees is None else (_angle(degrees), " ")
    moved = (movers,) if isinstance(movers, str) else _moved(movers)
    start, end = runs
    morph = button("Morph", **data(morph_from=start, morph_to=end))
    file = table_file("compare/movers.csv", runs)
    return [
        html.H3(" and ".join(agreement.titles)),
        html.P([*angle, *moved]),
        *(html.P(note, className="hint") for note in agreement.notes),
        html.Div(
            [*([morph] if can_morph else []), *([] if isinstance(movers, str) else [file])],
            className="tables-action row",
        ),
    ]


def _angle(degrees: float) -> Component:
    return html.Span(f"{degrees:.0f}° apart.", title=_LARGEST)


def _moved(movers: Sequence[Mover]) -> Iterable[Any]:
    """The rows that move most; pressing one marks it in every panel, by a script."""
    if movers[0].distance < _STILL:
        return ["No row moves: the two runs have the same plane."]
    *marks, last = (_mark(mover.row) for mover in movers[:_N_NAMED])
    listed = [part for mark in marks for part in (mark, ", ")]
    farthest = f" move most, by up to {movers[0].distance:.1f} standard deviations."
    return ["Rows ", *listed[:-1], " and ", last, farthest]


def _mark(row: int) -> Component:
    return html.Button(
        str(row),
        type="button",
        className="button is-text",
        title="Highlight this row in every panel",
        **data(mark=str(row)),
        **aria(label=f"Mark row {row}", pressed="false"),
    )

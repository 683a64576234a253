"""Compare: every method on held-out rows of the same folds, best first."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.analyses.ranking import RankedRow
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.scores import accuracy_text, guessing

_FOLLOWED_EVERY_MS = 1000
_MEANING = (
    "Balanced accuracy of the class densities over five folds that all methods share. Every method "
    "is refitted to the training rows of each fold with its defaults; kernel widths are chosen by "
    "folds within them. Methods within two standard errors of the first are tied with it. The "
    "share of the first is without the luck of having been chosen: that of the next may be larger."
)


def ranking_panel() -> Component:
    """The tab, empty until all methods are compared."""
    return html.Div(
        [
            dcc.Interval(id=ids.RANK_CLOCK, interval=_FOLLOWED_EVERY_MS, disabled=True),
            dmc.Group(
                [
                    dmc.Button("Compare all methods", id=ids.RANK_ALL, size="compact-sm"),
                    dmc.Button(
                        "Stop",
                        id=ids.RANK_STOP,
                        size="compact-sm",
                        variant="light",
                        color="red",
                        disabled=True,
                    ),
                    dmc.Text(_MEANING, size="xs", c="dimmed", flex="1 1 24em"),
                ],
                gap="sm",
                align="flex-start",
            ),
            html.Div(id=ids.RANKING),
        ]
    )


def ranking_body(
    sentence: str,
    progress: str,
    rows: Sequence[RankedRow],
    refusals: Sequence[str],
    batch_chance: float | None = None,
) -> Component:
    """The sentence, the ranking so far, and the methods that were not fitted."""
    return dmc.Stack(
        [
            html.P(sentence or progress, className="check-answer", role="status"),
            *([dmc.Text(progress, size="sm", c="dimmed")] if sentence and progress else []),
            *([_table(rows, batch_chance)] if rows else []),
            *(dmc.Text(refusal, size="xs", c="dimmed") for refusal in refusals),
        ],
        gap="xs",
        mt="sm",
    )


def _table(rows: Sequence[RankedRow], batch_chance: float | None) -> Component:
    has_batches = batch_chance is not None
    batch = [f"batch, {guessing(batch_chance)}"] if batch_chance is not None else []
    labels = ("Method", "held out", "training", *batch, "standing", "seconds")
    head = html.Tr([html.Th(label, scope="col") for label in labels])
    body = [_row(place, row, has_batches=has_batches) for place, row in enumerate(rows)]
    return html.Table(
        [html.Thead(head), html.Tbody(body)],
        className="figures",
        **aria(label="All methods by held-out accuracy"),
    )


def _row(place: int, row: RankedRow, *, has_batches: bool) -> Component:
    batch = accuracy_text(row.batch)
    standing = "first" if place == 0 else "tied" if row.is_tied else ""
    return html.Tr(
        [
            html.Th(row.label, scope="row"),
            html.Td([html.Strong(accuracy_text(row.held_out)), f" ± {row.standard_error:.2f}"]),
            html.Td(accuracy_text(row.train)),
            *([html.Td(batch)] if has_batches else []),
            html.Td(standing),
            html.Td(f"{row.seconds:.1f}"),
        ]
    )

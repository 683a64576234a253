"""Compare: every method on held-out rows of the same folds, best first."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_core.methods import METHODS
from melm_studio.analyses.ranking import RankedRow
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.buttons import button
from melm_studio.layout.method_form import RIVALS_OF_THE_PAPERS
from melm_studio.scores import accuracy_text, guessing
from melm_studio.tables import count

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
            html.Div(
                [
                    button("Compare all methods", id=ids.RANK_ALL),
                    button("Stop", id=ids.RANK_STOP, disabled=True),
                ],
                className="tables-action",
            ),
            html.Div(id=ids.RANKING),
            html.Details(
                [html.Summary("How they are compared"), html.P(_MEANING)], className="hint"
            ),
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
            *_tables(rows, batch_chance),
            *(dmc.Text(refusal, size="xs", c="dimmed") for refusal in refusals),
        ],
        gap="xs",
        mt="sm",
    )


def _tables(rows: Sequence[RankedRow], batch_chance: float | None) -> list[Component]:
    """Those behind that few look for are folded away."""
    if not rows:
        return []
    rare = {METHODS[key].label for key in RIVALS_OF_THE_PAPERS}
    folded = [row for row in rows[1:] if row.label in rare and not row.is_tied]
    in_sight = [row for row in rows if row not in folded]
    tables = [_table(in_sight, rows[0], batch_chance)]
    if folded:
        summary = html.Summary(f"{count(len(folded), 'method')} from the papers")
        tables.append(html.Details([summary, _table(folded, rows[0], batch_chance)]))
    return tables


def _table(rows: Sequence[RankedRow], first: RankedRow, batch_chance: float | None) -> Component:
    has_batches = batch_chance is not None
    batch = [f"batch, {guessing(batch_chance)}"] if batch_chance is not None else []
    labels = ("Method", "held out", "training", *batch, "standing")
    head = html.Tr([html.Th(label, scope="col") for label in labels])
    body = [_row(row, is_first=row is first, has_batches=has_batches) for row in rows]
    return html.Table(
        [html.Thead(head), html.Tbody(body)],
        className="figures ranked",
        **aria(label="All methods by held-out accuracy"),
    )


def _row(row: RankedRow, *, is_first: bool, has_batches: bool) -> Component:
    batch = accuracy_text(row.batch)
    standing = "first" if is_first else "tied" if row.is_tied else ""
    return html.Tr(
        [
            html.Th(row.label, scope="row"),
            html.Td([html.Strong(accuracy_text(row.held_out)), f" ± {row.standard_error:.2f}"]),
            html.Td(accuracy_text(row.train)),
            *([html.Td(batch)] if has_batches else []),
            html.Td(standing),
        ]
    )

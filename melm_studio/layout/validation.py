"""Is it real? The report of a check: training scores beside held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.analyses.check import CLASSIFIERS
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.dialog import drawer
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.scores import (
    PermutationP,
    accuracy_text,
    angle_sentence,
    check_sentence,
    check_spoken,
    permutation_p,
)
from melm_studio.tables import told_apart

_FOLLOWED_EVERY_MS = 700
_MOST_CLASSES_NAMED, _LONGEST_NAME = 12, 14


def check_view() -> Component:
    """What is in place of the inspector, closed until a panel requests it."""
    return drawer(
        ids.CHECK,
        "Is it real?",
        [
            dcc.Store(id=ids.CHECK_REQUESTED),
            dcc.Store(id=ids.CHECK_RUN),
            dcc.Interval(id=ids.CHECK_CLOCK, interval=_FOLLOWED_EVERY_MS, disabled=True),
            html.Div(id=ids.CHECK_BODY, className="check"),
            dmc.Group(
                [
                    dmc.Text(
                        "The method is refitted without each fold and scored on it. For "
                        "p, it is refitted in other folds, with true and with shuffled labels. "
                        "This judges the method with these settings, not the plane on screen.",
                        size="xs",
                        c="dimmed",
                        flex=1,
                    ),
                    dmc.Button(
                        "Stop", id=ids.CHECK_STOP, variant="light", color="red", size="compact-sm"
                    ),
                ],
                gap="md",
                wrap="nowrap",
            ),
        ],
        class_name="in-inspector",
    )


def check_body(
    report: CheckReport,
    stage: str,
    class_names: Sequence[str],
    overlap_file: str = "",
    *,
    is_final: bool,
) -> Component:
    """The verdict, the scores, the confusion of the classes and the p-value known so far.

    `overlap_file` is the address of the confusion as CSV.
    """
    return dmc.Stack(
        [
            html.P(
                check_sentence(report) or "No results yet.",
                className="check-answer",
                **data(answer=report.answer),
            ),
            html.Span(
                check_spoken(report, stage, is_final=is_final),
                className="only-spoken",
                role="status",
            ),
            *([] if is_final and report.fraction == 1.0 else [_progress(report, stage)]),
            *([_scores(report.scores)] if report.scores else []),
            *([_overlap(report.overlap, class_names, overlap_file)] if report.overlap else []),
            *_p_value(permutation_p(report, is_final=is_final)),
            *([dmc.Text(angle_sentence(report.stability), size="sm")] if report.stability else []),
            *(dmc.Text(note, size="xs", c="dimmed") for note in report.notes),
        ],
        gap="md",
        pb="md",
    )


def _progress(report: CheckReport, stage: str) -> Component:
    return html.Div(
        [
            dmc.Text(f"{stage[:1].upper()}{stage[1:]}", size="sm", c="dimmed", mb=4),
            dmc.Progress(
                value=100 * report.fraction, size="sm", **aria(label="Progress of the check")
            ),
        ]
    )


def _scores(scores: Mapping[str, tuple[float, float, float]]) -> Component:
    head = html.Tr(
        [html.Td(""), *(html.Th(text, scope="col") for text in ("training", "held out", "gap"))]
    )
    rows = [
        html.Tr(
            [
                html.Th(CLASSIFIERS.get(name, name), scope="row"),
                html.Td(accuracy_text(train)),
                html.Td([html.Strong(accuracy_text(held_out)), f" ± {error:.2f}"]),
                html.Td(f"{train - held_out:+z.2f}"),
            ]
        )
        for name, (train, held_out, error) in scores.items()
    ]
    caption = html.Caption("Balanced accuracy over the folds; ± is its standard error")
    return html.Table([caption, html.Thead(head), html.Tbody(rows)], className="figures")


def _overlap(
    overlap: Sequence[Sequence[float]], class_names: Sequence[str], file: str
) -> Component:
    caption = html.Caption(
        "Held-out confusion between each pair of classes. Click a cell to show only that pair."
    )
    names = told_apart(class_names, _LONGEST_NAME)
    head = html.Tr([html.Td(""), *(html.Th(name, scope="col") for name in names)])
    rows = [
        html.Tr([html.Th(name, scope="row"), *(_share(s, names, i, j) for j, s in enumerate(row))])
        for i, (name, row) in enumerate(zip(names, overlap, strict=True))
    ]
    classes = "figures matrix" if len(names) <= _MOST_CLASSES_NAMED else "figures matrix is-dense"
    table = html.Table([caption, html.Thead(head), html.Tbody(rows)], className=classes)
    return html.Div([table, html.A("Save as CSV", href=file, download="")], className="wide")


def _share(share: float, names: Sequence[str], i: int, j: int) -> Component:
    """A cell that, when clicked, shows only its two classes; a script does that."""
    if i == j:
        return html.Td("")
    # Chance confuses two classes half of the time.
    strength = min(1.0, 2.0 * share)
    button = html.Button(
        f"{share:.2f}",
        type="button",
        className="button is-text",
        title="Show only these two classes",
        **data(isolate=f"{i},{j}"),
        **aria(label=f"{share:.2f}: show only {names[i]} and {names[j]}"),
    )
    return html.Td(button, style={"--share": f"{strength:.3f}"})


def _p_value(p: PermutationP | None) -> list[Component]:
    if p is None:
        return []
    return [
        dmc.Text(["Permutation test: ", html.Strong(p.caption)], size="sm", className="p-value")
    ]

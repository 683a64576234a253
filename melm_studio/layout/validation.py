"""Is it real? What a check of a run knows, beside each other: in-sample and held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids

CLASSIFIERS = {
    "mean": "Mean of the three",
    "SVM-RBF": "Support vectors",
    "KNN": "Nearest neighbours",
    "KDE": "Class densities",
}
_FOLLOWED_EVERY_MS = 700
_MOST_CLASSES_NAMED = 12


class Report(Protocol):
    """What is known by now; see `melm_studio.worker.records.check_report.CheckReport`."""

    words: str
    fraction: float
    scores: Mapping[str, tuple[float, float, float]] | None
    overlap: tuple[tuple[float, ...], ...]
    p_value: float | None
    lower: float | None
    upper: float | None
    n_permutations: int
    notes: tuple[str, ...]


def check_view() -> Component:
    """The window, closed until a panel asks for it."""
    return dmc.Modal(
        [
            dcc.Store(id=ids.CHECK_ASKED),
            dcc.Store(id=ids.CHECK_RUN),
            dcc.Interval(id=ids.CHECK_CLOCK, interval=_FOLLOWED_EVERY_MS, disabled=True),
            html.Div(id=ids.CHECK_BODY, className="check"),
            dmc.Group(
                [
                    dmc.Text(
                        "The plane is fitted anew to the rows of four folds and judged by the "
                        "fifth; then to shuffled labels, to see how well chance would do. Both are "
                        "full fits with the settings of the run.",
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
        id=ids.CHECK,
        title="Is it real?",
        size="min(760px, 96vw)",
        opened=False,
        keepMounted=True,
        closeButtonProps={"aria-label": "Close"},
    )


def check_body(
    report: Report, stage: str, class_names: Sequence[str], *, is_final: bool
) -> Component:
    """The sentence, the scores, the overlap of the classes and the p-value as they are known."""
    return dmc.Stack(
        [
            html.P(report.words or "Not known yet.", className="verdict", role="status"),
            *([] if is_final and report.fraction == 1.0 else [_progress(report, stage)]),
            *([_scores(report.scores)] if report.scores else []),
            *([_overlap(report.overlap, class_names)] if report.overlap else []),
            *([_p_value(report, is_final=is_final)] if report.p_value is not None else []),
            *(dmc.Text(note, size="xs", c="dimmed") for note in report.notes),
        ],
        gap="md",
        pb="md",
    )


def _progress(report: Report, stage: str) -> Component:
    return html.Div(
        [
            dmc.Text(f"{stage[:1].upper()}{stage[1:]}", size="sm", c="dimmed", mb=4),
            dmc.Progress(
                value=100 * report.fraction, size="sm", **{"aria-label": "Share of the check done"}
            ),
        ]
    )


def _scores(scores: Mapping[str, tuple[float, float, float]]) -> Component:
    head = html.Tr([html.Th(text, scope="col") for text in ("", "in-sample", "held out", "gap")])
    rows = [
        html.Tr(
            [
                html.Th(CLASSIFIERS.get(name, name), scope="row"),
                html.Td(f"{seen:.2f}"),
                html.Td([html.Strong(f"{unseen:.2f}"), f" ± {error:.2f}"]),
                html.Td(f"{seen - unseen:+.2f}"),
            ]
        )
        for name, (seen, unseen, error) in scores.items()
    ]
    caption = html.Caption("Balanced accuracy in the plane, with its standard error over the folds")
    return html.Table([caption, html.Thead(head), html.Tbody(rows)], className="figures")


def _overlap(overlap: Sequence[Sequence[float]], class_names: Sequence[str]) -> Component:
    caption = html.Caption(
        "How much two classes are taken for each other, held out; press a cell to see the two alone"
    )
    names = [_short(name) for name in class_names]
    head = html.Tr([html.Th(""), *(html.Th(name, scope="col") for name in names)])
    rows = [
        html.Tr([html.Th(name, scope="row"), *(_share(s, names, i, j) for j, s in enumerate(row))])
        for i, (name, row) in enumerate(zip(names, overlap, strict=True))
    ]
    classes = "figures matrix" if len(names) <= _MOST_CLASSES_NAMED else "figures matrix is-dense"
    return html.Div(
        html.Table([caption, html.Thead(head), html.Tbody(rows)], className=classes),
        className="wide",
    )


def _share(share: float, names: Sequence[str], i: int, j: int) -> Component:
    """A cell that shows its two classes alone, by a script."""
    if i == j:
        return html.Td("")
    # Half is as much as two classes can be taken for each other by chance.
    strength = min(1.0, 2.0 * share)
    alone = html.Button(
        f"{share:.2f}",
        type="button",
        title="Show these two classes alone",
        **{
            "data-isolate": f"{i},{j}",
            "aria-label": f"{share:.2f}: show {names[i]} and {names[j]} alone",
        },
    )
    return html.Td(alone, style={"--share": f"{strength:.3f}"})


def _p_value(report: Report, *, is_final: bool) -> Component:
    words = f"p = {report.p_value:.3f}"
    if not is_final and report.lower is not None and report.upper is not None:
        words += (
            f" after {report.n_permutations} shuffles; it will end between {report.lower:.3f} and "
            f"{report.upper:.3f}"
        )
    return dmc.Text(
        ["Against shuffled labels: ", html.Strong(words)], size="sm", className="p-value"
    )


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"

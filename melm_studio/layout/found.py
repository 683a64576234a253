"""An analysis of a run: the line that opens it, and its results, below their sentence.

Scripts fill elements of the attribute `data-kept`, figures among them, and leave them alone when
the rest is written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.analyses.content import Block
from melm_studio.layout import ids
from melm_studio.layout.elements import Element, aria, button, data, needs, table_file
from melm_studio.tables import told_apart

_MOST_CLASSES_NAMED, _LONGEST_NAME = 12, 14
_CONFUSION = "Held-out confusion between each pair of classes. Click a cell to show only that pair."
_OF_SCRIPTS = {"kind", "figure"}


def analysis(
    asks: str,
    title: str,
    *needed: str,
    again: str = "",
    of_line: Mapping[str, Any] | None = None,
    **properties: Any,
) -> Component:
    """A line that opens what is found out, for which a script asks, and which it shows.

    Parameters
    ----------
    asks : str
        The end of the address that answers.
    title : str
    *needed : str
        What a run must be for it to be offered.
    again : str
        On the button that begins it; empty for that of most.
    of_line : mapping, optional
        Attributes of the line.
    **properties : Any
        Attributes of all of it.
    """
    return Element(
        "details",
        html.Summary(title, className="door row", **(of_line or {})),
        className="analysis",
        name="analysis",  # one is open at a time
        **data(asks=asks, **({"again": again} if again else {})),
        **needs(*needed),
        **properties,
    )


def analysis_model() -> Component:
    """The template of what an analysis is shown in, once it is first opened."""
    progress = html.Div(
        [
            html.Progress(max="1", hidden=True, **_part("progress"), **aria(label="Progress")),
            html.Span(className="hint", **_part("stage")),
            button("Stop", hidden=True, **_part("stop")),
            button("Begin again", hidden=True, **_part("begin")),
            button("New rows from a file…", hidden=True, **_part("choose-file")),
        ],
        className="row wrap",
    )
    parts = [
        html.P(role="status", className="check-answer", **_part("words")),
        progress,
        html.Div(className="found-content", **_part("content")),
    ]
    return html.Template(html.Div(parts, className="found stack"), id=ids.ANALYSIS_MODEL)


def _part(name: str) -> dict[str, Any]:
    return data(found=name)


def found(blocks: Sequence[Block]) -> list[Component]:
    """The elements of the blocks of `melm_studio.analyses.content`."""
    return [
        _KINDS[block["kind"]](**{name: block[name] for name in block if name not in _OF_SCRIPTS})
        for block in blocks
    ]


def _words(text: str) -> Component:
    return html.P(text, className="found-words")


def _answer(text: str) -> Component:
    return html.P(text, className="found-words", role="status")


def _notes(texts: Sequence[str]) -> Component:
    return html.Div(
        [html.P(text, className="hint") for text in texts], className="found-notes stack"
    )


def _items(texts: Sequence[str]) -> Component:
    return html.Ul([html.Li(text) for text in texts])


def _pairs(label: str, rows: Sequence[tuple[str, str]]) -> Component:
    items = [html.Li([html.Strong(name), html.Span(text)]) for name, text in rows]
    return html.Ol(items, className="found-pairs stack", **aria(label=label))


def _intervals(label: str, rows: Sequence[tuple[str, float, float, str]]) -> Component:
    items = [
        html.Li(
            [
                html.Strong(name),
                html.Span(
                    className="interval",
                    style={"--low": f"{low:.4f}", "--high": f"{high:.4f}"},
                    **aria(hidden="true"),
                ),
                html.Span(text),
            ]
        )
        for name, low, high, text in rows
    ]
    return html.Ul(items, className="intervals stack", **aria(label=label))


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, note: str, folded: str
) -> Component:
    body = [html.Tr([html.Td(text) for text in row]) for row in rows]
    heading = html.Thead(html.Tr([html.Th(text) for text in head]))
    above = [html.Caption(caption)] if caption else []
    found_table = html.Table([*above, heading, html.Tbody(body)], className="found-table")
    if folded:
        return html.Details([html.Summary(folded), found_table])
    return html.Div([found_table, html.P(note, className="hint")]) if note else found_table


def _confusion(
    class_names: Sequence[str], shares: Sequence[Sequence[float]], file: str
) -> Component:
    names = told_apart(class_names, _LONGEST_NAME)
    head = html.Tr([html.Td(""), *(html.Th(name, scope="col") for name in names)])
    rows = [
        html.Tr([html.Th(name, scope="row"), *(_share(s, names, i, j) for j, s in enumerate(row))])
        for i, (name, row) in enumerate(zip(names, shares, strict=True))
    ]
    classes = "figures matrix" if len(names) <= _MOST_CLASSES_NAMED else "figures matrix is-dense"
    parts = [html.Caption(_CONFUSION), html.Thead(head), html.Tbody(rows)]
    saved = html.A("Save as CSV", href=file, download="")
    return html.Div([html.Table(parts, className=classes), saved], className="wide")


def _share(share: float, names: Sequence[str], i: int, j: int) -> Component:
    """A cell that, when clicked, shows only its two classes; a script does that."""
    if i == j:
        return html.Td("")
    strength = min(1.0, 2.0 * share)  # chance confuses two classes half of the time
    isolating = _button(
        f"{share:.2f}",
        "is-text",
        title="Show only these two classes",
        **data(isolate=f"{i},{j}"),
        **aria(label=f"{share:.2f}: show only {names[i]} and {names[j]}"),
    )
    return html.Td(isolating, style={"--share": f"{strength:.3f}"})


def _file(address: str) -> Component:
    return html.Div(table_file(address))


def _plot(description: str, name: str, keys: bool) -> Component:
    role: dict[str, Any] = {"role": "application", "tabIndex": "0"} if keys else {"role": "img"}
    return html.Div(className=f"found-{name}", **role, **data(kept=name), **aria(label=description))


def _choice(name: str, label: str, labels: Mapping[str, str], selected: str) -> Component:
    buttons = [
        html.Button(
            text,
            type="button",
            className="segment",
            **data(choice=name, value=value),
            **aria(pressed=str(value == selected).lower()),
        )
        for value, text in labels.items()
    ]
    return html.Div(buttons, className="segments", role="group", **aria(label=label))


def _selects(fields: Sequence[tuple[str, str, Mapping[str, str], str]]) -> Component:
    return html.Div(
        [
            html.Label(
                [
                    html.Span(label),
                    html.Select(
                        [
                            html.Option(
                                text, value=value, selected=value == selected, disabled=not value
                            )
                            for value, text in labels.items()
                        ],
                        **data(choice=name),
                    ),
                ]
            )
            for name, label, labels, selected in fields
        ],
        className="tool stack",
    )


def _slider(name: str, label: str, texts: Sequence[str], selected: int) -> Component:
    return Element(
        "input",
        type="range",
        min="0",
        max=str(len(texts) - 1),
        step="1",
        value=str(selected),
        **data(choice=name),
        **aria(label=label, valuetext=texts[selected]),
    )


def _new_run(label: str, address: str, is_offered: bool) -> Component:
    return html.Div(_button(label, disabled=not is_offered, **data(runs=address)))


def _small_planes(label: str, planes: Sequence[tuple[int, str]]) -> Component:
    buttons = [
        _button([html.Canvas(), html.Span(text)], "is-text multiple", **data(plane=str(plane)))
        for plane, text in planes
    ]
    return html.Div(buttons, className="multiples", role="group", **aria(label=label))


def _play(label: str) -> Component:
    return html.Div(_button(label, **data(kept="play")))


def _preview() -> Component:
    parts = [
        html.Canvas(className="tree-preview", **aria(hidden="true")),
        html.P(className="tree-plane", role="status"),
    ]
    return html.Div(parts, className="tree-at row", **data(kept="at"))


def _branches(rows: Sequence[tuple[str, str]]) -> Component:
    items = [
        html.Li(
            [
                _button([html.Strong(letter), f" {text}"], "is-text", **data(branch=str(index))),
                _button(
                    "Walk",
                    **data(walk=str(index)),
                    **aria(label=f"Walk along {letter} as γ rises"),
                ),
            ]
        )
        for index, (letter, text) in enumerate(rows)
    ]
    return html.Ul(items, className="tree-branches", **aria(label="Branches"))


def _button(label: Any, modifiers: str = "", **properties: Any) -> Component:
    name = f"button {modifiers}".strip()
    return html.Button(label, type="button", className=name, **properties)


_KINDS: dict[str, Callable[..., Component]] = {
    "words": _words,
    "answer": _answer,
    "notes": _notes,
    "items": _items,
    "pairs": _pairs,
    "intervals": _intervals,
    "table": _table,
    "confusion": _confusion,
    "file": _file,
    "plot": _plot,
    "choice": _choice,
    "selects": _selects,
    "slider": _slider,
    "new_run": _new_run,
    "small_planes": _small_planes,
    "play": _play,
    "preview": _preview,
    "branches": _branches,
}

"""Lists beside a picture: its features, selected rows with what distinguishes them, new rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.elements import Element, aria, data, part
from melm_studio.planes.coloring import Marks
from melm_studio.planes.features import LINE_HEIGHT, LINE_WIDTH, SHAPE_HEIGHT, SHAPE_WIDTH
from melm_studio.planes.pixel_images import PixelImage, PixelImages
from melm_studio.planes.theme import SHAPES
from melm_studio.rows.details import RowDetails
from melm_studio.rows.new_rows import ScaleQuestion
from melm_studio.rows.new_rows_report import NewRowsReport
from melm_studio.rows.row_summaries import RowSummary
from melm_studio.rows.selection import Difference, Selection
from melm_studio.tables import count, number, told_apart

_STRANGER = "unlike the training rows"

_LONGEST = 24  # name, in characters, as in the picture
_FADED = "Features that fewer than half of the resamples select are faded."


def selected(selection: Selection) -> list[Component]:
    """Return the number of selected rows, what distinguishes them, and the first ones."""
    return [
        html.P(selection_words(selection), className="row-words", **part("selection-words")),
        html.Ul(
            difference_items(selection.differences),
            className="differences",
            **part("differences"),
            **aria(label="Differences"),
        ),
        html.Ol(
            row_items(selection.rows, selection.n_rows),
            className="row-list",
            **part("selected-rows"),
            **aria(label="Selected rows"),
        ),
    ]


def selection_words(selection: Selection) -> list[Component | str]:
    """Count the selected rows in words, in all and of each class."""
    classes = ", ".join(f"{number(n)} {name}" for name, n in selection.classes)
    return [html.Strong(count(selection.n_rows, "row")), f" {classes}"]


def difference_items(differences: Sequence[Difference]) -> list[Component]:
    """The features that distinguish the selected rows."""
    return [
        html.Li(
            [html.Span(each.feature, className="row-name cut"), html.Span(_size(each.deviations))],
            title=f"{each.feature}: mean {each.selected}, {each.others} of the other rows",
        )
        for each in differences
    ]


def row_items(rows: Sequence[RowSummary], n_rows: int) -> list[Component]:
    """The first rows as buttons that ring them, and how many more there are."""
    n_more = n_rows - len(rows)
    more = f"and {number(n_more)} more; save as CSV for all"
    buttons = [
        html.Button(
            _line(row),
            type="button",
            className="row-line row",
            title=f"{_name(row)}: {_prediction(row)} ({row.basis})",
            **data(mark=str(row.row)),
            **aria(pressed="false"),
        )
        for row in rows
    ]
    return [
        *(html.Li(button) for button in buttons),
        *([html.Li(more, className="hint")] if n_more > 0 else []),
    ]


def new_rows(report: NewRowsReport) -> list[Component]:
    """Describe new rows below the headline; questions first: classes depend on the units.

    The keyboard scrolls what has the focus.
    """
    rows = html.Ol(
        new_row_items(report.rows),
        className="row-list",
        tabIndex="0",
        **part("new-list"),
        **aria(label="New rows"),
    )
    notes = html.Ul(
        [html.Li(note) for note in report.notes], className="notes", **part("new-notes")
    )
    confusion = [_confusion(report)] if report.confusion else []
    return [*map(_scale_question, report.scales), rows, *confusion, notes]


def _scale_question(scale: ScaleQuestion) -> Component:
    """A column that seems to be in another unit, with the button that converts it."""
    convert = html.Button(
        scale.label,
        type="button",
        className="button",
        **data(scales=scale.column, factor=repr(scale.factor)),
    )
    choices = html.Div(convert, className="wrap")
    return html.Div([html.P(scale.sentence), choices], className="table-question")


def _confusion(report: NewRowsReport) -> Component:
    names = report.class_names
    head = html.Tr([html.Td(), *(html.Th(name) for name in names)])
    rows = [
        html.Tr(
            [
                html.Th(names[code]),
                *(
                    html.Td(str(n), className="is-right" if code == other else "")
                    for other, n in enumerate(counts)
                ),
            ]
        )
        for code, counts in enumerate(report.confusion)
    ]
    caption = html.Caption("Class by row, prediction by column")
    return html.Table([caption, head, *rows], className="confusion", tabIndex="0")


def new_row_items(rows: Sequence[RowSummary]) -> list[Component]:
    """The first new rows."""
    return [html.Li(_line(row), className="row-line row") for row in rows]


def _line(row: RowSummary) -> list[Component]:
    """Its name, its class, and what else it may be.

    That is another class that is more probable, or the classes that it may be of; none of a row
    unlike the others.
    """
    if row.unlike:
        name, taken, modifier = row.label, _STRANGER, "row-unlike"
    else:
        is_other = bool(row.label) and row.predicted not in ("", row.label)
        name = row.label or row.possible or row.predicted
        sure = "" if row.possible and not row.label else row.possible or row.probability
        taken = _prediction(row) if is_other else sure
        modifier = "row-taken is-other" if is_other else "row-taken"
    return [
        html.Span(_name(row), className="row-name cut"),
        html.Span(name, className="row-class cut"),
        html.Span(taken, className=modifier),
    ]


def _name(row: RowSummary) -> str:
    return row.name or f"row {row.row}"


def _prediction(row: RowSummary) -> str:
    return _STRANGER if row.unlike else f"{row.predicted} {row.probability}".strip()


def _size(deviations: float | None) -> str:
    if deviations is None:
        return ""
    return f"{'−' if deviations < 0 else '+'}{abs(deviations):.1f} SD"


def mark_legend(column: str, marks: Marks) -> list[Component]:
    """The column above its scale, or above its values, on which a script selects their rows."""
    title = html.Div(column, className="mark-title cut")
    if marks.is_scale:
        colors = ", ".join(entry.mark for entry in marks.legend)
        scale = {"background": f"linear-gradient(to right, {colors})"}
        ends = [html.Span(marks.legend[end].text) for end in (0, -1)]
        return [
            title,
            html.Div(
                [
                    html.Div(className="mark-scale", style=scale),
                    html.Div(ends, className="mark-ends"),
                ]
            ),
        ]
    entries = [
        html.Button(
            [_sample(entry.mark), entry.text],
            type="button",
            className="mark-entry",
            title=f"Select the rows with {column} {entry.text}",
            **data(selects=entry.mark),
        )
        for entry in marks.legend
    ]
    return [title, html.Ul([html.Li(entry) for entry in entries])]


def _sample(mark: str) -> Component:
    """A symbol, or a color."""
    if mark in SHAPES:
        return html.Span(SHAPES[mark].glyph, className="glyph")
    return html.Span(className="swatch", style={"background": mark})


def row_card(details: RowDetails) -> list[Component]:
    """Describe a row: its class, its prediction, what moves it, and its other columns."""
    summary = details.summary
    name = summary.label or "no label"
    values = [
        *(
            (each.feature, f"{each.value} ({_signed(each.deviations)} SD)")
            for each in details.contributions
        ),
        *details.info,
        *([("nearest rows", ", ".join(details.nearest))] if details.nearest else []),
    ]
    return [
        html.Strong(summary.name or f"row {summary.row}"),
        html.Div(f"{name}, row {summary.row}" if summary.name else name),
        _row_prediction(summary),
        *_possible(summary),
        *([html.Dl([part for entry in values for part in _entry(*entry)])] if values else []),
    ]


def _row_prediction(summary: RowSummary) -> Component:
    if summary.unlike:
        return html.Div(f"unlike the training rows, {summary.unlike}", className="is-other")
    is_other = summary.predicted not in ("", summary.label)
    words = "its class"
    if not summary.label:
        words = f"predicted {summary.predicted}"
    elif is_other:
        words = f"taken for {summary.predicted}"
    sure = f": {summary.probability}" if summary.probability else ""
    return html.Div(
        f"{words}{sure} ({summary.basis})",
        className="is-other" if summary.label and is_other else "row-card-dim",
    )


def _possible(summary: RowSummary) -> list[Component]:
    if not summary.possible:
        return []
    return [html.Div(f"at 90 %: {summary.possible}", className="row-card-dim")]


def _entry(name: str, value: str) -> list[Component]:
    # Pictures were made small where they were read.
    is_picture = value.startswith("data:image/")
    return [html.Dt(name), html.Dd(html.Img(src=value, alt=name) if is_picture else value)]


def _signed(deviations: float) -> str:
    return f"{'−' if deviations < 0 else '+'}{abs(deviations):.1f}"


def feature_list(ranking: Mapping[str, Any]) -> list[Component]:
    """The list of a `feature_ranking`, with its line if there is one.

    Features of which it is not sure that they matter are gray, their bars striped; those that
    resamples do not select are faded.
    """
    features, line = ranking["features"], ranking["line"] or {}
    longest = max(map(_length, features), default=1.0)
    names = told_apart([feature["name"] for feature in features], _LONGEST)
    items = [
        html.Li(_feature(feature, longest, name))
        for feature, name in zip(features, names, strict=True)
    ]
    # Where none bends, the list has no room for shapes.
    has_shapes = any("shape" in feature for feature in features)
    return [
        _polyline(
            "features-line",
            f"0 -2 {LINE_WIDTH} {LINE_HEIGHT + 4}",
            line.get("points", ""),
            role="img",
            hidden=not line,
            **aria(label=line.get("words", "")),
        ),
        html.Ol(
            items,
            className=f"features{' has-shapes' * has_shapes}",
            **part("features"),
            **aria(label="Features"),
        ),
        html.P(
            _more(ranking),
            className="hint",
            title=_FADED if "stability" in ranking else None,
            **part("features-more"),
        ),
    ]


def _feature(feature: Mapping[str, Any], longest: float, shown: str) -> Component:
    name, stability = feature["name"], feature.get("stability", "")
    worth = feature.get("words", "")
    is_unseen, is_unstable = feature.get("is_seen") is False, feature.get("is_stable") is False
    if is_unseen:
        worth = f"not sure: {worth}"
    more = "; ".join(filter(None, [worth, stability]))
    spoken = [name, f"loading {_length(feature):.2f}", worth, stability]
    share = feature.get("share", _length(feature) / longest if longest else 0.0)
    angle = math.degrees(math.atan2(feature["x"], feature["y"]))
    return html.Button(
        [
            html.Span(shown, className="feature-name cut"),
            _polyline(
                "feature-shape",
                f"0 0 {SHAPE_WIDTH} {SHAPE_HEIGHT}",
                feature.get("shape", ""),
                **aria(hidden="true"),
            ),
            html.Span(className="feature-bar", style={"--share": f"{share:.4f}"}),
            html.Span(className="feature-direction", style={"rotate": f"{angle:.0f}deg"}),
        ],
        type="button",
        className=f"feature{' is-unseen' * is_unseen}{' is-unstable' * is_unstable}",
        title=f"{name}: {more}" if more else name,
        **data(feature=str(feature["feature"])),
        **aria(label=", ".join(filter(None, spoken)), pressed="false"),
    )


def _length(feature: Mapping[str, Any]) -> float:
    return math.hypot(feature["x"], feature["y"])


def _more(ranking: Mapping[str, Any]) -> str:
    listed, every = len(ranking["features"]), ranking["of"]
    left_out = f"The strongest {listed} of {number(every)}." if every > listed else ""
    return " ".join(filter(None, [left_out, ranking.get("stability", "")]))


def _polyline(name: str, box: str, points: str, **attributes: Any) -> Component:
    line = Element("polyline", points=points)
    return Element("svg", line, className=name, viewBox=box, **attributes)


def image_groups(images: PixelImages) -> list[Component]:
    """Group images: weights of the axes and importance of pixels, then the means of the classes."""
    note = [html.P(images.note, className="hint")] if images.note else []
    return [
        html.P(className="pixel-words hint", role="status", **data(kept="words")),  # by a script
        _group("Directions and importance", [*images.directions, images.worth], "is-large"),
        _group("Class means", images.means),
        *note,
    ]


def _group(name: str, images: Sequence[PixelImage], modifier: str = "") -> Component:
    return html.Div(
        [_figure(image) for image in images],
        className=f"pixel-group {modifier}".strip(),
        role="group",
        tabIndex="0",
        **aria(label=f"{name}. Arrow keys go from pixel to pixel."),
    )


def _figure(image: PixelImage) -> Component:
    """An image, and the mark that a script moves over it."""
    height, width = image.values.shape
    picture = html.Img(
        src=image.address,
        alt=image.words,
        width=str(width),
        height=str(height),
        className=f"pixel-image is-{image.scale.value}",
        draggable="false",
    )
    return html.Figure(
        [
            html.Div([picture, html.Span(className="pixel-mark")], className="pixel-frame"),
            html.Figcaption(image.title, title=image.title),
        ]
    )

"""The features of a plane beside its picture: bars as long as what is lost without each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.elements import Element, aria, data, part
from melm_studio.planes.features import LINE_HEIGHT, LINE_WIDTH, SHAPE_HEIGHT, SHAPE_WIDTH
from melm_studio.planes.pixel_images import PixelImage, PixelImages
from melm_studio.tables import number, told_apart

_LONGEST = 24  # name, in characters, as in the picture
_FADED = "Features that fewer than half of the resamples select are faded."


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
    if feature.get("is_seen") is False:
        worth = f"not sure: {worth}"
    more = "; ".join(filter(None, [worth, stability]))
    spoken = [name, f"loading {_length(feature):.2f}", worth, stability]
    faint = [
        "is-unseen" if feature.get("is_seen") is False else "",
        "is-unstable" if feature.get("is_stable") is False else "",
    ]
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
        className=" ".join(filter(None, ["feature", *faint])),
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

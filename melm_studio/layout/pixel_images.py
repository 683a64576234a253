"""Features that are pixels, as small images beside the picture."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data
from melm_studio.planes.pixel_images import PixelImage, PixelImages


def image_groups(images: PixelImages) -> list[Component]:
    """What the axes weigh and what pixels are worth, then the means of the classes."""
    note = [html.P(images.note, className="hint")] if images.note else []
    return [
        html.P(className="pixel-words", role="status", **data(kept="words")),  # by a script
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

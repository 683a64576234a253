"""Colors and markers of the classes in print."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_studio.planes.theme import (
    SHAPES,
    THEMES,
    Scheme,
    class_color,
    class_name_color,
    class_shape,
)
from melm_studio.publication.style import FigureStyle

_THEME = THEMES[Scheme.LIGHT]
INK, FAINT_INK, FRAME = _THEME.ink, _THEME.faint_ink, "#adb5bd"

# Matplotlib's markers for the shapes of the page, and those that tell classes apart without color.
MARKERS = {name: shape.marker for name, shape in SHAPES.items()}
_GRAY_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_DARKEST, _LIGHTEST = 0.1, 0.65


@dataclass(frozen=True)
class ClassMark:
    """The color and the marker of a class, and the color of its name."""

    color: str
    marker: str
    name_color: str = INK


def class_marks(n_classes: int, style: FigureStyle) -> list[ClassMark]:
    """Return the mark of each class."""
    if style.palette == "gray":
        shades = np.linspace(_DARKEST, _LIGHTEST, max(n_classes, 2))
        return [
            ClassMark(str(round(float(shades[code]), 3)), _GRAY_MARKERS[code % len(_GRAY_MARKERS)])
            for code in range(n_classes)
        ]
    return [
        ClassMark(
            class_color(code, _THEME),
            MARKERS[class_shape(code)],
            class_name_color(code, _THEME),
        )
        for code in range(n_classes)
    ]

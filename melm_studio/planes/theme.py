"""Colors, shapes and fonts of every figure, for the light and the dark page.

The font of the page, of phones and of the files that the studio writes is a subset of Inter, made
by `lab/font.py`: Latin, Greek and the signs that the studio writes, in weights 400 to 700. Other
scripts have the fonts of the system.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from melm_studio.installation import APPLICATION_FOLDER

FONT_FILE = "fonts/inter.woff2"  # in the folder of assets, beside its license


class Scheme(StrEnum):
    """The color scheme of the page."""

    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Theme:
    """The colors of a figure on a page of one scheme."""

    ink: str
    faint_ink: str
    grid: str
    surface: str
    held_out: str  # of curves of held-out rows; no class has it
    class_colors: tuple[str, ...]


# In every simulated kind of color blindness the colors of a scheme stay apart, and all stand out
# from the background (`tests/melm_studio/planes/test_theme.py` measures both).
THEMES = {
    Scheme.LIGHT: Theme(
        ink="#212529",
        faint_ink="#5c636a",
        grid="#e9ecef",
        surface="#ffffff",
        held_out="#7b2cbf",
        class_colors=(
            "#0072b2",
            "#e26300",
            "#0a8f6c",
            "#c272ba",
            "#a35a2e",
            "#4a8fee",
            "#5a5200",
            "#171a1f",
            "#80305a",
            "#3420ad",
        ),
    ),
    Scheme.DARK: Theme(
        ink="#f1f3f5",
        faint_ink="#a6acb3",
        grid="#34373c",
        surface="#1f2023",
        held_out="#c8a2f5",
        class_colors=(
            "#3a7fc0",
            "#c4581c",
            "#62c79c",
            "#b08ac2",
            "#e2d020",
            "#86cefc",
            "#78a400",
            "#e6eef2",
            "#d8107a",
            "#8859f2",
        ),
    ),
}

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"

# Text is read at this contrast to its background (WCAG 2.2, 1.4.3).
_READABLE = 4.5
_MIX = 0.05


@dataclass(frozen=True)
class Shape:
    """A marker, as matplotlib writes it, and as a character."""

    marker: str
    glyph: str


# The markers of rows, by plotly's names. The page's canvases draw these, too.
SHAPES = {
    "circle": Shape("o", "●"),
    "square": Shape("s", "■"),
    "diamond": Shape("D", "◆"),
    "triangle-up": Shape("^", "▲"),
    "triangle-down": Shape("v", "▼"),
}

TRANSPARENT = "rgba(0, 0, 0, 0)"

# Of rows without a class, in both schemes.
UNLABELED_COLOR = "#868e96"


def page_layout(ink: str) -> dict[str, Any]:
    """Return the common layout of the page's figures: the page shows through, in its font."""
    return {
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"family": FONT, "color": ink, "size": 13},
    }


def class_color(code: int, theme: Theme) -> str:
    """The color of a class; the eleventh class has the first color again, in another shape."""
    return theme.class_colors[code % len(theme.class_colors)]


def class_shape(code: int) -> str:
    """The marker of a class, which differs where colors repeat.

    No two of as many classes as a table may have share both.

    Examples
    --------
    >>> class_shape(0), class_shape(10)
    ('circle', 'square')
    """
    n_colors = len(THEMES[Scheme.LIGHT].class_colors)
    return tuple(SHAPES)[(code // n_colors) % len(SHAPES)]


def class_name_color(code: int, theme: Theme) -> str:
    """The color of a class, mixed with ink until its name can be read on the surface."""
    color, share = class_color(code, theme), 0.0
    name = color
    while contrast(name, theme.surface) < _READABLE:
        share += _MIX
        name = _mixed(color, theme.ink, share)
    return name


def contrast(color: str, other: str) -> float:
    """The contrast of two hex colors, from 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted(map(_luminance, (color, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in _channels(color)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _mixed(color: str, other: str, share: float) -> str:
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def _channels(color: str) -> tuple[int, int, int]:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def translucent(color: str, opacity: float) -> str:
    """A hex color with an opacity, in CSS notation."""
    red, green, blue = _channels(color)
    return f"rgba({red}, {green}, {blue}, {opacity})"


def page_colors() -> str:
    """The class colors as CSS variables, for the legend of the page."""
    return "\n".join(
        f'[data-mantine-color-scheme="{scheme}"] {{ {_variables(theme)} }}'
        for scheme, theme in THEMES.items()
    )


def _variables(theme: Theme) -> str:
    classes = (f"--class-{i}: {color};" for i, color in enumerate(theme.class_colors))
    return " ".join(
        [
            *classes,
            f"--ink: {theme.ink};",
            f"--faint-ink: {theme.faint_ink};",
            f"--held-out: {theme.held_out};",
        ]
    )


def font_face(address: str) -> str:
    """The CSS rule that names the font.

    Parameters
    ----------
    address : str
        Of the file.

    Examples
    --------
    >>> font_face("inter.woff2").startswith("@font-face")
    True
    """
    return (
        '@font-face { font-family: "Inter"; font-style: normal; font-weight: 400 700; '
        f'font-display: swap; src: url("{address}") format("woff2"); }}'
    )


@cache
def embedded_font_face() -> str:
    """The same with the file in it, for pages that open without a network."""
    raw = (APPLICATION_FOLDER / "assets" / FONT_FILE).read_bytes()
    return font_face(f"data:font/woff2;base64,{base64.b64encode(raw).decode()}")

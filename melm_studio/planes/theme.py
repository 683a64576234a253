"""Colors, shapes and fonts of every figure, for the light and the dark page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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


# Okabe and Ito's palette, which color-blind readers can distinguish. A shade too close to the
# background is replaced by a lighter or darker one of its hue.
THEMES = {
    Scheme.LIGHT: Theme(
        ink="#212529",
        faint_ink="#5c636a",
        grid="#e9ecef",
        surface="#ffffff",
        held_out="#7b2cbf",
        class_colors=(
            "#0072b2",
            "#d55e00",
            "#009e73",
            "#cc79a7",
            "#c58600",
            "#3a9bd6",
            "#7a6c00",
            "#343a40",
        ),
    ),
    Scheme.DARK: Theme(
        ink="#f1f3f5",
        faint_ink="#a6acb3",
        grid="#34373c",
        surface="#1f2023",
        held_out="#c8a2f5",
        class_colors=(
            "#2a8ad0",
            "#e0661a",
            "#00a878",
            "#d68bb4",
            "#e69f00",
            "#93d6f9",
            "#f0e442",
            "#dee2e6",
        ),
    ),
}

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"

# Classes beyond the number of colors differ by shape.
_SHAPES = ("circle", "square", "diamond")


TRANSPARENT = "rgba(0, 0, 0, 0)"

# Of rows without a class, in both schemes.
UNLABELED_COLOR = "#868e96"


def page_layout(ink: str) -> dict[str, Any]:
    """What every figure of the page has in its layout: the page shows through, in its font."""
    return {
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"family": FONT, "color": ink, "size": 13},
    }


def class_color(code: int, theme: Theme) -> str:
    """The color of a class; the ninth class has the first color again."""
    return theme.class_colors[code % len(theme.class_colors)]


def class_shape(code: int, n_colors: int) -> str:
    """The marker of a class; it changes where the colors repeat."""
    return _SHAPES[(code // n_colors) % len(_SHAPES)]


def translucent(color: str, opacity: float) -> str:
    """A hex color with an opacity, in CSS notation."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
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

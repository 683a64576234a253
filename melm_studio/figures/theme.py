"""Colours, shapes and type of every figure, for the light and the dark page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scheme(StrEnum):
    """The colour scheme of the page."""

    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Theme:
    """What a figure needs to know of the page it stands on."""

    ink: str
    faint_ink: str
    grid: str
    surface: str
    class_colours: tuple[str, ...]


# Okabe and Ito's palette, told apart by colour-blind readers. Where a shade would
# sink into the background it gives way to a lighter or darker one of its hue.
THEMES = {
    Scheme.LIGHT: Theme(
        ink="#212529",
        faint_ink="#5c636a",
        grid="#e9ecef",
        surface="#ffffff",
        class_colours=(
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
        class_colours=(
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

# Beyond the colours a class is told by its shape as well.
_SHAPES = ("circle", "square", "diamond")


def class_colour(code: int, theme: Theme) -> str:
    """The colour of a class; the ninth class takes the first colour again."""
    return theme.class_colours[code % len(theme.class_colours)]


def class_shape(code: int, n_colours: int) -> str:
    """The marker of a class; it changes where the colours begin anew."""
    return _SHAPES[(code // n_colours) % len(_SHAPES)]


def translucent(colour: str, opacity: float) -> str:
    """A hex colour with an opacity, in CSS notation."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def page_colours() -> str:
    """The class colours as CSS variables, so that the page's legend shows the figures' colours."""
    return "\n".join(
        f'[data-mantine-color-scheme="{scheme}"] {{ {_variables(theme)} }}'
        for scheme, theme in THEMES.items()
    )


def _variables(theme: Theme) -> str:
    classes = (f"--class-{i}: {colour};" for i, colour in enumerate(theme.class_colours))
    return " ".join([*classes, f"--ink: {theme.ink};", f"--faint-ink: {theme.faint_ink};"])

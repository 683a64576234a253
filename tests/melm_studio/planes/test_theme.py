"""Colors can be read on their background and told apart."""

from __future__ import annotations

import pytest

from melm_studio.planes.theme import (
    THEMES,
    Scheme,
    class_color,
    class_shape,
    page_colors,
    translucent,
)

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
READABLE, VISIBLE = 4.5, 3.0  # WCAG 2.2, success criteria 1.4.3 and 1.4.11


def channels(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(color: str) -> float:
    """Relative luminance as WCAG defines it."""
    shares = (channel / 255 for channel in channels(color))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(color: str, background: str) -> float:
    low, high = sorted(map(luminance, (color, background)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_every_scheme_has_a_theme():
    assert list(THEMES) == list(Scheme)


@each_theme
def test_ink_and_faint_ink_are_readable(theme):
    assert contrast(theme.ink, theme.surface) >= READABLE
    assert contrast(theme.faint_ink, theme.surface) >= READABLE


@each_theme
def test_class_colors_stand_out_from_the_surface(theme):
    faint = {c: contrast(c, theme.surface) for c in theme.class_colors}
    assert {c: ratio for c, ratio in faint.items() if ratio < VISIBLE} == {}


@each_theme
def test_up_to_20_classes_differ_in_color_or_shape(theme):
    n_colors = len(theme.class_colors)
    looks = {(class_color(c, theme).lower(), class_shape(c, n_colors)) for c in range(20)}
    assert len(looks) == 20


def test_both_schemes_have_the_same_number_of_class_colors():
    assert len({len(theme.class_colors) for theme in THEMES.values()}) == 1


@pytest.mark.parametrize("opacity", [0.07, 1])
def test_a_translucent_color_keeps_its_hue(opacity):
    assert translucent("#0072b2", opacity) == f"rgba(0, 114, 178, {opacity})"


@each_theme
def test_the_page_has_the_colors_of_the_figures(theme):
    (rules,) = (line for line in page_colors().splitlines() if theme.ink in line)
    for name, color in (
        *((f"class-{code}", color) for code, color in enumerate(theme.class_colors)),
        ("ink", theme.ink),
        ("faint-ink", theme.faint_ink),
    ):
        assert f"--{name}: {color};" in rules

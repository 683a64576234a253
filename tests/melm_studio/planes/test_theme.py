"""Colors can be read on their background and told apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from melm_studio.planes.theme import (
    SHAPES,
    THEMES,
    Scheme,
    class_color,
    class_name_color,
    class_shape,
    contrast,
    page_colors,
    translucent,
)
from melm_studio.publication.printing.panel import MARKERS
from melm_studio.tables.classes import MAX_CLASSES

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
READABLE, VISIBLE = 4.5, 3.0  # WCAG 2.2, success criteria 1.4.3 and 1.4.11


# From linear RGB to that which protanopes, deuteranopes and tritanopes see (Machado, Oliveira and
# Fernandes, 2009), and to the cone responses and coordinates of Oklab (Ottosson, 2020).
SIGHTS = {
    "any": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
OKLAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
APART = 0.04  # in Oklab, in which a difference of 0.02 is just seen


def seen_as(color: str, sight: str) -> np.ndarray:
    """A color in Oklab, as eyes of a kind see it."""
    shares = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    rgb = np.clip(np.array(SIGHTS[sight]) @ linear, 0, 1)
    return np.array(OKLAB) @ np.cbrt(np.array(CONES) @ rgb)


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
def test_no_two_classes_share_color_and_shape(theme):
    marks = {(class_color(code, theme), class_shape(code)) for code in range(MAX_CLASSES)}
    assert len(marks) == MAX_CLASSES


@each_theme
def test_ten_classes_have_ten_colors_that_every_eye_tells_apart(theme):
    assert len(theme.class_colors) == 10
    for sight in SIGHTS:
        seen = [seen_as(color, sight) for color in theme.class_colors]
        assert min(itertools.starmap(_distance, itertools.combinations(seen, 2))) > APART, sight


def _distance(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.linalg.norm(first - second))


@each_theme
def test_no_class_has_the_color_of_held_out_curves(theme):
    held_out = seen_as(theme.held_out, "any")
    assert all(_distance(seen_as(c, "any"), held_out) > APART for c in theme.class_colors)


@each_theme
def test_names_of_classes_can_be_read(theme):
    for code in range(len(theme.class_colors)):
        assert contrast(class_name_color(code, theme), theme.surface) >= READABLE


def test_print_and_page_know_every_shape():
    assert {class_shape(code) for code in range(MAX_CLASSES)} == set(SHAPES) == set(MARKERS)


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

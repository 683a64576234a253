"""Points too many for a vector graphic are an image in which every one of them counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import fft

from melm_studio.publication.printing import axes as printed_axes
from melm_studio.publication.printing.axes import (
    CROWDING,
    CrowdedPoints,
    draw_crowded,
    opacities,
)

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
PLACES = np.linspace(0.5, 9.5, 200)


def image_of(*parts: CrowdedPoints, size: float = 2.0):
    """The image on axes of one inch from 0 to 10, 100 pixels wide."""
    axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 10), ylim=(0, 10))
    draw_crowded(axes, parts, size, dpi=100, zorder=1)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 10), (0, 10))
    return np.asarray(axes.images[0].get_array())


def crowd(points, color=RED, marker="o", *, is_open=False, strength=1.0):
    points = np.array(points, dtype=float)
    n = len(points)
    return CrowdedPoints(points, np.tile(color, (n, 1)), np.full(n, strength), marker, is_open)


def test_points_are_where_they_belong_and_crowds_are_more_opaque() -> None:
    image = image_of(crowd([(2.05, 8.05), *[(7.05, 3.05)] * 50]))
    assert image.shape == (100, 100, 4)
    alone, many = image[19, 20], image[69, 70]
    np.testing.assert_allclose(alone[:3], RED, atol=0.01)
    assert many[3] == pytest.approx(CROWDING["solid"], abs=0.01)
    assert many[3] > 1.5 * alone[3] > 0
    assert image[50, 50, 3] == 0


def test_points_of_two_classes_mix_in_their_share() -> None:
    image = image_of(crowd([(5.05, 5.05)] * 3), crowd([(5.05, 5.05)], BLUE))
    np.testing.assert_allclose(image[49, 50, :3], [0.75, 0, 0.25], atol=0.01)


@pytest.mark.parametrize("marker", ["o", "s", "D", "^", "v"])
def test_an_open_marker_has_a_hole(marker) -> None:
    filled, ring = (image_of(crowd([(5, 5)], marker=marker, is_open=o), size=9) for o in (0, 1))
    middle = (slice(48, 52), slice(48, 52), 3)
    assert ring[middle].min() == 0 < filled[middle].min()
    assert ring[..., 3].max() > 0.5


def test_points_beyond_the_axes_are_left_out() -> None:
    assert image_of(crowd([(-1, 5), (5, 11), (10.01, 5)]))[..., 3].max() == 0


def test_opacity_never_falls_with_the_number_of_rows() -> None:
    found = opacities(np.array([0, 0.2, 1, 2, 30, 4_000]))
    assert found[0] == 0
    assert (np.diff(found) > 0).all()
    assert found[-1] == CROWDING["solid"]


@pytest.mark.fault
def test_hundreds_of_classes_take_as_many_transforms_as_they_have_markers(monkeypatch) -> None:
    n_transforms = Counter[str]()

    def counted(name):
        transform = getattr(fft, name)

        def count_one(*arguments, **options):
            n_transforms[name] += 1
            return transform(*arguments, **options)

        return count_one

    for name in ("rfft2", "irfft2"):
        monkeypatch.setattr(fft, name, counted(name))
    apart = image_of(*(crowd([(x, 5)], marker="os"[i % 2]) for i, x in enumerate(PLACES)))
    assert n_transforms == {"rfft2": 2 * 5, "irfft2": 1}
    together = image_of(*(crowd([(x, 5) for x in PLACES[i::2]], marker="os"[i]) for i in range(2)))
    np.testing.assert_allclose(apart, together, atol=1e-9)


@pytest.mark.fault
def test_images_of_all_panels_together_have_a_bounded_number_of_pixels(monkeypatch) -> None:
    monkeypatch.setattr(printed_axes, "MOST_PIXELS", 90_000)
    figure = Figure(figsize=(20, 20))
    for number in range(9):
        axes = figure.add_subplot(3, 3, number + 1)
        draw_crowded(axes, [crowd([(0.5, 0.5)])], 2.0, dpi=600, zorder=1)
    n_pixels = sum(np.asarray(axes.images[0].get_array())[..., 3].size for axes in figure.axes)
    assert 30_000 < n_pixels <= 90_000

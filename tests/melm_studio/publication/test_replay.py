"""A replay holds the planes of a run and opens by itself."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from melm_studio.planes.figure import limits
from melm_studio.publication.replay import (
    FRAMES_BYTES,
    MOST_POINTS,
    ReplayFrame,
    evenly,
    replay_figure,
    replay_page,
)
from tests.melm_studio.planes.views import points, view_of

NAMES = ("a", "b", "c")
NASTY = '</script><script>alert("x")</script><img src=x>'


@pytest.fixture
def frames() -> list[ReplayFrame]:
    return [ReplayFrame(view_of(3, skewed=i % 2 == 1), f"plane {i + 1}") for i in range(4)]


def crowded(n_rows: int) -> ReplayFrame:
    """A plane of three classes with so many seen rows each."""
    view = view_of(3)
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    classes = tuple(replace(part, train=rows) for part in view.classes)
    return ReplayFrame(replace(view, classes=classes), "many")


def test_the_figure_has_a_frame_for_every_plane_and_shows_the_last(frames):
    figure = replay_figure(frames, NAMES)
    assert len(figure.frames) == 4
    (slider,) = figure.layout.sliders
    assert [step.label for step in slider.steps] == [frame.words for frame in frames]
    assert slider.active == 3
    for position, frame in enumerate(frames):
        drawn = figure.frames[position].to_plotly_json()["data"]
        np.testing.assert_allclose(
            points(drawn[3 * len(NAMES)]), frame.view.classes[0].train, atol=1e-5
        )
    shown = figure.to_plotly_json()["data"]
    np.testing.assert_allclose(
        points(shown[3 * len(NAMES)]), frames[-1].view.classes[0].train, atol=1e-5
    )


def test_the_axes_hold_the_last_plane_and_are_not_blown_up_by_a_far_one(frames):
    far = replace(
        frames[0], view=replace(frames[0].view, lower=np.full(2, -1e3), upper=np.full(2, 1e3))
    )
    figure = replay_figure([far, *frames * 5], NAMES)
    for axis, (low, high) in zip(("xaxis", "yaxis"), limits(frames[-1].view), strict=True):
        lowest, highest = figure.layout[axis].range
        assert lowest <= low < high <= highest
        assert highest - lowest < 100


def test_the_legend_names_each_class_once(frames):
    figure = replay_figure(frames, NAMES)
    assert [trace.name for trace in figure.data if trace.showlegend] == list(NAMES)


def test_one_plane_has_nothing_to_play(frames):
    figure = replay_figure(frames[:1], NAMES)
    assert not figure.layout.sliders
    assert not figure.layout.updatemenus


def test_the_page_loads_nothing_from_elsewhere(frames):
    page = replay_page(frames, NAMES, "MELM, Wine", "divergence 3 seen")
    assert "<h1>MELM, Wine</h1>" in page
    assert "divergence 3 seen" in page
    assert not re.search(r"<(script|link|img)[^>]*\b(src|href)=", page)


def test_names_are_text_whatever_they_hold(frames):
    named = [replace(frame, words=NASTY) for frame in frames]
    page = replay_page(named, (NASTY, "b", "c"), NASTY, NASTY)
    assert NASTY not in page
    assert "<img src=x>" not in page
    assert page.count("&lt;/script&gt;&lt;script&gt;") >= 2


def test_points_are_thinned_the_same_way_in_every_plane():
    figure = replay_figure([crowded(5_000)] * 3, NAMES)
    counts = {
        sum(len(points(trace)) for trace in frame.to_plotly_json()["data"][3:9])
        for frame in figure.frames
    }
    assert len(counts) == 1
    assert counts.pop() <= MOST_POINTS


def test_a_long_replay_of_much_data_stays_easy_to_send():
    figure = replay_figure([crowded(5_000)] * 400, NAMES)
    assert 60 < len(figure.frames) < 400
    assert len(figure.to_json()) < 2 * FRAMES_BYTES


@pytest.mark.parametrize(("n", "most"), [(1, 60), (5, 60), (61, 60), (2_000, 60)])
def test_planes_are_spread_evenly_with_both_ends(n, most):
    chosen = evenly(n, most)
    assert (chosen[0], chosen[-1]) == (0, n - 1)
    assert len(chosen) == min(n, most)
    assert max(np.diff(chosen), default=1) - min(np.diff(chosen), default=1) <= 1

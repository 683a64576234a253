"""A replay holds the planes of a run and opens by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.driver.traces import points
from melm_core.base import FloatArray
from melm_studio.layout.scripts import ASSETS
from melm_studio.planes.figure import limits
from melm_studio.planes.theme import Scheme
from melm_studio.publication import replay as replay_module
from melm_studio.publication import run_replay
from melm_studio.publication.replay import (
    FRAMES_BYTES,
    MOST_POINTS,
    ReplayFrame,
    ReplayText,
    evenly,
    replay_data,
    replay_page,
)
from tests.melm_studio.planes.views import unpacked, view_of

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


def data_of(frames: Sequence[ReplayFrame], **options: Any) -> dict[str, Any]:
    return replay_data(frames, NAMES, ReplayText(title="MELM, Wine"), **options)


def train_of(frame: dict[str, Any]) -> FloatArray:
    """The training rows of the first class."""
    return points(frame["traces"][3 * len(NAMES)])


def test_a_replay_has_a_frame_for_every_plane(frames):
    data = data_of(frames)
    assert [frame["words"] for frame in data["frames"]] == [frame.words for frame in frames]
    for drawn, frame in zip(data["frames"], frames, strict=True):
        rows = frame.view.classes[0].train
        seen = np.ptp(limits(frame.view), axis=1).max() / 2_000  # half a pixel of a thousand
        np.testing.assert_allclose(train_of(drawn), rows, atol=seen)
        assert drawn["arrows"]["names"] == frame.view.arrows.names


@pytest.mark.slow
def test_axes_stay_hold_the_last_plane_and_are_not_blown_up_by_a_far_one(frames):
    far = replace(
        frames[0], view=replace(frames[0].view, lower=np.full(2, -1e3), upper=np.full(2, 1e3))
    )
    axes, *others, _ = data_of([far, *frames * 5])["axes"]
    assert others == [axes] * (5 * len(frames) - 1)
    for (lowest, highest), (low, high) in zip(axes, limits(frames[-1].view), strict=True):
        assert lowest <= low < high <= highest
        assert highest - lowest < 100


def test_the_last_plane_has_the_axes_that_it_has_on_the_page(frames):
    crowd = crowded(MOST_POINTS)
    assert data_of([*frames, crowd])["axes"][-1] == limits(crowd.view)


def test_the_page_loads_nothing_from_elsewhere(frames):
    page = replay_page(
        frames,
        NAMES,
        ReplayText(title="MELM, Wine", lead="all are told apart", note="a sample"),
        script="",
    )
    assert "<h1>MELM, Wine</h1>" in page
    assert "all are told apart" in page
    assert "a sample" in page
    assert not re.search(r"<(script|link|img)[^>]*\b(src|href)=", page)


def test_names_are_text_whatever_they_hold(frames):
    named = [replace(frame, words=NASTY) for frame in frames]
    text = ReplayText(title=NASTY, lead=NASTY, follow=NASTY, note=NASTY, axes=(NASTY, NASTY))
    page = replay_page(named, (NASTY, "b", "c"), text, script="")
    assert NASTY not in page
    assert "<img src=x>" not in page
    assert page.count("&lt;/script&gt;&lt;script&gt;") == 6
    (packed,) = re.findall(r'data-part="replay">(.*?)</script>', page)
    assert unpacked(packed)["scene"]["names"][0] == NASTY


def test_points_are_thinned_the_same_way_in_every_plane():
    data = data_of([crowded(5_000)] * 3)
    counts = {sum(map(len, map(points, frame["traces"][9:15]))) for frame in data["frames"]}
    assert len(counts) == 1
    assert counts.pop() <= MOST_POINTS


def test_the_lines_of_a_frame_are_simplified_once(monkeypatch):
    calls = []
    monkeypatch.setattr(replay_module, "thinned", lambda view, **_: calls.append(view) or view)
    data_of([crowded(50)] * 3)
    assert len(calls) == 3


@pytest.mark.slow
def test_a_long_replay_of_much_data_stays_easy_to_send():
    data = data_of([crowded(5_000)] * 150)
    assert 60 < len(data["frames"]) < 150
    assert len(json.dumps(data["frames"])) < 2 * FRAMES_BYTES


def test_the_curve_of_a_replay_has_the_events_of_the_run(frames):
    events = {"sequences": [0, 1], "objective": [1 / 3, 2.0], "held_out": [(0, 1 / 7)]}
    curve = data_of(frames, curve=events)["curve"]
    assert curve["events"] == {
        "sequences": [0, 1],
        "objective": [0.33333, 2.0],
        "held_out": [[0, 0.14286]],
    }
    assert set(curve["figures"]) == set(Scheme)


@pytest.mark.parametrize(("n", "most"), [(1, 60), (5, 60), (61, 60), (2_000, 60)])
def test_planes_are_spread_evenly_with_both_ends(n, most):
    chosen = evenly(n, most)
    assert (chosen[0], chosen[-1]) == (0, n - 1)
    assert len(chosen) == min(n, most)
    assert max(np.diff(chosen), default=1) - min(np.diff(chosen), default=1) <= 1


def test_every_part_that_the_script_fills_is_there():
    scripts = "".join(path.read_text() for path in (ASSETS / "studio/present/replay").glob("*.mjs"))
    written = "".join(Path(module.__file__).read_text() for module in (replay_module, run_replay))
    asked = set(re.findall(r'\b(?:byPart|part)\("([\w-]+)"\)', scripts))
    assert len(asked) > 10
    assert asked <= set(re.findall(r'data-part="([\w-]+)"', written))

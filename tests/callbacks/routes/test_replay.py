"""The replay of a run is a file by itself, and only its owner's."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from lab.driver.traces import decoded
from melm_studio.publication import run_replay
from melm_studio.publication.run_replay import MAX_FRAMES
from tests.callbacks.tables import blobs, csv
from tests.melm_studio.planes.views import unpacked

NASTY = '</script><script>alert("x")</script>'


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor with a finished MELM run on a table with a nasty label."""
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs(n_rows=80, labels=(NASTY, "b"))), "pots & <pans>.csv")
    visitor.run = visitor.start(method="melm", n_init=3)
    studio.work()
    return visitor


def page(visitor, **query) -> str:
    answer = visitor.http.get(f"/runs/{visitor.run}/replay.html", query_string=query)
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.headers["Content-Disposition"].endswith("melm-replay.html")
    return answer.text


def data_in(text: str) -> dict[str, Any]:
    (packed,) = re.findall(r'data-part="replay">(.*?)</script>', text)
    return unpacked(packed)


@pytest.mark.slow
def test_the_replay_has_the_planes_of_the_run_and_their_numbers(studio, finished):
    text = page(finished)
    n_events = studio.store.n_events(finished.run)
    data = data_in(text)
    words = [frame["words"] for frame in data["frames"]]
    assert len(words) == min(n_events, MAX_FRAMES)
    assert words[0].startswith("plane 1, divergence ")
    assert words[-1].startswith(f"plane {n_events}, divergence ")
    last = studio.store.last_event(finished.run)
    assert f"plane {n_events}, divergence {last.objective:#.3g} training and" in text
    assert data["curve"]["events"]["sequences"] == list(range(n_events))
    assert data["curve"]["events"]["best"][-1] == pytest.approx(last.objective, rel=1e-4)


@pytest.mark.slow
def test_arrows_of_the_last_plane_are_faint_where_those_of_the_page_are(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    visitor.run = visitor.start(method="pca")
    studio.work()
    (frame,) = data_in(visitor.http.get(f"/runs/{visitor.run}/replay.html").text)["frames"]
    ranked = visitor.http.get(f"/runs/{visitor.run}/planes/0/features").json["features"]
    unseen = [one["feature"] for one in ranked if not one["is_seen"]]
    assert 0 < len(unseen) < len(ranked)
    assert frame["unseen"] == sorted(unseen)


@pytest.mark.slow
def test_the_replay_of_the_wines_is_below_600_kb(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    visitor.run = visitor.start(method="melm", n_init=20)
    studio.work()
    text = page(visitor)
    assert len(data_in(text)["frames"]) == MAX_FRAMES
    assert len(text.encode()) < 400_000
    assert "window.Plotly" not in text


@pytest.mark.slow
def test_the_replay_of_the_wines_with_their_whole_tree_is_below_600_kb(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    visitor.run = visitor.start(method="melm", n_init=6)
    studio.work()
    visitor.http.post(f"/runs/{visitor.run}/analyses/tree")
    studio.work()
    text = page(visitor)
    assert 'data-section="tree"' in text
    assert len(text.encode()) < 600_000


def test_names_in_the_replay_are_text(finished):
    text = page(finished)
    assert NASTY not in text
    assert "<pans>" not in text
    assert "pots &amp; &lt;pans&gt;" in text


@pytest.mark.slow
def test_the_replay_takes_the_colours_that_are_asked_for(finished):
    assert page(finished, scheme="dark") != page(finished) == page(finished, scheme="pink")


def test_a_run_without_a_plane_has_no_replay(visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="melm")
    assert visitor.http.get(f"/runs/{run}/replay.html").status_code == 404


def test_the_layers_that_are_on_are_in_every_frame(finished):
    def frames(**query):
        data = data_in(page(finished, **query))
        return data["scene"]["layers"], data["frames"]

    def filled(frame):
        return sum("x" in trace for trace in frame["traces"])

    (no_layers, plain), (layers, shown) = frames(), frames(layers="class_ellipses,centroids,other")
    assert (no_layers, layers) == ([], ["centroids", "class_ellipses"])
    for without, frame in zip(plain, shown, strict=True):
        assert filled(frame) > filled(without)


@pytest.fixture(scope="module")
def long(studio):
    """A visitor with a plane of more rows than a frame draws."""
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs(n_rows=1_500, labels=("a", "b"))), "blobs.csv")
    visitor.run = visitor.start(method="pca")
    studio.work()
    return visitor


def long_page(visitor) -> str:
    return visitor.http.get(f"/runs/{visitor.run}/replay.html").text


@pytest.mark.slow
def test_the_last_plane_has_every_row_of_a_large_table(long):
    text = long_page(long)
    assert "The last frame shows all 1,500 rows." in text
    replayed = data_in(text)["rows"]
    assert {len(decoded(replayed[axis])) for axis in "xy"} == {1_500}
    whose = zip(*(decoded(replayed[name]) for name in ("classes", "held_out")), strict=True)
    counts = Counter(whose)
    assert sum(counts.values()) == 1_500
    assert set(counts) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_replay_holds_every_module_that_draws_it(long):
    scripts = re.findall(r'<script type="module">(.*?)</script>', long_page(long), re.DOTALL)
    (script,) = scripts
    assert script.rstrip().endswith("openReplay();")
    assert '"studio/plane/raster.mjs":module' in script
    assert re.findall(r"\bimport\b.*", script) == []


def test_a_replay_of_too_many_rows_says_that_it_shows_a_sample(long, monkeypatch):
    monkeypatch.setattr(run_replay, "MOST_ROWS", 1_000)
    text = long_page(long)
    assert "Frames show a sample of 750 of 1,500 rows; contours and scores take all." in text
    assert data_in(text)["rows"] is None


@pytest.mark.slow
def test_a_small_table_is_shown_whole_without_a_word(finished):
    assert data_in(page(finished))["rows"] is None
    assert "a sample of" not in page(finished)

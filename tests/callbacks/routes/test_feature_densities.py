"""One feature: the densities of the classes along it, and what it alone tells apart."""

from __future__ import annotations

import re

import pytest

from melm_studio.planes.figure import PlaneTrace

WORDS = re.compile(
    r"proline alone: (\d+) % of held-out rows .*guessing: 33 %.*, training rows: (\d+) %"
)
SHARE = re.compile(r"Component \d, (\d+) % of variance")


def test_a_feature_is_drawn_as_a_run_of_one_component_and_scored_held_out(studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    names = studio.data_of(visitor).feature_names
    found = visitor.http.get(f"/runs/{run}/features/{names.index('proline')}").json
    held_out, train = map(int, WORDS.match(found["words"]).groups())
    assert 50 < held_out < 90
    assert 50 < train < 90
    kinds = [trace["meta"]["kind"] for trace in found["figures"]["plot"]["data"]]
    assert kinds.count(PlaneTrace.TRAIN) == 3
    assert "proline" in found["figures"]["plot"]["layout"]["xaxis"]["title"]["text"]


def test_what_is_no_feature_of_ones_own_run_is_not_there(studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    assert visitor.http.get(f"/runs/{run}/features/13").status_code == 404
    assert visitor.http.get(f"/runs/{run}/features/-1").status_code == 404
    assert studio.visitor().http.get(f"/runs/{run}/features/0").status_code == 404


@pytest.mark.slow
def test_a_feature_of_one_value_among_the_training_rows_gets_a_sentence(studio, visitor):
    rows = [f"{0 if i else 1},{i % 7},{'ab'[i % 2]}" for i in range(24)]
    visitor.choose_file("\n".join(["rare,x,label", *rows]).encode())
    words = []
    for seed in range(8):
        run = visitor.start(method="pca", random_state=seed, held_out=50)
        studio.work()
        words.append(visitor.http.get(f"/runs/{run}/features/0").json["words"])
    assert any("single value in the training rows" in each for each in words)
    assert any("alone" in each for each in words)


def test_the_axes_of_a_plane_are_titled_with_their_share_of_the_variance(studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    titles = visitor.http.get(f"/runs/{run}/planes/0").json["axes"]
    first, second = (int(SHARE.fullmatch(title)[1]) for title in titles)
    assert 30 < first < 40
    assert 15 < second < 25

"""What is on screen is what was asked for: arrows moved, features kept, planes on their way."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.visitor import strict_json
from melm_core.linalg.planes import geodesic, principal_angles
from melm_core.melm.objective import cauchy_schwarz_divergence
from melm_studio.planes.view_options import MAX_EDITS

HELD_OUT, SEED = 0.25, 0


@pytest.fixture
def wine(visitor):
    visitor.choose_sample("wine")
    return visitor


@pytest.fixture
def run(studio, wine):
    run = wine.start(method="pca")
    studio.work()
    return run


def plane(visitor, run, **look):
    answer = visitor.http.get(f"/runs/{run}/planes/0", query_string=look)
    assert answer.status_code == 200, answer.text
    return strict_json(answer.text)


def refusal(visitor, run, **look):
    answer = visitor.http.get(f"/runs/{run}/planes/0", query_string=look)
    assert answer.status_code == 400, answer.text
    return answer.text


def components(visitor, run, **look):
    answer = visitor.http.get(f"/runs/{run}/model.json", query_string=look)
    assert answer.status_code == 200, answer.text
    return np.array(answer.json["components"])


def tip(answer, feature):
    """Loadings of a feature as the picture shows them."""
    arrows, (lines, heads) = answer["arrows"], answer["traces"][-2:]
    i = arrows["features"].index(feature)
    foot = np.array([lines["x"][3 * i], lines["y"][3 * i]])
    return (np.array([heads["x"][i], heads["y"][i]]) - foot) / arrows["scale"]


def test_an_arrow_that_is_moved_points_there(wine, run):
    before = plane(wine, run)
    feature = before["arrows"]["features"][0]
    aim = 3 * np.array([[0.0, -1.0], [1.0, 0.0]]) @ tip(before, feature)
    after = plane(wine, run, edits=f"{feature}:{aim[0]}:{aim[1]}")
    found = tip(after, feature)
    np.testing.assert_allclose(found / np.linalg.norm(found), aim / np.linalg.norm(aim), atol=1e-9)
    assert after["arrows"]["features"][0] == feature
    assert after["numbers"] != before["numbers"]


def test_an_arrow_put_where_it_is_changes_nothing(wine, run):
    before = plane(wine, run)
    feature = before["arrows"]["features"][0]
    x, y = tip(before, feature)
    look = {"edits": f"{feature}:{x}:{y}"}
    assert principal_angles(components(wine, run, **look), components(wine, run)).max() < 1e-6
    np.testing.assert_allclose(tip(plane(wine, run, **look), feature), [x, y], atol=1e-6)


def test_the_divergence_on_screen_is_that_of_the_plane_on_screen(studio, wine, run):
    look = {"edits": "2:0.4:-0.3", "gamma": 0.5}
    seen, _ = studio.parts_of(wine, run)
    expected = cauchy_schwarz_divergence(
        seen.X, seen.y, components(wine, run, **look), gamma=0.5, shrinkage="ledoit-wolf"
    )
    shown = plane(wine, run, **look)["numbers"]["divergence-training"]
    assert shown == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_kept", [2, 4])
@pytest.mark.parametrize("method", ["pca", "lda"])
def test_a_plane_of_few_features_has_no_others_and_says_what_it_keeps(studio, wine, method, n_kept):
    run = wine.start(method=method)
    studio.work()
    answer = plane(wine, run, n_top_features=n_kept)
    found = components(wine, run, n_top_features=n_kept)
    assert np.count_nonzero(found.any(axis=0)) == n_kept
    assert answer["top_features"].replace(" and ", ", ").count(", ") == n_kept - 1
    assert "alone keep" in answer["top_features"]


def test_too_few_features_are_refused_in_words(wine, run):
    assert "at least 2 features" in refusal(wine, run, n_top_features=1)


def test_a_morph_goes_along_the_geodesic_to_the_other_plane(studio, wine, run):
    other = wine.start(method="lda")
    studio.work()
    begin, end = (components(wine, each) for each in (run, other))
    for share in (0.0, 0.3, 1.0):
        found = components(wine, run, morph=f"{other}:{share}")
        assert principal_angles(found, geodesic(begin, end, share)).max() < 1e-6
    assert principal_angles(components(wine, run, morph=f"{other}:1"), end).max() < 1e-6


def test_there_is_no_way_to_a_plane_of_other_data(studio, wine, run):
    wine.choose_sample("iris")
    other = wine.start(method="pca")
    studio.work()
    assert "cannot be morphed" in refusal(wine, run, morph=f"{other}:0.5")


def test_a_morph_to_the_run_of_another_visitor_is_not_found(studio, wine, run):
    stranger = studio.visitor()
    stranger.choose_sample("wine")
    foreign = stranger.start(method="lda")
    answer = wine.http.get(f"/runs/{run}/planes/0", query_string={"morph": f"{foreign}:0.5"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "look",
    [
        {"n_top_features": "many"},
        {"edits": "1:2"},
        {"edits": "99:0:1"},
        {"edits": "0:nan:1"},
        {"edits": "0:1e300:1"},
        {"edits": ",".join(["0:1:1"] * (MAX_EDITS + 1))},
        {"view_angle": "1"},
        {"view_angle": "inf:0"},
    ],
)
def test_what_is_no_look_is_refused(wine, run, look):
    assert "Traceback" not in refusal(wine, run, **look)


def test_a_morph_beyond_the_other_plane_is_refused(wine, run):
    assert "from 0 to 1" in refusal(wine, run, morph=f"{run}:1.5")


def test_one_component_is_drawn_as_densities_with_their_thresholds(studio, wine):
    run = wine.start(method="lda", n_components="1")
    studio.work()
    answer = plane(wine, run)
    thresholds = answer["traces"][-4]
    assert thresholds["y"].count(None) >= 2
    assert components(wine, run).shape[0] == 1


def test_three_components_look_different_from_another_side_and_separate_the_same(studio, wine):
    run = wine.start(method="lda", n_components="3")
    studio.work()
    front, side = plane(wine, run), plane(wine, run, view_angle="1.2:0.4")
    assert front["traces"] != side["traces"]
    assert front["numbers"] == side["numbers"]


@pytest.mark.parametrize("n_components", ["0", "4", "two", None])
def test_an_impossible_number_of_components_starts_nothing(wine, n_components):
    before = len(wine.panels())
    changes = wine.press_run(method="pca", n_components=n_components)
    assert "Components must be a whole number from 1 to 3" in changes["run-error.children"]
    assert len(wine.panels()) == before


def test_a_run_climbs_on_from_the_plane_that_was_made_by_hand(studio, wine, run):
    look = {"edits": "2:0.4:-0.3"}
    answer = wine.http.post(f"/runs/{run}/planes/0/refine", query_string=look)
    assert answer.status_code == 201
    record = studio.store.get(wine.panels()[-1])
    begin = np.array(record.parameters.init[0])
    assert principal_angles(begin, components(wine, run, **look)).max() < 1e-6
    assert record.parameters.gamma == 2.0

"""The loadings beside a picture are those of its arrows, under the view options of the picture."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.traces import decoded
from melm_studio.planes.features import PATH_SHARES


def answer_of(visitor, run: str, **query):
    return visitor.http.get(f"/runs/{run}/planes/0/loadings", query_string=query)


@pytest.fixture(scope="module")
def wine(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    runs = [
        visitor.start(method="lda"),
        visitor.start(method="kpca"),
        visitor.start(method="lda", n_components=1),
    ]
    studio.work()
    return visitor, runs


@pytest.mark.slow
def test_each_point_is_the_loading_that_the_list_of_features_has(wine):
    visitor, (run, *_) = wine
    sequence = visitor.news(run)["sequences"][-1]
    listed = visitor.http.get(f"/runs/{run}/planes/{sequence}/features").json["features"]
    found = answer_of(visitor, run).json
    points = found["figures"]["plot"]["data"][0]
    places = np.column_stack([decoded(points["x"]), decoded(points["y"])])
    by_name = dict(zip(points["customdata"], places, strict=True))
    assert len(listed) == 13
    for feature in listed:
        np.testing.assert_allclose(
            by_name[feature["name"]], [feature["x"], feature["y"]], rtol=1e-5
        )
    assert found["is_final"]


def test_features_that_are_left_out_of_the_view_are_at_the_center(wine):
    visitor, (run, *_) = wine
    points = answer_of(visitor, run, n_top_features=2).json["figures"]["plot"]["data"][0]
    assert np.count_nonzero(np.hypot(decoded(points["x"]), decoded(points["y"]))) == 2


@pytest.mark.slow
def test_features_of_a_curved_run_have_shapes_that_the_view_does_not_turn(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    bent = visitor.start(method="lda", curves="curved")
    straight = visitor.start(method="lda", curves="straight")
    studio.work()

    def shapes(run, **query):
        sequence = visitor.news(run)["sequences"][-1]
        address = f"/runs/{run}/planes/{sequence}/features"
        listed = visitor.http.get(address, query_string=query).json["features"]
        return {feature["name"]: feature.get("shape") for feature in listed}

    found = shapes(bent)
    assert all(shape.count(",") == len(PATH_SHARES) for shape in found.values())
    assert shapes(bent, toward=straight) == found
    kept = shapes(bent, n_top_features=2)
    assert len(kept) == 2
    assert set(shapes(straight).values()) == {None}


def test_a_map_and_a_line_have_no_plane_of_loadings(wine):
    visitor, (_, curved, line) = wine
    assert answer_of(visitor, curved).status_code == 404
    assert answer_of(visitor, line).status_code == 404


def test_another_visitor_finds_nothing(wine, studio):
    _, (run, *_) = wine
    assert answer_of(studio.visitor(), run).status_code == 404

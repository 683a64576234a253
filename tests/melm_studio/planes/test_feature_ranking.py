"""The features of a plane, ranked."""

from __future__ import annotations

import numpy as np

from melm_core.diagnostics import Importance
from melm_studio.planes.features import (
    LINE_WIDTH,
    MAX_RANKED,
    PATH_SHARES,
    SHAPE_HEIGHT,
    SHAPE_WIDTH,
    feature_ranking,
    ordered_numbers,
)


def test_the_strongest_feature_comes_first_and_one_that_is_left_out_not_at_all():
    loadings = np.array([[0.1, 0.0], [0.0, -2.0], [0.0, 0.0], [1.0, 1.0]])
    ranking = feature_ranking(["a", "b", "c", "d"], loadings)
    assert [feature["name"] for feature in ranking["features"]] == ["b", "d", "a"]
    assert ranking["features"][0] == {"feature": 1, "name": "b", "x": 0.0, "y": -2.0}
    assert (ranking["of"], ranking["line"]) == (3, None)


def test_of_many_features_the_strongest_are_listed_and_all_are_counted():
    loadings = np.random.default_rng(0).normal(size=(1_000, 2))
    ranking = feature_ranking([f"x{i}" for i in range(1_000)], loadings)
    assert len(ranking["features"]) == MAX_RANKED
    assert ranking["of"] == 1_000


def test_what_is_lost_without_a_feature_decides_and_not_the_length_of_its_arrow():
    loadings = np.array([[9.0, 0.0], [0.1, 0.0], [0.2, 0.0]])
    loss, error = np.array([0.01, 0.3, 0.15]), np.full(3, 0.02)
    worth = Importance(loss, error, np.array([0.0, 0.1, 0.05]), n_rows=100)
    found = feature_ranking(["long", "b", "c"], loadings, worth)["features"]
    assert [(one["name"], one["is_seen"]) for one in found] == [
        ("b", True),
        ("c", True),
        ("long", False),
    ]
    assert [round(one["share"], 2) for one in found] == [1.0, 0.5, 0.03]
    assert "10 % fewer held-out rows" in found[0]["words"]


def test_a_loss_that_may_be_chance_is_listed_where_it_is_and_said_to_be_not_sure():
    loss, error = np.array([0.04, 0.17, 0.2]), np.array([0.005, 0.15, 0.02])
    worth = Importance(loss, error, np.zeros(3), n_rows=100)
    found = feature_ranking(["small", "planted", "first"], np.eye(3, 2) + 0.1, worth)["features"]
    assert [(one["name"], one["is_seen"]) for one in found] == [
        ("first", True),
        ("planted", False),
        ("small", True),
    ]


def test_a_feature_that_bends_has_its_shape_and_others_have_none():
    loadings = np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
    n = len(PATH_SHARES)
    shapes = np.array([np.linspace(-2.0, 6.0, n), np.full(n, np.nan), np.ones(n)])
    found = feature_ranking(["bent", "straight", "constant"], loadings, shapes=shapes)["features"]
    assert ["shape" in feature for feature in found] == [True, False, False]
    x, y = np.array([point.split(",") for point in found[0]["shape"].split()], dtype=float).T
    assert (y[0], y[-1]) == (SHAPE_HEIGHT - 1, 1)  # the least effect is at the bottom
    assert (np.diff(x) > 0).all()
    assert x[PATH_SHARES == 0.5] == SHAPE_WIDTH / 2  # half of the rows are left of the middle


def test_features_named_by_rising_numbers_are_a_line():
    names = [f"{wavelength} nm" for wavelength in range(400, 700, 10)]
    line = feature_ranking(names, np.ones((30, 2)))["line"]
    assert line["words"] == "Length of the arrow by feature, from 400 to 690"
    points = line["points"].split()
    assert (points[0], points[-1]) == ("0.0,0.0", f"{LINE_WIDTH:.1f},0.0")  # all are the longest


def test_other_names_are_no_line():
    assert ordered_numbers([str(i) for i in range(10)]) is None
    assert ordered_numbers([f"x{i}" for i in range(30)]) is None
    assert ordered_numbers([str(i % 7) for i in range(30)]) is None

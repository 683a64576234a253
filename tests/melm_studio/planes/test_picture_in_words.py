"""The words say of a picture what its coordinates say."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.planes.features import FeatureSteps
from melm_studio.planes.picture_in_words import MOST_PLACES, distance, picture_in_words
from melm_studio.planes.plane_scores import Predictions, Scores
from melm_studio.planes.types import Arrows, ClassView, PlaneView
from tests.melm_studio.planes.views import view_of

SQUARE = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])  # of spread 1


def words(centers, *, predicted=None, tips=(), names=(), n_components=2, **bent):
    """The words on squares about centers; each class has two held-out rows."""
    classes = tuple(
        ClassView(SQUARE + center, np.empty((0, 2)), np.empty((0, 2))) for center in centers
    )
    tips = np.reshape(np.asarray(tips, dtype=float), (-1, 2))
    arrows = Arrows(np.zeros_like(tips), tips, np.arange(len(tips)), tuple(names), 1.0, **bent)
    view = PlaneView(
        classes, arrows, np.empty((0, 2)), np.zeros(2), np.ones(2), Scores(1.0, 1.0, None)
    )
    y = np.repeat(np.arange(len(centers)), 2)
    predictions = Predictions(y, y if predicted is None else np.asarray(predicted), None)
    class_names = [chr(ord("A") + i) for i in range(len(centers))]
    return picture_in_words(view, class_names, predictions.overlap(len(centers)), n_components)


def test_each_class_is_placed_beside_the_others():
    told = words([(-5.0, 0.0), (5.0, 0.0), (0.0, 9.0), (0.0, -9.0), (0.2, 0.1)])
    assert told.startswith(
        "A lies to the left, B lies to the right, C lies above, D lies below, E lies in the middle."
    )
    assert "C lies above right" in words([(-1.0, -1.0), (0.1, -0.1), (1.0, 1.0)])


def test_a_turned_picture_has_its_words_turned():
    centers = np.array([(-4.0, 0.0), (4.0, 0.0), (0.0, 4.0)])
    assert "A lies to the left" in words(centers)
    assert "A lies to the right" in words(-centers)
    assert "A lies below" in words(centers @ np.array([[0.0, 1.0], [-1.0, 0.0]]))


def test_distances_are_in_standard_deviations_along_the_line_between_the_means():
    assert "Their means are 3.0 standard deviations apart." in words([(0.0, 0.0), (3.0, 0.0)])
    told = words([(0.0, 0.0), (2.0, 0.0), (10.0, 0.0)])
    assert "Nearest to each other are A and B, 2.0 standard deviations apart" in told
    assert "farthest are A and C, 10.0 standard deviations." in told


@pytest.mark.parametrize("factor", [0.01, 1.0, 300.0])
def test_a_distance_has_no_unit_and_no_order(factor):
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 2
    assert distance(factor * one, factor * other) == pytest.approx(distance(one, other))
    assert distance(other, one) == pytest.approx(distance(one, other))
    turned = np.array([[0.6, 0.8], [-0.8, 0.6]])
    assert distance(one @ turned, other @ turned) == pytest.approx(distance(one, other))


def test_distances_are_those_of_held_out_rows_where_there_are_some():
    view = view_of(2)
    rows = [part.held_out for part in view.classes]
    told = picture_in_words(view, ["A", "B"], None, 2)
    assert f"Their means are {distance(*rows):.1f} standard deviations apart." in told
    assert "taken for" not in told
    assert f"{distance(*(part.train for part in view.classes)):.1f}" not in told


def test_classes_that_are_taken_for_each_other_are_named_with_their_share():
    assert "No held-out row is taken for one of another class." in words([(0, 0), (9, 0)])
    told = words([(0, 0), (1, 0), (9, 0)], predicted=[0, 1, 1, 0, 2, 2])
    assert "Held-out rows that are taken for each other: A and B (50 %)." in told
    assert "C (" not in told


def test_features_have_the_direction_of_their_arrows():
    told = words([(0, 0), (5, 0)], tips=[(1, 0), (0, -1), (-1, 1)], names=("ash", "hue", "alcohol"))
    assert told.endswith("What moves rows most: ash to the right, hue below, alcohol above left.")


def test_what_turns_back_moves_rows_by_its_low_and_its_high_values():
    x = np.linspace(-1.0, 1.0, 17)
    paths = np.stack([np.column_stack([x**2, 0.1 * x]), np.column_stack([x, x])])
    bent = {"paths": paths, "turns": FeatureSteps.turning(paths)}
    told = words([(0, 0), (5, 0)], tips=[(0, 0.01), (1, 1)], names=("dose", "age"), **bent)
    assert told.endswith("rows most: low and high dose to the right, age above right.")


def test_one_component_has_an_order_and_many_classes_have_no_places():
    assert words([(3, 8), (-3, 0), (0, 2)], n_components=1).startswith(
        "From left to right: B, C, A."
    )
    many = words([(4.0 * i, 0.0) for i in range(MOST_PLACES + 1)])
    assert many.startswith(f"{MOST_PLACES + 1} classes. Nearest to each other")


def test_one_class_and_rows_without_spread_have_words():
    assert words([(0.0, 0.0)], tips=[(1, 0)], names=("ash",)) == (
        "What moves rows most: ash to the right."
    )
    point = np.zeros((3, 2))
    assert distance(point, point) == 0.0
    assert distance(point, point + 1) == np.inf

"""A bent feature has one arrow and one length, as a straight one has."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.diagnostics import feature_order
from melm_core.linalg import loading_lengths
from melm_studio.planes.features import QUARTILES, FeatureSteps
from melm_studio.planes.figure import arrow_handles
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.tables import load_sample, prepare

GROUPS = np.array([0, 1, 2, 0, 0, 2])


@pytest.fixture
def rows():
    X = np.random.default_rng(0).standard_normal((80, 6))
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture
def components():
    return np.random.default_rng(1).standard_normal((2, 6))


def test_straight_features_have_their_columns_as_arrows(rows, components):
    steps = FeatureSteps(rows, np.arange(6))
    np.testing.assert_array_equal(steps.arrows(components), components)
    np.testing.assert_allclose(steps.lengths(components), np.linalg.norm(components, axis=0))


def test_the_arrow_of_a_bent_feature_is_the_line_through_its_curve(rows, components):
    own = np.flatnonzero(GROUPS == 0)
    curve = rows[:, own] @ components[:, own].T
    slopes = np.polyfit(rows[:, 0], curve, 1)[0]
    arrows = FeatureSteps(rows, GROUPS).arrows(components)
    np.testing.assert_allclose(arrows[:, 0], slopes)
    np.testing.assert_array_equal(arrows[:, 1], components[:, 1])


def test_lengths_are_those_by_which_features_are_left_out(rows, components):
    projected = rows @ components.T
    root = np.linalg.cholesky(np.linalg.inv(np.cov(projected.T, bias=True)))
    standardized = root.T @ components
    np.testing.assert_allclose(
        FeatureSteps(rows, GROUPS).lengths(standardized),
        loading_lengths(components, rows, GROUPS),
    )


def test_the_strongest_features_are_the_longest(rows):
    components = np.zeros((2, 6))
    components[0, [1, 3]] = 0.5, 3.0
    steps = FeatureSteps(rows, GROUPS)
    assert feature_order(steps.lengths(components), None)[:2].tolist() == [0, 1]
    assert steps.columns(np.array([0, 1])).tolist() == [0, 1, 3, 4]
    assert steps.is_used(components).tolist() == [True, True, False]


def test_a_nonlinear_projection_has_no_features(rows):
    steps = FeatureSteps(rows[:, :2], np.empty(0, dtype=np.int64))
    assert steps.arrows(np.eye(2)).shape == (2, 0)
    assert not steps.is_used(np.eye(2)).any()


def test_a_path_runs_from_the_first_to_the_last_percentile_with_its_quartiles(rows, components):
    paths = FeatureSteps(rows, GROUPS).paths(components, np.array([1, 0]))
    assert np.isnan(paths[0]).all()  # a straight feature has its arrow only
    quartiles = np.sort(rows[:, 0])[np.round([0.25 * 79, 0.5 * 79, 0.75 * 79]).astype(int)]
    own = np.flatnonzero(GROUPS == 0)
    expected = [rows[np.isclose(rows[:, 0], q)][0, own] @ components[:, own].T for q in quartiles]
    np.testing.assert_allclose(paths[1][list(QUARTILES)], expected, atol=1e-9)


def test_a_path_knows_the_value_of_its_feature_at_every_vertex(rows, components):
    steps = FeatureSteps(rows, GROUPS)
    straight, bent = steps.path_values(np.array([1, 0]))
    assert np.isnan(straight).all()
    assert (np.diff(bent) >= 0).all()
    np.testing.assert_allclose(bent[list(QUARTILES)], np.sort(rows[:, 0])[[20, 40, 59]])
    assert FeatureSteps(rows, np.arange(6)).path_values(np.array([0])) is None


def test_values_along_a_path_are_in_the_unit_of_the_table():
    data = prepare(load_sample("wine"))
    train, held_out = data.split(0.25, 0)
    own = train.with_curves(train)
    viewer = PlaneViewer(own, held_out.with_curves(train), 1.0)
    components = np.random.default_rng(0).standard_normal((2, own.X.shape[1]))
    arrows = viewer.view(components).arrows
    column = data.feature_names.index(arrows.names[0])
    values = data.X[:, column] * data.scale[column] + data.center[column]
    assert set(arrows.values[0].round(6)) <= set(values.round(6))
    handles = arrow_handles(viewer.view(components), 13)
    assert handles["values"][0] == pytest.approx(arrows.values[0], rel=1e-3)


def test_on_a_line_paths_are_where_features_move_a_row_each_in_its_lane():
    data = prepare(load_sample("wine"))
    train, held_out = data.split(0.25, 0)
    own = train.with_curves(train)
    viewer = PlaneViewer(own, held_out.with_curves(train), 1.0, 1)
    components = viewer.oriented(np.random.default_rng(0).normal(size=(1, own.X.shape[1])), None)
    view = viewer.view(components)
    arrows = view.arrows
    steps = viewer.steps.paths(components, arrows.features)
    along = arrows.paths[..., 0] - arrows.origins[:, :1]
    np.testing.assert_allclose(along, steps[..., 0], atol=1e-9)
    assert (arrows.paths[..., 1].min(axis=1)[:-1] > arrows.paths[..., 1].max(axis=1)[1:]).all()
    assert arrows.values.shape == arrows.paths.shape[:2]
    assert view.lower[1] <= arrows.paths[..., 1].min()


def test_straight_features_have_no_paths(rows, components):
    assert FeatureSteps(rows, np.arange(6)).paths(components, np.array([0])) is None


def test_a_shape_is_the_curve_along_its_own_direction_however_the_picture_is_turned(rows):
    x = np.sort(rows[:, 0])
    X = np.column_stack([x, rows[:, 1], x**2 - 1.0])
    steps = FeatureSteps(X, np.array([0, 1, 0]))
    components = np.array([[0.0, 1.0, 3.0], [0.0, 1.0, 4.0]])  # feature 0: a parabola, 5 long
    bent, straight = steps.shapes(components, np.array([0, 1]))
    assert np.isnan(straight).all()
    values = steps.path_values(np.array([0]))[0]
    expected = 5.0 * (values**2 - 1.0) - 5.0 * (X[:, 2].mean())
    sign = np.sign(expected @ bent)
    np.testing.assert_allclose(sign * bent, expected, atol=1e-9)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    turned = steps.shapes(turn @ components, np.array([0]))[0]
    np.testing.assert_allclose(turned, bent, atol=1e-9)


def test_a_shape_that_rises_goes_the_way_of_its_arrow(rows):
    x = np.sort(rows[:, 0])
    X = np.column_stack([x, x**3])
    steps = FeatureSteps(X, np.array([0, 0]))
    for components in (np.array([[0.2, 0.1]]), np.array([[-0.2, -0.1], [-1.0, 0.0]])):
        assert (np.diff(steps.shapes(components, np.array([0]))[0]) >= 0).all()
    assert FeatureSteps(rows, np.arange(6)).shapes(components, np.array([0])) is None

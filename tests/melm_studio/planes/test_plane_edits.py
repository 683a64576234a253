"""Planes made by hand: an arrow moved, a few features kept."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.objective import cauchy_schwarz_divergence
from melm_studio.planes.plane_edits import (
    LoadingEdit,
    plane_of_features,
    set_loading,
)
from melm_studio.tables.preparation import prepare
from melm_studio.tables.samples import load_sample

DATA = prepare(load_sample("wine"))


@pytest.fixture
def plane():
    return orthonormalize(np.random.default_rng(1).normal(size=(2, DATA.X.shape[1])))


def moved(components, edit):
    return set_loading(components, edit, components)


def test_a_move_changes_one_feature_alone(plane):
    changed = moved(plane, LoadingEdit(3, (0.5, -0.2)))
    assert changed[:, 3].tolist() == pytest.approx([0.5, -0.2])
    np.testing.assert_array_equal(np.delete(changed, 3, axis=1), np.delete(plane, 3, axis=1))


def test_a_move_back_gives_the_plane_back(plane):
    there = moved(plane, LoadingEdit(0, (2.0, 1.0)))
    back = moved(there, LoadingEdit(0, tuple(plane[:, 0])))
    np.testing.assert_allclose(back, plane, atol=1e-12)


def test_a_move_that_leaves_no_plane_is_refused():
    flat = np.eye(2, 4)
    with pytest.raises(UserError, match="shrink to a line"):
        moved(flat, LoadingEdit(1, (1.0, 0.0)))


@pytest.mark.parametrize("feature", [-1, 13])
def test_a_feature_that_is_not_there_is_named(plane, feature):
    with pytest.raises(UserError, match=f"number {feature}; the table has 13"):
        moved(plane, LoadingEdit(feature, (0.0, 1.0)))


def test_an_arrow_of_another_number_of_components_is_refused(plane):
    with pytest.raises(UserError, match="2 coordinates, not 3"):
        moved(plane, LoadingEdit(0, (0.0, 1.0, 2.0)))


def test_a_plane_of_a_few_features_has_no_other_and_is_better_than_cutting_them_off(plane):
    features = np.argsort(-np.linalg.norm(plane, axis=0))[:4]
    found = plane_of_features(DATA, plane, features, 1.0)
    np.testing.assert_allclose(found @ found.T, np.eye(2), atol=1e-12)
    assert not np.delete(found, features, axis=1).any()
    cut = np.zeros_like(plane)
    cut[:, features] = plane[:, features]
    values = [
        cauchy_schwarz_divergence(DATA.X, DATA.y, orthonormalize(part), gamma=1.0)
        for part in (cut, found)
    ]
    assert values[1] > values[0]


def test_features_of_which_the_plane_knows_nothing_still_give_one():
    components = np.eye(2, DATA.X.shape[1])
    found = plane_of_features(DATA, components, [5, 6, 7], 1.0)
    assert np.linalg.matrix_rank(found) == 2
    assert not np.delete(found, [5, 6, 7], axis=1).any()


def test_fewer_features_than_components_are_refused(plane):
    with pytest.raises(UserError, match="at least 2 features, not 1"):
        plane_of_features(DATA, plane, [3], 1.0)

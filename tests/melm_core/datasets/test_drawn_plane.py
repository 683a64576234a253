"""A drawing that is hidden in noise: found by its classes, and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from melm_core.datasets import hidden_drawing
from melm_core.evaluation import Study, permutation_test
from melm_core.melm import MELM

TURNS = np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False)
RING = np.column_stack([np.cos(TURNS), 0.5 * np.sin(TURNS)])
TARGET, CODES = np.concatenate([RING, 0.3 * RING]), np.repeat([0, 1], 100)


def plane_of(points, random_state=0):
    """The directions of the drawing: those along which rows follow the points they came from."""
    X, sources = hidden_drawing(points, np.arange(len(points)), 20_000, random_state=random_state)
    return np.linalg.lstsq(X, points[sources] - points.mean(axis=0))[0]


def test_the_plane_that_separates_the_classes_is_that_of_the_drawing():
    found = MELM(n_init=2, random_state=0).fit(*hidden_drawing(TARGET, CODES, 600)).components_.T
    assert np.degrees(subspace_angles(found, plane_of(TARGET)).max()) < 15
    assert np.degrees(subspace_angles(found, plane_of(TARGET, random_state=1)).max()) > 45


def test_no_direction_varies_more_than_another():
    X, _ = hidden_drawing(TARGET, CODES, 20_000)
    np.testing.assert_allclose(np.cov(X.T), np.eye(22), atol=0.05)


def test_classes_painted_over_each_other_are_not_told_apart():
    X, y = hidden_drawing(np.repeat(RING, 2, axis=0), np.tile([0, 1], 100), 200)
    test = permutation_test(Study("lda", X, y), n_permutations=39)
    assert test.p_value > 0.05


def test_points_have_as_many_rows_up_to_one_and_all_of_them_by_default():
    _, sources = hidden_drawing(TARGET, np.arange(200), 500)
    assert set(np.bincount(sources)) == {2, 3}
    assert sorted(hidden_drawing(TARGET, np.arange(200))[1]) == list(range(200))


def test_a_straight_line_has_two_directions_by_the_width_of_the_brush():
    X, _ = hidden_drawing(np.column_stack([TURNS, TURNS]), CODES[::2], 20_000, n_noise=0)
    np.testing.assert_allclose(np.cov(X.T), np.eye(2), atol=0.05)


@pytest.mark.parametrize(
    ("points", "labels", "options"),
    [
        ([[0, 1]], [0, 1], {}),
        ([0, 1], [0, 1], {}),
        ([[0, 1], [0, 1]], [0, 1], {}),
        ([[0, 1], [0, np.inf]], [0, 1], {}),
        (TARGET, CODES, {"n_rows": 0}),
        (TARGET, CODES, {"n_noise": -1}),
    ],
)
def test_what_cannot_be_hidden_is_refused(points, labels, options):
    with pytest.raises(ValueError, match=r"points|n_rows|n_noise"):
        hidden_drawing(points, labels, **options)

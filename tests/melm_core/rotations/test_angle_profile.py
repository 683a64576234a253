from __future__ import annotations

import numpy as np
import pytest

from melm_core.rotations.objective import angle_profile, rotation_objective
from tests.melm_core.helpers import classes


def triangle(n_rows=2000):
    """Return three equal classes about the corners of an equilateral triangle (Figure 1)."""
    rng = np.random.default_rng(0)
    corners = 2 * np.pi * np.arange(3) / 3
    centres = 3.0 * np.column_stack([np.cos(corners), np.sin(corners)])
    noise = rng.normal(size=(n_rows, 2))
    noise = np.vstack([noise, -noise])  # symmetric, with unit covariance:
    noise = noise @ np.linalg.inv(np.linalg.cholesky(np.cov(noise.T, ddof=0))).T
    y = np.repeat(np.arange(3), len(noise))
    return np.vstack([centre + noise for centre in centres]), y


def line(angle):
    return np.array([[np.cos(angle), np.sin(angle)]])


def test_it_is_the_objective_of_each_line():
    X, y = classes(3, 2)
    profile = angle_profile(X, y, n_angles=30)
    expected = [rotation_objective(X, y, line(angle)) for angle in profile.angles]
    np.testing.assert_allclose(profile.objectives, expected, atol=1e-10)
    np.testing.assert_allclose(profile.angles, np.pi * np.arange(30) / 30)


@pytest.mark.parametrize("seed", range(4))
def test_a_maximum_lies_above_its_neighbours_and_its_derivative_vanishes(seed):
    X, y = classes(3, 2, seed)
    profile = angle_profile(X, y)
    assert len(profile.maxima) > 0
    assert profile.maxima_objectives[0] >= profile.objectives.max()
    assert (np.diff(profile.maxima_objectives) <= 0).all()
    for angle, value in zip(profile.maxima, profile.maxima_objectives, strict=True):
        assert 0 <= angle < np.pi
        at, gradient = rotation_objective(X, y, line(angle), return_gradient=True)
        assert at == pytest.approx(value, abs=1e-10)
        assert abs(gradient[0] @ [-np.sin(angle), np.cos(angle)]) < 1e-5


def test_the_symmetric_triangle_has_three_equal_maxima_60_degrees_apart():
    profile = angle_profile(*triangle())
    assert len(profile.maxima) == 3
    np.testing.assert_allclose(np.diff(np.sort(profile.maxima)), np.pi / 3, atol=0.05)
    assert np.ptp(profile.maxima_objectives) < 0.02


def test_turning_the_data_turns_the_profile():
    X, y = classes(2, 2)
    c, s = np.cos(0.4), np.sin(0.4)
    one, other = angle_profile(X, y), angle_profile(X @ np.array([[c, s], [-s, c]]), y)
    np.testing.assert_allclose(other.maxima_objectives, one.maxima_objectives, atol=1e-9)
    np.testing.assert_allclose(np.cos(2 * other.maxima), np.cos(2 * (one.maxima + 0.4)), atol=1e-5)


def test_a_class_near_a_line_makes_a_pointed_maximum():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(300, 2)) * [1.0, 0.01]
    X, y = np.vstack([flat, rng.normal(size=(300, 2))]), np.repeat([0, 1], 300)
    profile = angle_profile(X, y)
    assert profile.maxima[0] == pytest.approx(np.pi / 2, abs=0.01)
    one_degree_off = rotation_objective(X, y, line(profile.maxima[0] + np.pi / 60))
    assert profile.maxima_objectives[0] - one_degree_off > 0.1


def test_priors_change_the_profile_and_labels_may_be_words():
    X, y = classes(2, 2)
    words = np.array(["no", "yes"])[y]
    np.testing.assert_array_equal(
        angle_profile(X, words).objectives, angle_profile(X, y).objectives
    )
    assert angle_profile(X, y, priors=[0.9, 0.1]).objectives.max() != pytest.approx(
        angle_profile(X, y).objectives.max(), abs=1e-3
    )


def test_the_profile_is_frozen():
    profile = angle_profile(*classes(2, 2))
    with pytest.raises(AttributeError):
        profile.maxima = np.zeros(1)


@pytest.mark.parametrize(
    ("X", "n_angles", "message"),
    [
        (classes(2, 3)[0], 360, r"X has shape \(40, 3\); a profile over angles needs two columns"),
        (classes(2, 2)[0], 2, "n_angles=2 must be a whole number of at least 3"),
        (np.outer(np.arange(40.0), [1, 2]), 360, "rows do not vary in some direction"),
    ],
)
def test_what_has_no_profile_is_refused(X, n_angles, message):
    with pytest.raises(ValueError, match=message):
        angle_profile(X, classes(2, 2)[1], n_angles=n_angles)

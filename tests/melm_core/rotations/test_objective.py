from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from melm_core.rotations.objective import angle_profile, rotation_objective
from melm_core.rotations.search import rotate
from tests.melm_core.helpers import classes, finite_differences, invertible, plane

CASES = [(n_classes, m) for n_classes in (2, 3, 4) for m in (1, 2, 3, 5)]


def reference(X, y, components, priors=None):
    """Return M, written down from the definitions."""
    Z = X @ components.T
    joint = []
    for code, count in enumerate(np.bincount(y)):
        rows = Z[y == code]
        density = multivariate_normal(rows.mean(axis=0), np.cov(rows.T, ddof=0))
        prior = count / len(y) if priors is None else priors[code]
        joint.append(np.log(prior) + density.logpdf(Z))
    joint = np.column_stack(joint)
    return float((joint - logsumexp(joint, axis=1, keepdims=True))[np.arange(len(y)), y].mean())


@pytest.mark.parametrize(("n_classes", "m"), CASES)
def test_it_is_the_mean_log_posterior_of_the_true_classes(n_classes, m):
    X, y = classes(n_classes, 6)
    W = np.random.default_rng(m).normal(size=(m, 6))
    assert rotation_objective(X, y, W) == pytest.approx(reference(X, y, W), abs=1e-9)


def test_priors_can_be_given():
    X, y = classes(3, 6)
    priors = [0.2, 0.5, 0.3]
    value = rotation_objective(X, y, plane(2, 6), priors=priors)
    assert value == pytest.approx(reference(X, y, plane(2, 6), priors), abs=1e-9)
    assert value != pytest.approx(rotation_objective(X, y, plane(2, 6)), abs=1e-3)


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
@pytest.mark.parametrize("m", [1, 2, 3, 6])
def test_the_gradient_agrees_with_central_differences(m, priors):
    X, y = classes(3, 6)
    W = np.random.default_rng(m).normal(size=(m, 6))
    value, gradient = rotation_objective(X, y, W, priors=priors, return_gradient=True)
    assert value == rotation_objective(X, y, W, priors=priors)
    expected = finite_differences(lambda at: rotation_objective(X, y, at, priors=priors), W)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("m", [1, 2, 4])
def test_the_gradient_by_the_angles_is_the_gradient_times_the_complement(m):
    X, y = classes(2, 6)
    frame = plane(6, 6)
    _, gradient = rotation_objective(X, y, frame[:m], return_gradient=True)
    by_angles = finite_differences(
        lambda S: rotation_objective(X, y, rotate(frame[:m], S @ frame[m:])), np.zeros((m, 6 - m))
    )
    np.testing.assert_allclose(gradient @ frame[m:].T, by_angles, rtol=0, atol=1e-8)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_it_depends_on_the_span_only(m):
    X, y = classes(3, 6)
    W, B = plane(m, 6), invertible(m, seed=1)
    value, gradient = rotation_objective(X, y, W, return_gradient=True)
    assert rotation_objective(X, y, B @ W) == pytest.approx(value, abs=1e-10)
    np.testing.assert_allclose(gradient @ W.T, 0, atol=1e-10)


def test_an_affine_map_of_the_data_takes_each_plane_to_one_of_equal_value():
    X, y = classes(3, 6)
    A, W = invertible(6), plane(2, 6)
    there = rotation_objective(1e3 * (X @ A) - 70.0, y, W @ np.linalg.inv(A).T)
    assert there == pytest.approx(rotation_objective(X, y, W), abs=1e-10)


def test_neither_the_order_of_the_rows_nor_the_names_of_the_classes_matter():
    X, y = classes(3, 6)
    value = rotation_objective(X, y, plane(2, 6))
    order = np.random.default_rng(0).permutation(len(y))
    assert rotation_objective(X[order], y[order], plane(2, 6)) == pytest.approx(value, abs=1e-12)
    names = np.array(["cow", "ant", "bee"])[y]
    assert rotation_objective(X, names, plane(2, 6)) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_whole_space_is_quadratic_discriminant_analysis(n_classes):
    X, y = classes(n_classes, 4)
    qda = QuadraticDiscriminantAnalysis(solver="eigen").fit(X, y)  # with divisor n_j
    expected = qda.predict_log_proba(X)[np.arange(len(y)), y].mean()
    assert rotation_objective(X, y, np.eye(4)) == pytest.approx(expected, abs=1e-9)


def test_it_is_never_above_zero_and_at_least_what_the_priors_give_where_nothing_separates():
    X, y = classes(2, 5)
    values = [rotation_objective(X, y, plane(2, 5, seed)) for seed in range(30)]
    assert max(values) <= 0
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(4000, 3)), np.arange(4000) % 2
    assert rotation_objective(noise, labels, np.eye(3)) == pytest.approx(np.log(0.5), abs=5e-3)


def test_units_that_differ_a_millionfold_do_no_harm():
    X, y = load_breast_cancer(return_X_y=True)
    units = 10.0 ** np.linspace(-4, 4, X.shape[1])
    W = plane(3, X.shape[1])
    value = rotation_objective(X * units, y, W / units)
    assert value == pytest.approx(rotation_objective(X, y, W), abs=1e-8)


X6, Y3 = classes(3, 6)
SPIKE = np.where(Y3[:, None] == 1, 2.0, X6)


@pytest.mark.parametrize(
    ("X", "y", "components", "priors", "message"),
    [
        (X6, Y3, np.eye(5)[:2], None, r"components has shape \(2, 5\); it must be"),
        (X6, Y3, np.eye(6)[0], None, r"components has shape \(6,\); it must be"),
        (X6, Y3, np.vstack([np.eye(6)] * 2), None, "linearly independent"),
        (X6, Y3, np.full((1, 6), np.nan), None, "must be finite"),
        (X6, Y3, np.ones((2, 6)), None, "linearly independent"),
        (X6, Y3, np.eye(6), [0.5, 0.5], r"priors=\[0.5, 0.5\] must be 3 numbers above 0"),
        (X6, Y3, np.eye(6), [0.5, 0.5, 0.0], "must be 3 numbers above 0"),
        (X6, Y3, np.eye(6), [0.5, 0.5, 0.5], "whose sum is 1"),
        (X6, np.zeros(len(Y3)), np.eye(6), None, "only one class"),
        (X6[-17:], Y3[-17:] * (np.arange(17) > 13), np.eye(6), None, "Class 2 has 3 rows; in 6 "),
        (SPIKE, Y3, np.eye(6)[:2], None, "Class 1 does not vary in some direction of the plane"),
        (np.ones_like(X6), Y3, np.eye(6)[:2], None, "rows do not vary in some direction"),
        (X6[:, [0, 0, 1]], Y3, np.eye(3)[:2], None, "rows do not vary in some direction"),
        (np.where(X6 > 2, np.nan, X6), Y3, np.eye(6), None, "contains NaN"),
    ],
)
def test_what_has_no_value_is_refused_with_a_sentence(X, y, components, priors, message):
    with pytest.raises(ValueError, match=message):
        rotation_objective(X, y, components, priors=priors)


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


@pytest.mark.slow
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

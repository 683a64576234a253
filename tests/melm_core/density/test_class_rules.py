"""Class densities of planes: alike in all coordinates, none impossible, own rows left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal, multivariate_t

from melm_core.density import DensityFloor, DensityRule, class_spreads, tempered_shares
from tests.melm_core.helpers import classes, invertible


def linear_rule(*arguments):
    return DensityRule.of(*arguments).linear


RULES = pytest.mark.parametrize("rule_of", [DensityRule.of, linear_rule])
POINTS = np.random.default_rng(5).normal(scale=3.0, size=(40, 2))


def example(n_classes: int = 3):
    """Return fitted places, class codes, and covariances at places that are twice as wide."""
    points, y = classes(n_classes, 2)
    return points, y, 4.0 * class_spreads(points, y, n_classes)


def silverman(n_rows: int, n_components: int = 2) -> float:
    return float((4.0 / (n_rows * (n_components + 2))) ** (1.0 / (n_components + 4)))


@RULES
def test_other_coordinates_of_the_plane_shift_all_densities_alike_and_change_no_probability(
    rule_of,
):
    points, y, spread = example()
    turn, shift = invertible(2, 3), np.array([4.0, -7.0])
    rule = rule_of(points, y, spread).calibrated(1.7)
    other = rule_of(points @ turn + shift, y, turn.T @ spread @ turn).calibrated(1.7)
    moved = POINTS @ turn + shift
    difference = other.log_densities(moved) - rule.log_densities(POINTS)
    np.testing.assert_allclose(difference, -np.log(abs(np.linalg.det(turn))), atol=1e-9)
    np.testing.assert_allclose(
        other.probabilities(moved), rule.probabilities(POINTS), rtol=0, atol=1e-9
    )


def test_a_rule_is_carried_to_other_coordinates_as_one_that_was_made_there():
    points, y, spread = example()
    turn, center = invertible(2, 3), np.array([4.0, -7.0])
    carried = DensityRule.of(points, y, spread).affine(turn, center)
    made = DensityRule.of((points - center) @ turn, y, turn.T @ spread @ turn)
    moved = (POINTS - center) @ turn
    np.testing.assert_allclose(carried.log_densities(moved), made.log_densities(moved), atol=1e-9)


def by_hand(points, y, spread, at, code, *, left_out=None):
    """The density of a class at one point: kernels, a normal density as of 20 rows, the floor."""
    own = np.setdiff1d(np.flatnonzero(y == code), [left_out])
    width = (0.85 * silverman(np.bincount(y)[code])) ** 2 * spread[code]
    kernels = np.mean([multivariate_normal(points[row], width).pdf(at) for row in own])
    within = np.average(spread, axis=0, weights=np.bincount(y))
    normal = multivariate_normal(points[own].mean(axis=0), within).pdf(at)
    floor = multivariate_t(points.mean(axis=0), np.cov(points.T, ddof=0), df=1).pdf(at)
    share = 1.0 / (np.bincount(y).min() + 1.0)
    mixed = (len(own) * kernels + 20.0 * normal) / (len(own) + 20.0)
    return np.log((1.0 - share) * mixed + share * floor)


@pytest.mark.slow
def test_a_density_is_the_sum_of_kernels_a_normal_one_and_a_floor():
    points, y, spread = example()
    rule = DensityRule.of(points, y, spread)
    found = rule.log_densities(POINTS)
    expected = [[by_hand(points, y, spread, at, code) for code in range(3)] for at in POINTS]
    np.testing.assert_allclose(found, expected, atol=5e-3)  # kernels end at 1e-6 of their peak


def test_the_own_row_is_left_out_of_its_class_and_of_no_other():
    points, y, spread = example()
    rule = DensityRule.of(points, y, spread)
    whole, left = rule.log_densities(points), rule.log_densities(points, y)
    for row in (0, 30, 60):
        expected = by_hand(points, y, spread, points[row], y[row], left_out=row)
        assert left[row, y[row]] == pytest.approx(expected, abs=1e-3)
        assert left[row, y[row]] < whole[row, y[row]]
        other = np.delete(np.arange(3), y[row])
        np.testing.assert_array_equal(left[row, other], whole[row, other])


@RULES
@pytest.mark.parametrize("n_classes", [2, 3])
def test_far_from_all_rows_no_class_is_likelier_and_none_is_impossible_anywhere(rule_of, n_classes):
    points, y, spread = example(n_classes)
    rule = rule_of(points, y, spread)
    away = np.array([[1.0, 0.5]]) * np.geomspace(1.0, 1e8, 60)[:, None]
    shares = rule.probabilities(away)
    assert shares.min() > 0.0
    np.testing.assert_allclose(shares[-1], 1.0 / n_classes, atol=1e-9)
    is_beyond = np.arange(60) > shares.max(axis=1).argmax()
    assert (np.diff(shares[is_beyond].max(axis=1)) < 1e-12).all()


@RULES
def test_a_temperature_makes_probabilities_equal_and_changes_no_class(rule_of):
    points, y, spread = example()
    rule = rule_of(points, y, spread)
    sure, unsure = (rule.calibrated(each).probabilities(POINTS) for each in (0.5, 5.0))
    named = rule.log_densities(POINTS).argmax(axis=1)
    for each in (sure, unsure):
        np.testing.assert_array_equal(each.argmax(axis=1), named)
    assert (sure.max(axis=1) > unsure.max(axis=1)).all()
    logs = rule.log_densities(POINTS)
    np.testing.assert_allclose(tempered_shares(logs, 1e9), 1.0 / 3.0, atol=1e-6)


def test_a_linear_rule_has_straight_borders():
    points, y, spread = example(2)
    rule = linear_rule(points, y, spread)
    rule = replace(rule, floor=replace(rule.floor, share=0.0))
    line = np.linspace([-5.0, 3.0], [6.0, -8.0], 50)
    with np.errstate(divide="ignore"):
        ratio = np.diff(rule.log_densities(line), axis=1)[:, 0]
    np.testing.assert_allclose(np.diff(ratio, 2), 0.0, atol=1e-9)


def test_a_class_of_one_row_has_the_spread_within_the_others():
    points, y = classes(2, 2)
    alone = np.append(points, [[9.0, 9.0]], axis=0), np.append(y, 2)
    spread = class_spreads(*alone, 3)
    np.testing.assert_allclose(
        spread[2], np.average(spread[:2], axis=0, weights=np.bincount(y)), rtol=1e-5
    )
    assert np.isfinite(DensityRule.of(*alone).log_densities(POINTS)).all()


def test_rows_at_one_place_have_finite_densities_and_are_told_from_others():
    points = np.repeat([[0.0, 0.0], [1.0, 0.0]], 5, axis=0)
    rule = DensityRule.of(points, np.repeat([0, 1], 5))
    logs = rule.log_densities(np.vstack([points, POINTS]))
    assert np.isfinite(logs).all()
    np.testing.assert_array_equal(logs[:10].argmax(axis=1), np.repeat([0, 1], 5))


def test_more_rows_have_a_lower_floor():
    few, many = (DensityFloor.of(POINTS, n_rows) for n_rows in (9, 99))
    assert (few.share, many.share) == (0.1, 0.01)
    np.testing.assert_array_equal(few.log_density(POINTS), many.log_density(POINTS))

"""Classes on a line: densities above, rows below, thresholds where the densities cross."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from melm_core.density import DensityRule
from melm_studio.planes.class_outlines import (
    arrow_lanes,
    density_curves,
    in_strips,
    paths_in_lanes,
    threshold_lines,
)


@pytest.fixture
def rule():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-2, 1, (40, 1)), rng.normal(3, 1, (25, 1))])
    y = np.repeat([0, 1], [40, 25])
    return DensityRule.of(X, y)


def test_a_curve_is_the_density_of_its_class_and_the_highest_peak_is_one(rule):
    curves = density_curves(rule)
    expected = [np.exp(rule.log_mixtures(curve[:-2, :1])) for curve in curves]
    peak = max(densities.max() for densities in expected)
    for code, curve in enumerate(curves):
        np.testing.assert_allclose(curve[:-2, 1], expected[code][:, code] / peak, rtol=1e-12)
    assert max(curve[:, 1].max() for curve in curves) == 1.0


def test_a_curve_closes_along_the_base_line(rule):
    for curve in density_curves(rule):
        assert curve[-2:, 1].tolist() == [0.0, 0.0]
        assert curve[[-1, -2], 0].tolist() == [curve[0, 0], curve[-3, 0]]


def test_both_densities_are_equal_at_a_threshold(rule):
    lines = threshold_lines(rule).reshape(-1, 3, 2)
    assert len(lines) >= 1
    for line in lines:
        assert line[0, 0] == line[1, 0]
        logs = rule.log_mixtures(line[:1, :1])[0]
        assert logs[0] == pytest.approx(logs[1], abs=1e-8)
        assert np.isnan(line[2]).all()
        beside = line[0, 0] + np.array([[-1e-6], [1e-6]])
        assert len(set(rule.most_likely(beside))) == 2


@pytest.mark.parametrize("n_classes", [2, 3, 20])
def test_rows_stay_in_the_strip_of_their_class_and_keep_their_coordinate(n_classes):
    rows = [np.linspace(-1, 1, 30)[:, None] + code for code in range(n_classes)]
    strips = in_strips(rows)
    for part, strip in zip(rows, strips, strict=True):
        np.testing.assert_array_equal(strip[:, 0], part[:, 0])
    for upper, lower in pairwise(strips):
        assert lower[:, 1].max() < upper[:, 1].min()
    assert max(strip[:, 1].max() for strip in strips) < 0


def test_arrows_lie_below_every_strip_each_in_a_lane_of_its_own():
    lanes = arrow_lanes(5, 3)
    lowest = min(strip[:, 1].min() for strip in in_strips([np.zeros((50, 1))] * 3))
    assert (np.diff(lanes) < 0).all()
    assert lanes.max() < lowest


@pytest.mark.parametrize("n_classes", [2, 40])
def test_a_curve_stays_in_its_lane_with_its_effect_along_the_line_and_its_values_upwards(n_classes):
    origins = np.column_stack([np.full(3, 0.5), arrow_lanes(3, n_classes)])
    paths = np.array([[-1.0, 2.0, 1.0], [np.nan] * 3, [0.0, 0.1, 0.3]])[..., None]
    drawn = paths_in_lanes(paths, origins, np.array([0.01, 0.5, 0.99]))
    np.testing.assert_allclose(drawn[0, :, 0], [-0.5, 2.5, 1.5])
    assert np.isnan(drawn[1]).all()
    assert (np.diff(drawn[[0, 2], :, 1]) > 0).all()
    assert drawn[2, :, 1].max() < drawn[0, :, 1].min()
    lowest = min(strip[:, 1].min() for strip in in_strips([np.zeros((50, 1))] * n_classes))
    assert drawn[0, :, 1].max() < lowest

"""Far from all kernels, classes are told by their normal densities and not by their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density import DensityRule, PreparedSums, class_densities
from melm_core.linalg import moments_of_classes


def narrow_classes() -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes, 30 and 90, that a plane has drawn together far apart."""
    y = np.repeat([0, 1], [30, 90])
    points = 1e-3 * np.random.default_rng(0).standard_normal((120, 2))
    points[:, 0] += y
    return points, y


def test_a_row_beyond_all_kernels_is_of_the_nearest_class_and_not_of_the_largest():
    points, y = narrow_classes()
    rule = DensityRule.of(points, y)
    off = np.array([[0.2, 0.3], [0.8, 0.3], [-3.0, 2.0], [4.0, 2.0]])
    assert (rule.classes.log_densities(off) < rule.classes.log_floor).all()
    assert rule.most_likely(off).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("few_modes", [class_densities.FEW_MODES, 0])
def test_prepared_sums_are_used_where_they_hold_the_points_and_nowhere_else(few_modes, monkeypatch):
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    monkeypatch.setattr(class_densities, "FEW_MODES", few_modes)
    stream = np.random.default_rng(0)
    y = np.arange(600) % 2
    points = stream.standard_normal((600, 2)) + y[:, None]
    classes = DensityRule.of(points, y).classes
    expected = classes.floored_log_densities(points)
    prepared = classes.with_sums(classes.prepare_densities(points, (0.5, 2.0)))
    np.testing.assert_allclose(prepared.floored_log_densities(points), expected, atol=1e-5)
    far = 1e3 * points
    np.testing.assert_allclose(
        prepared.floored_log_densities(far), classes.floored_log_densities(far), atol=1e-5
    )
    assert prepared.prepared != PreparedSums()


@pytest.mark.parametrize("counts", [(30, 40), (30, 1, 20), (1, 1)])
def test_a_rule_of_moments_is_that_of_the_rows(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    points = np.random.default_rng(1).standard_normal((len(y), 2)) @ np.array([[2.0, 0.3], [0, 1]])
    rows = [points[y == code] for code in range(len(counts))]
    moments = moments_of_classes(rows)
    found = DensityRule.of_moments(rows, *moments, np.array(counts, dtype=float), gamma=0.8)
    expected = DensityRule.of(points, y, gamma=0.8)
    at = 3.0 * points[::3] + 0.1
    np.testing.assert_allclose(found.log_densities(at), expected.log_densities(at), atol=1e-9)

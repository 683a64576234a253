"""The ellipses hold what they are named for."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.diagnostics import ConfidenceEllipses

SHARE, N_ROWS, N_REPEATS = 0.95, 8, 1_500
ROOT = np.array([[2.0, 0.0], [1.5, 0.5]])


def test_the_ellipses_of_rows_and_mean_have_their_coverage():
    rng = np.random.default_rng(0)
    found = {"rows": 0, "mean": 0}
    for _ in range(N_REPEATS):
        rows = rng.normal(size=(N_ROWS + 1, 2)) @ ROOT.T + 3.0
        ellipses = ConfidenceEllipses.of(rows[:-1], SHARE)
        for of, point in (("rows", rows[-1]), ("mean", np.full(2, 3.0))):
            found[of] += is_inside(point, ellipses.outline(of))
    error = np.sqrt(SHARE * (1 - SHARE) / N_REPEATS)
    for n_inside in found.values():
        assert abs(n_inside / N_REPEATS - SHARE) < 4 * error


def test_the_ellipse_follows_an_affine_map_of_the_rows():
    rows = np.random.default_rng(1).normal(size=(20, 2))
    mapped = rows @ ROOT.T - 1.0
    distances = []
    for points in (rows, mapped):
        outline = ConfidenceEllipses.of(points).outline("rows") - points.mean(axis=0)
        inverse = np.linalg.inv(np.cov(points.T))
        distances.append(np.einsum("ij,jk,ik->i", outline, inverse, outline))
    np.testing.assert_allclose(distances[0], distances[1])
    np.testing.assert_allclose(np.ptp(distances), 0, atol=1e-12)


@pytest.mark.parametrize("points", [np.zeros((2, 2)), np.ones((9, 2)), np.eye(2)[[0] * 9]])
def test_rows_that_determine_none_have_none(points):
    assert ConfidenceEllipses.of(points) is None


@pytest.mark.parametrize("share", [0.0, 1.0, 95, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        ConfidenceEllipses.of(np.eye(3)[:, :2], share)


def is_inside(point, outline) -> bool:
    """By the signed areas of the triangles of the point and each edge of a convex outline."""
    start, end = outline[:-1] - point, outline[1:] - point
    return bool((start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0] > 0).all())

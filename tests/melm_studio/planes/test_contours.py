"""Lines around regions, by as many vertices as are seen."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import FloatArray
from melm_studio.planes.class_outlines import simplified

GAP = np.full((1, 2), np.nan)


def blob(n_vertices: int, center: float) -> FloatArray:
    """A closed line that is nowhere straight, and the gap behind it."""
    angle = np.linspace(0, 2 * np.pi, n_vertices)
    radius = 1 + 0.3 * np.sin(3 * angle) + 0.1 * np.cos(5 * angle)
    line = np.column_stack([center + radius * np.cos(angle), radius * np.sin(angle)])
    return np.concatenate([line, GAP])


def lines_of(contours: FloatArray) -> list[FloatArray]:
    ends = np.flatnonzero(np.isnan(contours[:, 0]))
    return [part[~np.isnan(part[:, 0])] for part in np.split(contours, ends)[:-1]]


def distances_to(line: FloatArray, points: FloatArray) -> FloatArray:
    """How far points are from the nearest segment of a line."""
    starts, along = line[:-1], np.diff(line, axis=0)
    away = points[:, None] - starts
    share = np.clip((away * along).sum(2) / (along**2).sum(1), 0, 1)
    found: FloatArray = np.linalg.norm(away - share[..., None] * along, axis=2).min(1)
    return found


@pytest.mark.parametrize("tolerance", [0.1, 0.01, 0.001])
def test_a_simplified_line_is_nowhere_farther_away_than_its_tolerance(tolerance: float):
    inner, outer = blob(300, 0.0), np.concatenate([blob(500, 0.0), blob(200, 5.0)])
    contours, levels = np.concatenate([inner, outer]), (len(inner),)
    fewer, ends = simplified(contours, levels, tolerance)
    assert len(fewer) < len(contours) / 2
    assert np.isnan(fewer[ends[0] - 1]).all()
    pairs = list(zip(lines_of(contours), lines_of(fewer), strict=True))
    assert len(pairs) == 3
    for line, kept in pairs:
        np.testing.assert_array_equal(kept[[0, -1]], line[[0, -1]])
        assert distances_to(kept, line).max() <= tolerance


def test_a_region_without_a_line_stays_without_one():
    contours = np.concatenate([GAP, blob(50, 0.0)])
    fewer, levels = simplified(contours, (1,), 0.01)
    assert levels == (1,)
    assert np.isnan(fewer[0]).all()
    assert len(fewer) > 5

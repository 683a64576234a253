"""The bound on the overlap of two class densities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.class_overlap import overlap_bound, rescaled_to_unit_cube
from melm_core.melm.objective import divergence_and_gradient
from tests.melm_core.helpers import classes, plane


def test_the_rows_fill_the_unit_cube_and_keep_their_divergence():
    X, y = classes(2, 4)
    projected = kernel_classes(X, y, n_components=2).project(plane(2, 4))
    cube = rescaled_to_unit_cube(projected)
    rows = np.vstack(cube.rows)
    np.testing.assert_allclose([rows.min(axis=0), rows.max(axis=0)], [[0, 0], [1, 1]], atol=1e-12)
    before, _ = divergence_and_gradient(projected, np.eye(2))
    after, _ = divergence_and_gradient(cube, np.eye(2))
    assert after == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize(("k", "n_lines"), [(1, 801), (2, 161)])
@pytest.mark.parametrize("gamma", [0.3, 1.0])
@pytest.mark.parametrize("apart", [0.0, 5.0])
def test_the_overlap_in_the_unit_cube_is_within_its_bound(apart, gamma, k, n_lines):
    X, y = classes(3, 4)
    X[y == 1] += apart
    prepared, components = kernel_classes(X, y, n_components=k, gamma=gamma), plane(k, 4)
    bounds = overlap_bound(prepared, components)
    cube = rescaled_to_unit_cube(prepared.project(components))
    middles = (np.arange(n_lines) + 0.5) / n_lines
    points = np.stack(np.meshgrid(*[middles] * k), axis=-1).reshape(-1, k)
    densities = np.exp(cube.log_densities(points))
    for a, b in combinations(range(3), 2):
        overlap = np.minimum(densities[:, a], densities[:, b]).mean()
        assert 0 < overlap <= bounds[a, b]

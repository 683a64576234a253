"""The bound on the overlap of two class densities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.class_overlap import class_overlap, overlap_bound, rescaled_to_unit_cube
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
    overlaps = class_overlap(prepared, components, n_lines=n_lines)
    for a, b in combinations(range(3), 2):
        assert 0 < overlaps[a, b] <= bounds[a, b]


@pytest.mark.slow
def test_equal_classes_overlap_by_their_mass_in_the_cube_and_distant_ones_not_at_all():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.repeat([0, 1], 200)
    same = class_overlap(kernel_classes(np.vstack([X, X]), y, n_components=2), np.eye(2))
    np.testing.assert_allclose(same, np.full((2, 2), same[0, 0]), rtol=1e-9)
    # Kernels at the edge of the rows reach out of the cube.
    assert 0.9 < same[0, 0] < 1
    apart = class_overlap(kernel_classes(np.vstack([X, X + 50]), y, n_components=2), np.eye(2))
    assert apart[0, 1] < 1e-9


def test_the_measured_overlap_is_that_of_two_gaussians():
    # Half of the overlap is the error of the midpoint between two normal densities.
    X = np.random.default_rng(0).normal(size=(4000, 1))
    y = np.repeat([0, 1], 2000)
    X[y == 1] += 2.0
    classes_on_line = kernel_classes(X, y, n_components=1, gamma=0.5)
    overlap = class_overlap(classes_on_line, np.eye(1))[0, 1]
    # 0.02 is two standard errors of an overlap of 4000 rows.
    assert overlap == pytest.approx(2 * norm.cdf(-1.0), abs=0.02)


def test_a_grid_of_one_line_is_refused():
    X, y = classes(2, 2)
    with pytest.raises(ValueError, match="n_lines=1 must be a whole number of at least 2"):
        class_overlap(kernel_classes(X, y, n_components=2), np.eye(2), n_lines=1)

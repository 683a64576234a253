from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from melm_core.density.gaussian_sums import BLOCK_CENTERS, BLOCK_ENTRIES, gaussian_sums


@pytest.mark.parametrize("n_centers", [1, 100, BLOCK_CENTERS, 2 * BLOCK_CENTERS + 7])
def test_the_blocks_of_centers_do_not_change_the_sums(n_centers):
    rng = np.random.default_rng(0)
    centers, X = rng.normal(size=(n_centers, 3)), rng.normal(size=(70, 3))
    columns = rng.normal(size=(n_centers, 2))
    expected = np.exp(-cdist(X, centers, "sqeuclidean") / 2) @ columns
    np.testing.assert_allclose(gaussian_sums(X, centers, 1.0, columns), expected, atol=1e-11)


def test_the_blocks_of_rows_do_not_change_the_sums():
    rng = np.random.default_rng(0)
    centers, columns = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    few = gaussian_sums(centers, centers, 1.0, columns)
    times = 2 * BLOCK_ENTRIES // len(centers) ** 2 + 1  # more than two blocks
    many = gaussian_sums(np.tile(centers, (times, 1)), centers, 1.0, columns)
    np.testing.assert_allclose(many, np.tile(few, (times, 1)), atol=1e-12)

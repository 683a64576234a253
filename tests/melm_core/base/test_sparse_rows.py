from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from melm_core import MELM
from melm_core.baselines import DiscriminantPlane
from melm_core.datasets import two_gaussians
from melm_core.rotations import RotationPlane


@pytest.mark.parametrize(
    "estimator",
    [
        MELM(n_init=1, random_state=0),
        DiscriminantPlane(),
        RotationPlane(n_init=1, random_state=0),
    ],
)
def test_sparse_rows_give_the_plane_of_dense_ones(estimator):
    X, y = two_gaussians(0)
    X[np.abs(X) < 0.5] = 0.0
    dense, sparse = (estimator.fit(rows, y).transform(rows) for rows in (X, csr_array(X)))
    np.testing.assert_array_equal(sparse, dense)


def test_sparse_rows_that_are_too_many_for_an_array_are_refused_with_their_size():
    at = np.arange(2_000)
    X = csr_array((np.ones(2_000), (10 * at, 50 * at)), shape=(20_000, 100_000))
    message = r"X is sparse, 20,000 x 100,000, .* take 16.0 GB, more than 2 GB. Reduce the features"
    with pytest.raises(ValueError, match=message):
        MELM().fit(X, np.tile([0, 1], 10_000))

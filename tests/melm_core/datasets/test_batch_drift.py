"""Batches that drift."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import batches


def test_the_drift_moves_two_features_from_batch_to_batch():
    X, y, batch = batches(0, drift=3.0)
    still = batches(0, drift=0.0)
    assert (y == still[1]).all()
    assert (batch == still[2]).all()
    moved = X - still[0]
    np.testing.assert_allclose(moved[:, 1], 2.4 * batch, atol=1e-12)
    np.testing.assert_allclose(moved[:, 2], 2.1 * batch, atol=1e-12)
    assert not np.delete(moved, [1, 2], axis=1).any()


@pytest.mark.parametrize("drift", [-1.0, float("inf"), "far"])
def test_a_drift_that_is_no_number_of_at_least_0_is_refused(drift):
    with pytest.raises(ValueError, match="drift"):
        batches(0, drift=drift)

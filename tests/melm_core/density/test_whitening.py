"""Whitening leaves out directions without variance."""

from __future__ import annotations

import numpy as np

from melm_core.density.whitening import whitening


def test_a_variance_that_rounding_leaves_below_zero_is_a_null_direction():
    assert whitening(np.diag([4.0, -1e-23])).shape == (2, 1)

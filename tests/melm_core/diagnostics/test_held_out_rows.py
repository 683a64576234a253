"""The test of fixed predictions for held-out rows."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.diagnostics import held_out_p_value


@pytest.mark.slow
def test_predictions_at_random_have_uniform_p_values():
    rng = np.random.default_rng(0)
    p_values = [
        held_out_p_value(
            np.arange(40) % 2, rng.integers(0, 2, size=40), n_permutations=39, random_state=seed
        )
        for seed in range(200)
    ]
    assert np.mean(np.array(p_values) <= 0.05) < 0.09


def test_predictions_of_dependent_rows_are_tested_between_groups():
    # Four subjects, ten rows each; the prediction is right for all, as any of 6 orders might be.
    y, groups = np.repeat([0, 1, 0, 1], 10), np.repeat(np.arange(4), 10)
    assert held_out_p_value(y, y) == 0.005
    assert held_out_p_value(y, y, groups=groups) > 0.1


def test_the_p_value_of_rare_classes_weighs_each_class_equally():
    y = np.repeat([0, 1], [97, 3])
    assert held_out_p_value(y, np.zeros(100, dtype=np.int64)) == 1.0
    assert held_out_p_value(y, y) == 0.005

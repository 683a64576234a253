from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import moderation


def test_the_classes_differ_in_spread_and_in_no_mean():
    X, y = moderation(0, n_rows=20_000)
    means, spreads = (
        np.array([measure(X[y == code], axis=0) for code in (0, 1)])
        for measure in (np.mean, np.std)
    )
    np.testing.assert_allclose(means, 0.0, atol=0.05)
    assert (spreads[0, :4] > 1.3 * spreads[1, :4]).all()
    np.testing.assert_allclose(spreads[:, 4:], 1.0, atol=0.05)


def test_half_of_the_rows_are_moderate_and_the_seed_decides_which():
    assert moderation(1)[1].mean() == 0.5
    np.testing.assert_array_equal(moderation(3)[0], moderation(3)[0])
    assert (moderation(3)[0] != moderation(4)[0]).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"noise": 0.0}, "noise=0.0 must be"),
        ({"n_rows": 3}, "n_rows=3"),
        ({"n_relevant": 0}, "n_relevant=0"),
        ({"n_features": 3}, "n_features=3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        moderation(0, **parameters)

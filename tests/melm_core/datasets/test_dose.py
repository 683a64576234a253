from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import middle_dose


def test_the_classes_differ_in_the_spread_of_the_dose_and_in_no_mean():
    X, y = middle_dose(0, n_rows=20_000)
    means, spreads = (
        np.array([measure(X[y == code], axis=0) for code in (0, 1)])
        for measure in (np.mean, np.std)
    )
    np.testing.assert_allclose(means, 0.0, atol=0.05)
    assert spreads[0, 0] > 2.5 * spreads[1, 0]
    np.testing.assert_allclose(spreads[:, 1:], 1.0, atol=0.05)


def test_half_of_the_patients_are_well_and_the_seed_decides_which():
    y = middle_dose(1, n_rows=20_000)[1]
    assert y.mean() == pytest.approx(0.5, abs=0.02)
    np.testing.assert_array_equal(middle_dose(3)[0], middle_dose(3)[0])
    assert (middle_dose(3)[0] != middle_dose(4)[0]).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"noise": 0.0}, "noise=0.0 must be"),
        ({"n_rows": 3}, "n_rows=3"),
        ({"n_features": 0}, "n_features=0"),
    ],
)
def test_impossible_doses_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        middle_dose(0, **parameters)

from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets.crescent_pair import SECOND_CENTER, crescents


def test_the_rows_lie_about_two_half_circles_of_radius_one():
    X, y = crescents(0, n_rows_per_class=4_000, noise=0.1)
    for code, center in enumerate([(0.0, 0.0), SECOND_CENTER]):
        radii = np.linalg.norm(X[y == code] - center, axis=1)
        assert radii.mean() == pytest.approx(1, abs=0.01)
        assert radii.std() == pytest.approx(0.1, abs=0.01)
    assert X[y == 0, 1].min() > -1e-9
    assert X[y == 1, 1].max() < SECOND_CENTER[1] + 1e-9


def test_the_angles_fill_the_half_turn_evenly():
    X, y = crescents(0, n_rows_per_class=4_000, noise=0.1)
    angles = np.arctan2(X[y == 0, 1], X[y == 0, 0])
    shares, _ = np.histogram(angles, bins=8, range=(0, np.pi))
    np.testing.assert_allclose(shares / 4_000, 1 / 8, atol=0.02)


def test_the_seed_decides_the_rows():
    np.testing.assert_array_equal(crescents(3)[0], crescents(3)[0])
    assert (crescents(3)[0] != crescents(4)[0]).all()
    np.testing.assert_array_equal(np.bincount(crescents(3)[1]), [150, 150])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"noise": 0.0}, "noise=0.0 must be"), ({"n_rows_per_class": 0}, "n_rows_per_class=0")],
)
def test_impossible_crescents_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        crescents(0, **parameters)

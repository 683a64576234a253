from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import pure_noise


def test_noise_has_the_shape_asked_for_and_even_classes():
    X, y = pure_noise()
    assert X.shape == (60, 50)
    assert np.bincount(y).tolist() == [20, 20, 20]


def test_the_same_seed_gives_the_same_noise_and_another_one_other_noise():
    np.testing.assert_array_equal(pure_noise(random_state=3)[0], pure_noise(random_state=3)[0])
    assert (pure_noise(random_state=3)[0] != pure_noise(random_state=4)[0]).all()


def test_the_labels_have_nothing_to_do_with_the_features():
    X, y = pure_noise(6_000, 5, 3)
    means = np.stack([X[y == code].mean(axis=0) for code in range(3)])
    assert np.abs(means).max() < 4 / np.sqrt(2_000)


def test_fewer_than_two_rows_of_a_class_are_refused():
    with pytest.raises(ValueError, match=r"n_rows=5 must be a whole number of at least 6"):
        pure_noise(5, 2, 3)

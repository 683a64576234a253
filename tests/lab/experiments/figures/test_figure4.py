from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from lab.experiments.figures.figure4 import expected_maximum

VALUES = np.array([3.0, -1.0, 2.0, 2.0, 7.0, 0.5, 4.0])


@pytest.mark.parametrize("s", range(1, len(VALUES) + 1))
def test_the_expected_maximum_is_the_mean_over_all_choices(s):
    by_hand = np.mean([max(choice) for choice in combinations(VALUES, s)])
    assert expected_maximum(VALUES, [s])[0] == pytest.approx(by_hand, rel=1e-12)


def test_it_is_the_mean_of_one_start_and_the_maximum_of_all():
    first, last = expected_maximum(VALUES, [1, len(VALUES)])
    assert first == pytest.approx(VALUES.mean())
    assert last == pytest.approx(VALUES.max())


def test_more_starts_never_expect_less():
    values = np.random.default_rng(0).normal(size=500)
    expected = expected_maximum(values, range(1, 501))
    assert np.all(np.diff(expected) > -1e-12)


def test_it_estimates_the_maximum_of_independent_starts():
    stream = np.random.default_rng(1)
    estimates = [expected_maximum(stream.uniform(size=40), [5])[0] for _ in range(400)]
    assert np.mean(estimates) == pytest.approx(5 / 6, abs=0.01)

from __future__ import annotations

import numpy as np
import pytest

from lab.experiments.held_out import PairedDifferences

STREAM = np.random.default_rng(0)


def test_the_corrected_error_is_that_of_nadeau_and_bengio():
    differences = STREAM.standard_normal(15)
    pair = PairedDifferences([differences], n_folds=5)
    expected = differences.std(ddof=1) * np.sqrt(1 / 15 + 1 / 4)
    assert pair.error == pytest.approx(expected)
    assert pair.errors == pytest.approx([expected])


def test_more_data_sets_make_the_mean_more_certain_but_more_repeats_have_a_limit():
    one = [STREAM.standard_normal(15)]
    assert PairedDifferences(one * 4, 5).error == pytest.approx(PairedDifferences(one, 5).error / 2)
    many = [STREAM.standard_normal(15_000)]
    assert PairedDifferences(many, 5).error == pytest.approx(0.5, abs=0.02)


def test_the_error_over_data_sets_is_of_their_means():
    pair = PairedDifferences([np.array([0.0, 0.2]), np.array([0.3, 0.3])], 5)
    assert pair.mean == pytest.approx(0.2)
    assert pair.error_over_sets == pytest.approx(0.1)


def test_a_tie_is_no_win():
    zero, up, down = np.zeros(2), np.full(2, 0.1), np.array([-0.1, 0.0])
    pair = PairedDifferences([zero, up, up, down], 5)
    assert (pair.n_won, pair.n_lost) == (2, 1)

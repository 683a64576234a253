"""Suspect labels: found where classes are apart, none by overlap alone, false ones counted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from melm_core.diagnostics import SuspectLabels
from melm_core.evaluation import Refits, Study


def scored(n_rows, distance, n_wrong, seed):
    """Log densities of two normal classes, labels, and which are wrong."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % 2
    x = rng.standard_normal(n_rows) + distance * truth
    wrong = np.zeros(n_rows, dtype=bool)
    wrong[rng.permutation(n_rows)[:n_wrong]] = True
    logs = -0.5 * np.square(x[:, None] - [0.0, distance])
    return logs, np.where(wrong, 1 - truth, truth), wrong


def test_wrong_labels_far_from_their_class_are_found_with_the_class_they_look_like():
    logs, y, wrong = scored(200, 5.0, 10, 0)
    found = SuspectLabels.of(logs, y)
    assert set(np.flatnonzero(wrong)) <= set(found.rows)
    assert found.false_share <= 0.25
    np.testing.assert_array_equal(found.other, 1 - y[found.rows])
    assert "rows look mislabeled; expect" in found.words


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.0, 4.0])
def test_overlap_alone_makes_no_suspects(distance):
    listed = [len(SuspectLabels.of(*scored(200, distance, 0, seed)[:2]).rows) for seed in range(40)]
    assert np.mean(np.array(listed) > 0) <= 0.1


@pytest.mark.parametrize("distance", [1.0, 2.0])
def test_wrong_labels_within_overlap_make_no_list(distance):
    listed = [
        len(SuspectLabels.of(*scored(200, distance, 10, seed)[:2]).rows) for seed in range(40)
    ]
    assert np.mean(np.array(listed) > 0) <= 0.1


def test_a_larger_false_share_makes_no_shorter_list():
    for seed in range(10):
        logs, y, _ = scored(200, 4.0, 10, seed)
        short, middle, long = (
            SuspectLabels.of(logs, y, false_share=own) for own in (0.1, 0.25, 0.5)
        )
        assert len(short.rows) <= len(middle.rows) <= len(long.rows)


def heavy(n_rows, distance, n_wrong, seed):
    """As `scored`, with tails of t with 3 degrees of freedom, in a plane."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % 2
    places = rng.standard_t(3.0, (n_rows, 2)) / np.sqrt(3.0)
    places[:, 0] += distance * truth
    wrong = np.arange(n_rows) < n_wrong
    away = places[:, None] - np.array([[0.0, 0.0], [distance, 0.0]])
    logs = -0.5 * np.square(away).sum(axis=2)  # as if they were normal
    return logs, np.where(wrong, 1 - truth, truth), wrong


def test_strays_of_heavy_tails_make_no_suspects():
    listed = [len(SuspectLabels.of(*heavy(200, 4.0, 0, seed)[:2]).rows) for seed in range(60)]
    assert np.mean(np.array(listed) > 0) <= 0.1


def test_with_heavy_tails_wrong_labels_are_still_found():
    found = [SuspectLabels.of(*heavy(200, 6.0, 10, seed)[:2]) for seed in range(20)]
    assert np.mean([len(own.rows) > 0 for own in found]) > 0.7


@pytest.mark.parametrize("n_wrong", [0, 10])
def test_swapped_labels_of_wine_are_mostly_found(n_wrong):
    X, y = load_wine(return_X_y=True)
    hits, false, estimated = 0, 0, 0.0
    for seed in range(3):
        stream = np.random.default_rng(seed)
        wrong = stream.permutation(len(y))[:n_wrong]
        labels = y.copy()
        labels[wrong] = (y[wrong] + stream.integers(1, 3, n_wrong)) % 3
        found = Refits.of(Study("lda", X, labels, random_state=seed)).suspects()
        hits += np.isin(wrong, found.rows).sum()
        false += (~np.isin(found.rows, wrong)).sum()
        estimated += found.n_false
    assert hits >= 0.9 * 3 * n_wrong
    assert abs(false - estimated) <= 0.1 * (hits + false)


def test_no_more_of_a_list_are_false_than_it_says():
    false, estimated = [], []
    for seed in range(40):
        logs, y, wrong = scored(200, 4.0, 10, seed)
        found = SuspectLabels.of(logs, y)
        false.append((~wrong[found.rows]).sum())
        estimated.append(found.n_false)
        assert found.false_share <= 0.25
    assert np.mean(false) <= np.mean(estimated) + 1.0  # of 10 to 15


def test_a_class_of_few_rows_is_not_suspected():
    logs, y, _ = scored(200, 6.0, 0, 0)
    y[:5] = 2
    assert not np.isin(SuspectLabels.of(np.c_[logs, np.full(200, -9.0)], y).rows, range(5)).any()


def test_a_share_beyond_1_is_refused():
    with pytest.raises(ValueError, match=r"false_share=1\.5"):
        SuspectLabels.of(*scored(60, 1.0, 0, 0)[:2], false_share=1.5)

"""A permutation test keeps its level on noise whose rows depend on each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from melm_core.evaluation import Refits, Study, permutation_test
from melm_core.folds import label_runs

N_FEATURES = 5
REPEATS = 100


def independent(rng):
    y = np.arange(48) % 2
    return rng.normal(size=(48, N_FEATURES)), y, np.arange(48)


def duplicated(rng):
    X, y, rows = independent(rng)
    return np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(rows, 2)


def grouped(rng, n_subjects=16, n_rows=5):
    subjects = np.repeat(np.arange(n_subjects), n_rows)
    means = 2.0 * rng.normal(size=(n_subjects, N_FEATURES))
    return means[subjects] + rng.normal(size=(len(subjects), N_FEATURES)), subjects % 2, subjects


def paired(rng):
    X, _, subjects = grouped(rng, n_rows=4)
    return X, np.arange(len(X)) % 2, subjects


def serial(rng):
    lengths = rng.integers(6, 13, size=20)
    y = np.repeat(np.arange(20) % 2, lengths)
    X = rng.normal(size=(len(y), N_FEATURES))
    for row in range(1, len(X)):
        X[row] += 0.8 * X[row - 1]
    return X, y, label_runs(y)


DESIGNS = (independent, duplicated, grouped, paired, serial)


def is_significant(study) -> bool:
    return permutation_test(study, n_permutations=39).p_value <= 0.05


def drawn(design, repeat):
    """Noise, and a seed for its test that shares no stream with the noise.

    The level is that over random data and random permutations, so each repeat draws its own.
    """
    noise, permutations = np.random.SeedSequence([2026, repeat]).spawn(2)
    return *design(np.random.default_rng(noise)), int(permutations.generate_state(1)[0])


def n_significant(method, design, *, with_groups=True, repeats=REPEATS) -> int:
    hits = 0
    for repeat in range(repeats):
        X, y, groups, seed = drawn(design, repeat)
        kept = groups if with_groups else np.arange(len(y))
        hits += is_significant(Study(method, X, y, groups=kept, random_state=seed))
    return hits


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("method", ["lda", "pca"])
def test_noise_is_significant_in_one_case_of_twenty(method, design):
    assert binomtest(n_significant(method, design), REPEATS, 0.05).pvalue > 0.005


@pytest.mark.slow
def test_labels_that_alternate_within_subjects_keep_their_level():
    """By a statistic that costs so little that thousands of repeats are quick."""
    n_repeats, hits = 3_000, 0
    for repeat in range(n_repeats):
        X, y, _, seed = drawn(paired, repeat)
        orders = np.random.default_rng(seed).random((39, len(y) // 4, 4)).argsort(axis=2)
        labelings = np.vstack([y, (orders % 2).reshape(39, -1)])  # 0 1 0 1 in random order
        distances = np.square((2.0 * labelings - 1.0) @ X).sum(axis=1)  # between class means
        hits += int((distances[1:] >= distances[0]).sum() <= 1)
    assert binomtest(hits, n_repeats, 0.05).pvalue > 0.005


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_answer_after_few_shuffles_and_one_after_all_keep_the_level():
    """The first answer is given after 19 shuffles; later ones stop early where noise is clear."""
    first, final = 0, 0
    for repeat in range(REPEATS):
        X, y, _, seed = drawn(independent, repeat)
        early = []
        test = permutation_test(
            Study("lda", X, y, random_state=seed), n_permutations=199, callback=early.append
        )
        first += len(early) >= 19 and early[18].p_value <= 0.05
        final += test.p_value <= 0.05
    assert binomtest(first, REPEATS, 0.05).pvalue > 0.005
    assert binomtest(final, REPEATS, 0.05).pvalue > 0.005


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_one_start_for_true_and_shuffled_labels_alike_keeps_the_level():
    hits = 0
    for repeat in range(40):
        X, y, _, seed = drawn(independent, repeat)
        study = Study("melm", X, y, parameters={"n_init": 1}, random_state=seed)
        hits += is_significant(study)
    assert binomtest(hits, 40, 0.05).pvalue > 0.005


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", [duplicated, grouped, serial])
def test_without_groups_dependent_noise_is_significant_too_often(design):
    hits = n_significant("lda", design, with_groups=False, repeats=20)
    assert binomtest(hits, 20, 0.05, alternative="greater").pvalue < 0.005


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", [grouped, paired])
def test_a_difference_between_classes_is_found_with_groups(design):
    found = 0
    for seed in range(20):
        X, y, groups = design(np.random.default_rng(seed))
        X[:, 0] += 6.0 * y
        found += is_significant(Study("lda", X, y, groups=groups, random_state=seed))
    assert found >= 18


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", [duplicated, grouped, serial])
def test_held_out_rows_of_dependent_noise_are_classified_by_chance(design):
    accuracies = []
    for seed in range(10):
        X, y, groups = design(np.random.default_rng(seed))
        refits = Refits.of(Study("lda", X, y, groups=groups))
        accuracies.append(refits.share.balanced_accuracy)
    assert np.mean(accuracies) == pytest.approx(0.5, abs=0.08)

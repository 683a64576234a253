"""A path of sparser planes is judged on rows that chose no feature."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import pure_noise
from melm_core.evaluation import Refits, Score, Study, Unchanged, sparse_path
from tests.melm_core.evaluation.honest_examples import Needs


def two_features_matter(n_rows=120, n_features=12):
    stream = np.random.default_rng(0)
    y = np.arange(n_rows) % 3
    X = stream.normal(size=(n_rows, n_features))
    X[:, 4] += 4.0 * (y == 1)
    X[:, 9] += 4.0 * (y == 2)
    return X, y


@pytest.mark.slow
def test_the_features_that_matter_stay_and_are_enough():
    path = sparse_path(Study("lda", *two_features_matter()), n_repeats=1)
    assert sorted(path.selected(2).tolist()) == [4, 9]
    np.testing.assert_array_equal(path.frequencies[-1][[4, 9]], 1.0)
    assert path.smallest_sufficient < 12
    assert path.held_out[-1].balanced_accuracy > 0.9


@pytest.mark.slow
def test_features_stay_by_what_they_are_worth_and_not_by_the_length_of_their_loadings():
    stream = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = stream.normal(size=(400, 6))
    X[:, 2] += 1.5 * y
    X[:, 5] += 1.0 * y
    path = sparse_path(Study("lda", X, y), sizes=[2], n_repeats=1)
    assert sorted(path.selected(2).tolist()) == [2, 5]
    # The second component, at right angles to the first, is all noise, and its loadings are long.
    np.testing.assert_array_equal(path.frequencies[-1][[2, 5]], 1.0)


@pytest.mark.slow
def test_all_features_have_the_held_out_accuracy_of_the_method():
    X, y = two_features_matter()
    study = Study("lda", X, y)
    path = sparse_path(study, n_repeats=1, sizes=[3])
    whole = Refits.of(study, 5)
    assert path.sizes.tolist() == [12, 3]
    assert path.held_out[0] == Score.over_folds(whole.fold_shares)
    np.testing.assert_array_equal(path.right[:, 0], whole.right)


@pytest.mark.slow
def test_the_best_features_of_noise_are_no_better_than_guessing_on_held_out_rows():
    X, y = pure_noise(n_rows=60, n_features=200, n_classes=2)
    path = sparse_path(Study("lda", X, y), sizes=[5], n_repeats=1)
    score = path.held_out[-1]
    assert path.train_accuracies[:, -1].mean() > 0.62
    assert abs(score.balanced_accuracy - 0.5) < 0.2


@pytest.mark.slow
def test_every_size_has_as_many_features_as_it_says():
    path = sparse_path(Study("pca", *two_features_matter()), sizes=[6, 2], n_repeats=2)
    np.testing.assert_allclose(path.frequencies.sum(axis=1), path.sizes)
    assert path.held_out_accuracies.shape == (10, len(path.sizes))
    assert path.sizes[0] == 12
    assert path.sizes[-1] == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sizes": [1]}, r"cannot have 1 of them. Choose sizes from 2 to 12"),
        ({"sizes": [13]}, "cannot have 13 of them"),
        ({"n_repeats": 0}, "n_repeats=0 must be a whole number"),
    ],
)
def test_sizes_that_no_plane_has_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        sparse_path(Study("lda", *two_features_matter()), **options)


def test_a_nonlinear_method_has_no_features_to_leave_out():
    with pytest.raises(ValueError, match="is nonlinear"):
        sparse_path(Study("kpca", *two_features_matter(30)), n_repeats=1)


def test_a_size_off_the_path_is_named_with_those_on_it():
    path = sparse_path(Study("lda", *two_features_matter()), n_repeats=1, sizes=[4])
    with pytest.raises(ValueError, match=r"size=5 is not on the path. Choose one of \[12, 4\]"):
        path.selected(5)


def test_a_fold_that_cannot_be_fitted_is_named_and_the_others_are_kept():
    X, y = two_features_matter()
    X[7, 0] = 100.0
    path = sparse_path(Study(Needs(), X, y, preparation=Unchanged()), sizes=[12], n_repeats=1)
    assert len(path.held_out_accuracies) == 4
    assert np.isnan(path.right).any(axis=1).sum() == 24
    (note,) = path.notes
    assert note.endswith("could not be fitted and is left out: The largest row is missing.")

"""A study says once how rows are divided, what stays together, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core import MELM, DiscriminantPlane
from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.evaluation import (
    Study,
    Unchanged,
    permutation_test,
    rows_needed,
    sparse_path,
    stability,
)

IRIS = load_iris(return_X_y=True)


def noise(n_rows: int, n_classes: int = 2, n_features: int = 3):
    return pure_noise(n_rows, n_features, n_classes)


@pytest.mark.parametrize(
    ("n_rows", "n_folds", "n_held_out"), [(200, 10, 20), (201, 5, 41), (5_000, 5, 1_000)]
)
def test_few_rows_have_more_folds(n_rows, n_folds, n_held_out):
    folds = Study("pca", *noise(n_rows), groups=np.arange(n_rows)).folds()
    assert len(folds) == n_folds
    assert max(len(fold.test) for fold in folds) == n_held_out
    held_out = np.concatenate([fold.test for fold in folds])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(n_rows))


@pytest.mark.parametrize(("n_rows", "n_folds"), [(5_001, "auto"), (80, 1)])
def test_a_single_split_holds_a_quarter_of_every_class_out(n_rows, n_folds):
    X, y = noise(n_rows, n_classes=3)
    (fold,) = Study("pca", X, y, groups=np.arange(n_rows)).folds(n_folds)
    np.testing.assert_allclose(np.bincount(y[fold.test]) / np.bincount(y), 0.25, atol=0.02)
    np.testing.assert_array_equal(np.sort(np.append(*vars(fold).values())), np.arange(n_rows))


@pytest.mark.parametrize("apart", [0.0, 1e-3])
def test_rows_that_are_equal_or_nearly_so_stay_in_one_fold(apart):
    X, y = noise(60, n_features=8)
    stream = np.random.default_rng(0)
    twice = np.vstack([X, X + apart * stream.standard_normal(X.shape)])
    study = Study("lda", twice, np.tile(y, 2))
    assert study.has_twins
    assert study.n_units.tolist() == [30, 30]
    for fold in study.folds():
        assert set(fold.test % 60) == set(fold.test[fold.test < 60])


def test_rows_that_are_numbered_are_independent_and_so_are_rows_that_differ():
    X, y = noise(60)
    independent = Study("lda", np.tile(X, (2, 1)), np.tile(y, 2), groups=np.arange(120))
    assert independent.rows.groups is None
    assert not independent.has_twins
    assert Study("lda", X, y).rows.groups is None


def test_a_class_of_equal_rows_alone_is_held_out_row_by_row():
    X, y = noise(60)
    X[y == 1] = 0.0
    assert not Study("lda", X, y).has_twins


def test_groups_stay_in_one_fold():
    X, y = noise(120)
    groups = np.arange(120) // 6
    for fold in Study("lda", X, y, groups=groups).folds():
        assert not set(groups[fold.train]) & set(groups[fold.test])


def test_other_labels_make_the_study_that_they_would_make_anew():
    X, y = noise(60)
    permuted = np.random.default_rng(0).permutation(y)
    one, other = Study("lda", X, y).with_labels(permuted), Study("lda", X, permuted)
    for own, expected in zip(one.folds(), other.folds(), strict=True):
        np.testing.assert_array_equal(own.test, expected.test)
    np.testing.assert_array_equal(one.fitted().components, other.fitted().components)
    np.testing.assert_array_equal(one.n_units, other.n_units)


@pytest.mark.parametrize(
    ("permuted", "n_units"), [([0, 0, 1, 1, 1, 0], [3, 3]), ([0, 1, 1, 0, 0, 0], [4, 2])]
)
def test_what_was_counted_of_other_labels_is_counted_anew(permuted, n_units):
    X = np.random.default_rng(0).normal(size=(6, 2))
    study = Study("pca", X, [0, 0, 0, 1, 1, 1])
    assert study.n_units.tolist() == [3, 3]
    assert study.with_labels(np.array(permuted)).n_units.tolist() == n_units
    assert study.take(np.arange(5)).n_units.tolist() == [3, 2]


def test_some_of_the_rows_are_divided_as_a_table_of_them():
    X, y = noise(250)
    rows = np.arange(100, 250)
    some, table = Study("lda", X, y).take(rows), Study("lda", X[rows], y[rows])
    for one, other in zip(some.folds(), table.folds(), strict=True):
        np.testing.assert_array_equal(one.test, other.test)


def test_a_study_leaves_its_estimator_unfitted():
    given = DiscriminantPlane()
    Study(given, *IRIS).fitted()
    assert not hasattr(given, "components_")


@pytest.mark.parametrize(("given", "expected"), [(None, 7), (3, 3)])
def test_only_an_estimator_without_a_seed_is_given_one(given, expected):
    study = Study(MELM(random_state=given), *IRIS, random_state=7)
    assert study.estimator.random_state == expected


def test_a_key_takes_of_the_parameters_of_a_run_what_its_method_knows():
    run = {"n_components": 1, "gamma": 2.0, "held_out": 25.0, "random_state": 3}
    assert Study("lda", *IRIS, parameters=run).estimator.n_components == 1


def test_an_unknown_method_is_named_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"method='magic' must be one of 'melm', "):
        Study("magic", *IRIS)


def test_a_class_too_small_to_be_held_out_is_named_with_what_is_needed():
    X, y = np.random.default_rng(0).normal(size=(22, 3)), [0] * 20 + [1] * 2
    with pytest.raises(UserError, match=r"Class 1 has 2 rows.* at least 3 rows of every class"):
        Study("lda", X, y).folds()
    assert len(Study("pca", X, y).folds()) == 2  # which needs no rows of a class
    assert len(Study("lda", np.vstack([X, X[:1] + 1.0]), [*y, 1]).folds()) == 3


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[0.0], [1.0], [2.0], [3.0]], ["a"] * 4, "only one class"),
        ([[0.0], [1.0], [2.0]], ["a", "a", "b"], "Class 'b' has 1 row"),
        ([[0.0], [np.nan], [2.0], [3.0]], ["a", "a", "b", "b"], "NaN"),
        ([[0.0], [np.inf], [2.0], [3.0]], ["a", "a", "b", "b"], "infinity"),
    ],
)
def test_rows_that_cannot_be_judged_are_refused_in_a_sentence(X, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        Study("pca", X, y)


def test_a_number_of_folds_that_is_none_is_refused():
    with pytest.raises(ValueError, match="n_folds=0 must be a whole number"):
        Study("pca", *IRIS).folds(0)


def test_a_table_in_blocks_has_one_split_and_takes_nothing_that_needs_its_rows():
    da = pytest.importorskip("dask.array")
    X, y = noise(400)
    lazy = da.from_array(X, chunks=(90, 3)), da.from_array(y, chunks=90)
    study = Study("lda", *lazy)
    assert not study.is_in_memory
    assert study.n_samples == 400
    (fold,) = study.folds()
    np.testing.assert_array_equal(np.bincount(study.rows.y[fold.test]), [50, 50])
    with pytest.raises(UserError, match="groups needs the rows in memory"):
        Study("lda", *lazy, groups=np.arange(400))
    for ask in (stability, permutation_test, sparse_path, rows_needed):
        with pytest.raises(UserError, match="This needs the rows in memory"):
            ask(study)
    assert Study("lda", *lazy, preparation=Unchanged()).n_samples == 400

from __future__ import annotations

from itertools import count, islice

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from melm_core import MELM, DiscriminantPlane
from melm_core.evaluation import (
    Refits,
    Study,
    permutation_test,
    rows_needed,
    sparse_path,
)
from melm_core.evaluation.permutations import STATISTICS
from melm_core.evaluation.refitting import (
    Standardization,
    Unchanged,
    fit_projection,
    make_estimator,
    map_in_order,
)
from melm_core.folds import CodedRows
from tests.melm_core.evaluation.honest_examples import Column
from tests.melm_core.helpers import assert_orthonormal, classes


def test_answers_come_in_order_and_only_as_many_as_are_asked_for():
    asked = []

    def square(number: int) -> int:
        asked.append(number)
        return number**2

    assert list(islice(map_in_order(square, count(), n_jobs=1), 4)) == [0, 1, 4, 9]
    assert asked == [0, 1, 2, 3]


def test_the_estimator_that_was_given_stays_as_it_is():
    given = DiscriminantPlane()
    X, y = classes(2, 4)
    assert make_estimator(given, {"n_components": 1}, 0).n_components == 1
    fit_projection(given, CodedRows(X, y, np.unique(y)), Standardization)
    assert given.n_components == 2
    assert not hasattr(given, "components_")


@pytest.mark.parametrize(("given", "expected"), [(None, 7), (3, 3)])
def test_only_an_estimator_without_a_seed_is_given_one(given, expected):
    assert make_estimator(MELM(random_state=given), None, 7).random_state == expected


def test_steps_of_a_pipeline_without_a_seed_are_given_one():
    pipeline = make_estimator(make_pipeline(PCA(2), SVC(random_state=3)), None, 7)
    assert [step.random_state for _, step in pipeline.steps] == [7, 3]


def test_rows_are_projected_as_the_rows_of_the_fit_were():
    X, y = classes(2, 4)
    projection = fit_projection(DiscriminantPlane(), CodedRows(X, y, np.unique(y)), Standardization)
    units = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = DiscriminantPlane().fit_transform(units, y)
    np.testing.assert_allclose(projection.transform(X), expected, atol=1e-12)
    np.testing.assert_allclose(projection.transform(X[:3]), expected[:3], atol=1e-12)
    assert_orthonormal(projection.components)


def test_a_feature_that_is_constant_in_the_rows_of_the_fit_stays_finite_elsewhere():
    X, y = classes(2, 4)
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    rows = CodedRows(constant, y, np.unique(y))
    projection = fit_projection(DiscriminantPlane(), rows, Standardization)
    new = np.column_stack([X, np.full(len(X), 5.0)])
    assert np.isfinite(projection.transform(new)).all()
    assert projection.preparation.scale[-1] == 1.0


def test_a_parameter_that_an_estimator_does_not_know_is_refused():
    with pytest.raises(ValueError, match="gamma"):
        make_estimator(Column(), {"gamma": 1.0}, 0)


class Medians:
    """Fills missing values with medians, and keeps the numbers of the rows that it learned from.

    The first column is the number of the row, and no feature.
    """

    def __init__(self) -> None:
        self.learned = []

    def fit(self, X):
        self.learned.append(set(X[:, 0].astype(int).tolist()))
        self.medians = np.nanmedian(X, axis=0)
        return self

    def apply(self, X):
        return np.where(np.isnan(X), self.medians, X)[:, 1:]


@pytest.mark.parametrize(
    "refit",
    [
        Refits.of,
        lambda study: sparse_path(study, n_repeats=1),
        lambda study: rows_needed(study, n_repeats=1),
        lambda study: permutation_test(study, n_permutations=1, level=None),
    ],
    ids=["refits", "sparse path", "learning curve", "shuffles"],
)
def test_a_preparation_learns_from_the_training_rows_of_each_fold_alone(refit):
    X, y = classes(2, 4)
    numbered = np.column_stack([np.arange(len(X)), X])
    numbered[::3, 2] = np.nan
    medians = Medians()
    refit(Study("lda", numbered, y, preparation=medians))
    folds = [learned for learned in medians.learned if len(learned) < len(X)]
    assert len(folds) >= 3
    assert max(map(len, folds)) <= 0.9 * len(X)
    # Every row is held out of some fit.
    assert set.union(*(set(range(len(X))) - learned for learned in folds)) == set(range(len(X)))


def test_standardizing_is_a_preparation_like_any_other():
    X, y = classes(2, 4)
    given, default, unchanged = (
        STATISTICS["held_out"](Study("kpca", X * [1.0, 9.0, 0.1, 1.0], y, preparation=preparation))
        for preparation in (Standardization, None, Unchanged())
    )
    assert given == default != unchanged


def test_missing_values_without_a_preparation_are_refused():
    X, y = classes(2, 4)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"X has 1 missing values \(NaN\), in 1 rows"):
        Study("lda", X, y)

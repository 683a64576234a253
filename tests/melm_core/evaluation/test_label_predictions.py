"""Labels are predicted by fits that did not see their rows, and shuffled as the rows allow."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

from melm_core.answers import Answer
from melm_core.base import UserError
from melm_core.evaluation import LabelPredictions, Study


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:120], y[:120], (y[:120] > np.median(y[:120])).astype(np.int64)


@pytest.mark.slow
def test_each_row_is_named_by_a_fit_and_a_preparation_without_its_fold():
    X, y = load_wine(return_X_y=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    study = Study(LogisticRegression(), X, y)
    found = LabelPredictions.of(study, names)
    shares = []
    for number, fold in enumerate(study.folds()):
        scaler = StandardScaler().fit(X[fold.train])
        model = LogisticRegression().fit(scaler.transform(X[fold.train]), names[fold.train])
        expected = model.predict(scaler.transform(X[fold.test]))
        np.testing.assert_array_equal(found.predicted[fold.test], expected)
        assert (found.fold_of_rows[fold.test] == number).all()
        predicted = model.predict(scaler.transform(X[fold.train]))
        shares.append(balanced_accuracy_score(names[fold.train], predicted))
    assert found.held_out == pytest.approx(balanced_accuracy_score(names, found.predicted))
    assert found.train == pytest.approx(np.mean(shares))
    assert found.chance == pytest.approx(1 / 3)


def test_q2_is_the_share_of_the_variance_that_held_out_predictions_explain(numbers):
    X, y, halves = numbers
    found = LabelPredictions.of(Study(Ridge(1e-3), X, halves), y)
    errors = np.square(found.predicted - y).sum() / np.square(y - y.mean()).sum()
    assert found.held_out == pytest.approx(1 - errors)
    assert 0.0 < found.standard_error < 0.2
    assert found.held_out < found.train


def test_the_mean_of_other_rows_explains_nothing(numbers):
    X, y, halves = numbers
    found = LabelPredictions.of(Study(DummyRegressor(), X, halves), y)
    assert -0.1 < found.held_out <= 0.0 == found.chance


@pytest.mark.slow
def test_an_answer_of_numbers_is_yes_from_one_half_on():
    X = np.random.default_rng(0).normal(size=(120, 2))
    for noise, answer in ((0.1, Answer.YES), (1.5, Answer.PARTLY), (1e3, Answer.NO)):
        y = X[:, 0] + noise * np.random.default_rng(1).normal(size=120)
        study = Study(Ridge(), X, (y > 0).astype(np.int64))
        found = LabelPredictions.of(study, y)
        test = found.permutation_test(n_permutations=19)
        assert found.answer(test) is answer
        assert found.sentence(answer, test).startswith(str(answer).capitalize())


def test_whole_groups_exchange_the_number_that_their_rows_share(numbers):
    X, _, _ = numbers
    group = np.repeat(np.arange(30), 4)
    y = np.random.default_rng(2).normal(size=30)[group]
    drawn = []

    class Seen(Ridge):
        def fit(self, X, y):
            drawn.append(y)
            return super().fit(X, y)

    study = Study(Seen(), X, (y > np.median(y)).astype(np.int64), groups=group)
    found = LabelPredictions.of(study, y)
    drawn.clear()
    test = found.permutation_test(n_permutations=5)
    assert test.design.n_groups_exchanged == 30
    assert all(len(np.unique(labels)) <= 20 for labels in drawn)  # of two thirds of the groups


@pytest.mark.parametrize(
    ("labels", "words"),
    [(np.ones(3), "3 labels are given for 120 rows"), (np.full(120, np.nan), "is nan or infinite")],
)
def test_labels_that_do_not_fit_are_refused(numbers, labels, words):
    X, _, halves = numbers
    with pytest.raises(UserError, match=words):
        LabelPredictions.of(Study(Ridge(), X, halves), labels)

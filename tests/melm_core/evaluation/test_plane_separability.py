from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier

from melm_core.base import balanced_share
from melm_core.diagnostics.plane_classifiers import (
    PLANE_CLASSIFIERS,
    confusion_shares,
    unit_covariance,
)
from melm_core.evaluation import Separability
from tests.melm_core.evaluation.honest_examples import blobs
from tests.melm_core.helpers import invertible

EACH = pytest.mark.parametrize("classifier", PLANE_CLASSIFIERS, ids=lambda c: c.name)
SVM, KNN, KDE = PLANE_CLASSIFIERS


def rings(n_rows: int = 160):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    angles = rng.uniform(0, 2 * np.pi, n_rows)
    radii = 1.0 + 2.0 * y + 0.1 * rng.normal(size=n_rows)
    return np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]), y


@pytest.mark.slow
def test_classes_far_apart_are_fully_separable():
    result = Separability.of(*blobs(90, 3, distance=20.0))
    assert result.mean.balanced_accuracy == 1.0
    assert result.mean.standard_error == 0.0
    assert {score.balanced_accuracy for score in result.classifiers.values()} == {1.0}
    np.testing.assert_array_equal(result.confusion, np.eye(3))
    assert result.notes == ()


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_that_are_the_same_are_told_apart_as_often_as_by_chance(n_classes):
    tables = (blobs(60, n_classes, 0.0, seed) for seed in range(6))
    scores = [Separability.of(*table).mean.balanced_accuracy for table in tables]
    error = np.std(scores, ddof=1) / np.sqrt(len(scores))
    assert abs(np.mean(scores) - 1 / n_classes) < 3 * error


@pytest.mark.slow
def test_every_classifier_sees_classes_that_no_line_parts():
    scores = Separability.of(*rings()).classifiers
    assert list(scores) == ["SVM-RBF", "KNN", "KDE"]
    assert min(score.balanced_accuracy for score in scores.values()) > 0.97


@pytest.mark.slow
def test_no_linear_map_of_the_plane_changes_the_figure():
    Z, y = blobs(60, 2, distance=1.5)
    turned = Z @ np.array([[0.6, -0.8], [0.8, 0.6]])
    figure, *others = (
        Separability.of(plane, y).fold_confusions
        for plane in (Z, turned * 1e-6, Z @ invertible(2) + np.array([1e3, -7.0]))
    )
    np.testing.assert_allclose(others, [figure] * 2, atol=1e-12)


@pytest.mark.slow
def test_labels_of_any_kind_give_the_same_figures():
    Z, y = blobs(60, 3, distance=1.5)
    words = np.array(["ash", "beech", "cedar"])[y]
    one, other = Separability.of(Z, y), Separability.of(Z, words)
    np.testing.assert_array_equal(one.fold_confusions, other.fold_confusions)
    assert other.classes.tolist() == ["ash", "beech", "cedar"]


@pytest.mark.slow
def test_the_confusion_has_the_separability_on_its_diagonal():
    result = Separability.of(*blobs(90, 3, distance=1.0))
    assert np.diag(result.confusion).mean() == pytest.approx(result.mean.balanced_accuracy)
    np.testing.assert_allclose(result.confusion.sum(axis=1), 1.0)


@pytest.mark.slow
def test_the_figures_are_means_over_folds_with_their_standard_error():
    result = Separability.of(*blobs(80, 2, distance=1.0))
    for column, score in enumerate(result.classifiers.values()):
        of_folds = result.fold_accuracies[:, column]
        assert score.balanced_accuracy == pytest.approx(of_folds.mean())
        assert score.standard_error == pytest.approx(of_folds.std(ddof=1) / np.sqrt(5))
    scores = [score.balanced_accuracy for score in result.classifiers.values()]
    assert result.mean.balanced_accuracy == pytest.approx(np.mean(scores))
    assert result.classifiers[result.best].balanced_accuracy == max(scores)


@pytest.mark.slow
def test_a_rare_class_counts_as_much_as_a_frequent_one():
    Z, y = blobs(440, 11, distance=0.0)
    y = np.where(y == 0, 1, 0)  # one row in eleven, among the others
    confusion = Separability.of(Z, y).confusion
    assert confusion[1, 1] > 0.25  # to call all rows frequent would give 0


def test_a_class_of_few_rows_has_fewer_folds_and_a_note_that_says_so():
    Z, y = blobs(40, 2, distance=4.0)
    y[:3] = 2
    result = Separability.of(Z, y)
    assert result.n_folds == 3
    assert result.notes == ("3 folds instead of 5, because only 3 rows of class 2 were scored.",)


def test_two_rows_of_each_class_are_enough():
    result = Separability.of(*blobs(4, 2, distance=50.0))
    assert result.n_folds == 2
    assert np.isfinite(result.mean.balanced_accuracy)


@pytest.mark.slow
def test_many_rows_are_sampled_evenly_and_a_note_says_so():
    Z, y = blobs(450, 3, distance=1.0)
    result = Separability.of(Z, y, max_rows=150)
    assert (result.n_samples, result.n_scored) == (450, 150)
    assert result.notes == ("A stratified sample of 150 of 450 rows was scored.",)
    whole = Separability.of(Z, y).mean.balanced_accuracy
    assert result.mean.balanced_accuracy == pytest.approx(whole, abs=0.12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["a point", "a line", "a point for each class"])
def test_planes_without_area_have_a_figure(shape):
    Z, y = blobs(60, 2, distance=3.0)
    flat = {
        "a point": np.zeros((60, 2)),
        "a line": Z[:, :1] @ [[1.0, 2.0]],
        "a point for each class": np.column_stack([y, 1.0 - y]),
    }[shape]
    expected = {"a point": 0.5, "a line": 0.93, "a point for each class": 1.0}[shape]
    assert Separability.of(flat, y).mean.balanced_accuracy == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("Z", "y", "sentence"),
    [
        (np.eye(3), [0, 0, 0], "only one class"),
        (np.eye(3), [0, 0, 1], r"Class 1 has 1 row; .* Add rows or leave the class out"),
        (np.array([[np.nan], [1], [2], [3]]), [0, 0, 1, 1], "NaN"),
    ],
    ids=["one class", "one row", "nan"],
)
def test_what_cannot_be_scored_is_refused_in_a_sentence(Z, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        Separability.of(Z, y)


def test_one_fold_is_refused():
    with pytest.raises(ValueError, match=r"n_folds=1 must be a whole number of at least 2"):
        Separability.of(*blobs(20, 2, 1.0), n_folds=1)


@pytest.mark.slow
@EACH
def test_a_point_is_classified_the_same_alone_and_in_company(classifier):
    Z, y = blobs(80, 2, distance=1.0)
    points = blobs(12, 2, distance=1.0, seed=1)[0]
    together = classifier.tuned_predictions(Z, y, points, 0)
    alone = [classifier.tuned_predictions(Z, y, point[None], 0)[0] for point in points]
    np.testing.assert_array_equal(together, alone)


@EACH
def test_inner_folds_choose_the_candidate_that_suits_the_data(classifier):
    Z, y = rings(60)
    local = balanced_share(classifier.tuned_predictions(Z, y, Z, 0) == y, y)
    smooth = balanced_share(next(classifier.predict(Z, y, Z, classifier.candidates[:1])) == y, y)
    assert local > 0.97
    assert local >= smooth


@EACH
def test_a_class_of_one_row_can_be_learnt_from(classifier):
    Z, y = np.array([[0.0, 0.0], [9.0, 9.0], [9.0, 8.0]]), np.array([0, 1, 1])
    assert classifier.tuned_predictions(Z, y, Z[1:2], 0).tolist() == [1]


@pytest.mark.parametrize("n_neighbors", [1, 3, 9])
def test_the_votes_of_neighbors_are_those_of_scikit_learn_where_classes_are_even(n_neighbors):
    Z, y = blobs(80, 2, distance=1.0)
    points = blobs(50, 2, distance=1.0, seed=1)[0]
    expected = KNeighborsClassifier(n_neighbors).fit(Z, y).predict(points)
    np.testing.assert_array_equal(next(KNN.predict(Z, y, points, [n_neighbors])), expected)


@EACH
def test_candidates_predicted_together_are_those_predicted_alone(classifier):
    Z, y = blobs(60, 3, distance=1.0)
    together = list(classifier.predict(Z, y, Z, classifier.candidates))
    for codes, candidate in zip(together, classifier.candidates, strict=True):
        np.testing.assert_array_equal(codes, next(classifier.predict(Z, y, Z, [candidate])))


def test_the_balanced_accuracy_is_that_of_scikit_learn_and_of_the_confusion():
    rng = np.random.default_rng(0)
    y, predicted = rng.integers(3, size=(2, 50))
    value = balanced_share(predicted == y, y)
    assert value == pytest.approx(balanced_accuracy_score(y, predicted))
    assert value == pytest.approx(np.diag(confusion_shares(y, predicted, 3)).mean())


def test_coordinates_of_unit_covariance_have_it():
    Z, _ = blobs(50, 2, distance=3.0)
    white, _ = unit_covariance(Z @ invertible(2), Z)
    np.testing.assert_allclose(np.cov(white.T, ddof=0), np.eye(2), atol=1e-10)

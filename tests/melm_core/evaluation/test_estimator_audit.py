"""Whether pictures and classifiers of any origin are real, judged as the check of the page does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.manifold import TSNE
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core import DiscriminantPlane
from melm_core.answers import LABELS_MAY_BE_USED, Answer
from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.evaluation import audit, audit_coordinates
from melm_studio.scores import PermutationP, Rows, Verdict
from tests.melm_core.evaluation.honest_examples import blobs

WINE = load_wine(return_X_y=True)


def overfitted_picture():
    X, y = pure_noise(60, 40, 2)
    return LinearDiscriminantAnalysis().fit(X, y).transform(X), y


@pytest.mark.slow
def test_a_supervised_picture_of_classes_that_differ_is_real():
    found = audit(
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()), *WINE, n_permutations=39
    )
    assert found.answer is Answer.YES
    assert found.share > 0.9
    assert found.p_value == pytest.approx(1 / (found.n_permutations + 1))


@pytest.mark.slow
def test_a_supervised_picture_of_noise_separates_its_training_rows_and_is_not_real():
    found = audit(LinearDiscriminantAnalysis(), *pure_noise(60, 40, 2))
    assert found.share_train > 0.8
    assert found.answer is Answer.NO


@pytest.mark.slow
def test_a_selection_of_features_inside_a_pipeline_is_repeated_in_the_folds():
    X, y = pure_noise(60, 2_000, 2)
    inside = make_pipeline(SelectKBest(k=10), LinearDiscriminantAnalysis())
    assert audit(inside, X, y).answer is Answer.NO
    before = SelectKBest(k=10).fit_transform(X, y)
    assert (
        audit(LinearDiscriminantAnalysis(), before, y, n_permutations=39).answer is Answer.YES
    )  # what it prevents


@pytest.mark.slow
def test_a_classifier_is_judged_by_what_it_predicts_for_held_out_rows():
    assert audit(GaussianNB(), *WINE, n_permutations=39).answer is Answer.YES
    found = audit(KNeighborsClassifier(1), *pure_noise(60, 5, 2))
    assert found.share_train == 1.0
    assert found.answer is Answer.NO


@pytest.mark.slow
def test_missing_values_go_to_a_pipeline_that_fills_them():
    X, y = load_iris(return_X_y=True)
    X[::7, 0] = np.nan
    filled = make_pipeline(SimpleImputer(), LinearDiscriminantAnalysis())
    assert audit(filled, X, y, n_permutations=19).share > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [StandardScaler(), KNeighborsClassifier(1)])
def test_rows_of_a_group_stay_in_one_fold_and_exchange_their_label_as_a_whole(estimator):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 4))[patient] + 0.01 * rng.normal(size=(120, 4))
    y = patient % 2
    by_group = audit(estimator, X, y, patient)
    assert by_group.answer is Answer.NO
    assert "20 whole groups" in " ".join(by_group.notes)
    assert audit(estimator, X, y, n_permutations=19).answer is not Answer.NO  # what it prevents


def test_too_few_groups_leave_the_answer_open_and_say_why():
    patient = np.repeat(np.arange(4), 5)
    y = patient % 2
    found = audit(GaussianNB(), y[:, None] + 0.01 * np.arange(20)[:, None], y, patient)
    assert found.answer is Answer.UNKNOWN
    assert "more groups are needed" in " ".join(found.notes)


def test_too_few_shuffles_leave_the_answer_open():
    assert audit(GaussianNB(), *WINE, n_permutations=9).answer is Answer.UNKNOWN


@pytest.mark.slow
def test_a_map_that_labels_may_have_made_is_never_a_plain_yes():
    coordinates, y = overfitted_picture()
    found = audit_coordinates(coordinates, y)
    assert found.share > 0.8
    assert found.answer is Answer.UNKNOWN
    assert found.sentence.endswith(LABELS_MAY_BE_USED)
    assert audit_coordinates(coordinates, y, labels_unused=True).answer is Answer.YES


def test_a_map_in_which_held_out_neighbors_do_not_help_is_not_real():
    X, y = pure_noise(60, 2, 2)
    assert audit_coordinates(X, y).answer is Answer.NO


def test_the_words_are_those_of_the_page():
    found = audit(GaussianNB(), *WINE, n_permutations=19)
    p = PermutationP(found.p_value, found.n_permutations, found.n_exceeding)
    verdict = Verdict(
        answer=found.answer,
        rows=Rows.FOLDS,
        share=found.share,
        standard_error=found.standard_error,
        n_classes=3,
        p=p,
    )
    assert found.sentence == verdict.sentence


def test_the_share_is_known_before_the_first_shuffle_and_a_stop_keeps_it():
    heard = []
    found = audit(GaussianNB(), *WINE, callback=lambda so_far: heard.append(so_far) or True)
    assert [one.n_permutations for one in heard] == [0]
    assert found.answer is None
    assert found.sentence == heard[0].sentence


@pytest.mark.slow
def test_an_audit_says_the_same_twice():
    first, second = (
        audit(KNeighborsClassifier(3), *WINE, n_permutations=5).sentence for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (TSNE(), "audit_coordinates"),
        (GaussianNB, "must be an object with fit"),
        ("umap", "must be an object with fit"),
    ],
)
def test_what_cannot_be_refitted_is_refused_with_the_way_out(estimator, words):
    with pytest.raises(UserError, match=words):
        audit(estimator, *WINE)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_of_labels_that_are_clusters_of_the_features_there_is_no_yes(kind):
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = KMeans(3, n_init=3, random_state=0).fit_predict(X)
    found = audit(LinearDiscriminantAnalysis(), kind(X), y, n_permutations=19)
    assert found.answer is Answer.UNKNOWN
    assert found.share > 0.9
    assert "regions of the features that leave no gap" in found.sentence
    found = audit(LinearDiscriminantAnalysis(), kind(X + 4.0 * np.eye(3)[y]), y, n_permutations=19)
    assert (found.answer, found.remark) == (Answer.YES, "")


def test_a_class_that_is_too_small_for_the_folds_is_named_by_its_label():
    X, y = blobs(30, 2, distance=3.0)
    words = np.where(y == 1, "ill", "healthy")
    words[:2] = "rare"
    with pytest.raises(ValueError, match="Class 'rare' has 2 rows, and a fold"):
        audit(make_pipeline(StandardScaler(), DiscriminantPlane()), X, words)

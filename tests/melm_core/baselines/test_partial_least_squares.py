from __future__ import annotations

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer, load_wine

from melm_core import OPLSDiscriminantPlane, PLSDiscriminantPlane
from melm_core.baselines import indicators
from melm_core.evaluation import Refits, Study, Unchanged
from melm_core.folds import stratified_folds
from melm_core.linalg import principal_angles
from tests.melm_core.helpers import assert_orthonormal


def standardized(load):
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


TUMORS = standardized(load_breast_cancer)
WINES = standardized(load_wine)


def test_the_plane_of_two_classes_is_that_of_pls_regression_on_the_label():
    X, y = TUMORS
    rotations = PLSRegression(2, scale=False).fit(X, y.astype(float)).x_rotations_.T
    assert principal_angles(PLSDiscriminantPlane().fit(X, y).components_, rotations).max() < 1e-7


@pytest.mark.parametrize("data", [TUMORS, WINES], ids=["two classes", "three classes"])
def test_the_squares_of_the_importances_have_mean_one(data):
    assert np.square(PLSDiscriminantPlane().fit(*data).vip_).mean() == pytest.approx(1.0)


def test_one_component_gives_importances_proportional_to_the_covariances():
    X, y = TUMORS
    covariances = np.abs(X.T @ (y - y.mean()))
    vip = PLSDiscriminantPlane(1).fit(X, y).vip_
    np.testing.assert_allclose(vip / vip.sum(), covariances / covariances.sum(), rtol=1e-9)


def test_the_explained_share_of_the_labels_is_the_score_of_the_regression():
    X, y = TUMORS
    model = PLSRegression(3, scale=False).fit(X, y.astype(float))
    explained = PLSDiscriminantPlane(3).fit(X, y).r2y_.sum()
    assert explained == pytest.approx(model.score(X, y.astype(float)), rel=1e-9)


def test_as_many_components_as_features_explain_all_of_them():
    X, y = WINES
    plane = PLSDiscriminantPlane(X.shape[1]).fit(X, y)
    assert plane.r2x_.sum() == pytest.approx(1.0)


def test_indicators_without_rest_are_completed_to_a_plane():
    y = np.repeat([0, 1], 20)
    X = np.column_stack([y, np.zeros((40, 3))]).astype(float)
    X[:, 1] = np.random.default_rng(0).permutation(np.tile([-1.0, 1.0], 20))
    for plane in (PLSDiscriminantPlane().fit(X, y), OPLSDiscriminantPlane().fit(X, y)):
        assert_orthonormal(plane.components_)
        assert np.isfinite(plane.transform(X)).all()


@pytest.mark.parametrize("n_orthogonal", [1, 2, 4])
def test_the_predictive_score_is_the_prediction_of_pls_with_one_more_component(n_orthogonal):
    """Trygg and Wold, 2002, section 4: correction and prediction share the same subspace."""
    X, y = TUMORS
    plane = OPLSDiscriminantPlane(n_orthogonal=n_orthogonal).fit(X, y)
    predicted = PLSRegression(n_orthogonal + 1, scale=False).fit(X, y.astype(float)).predict(X)
    score = X @ plane.predictive_rotations_[0]
    assert abs(np.corrcoef(score, predicted.ravel())[0, 1]) == pytest.approx(1.0, abs=1e-10)


def test_orthogonal_scores_do_not_vary_with_the_classes_nor_with_each_other():
    X, y = TUMORS
    plane = OPLSDiscriminantPlane(n_orthogonal=3).fit(X, y)
    scores = X @ np.vstack([plane.predictive_rotations_, plane.orthogonal_rotations_]).T
    scores /= np.linalg.norm(scores, axis=0)
    np.testing.assert_allclose(scores.T @ scores, np.eye(4), atol=1e-9)
    assert np.abs(scores[:, 1:].T @ (y - y.mean())).max() < 1e-9


def test_two_classes_span_the_plane_of_one_predictive_and_one_orthogonal_score():
    X, y = TUMORS
    plane = OPLSDiscriminantPlane(n_orthogonal=3).fit(X, y)
    rows = np.vstack([plane.predictive_rotations_, plane.orthogonal_rotations_[:1]])
    assert principal_angles(plane.components_, rows).max() < 1e-7


def test_with_one_orthogonal_component_two_classes_have_the_plane_of_pls():
    X, y = TUMORS
    planes = [
        estimator.fit(X, y) for estimator in (OPLSDiscriminantPlane(), PLSDiscriminantPlane())
    ]
    assert principal_angles(*(plane.components_ for plane in planes)).max() < 1e-6


def test_three_classes_have_another_plane_than_that_of_pls():
    one, other = (plane.fit(*WINES) for plane in (OPLSDiscriminantPlane(), PLSDiscriminantPlane()))
    angle = principal_angles(one.components_, other.components_)[-1]
    assert np.degrees(angle) == pytest.approx(33.6, abs=0.1)


def test_three_classes_have_two_predictive_components():
    X, y = WINES
    plane = OPLSDiscriminantPlane(n_orthogonal=2).fit(X, y)
    assert plane.predictive_rotations_.shape == (2, 13)
    scores = X @ plane.orthogonal_rotations_.T
    means = np.array([scores[y == code].mean(axis=0) for code in range(3)])
    assert np.abs(means).max() < 1e-9


def test_the_s_plot_holds_covariances_and_correlations_with_the_score():
    X, y = WINES
    plane = OPLSDiscriminantPlane().fit(X, y)
    score = X @ plane.predictive_rotations_[0]
    for feature in range(X.shape[1]):
        covariance = np.cov(X[:, feature], score, bias=True)[0, 1]
        correlation = np.corrcoef(X[:, feature], score)[0, 1]
        np.testing.assert_allclose(plane.s_plot_[:, feature], [covariance, correlation], rtol=1e-8)


def test_orthogonal_components_must_be_a_number_of_at_least_zero():
    with pytest.raises(ValueError, match=r"n_orthogonal=-1 must be a whole number of at least 0"):
        OPLSDiscriminantPlane(n_orthogonal=-1).fit(*WINES)


@pytest.mark.parametrize("data", [TUMORS, WINES], ids=["two classes", "three classes"])
def test_the_predicted_indicators_are_those_of_pls_regression(data):
    X, y = data
    targets = indicators(y)
    expected = (
        PLSRegression(2, scale=False, tol=1e-14).fit(X, targets).predict(X).reshape(targets.shape)
    )
    found = PLSDiscriminantPlane(2).fit(X, y).predict_indicators(X)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_opls_predicts_as_pls_with_a_component_more_for_each_orthogonal_one():
    X, y = TUMORS
    plane = OPLSDiscriminantPlane(2, n_orthogonal=2).fit(X, y)
    expected = PLSDiscriminantPlane(3).fit(X, y).predict_indicators(X)
    np.testing.assert_allclose(plane.predict_indicators(X), expected, atol=1e-8)


@pytest.mark.parametrize("data", [TUMORS, WINES], ids=["two classes", "three classes"])
def test_the_share_predicted_is_that_of_pls_regression_on_the_same_folds(data):
    X, y = data
    errors = spread = 0.0
    for fold in stratified_folds(y, 5, 0):
        targets = indicators(y[fold.train])
        model = PLSRegression(2, scale=False).fit(X[fold.train], targets)
        wanted = indicators(y[fold.test], y.max() + 1)
        errors += np.square(model.predict(X[fold.test]).reshape(wanted.shape) - wanted).sum()
        spread += np.square(targets.mean(axis=0) - wanted).sum()
    study = Study("plsda", X, y, groups=np.arange(len(y)), preparation=Unchanged())
    assert Refits.of(study, 5).predicted_share == pytest.approx(1 - errors / spread, abs=1e-6)


def test_labels_without_meaning_are_predicted_worse_than_by_the_class_shares():
    X = np.random.default_rng(0).normal(size=(40, 60))
    y = np.arange(40) % 2
    assert PLSDiscriminantPlane().fit(X, y).r2y_.sum() > 0.8
    assert Refits.of(Study("plsda", X, y)).predicted_share < 0


def test_methods_that_predict_no_indicators_have_no_share_predicted():
    with pytest.raises(ValueError, match="predicts no class indicators, so that it has no Q2"):
        _ = Refits.of(Study("lda", *WINES), 2).predicted_share

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from lab.experiments import gem as experiment
from melm_core.base import UserError
from melm_core.gem import GEM_PREDICTORS
from melm_core.gem.classifier import GEMClassifier, geometric_mean
from melm_core.gem.estimator import GEM
from tests.melm_core.helpers import classes

X, Y = classes(3, 5)
CLASSIFIERS = {
    "one": GEMClassifier(),
    "deep": make_pipeline(
        GEM(n_directions=2, alphas=(1,)), PolynomialFeatures(1), GEMClassifier(n_directions=2)
    ),
    "Fourier": make_pipeline(
        RBFSampler(gamma="scale", n_components=100, random_state=0),
        PolynomialFeatures(1),
        GEMClassifier(n_directions=5),
    ),
    "ensemble": GEMClassifier(pairs="hypercube", n_members=2, random_state=0),
}
each_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS.values(), ids=CLASSIFIERS)


@pytest.fixture(scope="module")
def digits():
    rows, labels = load_digits(return_X_y=True)
    return train_test_split(rows / 16, labels, test_size=0.3, stratify=labels, random_state=0)


def test_the_classifier_is_the_regression_on_the_features():
    features = GEM(alphas=(1, 2, 3)).fit(X, Y).transform(X)
    regression = LogisticRegression(C=1 / (1e-2 * len(X)), tol=1e-6, max_iter=1_000)
    expected = regression.fit(features, Y).predict_proba(features)
    np.testing.assert_allclose(GEMClassifier(l2=1e-2).fit(X, Y).predict_proba(X), expected)


def test_the_gradient_of_the_penalised_mean_log_loss_vanishes():
    model = GEMClassifier(l2=1e-2).fit(X, Y)
    (member,) = model.members_
    features, regression = member[:-1].transform(X), member[-1]
    residual = model.predict_proba(X) - np.eye(3)[Y]
    gradient = residual.T @ features / len(X) + 1e-2 * regression.coef_
    np.testing.assert_allclose(gradient, 0.0, atol=1e-5)


def test_repeating_every_row_does_not_change_the_classifier():
    twice = GEMClassifier(l2=1e-2).fit(np.vstack([X, X]), np.hstack([Y, Y]))
    once = GEMClassifier(l2=1e-2).fit(X, Y)
    np.testing.assert_allclose(twice.predict_proba(X), once.predict_proba(X), atol=1e-4)


@each_classifier
def test_probabilities_are_the_exponentials_of_finite_logarithms(classifier):
    far = np.vstack([X, 1e6 * X])
    model = classifier.fit(X, Y)
    logs, probabilities = model.predict_log_proba(far), model.predict_proba(far)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs), probabilities)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(far), model.classes_[logs.argmax(axis=1)])


@each_classifier
def test_two_classes_are_predicted_by_name(classifier):
    rows, codes = classes(2, 4)
    labels = np.array(["no", "yes"])[codes]
    model = classifier.fit(rows, labels)
    assert model.predict_proba(rows).shape == (len(rows), 2)
    assert model.score(rows, labels) > 0.9


@each_classifier
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_each_classifier_learns_small_samples(load, classifier):
    model = make_pipeline(StandardScaler(), classifier)
    assert cross_val_score(model, *load(return_X_y=True), cv=3).mean() > 0.9


@each_classifier
def test_the_same_seed_gives_the_same_probabilities_whatever_the_jobs(classifier):
    names = [name for name in classifier.get_params() if name.endswith("n_jobs")]
    one, two = (
        clone(classifier).set_params(**dict.fromkeys(names, n)).fit(X, Y).predict_proba(X)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_gamma_and_theta_are_found_by_held_out_rows():
    grid = {"gemclassifier__gamma": [0.05, 0.5], "gemclassifier__theta": [1.2, 2.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), GEMClassifier()), grid, cv=3)
    search.fit(*load_wine(return_X_y=True))
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ > 0.93


def test_a_deep_classifier_measures_roots_of_projections_beside_a_constant():
    hidden, constant, last = clone(CLASSIFIERS["deep"]).fit(X, Y)
    inner = constant.transform(hidden.transform(X))
    np.testing.assert_array_equal(inner[:, 0], 1.0)
    assert last.members_[0][0].n_features_in_ == 1 + 2 * len(hidden.directions_)


@pytest.mark.slow
def test_ten_classes_are_easier_by_gem_than_by_the_pixels(digits):
    train, held_out, y_seen, y_unseen = digits
    pixels = LogisticRegression(C=1 / (1e-4 * len(train)), max_iter=10_000).fit(train, y_seen)
    model = GEMClassifier().fit(train, y_seen)
    assert 1 - model.score(held_out, y_unseen) < 0.02
    assert model.score(held_out, y_unseen) > pixels.score(held_out, y_unseen) + 0.01


# ---------------------------------------------------------------------------- the ensemble


def some_log_probabilities():
    return log_softmax(3 * np.random.default_rng(0).normal(size=(4, 6, 5)), axis=2)


@pytest.fixture(scope="module")
def ensemble(digits):
    train, _, y_seen, _ = digits
    return GEMClassifier(
        pairs="hypercube", n_members=3, n_directions=3, l2=1e-3, random_state=0
    ).fit(train, y_seen)


@pytest.mark.slow
def test_the_ensemble_is_the_softmax_of_the_mean_logarithm(digits, ensemble):
    held_out = digits[1]
    logs = np.mean([member.predict_log_proba(held_out) for member in ensemble.members_], axis=0)
    expected = np.exp(log_softmax(logs, axis=1))
    np.testing.assert_allclose(ensemble.predict_proba(held_out), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.slow
def test_on_no_row_is_the_ensemble_worse_than_its_members_on_average(digits, ensemble):
    _, held_out, _, y_unseen = digits
    own = np.mean([member.predict_log_proba(held_out) for member in ensemble.members_], axis=0)
    gain = (ensemble.predict_log_proba(held_out) - own)[np.arange(len(held_out)), y_unseen]
    assert (gain >= -1e-12).all()
    assert gain.max() > 0.01


def test_the_geometric_mean_has_the_least_mean_divergence_to_the_members():
    logs = some_log_probabilities()

    def mean_divergence(q):
        return np.mean(np.sum(np.exp(q) * (q - logs), axis=2), axis=0)

    best = geometric_mean(logs)
    np.testing.assert_allclose(np.exp(best).sum(axis=1), 1.0)
    for seed in range(50):
        step = 0.1 * np.random.default_rng(seed).normal(size=best.shape)
        assert (mean_divergence(log_softmax(best + step, axis=1)) > mean_divergence(best)).all()


def test_members_that_agree_are_their_own_mean():
    logs = some_log_probabilities()[:1]
    np.testing.assert_allclose(geometric_mean(np.repeat(logs, 3, axis=0)), logs[0], atol=1e-14)


@pytest.mark.slow
def test_the_members_take_different_pairs(ensemble):
    members = ensemble.members_
    pairs = [str(np.unique(member[0].pairs_, axis=0)) for member in members]
    assert len(set(pairs)) == 3


# ------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (GEMClassifier(l2=0), "l2=0 must be a finite number above 0"),
        (GEMClassifier(max_iter=0), "max_iter=0 must be a whole number of at least 1"),
        (GEMClassifier(gamma=-1.0), "gamma=-1.0 must be a finite number of at least 0"),
        (GEMClassifier(theta=0.0), "theta=0.0 must be a finite number above 0"),
        (GEMClassifier(n_directions=0), "n_directions=0 must be a whole number"),
        (GEMClassifier(n_members=0), "n_members=0 must be a whole number of at least 1"),
        (GEMClassifier(n_members=2), "Use pairs='hypercube', or one member"),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_value_and_rule(classifier, message):
    with pytest.raises(ValueError, match=message):
        classifier.fit(X, Y)


@each_classifier
def test_labels_of_one_class_are_refused(classifier):
    with pytest.raises(ValueError, match="The labels hold only one class"):
        classifier.fit(X, np.zeros(len(X)))


def test_too_few_steps_are_told_by_a_convergence_warning():
    with pytest.warns(ConvergenceWarning, match="failed to converge"):
        GEMClassifier(max_iter=2).fit(X, Y)


# ------------------------------------------------------------------ the figures to reach


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_digits_are_read_as_well_as_resolved_from_the_paper():
    raw, random, features = ("logistic regression, raw", "random directions", "GEM")
    errors = {
        k: error for k, (error, _) in experiment.compare(only=(raw, random, features)).items()
    }
    assert errors[features] <= 2.0
    assert errors[features] <= errors[raw] - 1.5
    assert errors[features] <= errors[random] - 0.4


@pytest.mark.slow
def test_over_a_few_splits_an_ensemble_has_a_lower_cross_entropy_than_every_member():
    rows, labels = load_digits(return_X_y=True)
    own, together = np.zeros(5), 0.0
    for split in range(4):
        parts = train_test_split(rows, labels, test_size=0.3, stratify=labels, random_state=split)
        train, held_out, y_seen, y_unseen = parts
        model = GEMClassifier(pairs="hypercube", n_members=5, gamma=0.5, random_state=split).fit(
            train, y_seen
        )
        own += [log_loss(y_unseen, member.predict_proba(held_out)) for member in model.members_]
        together += log_loss(y_unseen, model.predict_proba(held_out))
    assert together < own.min()


IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", GEM_PREDICTORS)
def test_every_predictor_learns_few_classes(name):
    X, y = IRIS
    names = np.array(["a", "b", "c"])[y]
    model = GEM_PREDICTORS[name].estimator(names).fit(X[::2], names[::2])
    assert np.mean(model.predict(X[1::2]) == names[1::2]) > 0.9


@pytest.mark.slow
def test_of_many_classes_no_pair_is_solved():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 8)
    X = 4.0 * rng.normal(size=(60, 6))[y] + rng.normal(size=(480, 6))
    model = GEM_PREDICTORS["gem"].estimator(y).fit(X[::2], y[::2])
    assert len(model["gem"].directions_) <= 4 * 8 * 7 < 60 * 59
    assert np.mean(model.predict(X[1::2]) == y[1::2]) > 0.5  # guessing gives 1/60


def test_of_numbers_sizes_of_projections_are_found():
    X = np.random.default_rng(0).normal(size=(400, 5))
    y = np.abs(X[:, 0] - X[:, 1])
    model = GEM_PREDICTORS["gem"].estimator(y).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.8  # where a line explains nothing


@pytest.mark.parametrize("labels", [np.linspace(0.0, 1.0, 9), np.arange(51)])
def test_what_a_predictor_cannot_learn_is_refused_with_the_way_out(labels):
    with pytest.raises(UserError, match="Choose gem"):
        GEM_PREDICTORS["gem_deep"].estimator(labels)

from __future__ import annotations

import itertools

import numpy as np
import pytest

from melm_core import MELM, KernelDensityClassifier
from melm_core.density.class_densities import ClassDensities
from melm_core.density.classifier import class_thresholds, density_shares, log_mean_density
from melm_core.density.kernel_density import kernel_classes
from tests.melm_core.helpers import classes


@pytest.mark.parametrize("shrinkage", [0.0, 0.3])
@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_on_a_projection_it_has_the_densities_of_the_search(gamma, shrinkage):
    X, y = classes(3, 5)
    names = np.array(["ant", "bee", "cow"])[y]
    melm = MELM(n_init=1, density_gamma=gamma, shrinkage=shrinkage, random_state=0)
    melm.fit(X, names)
    Z = melm.transform(X)
    classifier = KernelDensityClassifier(gamma, shrinkage=shrinkage).fit(Z, names)
    densities = melm.projected_classes_
    logs = densities.log_densities(Z)
    np.testing.assert_array_equal(classifier.predict(Z), melm.classes_[densities.most_likely(Z)])
    np.testing.assert_allclose(classifier.predict_proba(Z), density_shares(logs), atol=1e-9)
    np.testing.assert_allclose(classifier.score_samples(Z), log_mean_density(logs), rtol=1e-9)


def test_the_shares_sum_to_one_near_and_far():
    X, y = classes(3, 2)
    classifier = KernelDensityClassifier().fit(X, y)
    for points in (X, 1e3 * X):
        shares = classifier.predict_proba(points)
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_array_equal(classifier.predict(points), shares.argmax(axis=1))


def test_shares_and_mean_are_those_of_the_densities():
    densities = np.array([[1.0, 3.0], [0.25, 0.75]])
    logs = np.log(densities)
    np.testing.assert_allclose(density_shares(logs), [[0.25, 0.75], [0.25, 0.75]])
    np.testing.assert_allclose(np.exp(log_mean_density(logs)), [2.0, 0.5])


def test_repeating_the_rows_of_a_class_does_not_favour_it():
    X, y = classes(2, 2)
    prepared = kernel_classes(X, y, n_components=2)
    more = ClassDensities(
        (np.tile(prepared.rows[0], (5, 1)), prepared.rows[1]), prepared.covariances
    )
    np.testing.assert_allclose(more.log_densities(X), prepared.log_densities(X), rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_class_changes_exactly_at_the_thresholds(seed):
    X, y = classes(3, 1, seed)
    prepared = kernel_classes(X, y, n_components=1)
    thresholds = class_thresholds(prepared)

    def best(points):
        return prepared.log_densities(np.asarray(points)[:, None]).argmax(axis=1)

    assert len(thresholds) > 0
    assert (np.diff(thresholds) > 0).all()
    assert (best(thresholds - 1e-7) != best(thresholds + 1e-7)).all()
    edges = [X.min() - 1.0, *thresholds, X.max() + 1.0]
    for left, right in itertools.pairwise(edges):
        inside = np.linspace(left, right, 41)[1:-1]
        assert len(set(best(inside))) == 1


def test_two_equal_classes_apart_meet_half_way():
    rows = np.random.default_rng(0).normal(size=(40, 1))
    rows = np.vstack([rows, -rows])
    kernels = np.full((2, 1, 1), 0.2)
    thresholds = class_thresholds(ClassDensities((rows - 5.0, rows + 5.0), kernels))
    np.testing.assert_allclose(thresholds, [0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "labels", "message"),
    [
        ({"gamma": -1.0}, [0, 0, 1, 1], "gamma=-1.0 must be a finite number above 0"),
        ({"shrinkage": 2.0}, [0, 0, 1, 1], "shrinkage=2.0 must be a number from 0 to 1"),
        ({}, [0, 0, 0, 0], "only one class"),
        ({}, [0, 0, 0, 1], "Class 1 has 1 row"),
    ],
)
def test_what_cannot_be_fitted_is_refused(parameters, labels, message):
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(ValueError, match=message):
        KernelDensityClassifier(**parameters).fit(X, labels)


def test_equal_classes_have_no_threshold_by_rounding():
    rows = np.tile([[0.0], [1.0], [2.0], [0.0]], (2, 1))
    X, y = np.vstack([rows, rows]), np.repeat([0, 1], len(rows))
    classes = kernel_classes(X, y, n_components=1, gamma=1.0).project(np.eye(1))
    assert np.isfinite(class_thresholds(classes)).all()

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from lab.experiments.naive_bayes import KernelNaiveBayes

STREAM = np.random.default_rng(0)
X = STREAM.normal(size=(30, 2)) * (1.0, 5.0)
Y = np.repeat([0, 1], [10, 20])


def by_hand(point, rows):
    product = 1.0
    for x, centers in zip(point, rows.T, strict=True):
        deviation = np.median(np.abs(centers - np.median(centers))) / 0.6745
        width = deviation * (4 / (3 * len(centers))) ** 0.2
        product *= norm.pdf(x, centers, width).mean()
    return product


@pytest.mark.parametrize("has_uniform_priors", [True, False])
def test_posteriors_follow_from_the_densities_of_the_features(has_uniform_priors):
    priors = (0.5, 0.5) if has_uniform_priors else (1 / 3, 2 / 3)
    model = KernelNaiveBayes(has_uniform_priors=has_uniform_priors).fit(X, Y)
    classes = [X[c == Y] for c in (0, 1)]
    joint = np.array(
        [[p * by_hand(x, rows) for p, rows in zip(priors, classes, strict=True)] for x in X]
    )
    np.testing.assert_allclose(
        model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-9
    )


def test_far_points_and_constant_features_have_posteriors():
    constant = np.column_stack([X, np.zeros(len(X))])
    model = KernelNaiveBayes(has_uniform_priors=True).fit(constant, Y)
    posteriors = model.predict_proba(np.array([[1e6, -1e6, 3.0]]))
    assert posteriors.sum() == pytest.approx(1.0)

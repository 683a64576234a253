"""A feature that is constant within the classes and differs between them is never dropped."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM, DiscriminantPlane
from melm_core.methods import METHODS

# Their second axis is not that of the second largest distance between the means.
SMALLER_WEIGHTS = {"hlda": 0.8, "plsda": 0.8}
SUPERVISED = [key for key, method in METHODS.items() if method.uses_labels and method.is_linear]


def with_a_perfect_feature(n_classes: int, column: int = 4):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(n_classes), 160 // n_classes))
    X = rng.standard_normal((len(y), 8))
    X[:, 1] += y
    X[:, column] = 2.0 * y - 3.0
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def weights(components):
    """Length of each feature's loadings in the plane, at most 1."""
    return np.linalg.norm(components, axis=0)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("key", SUPERVISED)
def test_it_has_the_largest_weight_in_the_plane(key, n_classes):
    X, y = with_a_perfect_feature(n_classes)
    parameters = {"n_components": 2, "random_state": 0, "n_init": 4}
    found = weights(METHODS[key].estimator(parameters).fit(X, y).components_)
    assert found.argmax() == 4
    assert found[4] > SMALLER_WEIGHTS.get(key, 0.9), "SMALLER_WEIGHTS is for such second axes"


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, "auto", "ledoit-wolf"])
@pytest.mark.parametrize("estimator", [MELM(n_init=4, random_state=0), DiscriminantPlane()])
def test_whatever_the_covariances_are_shrunk_to(estimator, shrinkage):
    X, y = with_a_perfect_feature(2)
    fitted = estimator.set_params(shrinkage=shrinkage).fit(X, y)
    assert weights(fitted.components_).argmax() == 4

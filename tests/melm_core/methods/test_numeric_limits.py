"""Methods on data far from the origin, in other precisions and memory orders, huge and tiny."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from melm_core.base import UserError, check_magnitudes
from melm_core.linalg import principal_angles
from melm_core.methods import METHODS

LINEAR = [key for key, method in METHODS.items() if method.is_linear]
FAST = [key for key in LINEAR if key not in ("melm", "rotations")]


def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def fitted(key: str, X, y):
    parameters = {"n_components": 2, "random_state": 0, "n_init": 2}
    return METHODS[key].estimator(parameters).fit(X, y)


@pytest.mark.parametrize("key", [key for key in FAST if key != "ica"])
def test_a_plane_does_not_depend_on_where_the_origin_is(key):
    X, y = wine()
    X = np.round(X * 1024) / 1024  # exact also beside the offset
    here, away = fitted(key, X, y).components_, fitted(key, X + 2.0**27, y).components_
    assert principal_angles(here, away)[-1] < 1e-3


@pytest.mark.parametrize("key", FAST)
@pytest.mark.parametrize("changed", [np.asfortranarray, np.float32], ids=["order", "precision"])
def test_the_signs_of_components_are_those_of_their_plane(key, changed):
    X, y = wine()
    components, again = fitted(key, X, y).components_, fitted(key, changed(X), y).components_
    np.testing.assert_array_less(0.0, np.sum(components * again, axis=1))


@pytest.mark.parametrize("key", LINEAR)
@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_values_that_cannot_be_squared_are_refused_in_a_sentence_or_fitted(key, scale):
    X, y = wine()
    refusal, components = "scale the features", np.eye(2)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn squares variances
            components = fitted(key, X * scale, y).components_
    except UserError as error:
        refusal = str(error)
    assert "scale the features" in refusal
    np.testing.assert_allclose(components @ components.T, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("scale", [1e140, 1e-140])
def test_values_within_the_limits_are_accepted(scale):
    check_magnitudes(np.array([[0.0, 1.0], [1.0, 1.0]]) * scale)

"""The predictors of GEM take few classes, many, or numbers, or say why not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core.base import UserError
from melm_core.gem import GEM_PREDICTORS

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", GEM_PREDICTORS)
def test_every_predictor_learns_few_classes(name):
    X, y = IRIS
    names = np.array(["a", "b", "c"])[y]
    model = GEM_PREDICTORS[name].estimator(names).fit(X[::2], names[::2])
    assert np.mean(model.predict(X[1::2]) == names[1::2]) > 0.9


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

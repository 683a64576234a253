from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import PCA

from melm_core import MELM, DiscriminantPlane
from melm_core.datasets import load_sample
from melm_core.methods import METHODS
from melm_core.parameters import GAMMA, HELD_OUT, SEED, STARTS
from melm_core.preparation import guess_label, prepare
from tests.melm_core.helpers import assert_orthonormal, classes

PARAMETERS = {"n_components": 2, "gamma": 1.0, "n_init": 2, "random_state": 0, "held_out": 25.0}
ESTIMATORS = {"melm": MELM, "pca": PCA, "lda": DiscriminantPlane}


def sample(key: str):
    table = load_sample(key)
    data = prepare(table, guess_label(table))
    if key != "digits":
        return data
    few = np.flatnonzero(data.y < 4)[:160]
    return replace(data, X=data.X[few], y=data.y[few])


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("key", ["iris", "wine", "digits"])
def test_every_method_finds_a_plane_in_every_sample(method, key):
    data = sample(key)
    estimator = method.estimator(PARAMETERS).fit(data.X, data.y)
    assert estimator.components_.shape == (2, data.X.shape[1])
    assert_orthonormal(estimator.components_)


def test_the_methods_are_listed_under_their_keys():
    assert {key: method.key for key, method in METHODS.items()} == {key: key for key in ESTIMATORS}


@pytest.mark.parametrize("key", METHODS)
def test_a_method_makes_its_estimator_and_passes_what_it_knows(key):
    method = METHODS[key]
    estimator = method.estimator(PARAMETERS | {"n_components": 3})
    assert type(estimator) is ESTIMATORS[key]
    arguments = estimator.get_params()
    assert arguments["n_components"] == 3
    for parameter in method.parameters:
        assert arguments[parameter.name] == PARAMETERS[parameter.name]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_parameter_that_is_left_out_takes_the_default_of_the_estimator(method):
    arguments = method.estimator({}).get_params()
    defaults = ESTIMATORS[method.key]().get_params()
    assert arguments == defaults


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_only_methods_that_stream_call_back(method):
    calls = []
    X, y = classes(2, 4)
    method.estimator(PARAMETERS, callback=calls.append).fit(X, y)
    assert bool(calls) == method.streams


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_method_takes_exactly_its_parameters(method):
    for parameter in (GAMMA, STARTS, SEED, HELD_OUT):
        assert method.takes(parameter.name) == (parameter in method.parameters)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_says_in_a_sentence_what_it_does(method):
    assert method.label
    assert method.paper
    assert method.explanation.endswith(".")


@pytest.mark.parametrize("parameter", [GAMMA, STARTS, SEED, HELD_OUT], ids=lambda p: p.name)
def test_the_default_and_the_bounds_of_a_parameter_are_allowed(parameter):
    for value in (parameter.default, parameter.minimum, parameter.maximum):
        assert parameter.checked(value) == value


def test_whole_numbers_come_back_as_whole_numbers():
    for value in (7, 7.0, np.int64(7), np.float64(7)):
        assert type(STARTS.checked(value)) is int
    assert type(GAMMA.checked(2)) is float


@pytest.mark.parametrize(
    ("parameter", "value", "sentence"),
    [
        (GAMMA, 0.01, "Kernel width γ must be a number from 0.1 to 10; it is 0.01."),
        (GAMMA, float("nan"), "Kernel width γ must be a number from 0.1 to 10; it is nan."),
        (GAMMA, "2", "Kernel width γ must be a number from 0.1 to 10; it is '2'."),
        (GAMMA, None, "Kernel width γ must be a number from 0.1 to 10; it is empty."),
        (STARTS, "", "Starts must be a whole number from 1 to 500; it is empty."),
        (STARTS, 0, "Starts must be a whole number from 1 to 500; it is 0."),
        (STARTS, 501, "Starts must be a whole number from 1 to 500; it is 501."),
        (STARTS, 2.7, "Starts must be a whole number from 1 to 500; it is 2.7."),
        (STARTS, True, "Starts must be a whole number from 1 to 500; it is True."),
        (SEED, -1, "Seed must be a whole number from 0 to 2 147 483 647; it is -1."),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_its_rule(parameter, value, sentence):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        parameter.checked(value)
    assert str(error.value) == sentence

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from melm_core.methods import METHODS
from melm_core.methods.method import GAMMA, HELD_OUT, SEED, STARTS, Choice
from melm_studio.runs.execution.rows import embedded
from melm_studio.tables.preparation import guess_label, prepare
from melm_studio.tables.samples import load_sample
from tests.melm_core.helpers import EVERY_METHOD, assert_orthonormal, classes

PARAMETERS = {"n_components": 2, "gamma": 1.0, "n_init": 2, "random_state": 0, "held_out": 25.0}
EVERY = pytest.mark.parametrize("method", EVERY_METHOD, ids=METHODS)


@cache
def sample(key: str):
    table = load_sample(key)
    data = prepare(table, guess_label(table))
    if key != "digits":
        return data
    few = np.flatnonzero(data.y < 4)[:160]
    return replace(data, X=data.X[few], y=data.y[few])


def refusal(method, X, y, n_components=2):
    counts = {f"class {code}": count for code, count in enumerate(np.bincount(y).tolist())}
    return method.refusal(X.shape[1], counts, n_components)


def table_of(X, y):
    """Return rows and class codes as data, all features named."""
    data = sample("iris")
    return replace(
        data,
        X=np.asarray(X, dtype=np.float64),
        y=np.asarray(y),
        class_names=tuple(f"class {code}" for code in range(int(np.max(y)) + 1)),
        feature_names=tuple(f"x{index}" for index in range(np.shape(X)[1])),
    )


@EVERY
@pytest.mark.parametrize(
    "key", ["wine", *(pytest.param(key, marks=pytest.mark.slow) for key in ("iris", "digits"))]
)
def test_every_method_gives_a_picture_of_every_sample(method, key):
    data = sample(key)
    estimator = method.estimator(PARAMETERS).fit(data.X, data.y)
    projected = estimator.transform(data.X)
    assert projected.shape == (len(data.y), 2)
    assert np.isfinite(projected).all()
    assert np.ptp(projected, axis=0).min() > 0
    assert hasattr(estimator, "components_") == method.is_linear
    if method.is_linear:
        assert estimator.components_.shape == (2, data.X.shape[1])
        assert_orthonormal(estimator.components_)


def awkward():
    """Return tables at which methods stumble, by name."""
    rng = np.random.default_rng(0)
    X, y = classes(2, 4)
    constant = np.column_stack([X, np.full(len(X), 3.0), X[:, :2] @ [1.0, -2.0]])
    return {
        "two classes": (X, y),
        "constant and collinear columns": (constant, y),
        "more features than rows": (rng.normal(size=(20, 30)), np.arange(20) % 2),
        "two features": (X[:, :2], y),
        "repeated rows": (np.repeat(X[::10], 5, axis=0), np.repeat(y[::10], 5)),
    }


@EVERY
@pytest.mark.parametrize("kind", awkward())
def test_every_method_gives_a_plane_or_says_why_not(method, kind):
    X, y = awkward()[kind]
    assert refusal(method, X, y) is None
    try:
        estimator = method.estimator(PARAMETERS).fit(X, y)
    except ValueError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert len(sentence) > 40
    else:
        assert np.isfinite(estimator.transform(X)).all()


@EVERY
def test_a_method_is_listed_under_its_key_and_makes_the_estimator_it_says(method):
    assert METHODS[method.key] is method
    arguments = method.estimator(PARAMETERS | {"n_components": 3}).get_params()
    assert arguments["n_components"] == 3
    for setting in method.parameters:
        if setting.name in PARAMETERS:
            assert arguments[setting.name] == PARAMETERS[setting.name]


@EVERY
def test_the_default_of_a_setting_is_what_the_estimator_does_without_it(method):
    bare = method.estimator({}).get_params()
    defaults = {setting.name: setting.default for setting in method.parameters}
    # It has no effect without a nuisance, which the page passes only where the weight is above 0.
    defaults.pop("nuisance_weight", None)
    told = method.estimator(
        {name: value for name, value in defaults.items() if name != "random_state"}
    )
    assert told.get_params() == bare


@EVERY
def test_every_option_of_every_setting_is_accepted_by_the_estimator(method):
    X, y = classes(3, 4)
    for setting in method.parameters:
        if isinstance(setting, Choice):
            values = list(setting.options)
        else:
            values = [setting.minimum] + ([setting.maximum] if setting.maximum < 20 else [])
        for value in values:
            method.estimator(PARAMETERS | {setting.name: setting.checked(value)}).fit(X, y)


@EVERY
def test_a_method_refuses_what_it_cannot_work_on_and_says_what_would_help(method):
    X, y = classes(2, 4)
    one_class = refusal(method, X, np.zeros(len(y), dtype=int))
    assert (one_class is None) == (method.requirements.min_classes < 2)
    too_many = refusal(method, X, y, 5)
    assert (too_many is None) == (not method.is_linear)
    for sentence in (one_class, too_many):
        assert sentence is None or sentence.startswith(method.label)
    rows = method.requirements.min_class_rows + 2 * method.requirements.min_class_rows_per_component
    lonely = np.where(np.arange(len(y)) < 1, 2, y)
    assert (refusal(method, X, lonely) is None) == (rows <= 1)


@EVERY
def test_the_picture_of_unseen_rows_is_that_of_the_estimator(method):
    train, held_out = sample("wine").split(0.25, 0)
    drawn = embedded(method, PARAMETERS, train, held_out)
    if method.is_linear:
        assert drawn == (train, held_out)
        return
    estimator = method.estimator(PARAMETERS).fit(train.X, train.y)
    for data, original in zip(drawn, (train, held_out), strict=True):
        np.testing.assert_array_equal(data.X, estimator.transform(original.X))
        np.testing.assert_array_equal(data.y, original.y)
        assert data.feature_names == ()
    nothing = embedded(method, PARAMETERS, *sample("wine").split(0.0, 0))[1]
    assert nothing.X.shape == (0, 2)


@EVERY
def test_only_methods_that_stream_call_back(method):
    calls = []
    X, y = classes(2, 4)
    method.estimator(PARAMETERS, callback=calls.append).fit(X, y)
    assert bool(calls) == method.streams


@EVERY
def test_a_method_takes_exactly_its_parameters(method):
    own = {setting.name for setting in method.parameters}
    for parameter in (GAMMA, STARTS, SEED, HELD_OUT):
        assert method.takes(parameter.name) == (parameter.name in own)


@EVERY
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
        (SEED, -1, "Seed must be a whole number from 0 to 2,147,483,647; it is -1."),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_its_rule(parameter, value, sentence):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        parameter.checked(value)
    assert str(error.value) == sentence

"""Every method, and every other estimator, as a step of scikit-learn's tools."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import melm_core
from melm_core.methods import METHODS
from tests.melm_core.helpers import EVERY_METHOD, classes

EVERY = pytest.mark.parametrize("method", EVERY_METHOD, ids=METHODS)
QUICK = {"n_components": 2, "n_init": 1, "max_iter": 3}
X, y = classes(2, 4)
X = X - X.min()  # not negative, which one of the methods needs
COLUMNS = ["length", "width", "depth", "weight"]
OTHERS = sorted(
    name
    for name in melm_core.__all__
    if hasattr(getattr(melm_core, name), "fit") and hasattr(getattr(melm_core, name), "get_params")
)


def quick(method):
    """Return an estimator that takes few starts and steps, where it takes any."""
    estimator = method.estimator({"n_components": 2})
    names = QUICK.keys() & estimator.get_params().keys()
    names -= {"max_iter"} if method.key == "tsne" else set()  # it takes 250 or more
    return estimator.set_params(**{name: QUICK[name] for name in names})


@EVERY
def test_pandas_output_names_its_columns_and_keeps_the_index(method):
    table = pd.DataFrame(X, columns=COLUMNS, index=np.arange(len(X)) + 100)
    estimator = quick(method).set_output(transform="pandas").fit(table, y)
    coordinates = estimator.transform(table)
    assert list(coordinates.columns) == list(estimator.get_feature_names_out())
    assert list(coordinates.index) == list(table.index)


@EVERY
def test_a_clone_has_the_parameters_and_nothing_of_the_fit(method):
    estimator = quick(method).fit(X, y)
    twin = clone(estimator)
    assert str(twin.get_params()) == str(estimator.get_params())
    assert [name for name in vars(twin) if name.endswith("_") and not name.startswith("_")] == []


@EVERY
def test_a_pipeline_classifies_in_the_plane(method):
    pipeline = make_pipeline(quick(method), StandardScaler(), KNeighborsClassifier(5))
    assert pipeline.fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize(
    "method",
    [method for method in METHODS.values() if method.takes("gamma")],
    ids=attrgetter("key"),
)
def test_a_grid_search_chooses_among_kernel_widths(method):
    pipeline = make_pipeline(StandardScaler(), quick(method), KNeighborsClassifier(5))
    name = pipeline.steps[1][0]
    search = GridSearchCV(pipeline, {f"{name}__gamma": [0.5, 2.0]}, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_[f"{name}__gamma"] in (0.5, 2.0)


@pytest.mark.parametrize("name", OTHERS)
def test_the_parameters_of_an_estimator_are_kept_as_they_were_given(name):
    kind = getattr(melm_core, name)
    try:
        estimator = kind()
    except TypeError:
        pytest.skip("has a parameter without a default")
    for parameter, value in estimator.get_params(deep=False).items():
        twin = clone(estimator.set_params(**{parameter: value}))
        assert str(twin.get_params()[parameter]) == str(value)

"""Every method as a step of scikit-learn's tools."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core.methods import METHODS
from tests.melm_core.helpers import EVERY_METHOD, classes

EVERY = pytest.mark.parametrize("method", EVERY_METHOD, ids=METHODS)
QUICK = {"n_components": 2, "n_init": 1, "max_iter": 3}
X, y = classes(2, 4)
X = X - X.min()  # not negative, which one of the methods needs


def quick(method):
    """Return an estimator that takes few starts and steps, where it takes any."""
    estimator = method.estimator({"n_components": 2})
    names = QUICK.keys() & estimator.get_params().keys()
    names -= {"max_iter"} if method.key == "tsne" else set()  # it takes 250 or more
    return estimator.set_params(**{name: QUICK[name] for name in names})


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

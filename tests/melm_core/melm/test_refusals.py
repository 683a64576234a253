"""What MELM refuses, by value and rule."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM
from melm_core.melm import SearchOptions
from tests.melm_core.helpers import classes

X4, Y2 = classes(2, 4)
WITH_NAN = np.where(np.arange(4) == 2, np.nan, X4)
ONE_ALONE = np.where(np.arange(len(Y2)) == 5, "rare", np.where(Y2 == 0, "ant", "bee"))


def searching(**options):
    return {"search": SearchOptions(**options)}


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"n_components": 5}, X4, Y2, r"n_components=5 exceeds the 4 feature\(s\) of the data"),
        ({"n_components": 0}, X4, Y2, "n_components=0 must be a whole number of at least 1"),
        ({"n_components": 1.5}, X4, Y2, "n_components=1.5 must be a whole number of at least 1"),
        ({"gamma": 0}, X4, Y2, "gamma=0 must be a finite number above 0"),
        ({"gamma": -1.0}, X4, Y2, "gamma=-1.0 must be a finite number above 0"),
        ({"gamma": np.inf}, X4, Y2, "gamma=inf must be a finite number above 0"),
        ({"gamma": "1"}, X4, Y2, "gamma='1' must be a finite number above 0"),
        ({"n_init": 0}, X4, Y2, "n_init=0 must be a whole number of at least 1"),
        (
            searching(solver="adam"),
            X4,
            Y2,
            "solver='adam' must be one of 'lbfgs', 'penalty'",
        ),
        (
            searching(engine="fast"),
            X4,
            Y2,
            "engine='fast' must be one of 'auto', 'direct', 'nufft'",
        ),
        ({"multiclass": "all"}, X4, Y2, "multiclass='all' must be one of 'mean', 'softmin'"),
        (
            searching(continuation=(2.0, 0.0)),
            X4,
            Y2,
            "continuation=0.0 must be a finite number above 0",
        ),
        (
            searching(continuation=(1.7, 3.0)),
            X4,
            Y2,
            "must decrease and stay above 1",
        ),
        ({"search": "fast"}, X4, Y2, "search='fast' must be None or SearchOptions"),
        (
            searching(continuation=(2.0, 0.5)),
            X4,
            Y2,
            "must decrease and stay above 1",
        ),
        (searching(max_iter=0), X4, Y2, "max_iter=0 must be a whole number of at least 1"),
        (searching(tol=0.0), X4, Y2, "tol=0.0 must be a finite number above 0"),
        ({"shrinkage": 2}, X4, Y2, 'shrinkage=2 must be a number from 0 to 1, or "auto"'),
        ({"shrinkage": np.nan}, X4, Y2, 'shrinkage=nan must be a number from 0 to 1, or "auto"'),
        ({"shrinkage": "some"}, X4, Y2, "shrinkage='some' must be a number from 0 to 1"),
        ({}, X4, np.zeros(len(X4)), "The labels hold only one class"),
        ({}, X4, ONE_ALONE, "'rare'.* has 1 row; a density needs at least 2 rows of every class"),
        ({}, WITH_NAN, Y2, "contains NaN"),
        ({}, np.ones((10, 3)), np.arange(10) % 2, r"The classes vary along 0 direction\(s\) only"),
        ({}, np.outer(X4[:, 0], [1, 2, 3]), Y2, r"The classes vary along 1 direction\(s\) only"),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_value_and_rule(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        MELM(**parameters).fit(X, y)

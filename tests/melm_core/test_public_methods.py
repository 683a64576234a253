"""Every public method of every estimator checks the rows that it is given, in the same way."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import melm_core
from melm_core.base.validated_data import allows_nan

FRAME, LABELS = load_iris(return_X_y=True, as_frame=True)
ROWS = np.r_[0:12, 50:62, 100:112]
FRAME, LABELS = FRAME.iloc[ROWS], LABELS.to_numpy()[ROWS]
QUICK = {"n_init": 1, "max_iter": 100, "n_starts": 1, "n_estimators": 2, "n_refits": 2, "cv": 2}
# They are made of another estimator, which is fitted already.
OTHERS = {"ApproximateKernelClassifier", "KernelMachineApproximation"}


def estimators():
    for name in melm_core.__all__:
        found = getattr(melm_core, name)
        if inspect.isclass(found) and issubclass(found, BaseEstimator) and name not in OTHERS:
            yield found


def methods():
    for kind in estimators():
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            parameters = [*inspect.signature(method).parameters][1:2]
            if parameters == ["X"] and not name.startswith(("_", "fit", "partial_fit")):
                yield pytest.param(kind, name, id=f"{kind.__name__}.{name}")


FITTED: dict[type, object] = {}


def of(kind):
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in QUICK.items() if name in known})


def fitted(kind):
    if kind not in FITTED:
        FITTED[kind] = of(kind).fit(FRAME, LABELS)
    return FITTED[kind]


def answer(estimator, method, X):
    function = getattr(estimator, method)
    takes_labels = "y" in inspect.signature(function).parameters
    return function(X, LABELS) if takes_labels else function(X)


@pytest.mark.parametrize(("kind", "method"), [*methods()])
def test_rows_are_checked(kind, method):
    with pytest.raises(NotFittedError):
        answer(of(kind), method, FRAME)
    estimator = fitted(kind)
    answer(estimator, method, FRAME)
    with pytest.raises(ValueError, match=r"[Ff]eature names|features"):
        answer(estimator, method, FRAME.iloc[:, :1])
    with pytest.raises(ValueError, match=r"[Ff]eature names"):
        answer(estimator, method, FRAME[FRAME.columns[::-1]])
    gaps = FRAME.copy()
    gaps.iloc[0, 0] = np.nan
    if not allows_nan(estimator):
        with pytest.raises(ValueError, match="NaN"):
            answer(estimator, method, gaps)


@pytest.mark.parametrize("kind", [*estimators()], ids=lambda kind: kind.__name__)
def test_values_that_fit_refuses_are_refused_later_too(kind):
    huge = FRAME * 1e200
    with pytest.raises(ValueError, match="too large"):
        of(kind).fit(huge, LABELS)
    for _, method in (one.values for one in methods() if one.values[0] is kind):
        with pytest.raises(ValueError, match="too large"):
            answer(fitted(kind), method, huge)

"""Starts climb in other processes, or on other machines, with the same outcome and reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris

from melm_core import MELM

X, Y = load_iris(return_X_y=True)


@contextmanager
def other_processes() -> Iterator[None]:
    with parallel_config("loky", n_jobs=2):
        yield


@contextmanager
def dask() -> Iterator[None]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=False
    )
    with cluster, distributed.Client(cluster) as client, parallel_config("dask"):
        yield
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))


def fitted(stop_at=None):
    steps = []

    def note(progress):
        steps.append(
            (progress.stage, progress.objective, progress.best_objective, progress.n_evaluations)
        )
        return len(steps) == stop_at

    return MELM(n_init=4, random_state=0, callback=note).fit(X, Y), steps


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [other_processes, dask])
def test_a_fit_elsewhere_is_the_fit_here_step_by_step(elsewhere):
    here, steps_here = fitted()
    with elsewhere():
        there, steps_there = fitted()
    np.testing.assert_array_equal(there.components_, here.components_)
    assert steps_there == steps_here


@pytest.mark.slow
def test_a_fit_elsewhere_stops_when_told_to():
    with other_processes():
        stopped, steps = fitted(stop_at=2)
    assert len(steps) == 2
    assert stopped.components_.shape == (2, 4)

"""Starts optimized in other processes or on other machines: same outcome, same reports."""

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
        # Starts advance together, so how many evaluations precede a step is no part of it.
        steps.append((progress.stage, progress.objective, progress.best_objective))
        return len(steps) == stop_at

    return MELM(n_init=4, random_state=0, callback=note).fit(X, Y), steps


@pytest.mark.slow
@pytest.mark.parametrize("cluster_of_workers", [other_processes, dask])
def test_a_remote_fit_equals_the_local_fit_step_by_step(cluster_of_workers):
    local, steps_local = fitted()
    with cluster_of_workers():
        remote, steps_remote = fitted()
    np.testing.assert_array_equal(remote.components_, local.components_)
    assert steps_remote == steps_local
    assert remote.n_evaluations_ == local.n_evaluations_


@pytest.mark.slow
def test_a_remote_fit_stops_on_request():
    with other_processes():
        stopped, steps = fitted(stop_at=2)
    assert len(steps) == 2
    assert stopped.components_.shape == (2, 4)

"""Kernel machines and their approximations: evaluation and fitting times."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from lab.benchmarks.table import Measurement
from melm_core.base import FloatArray, IntArray
from melm_core.baselines import KernelFisherDiscriminant
from melm_core.datasets import crescents
from melm_core.kernel_machines import (
    ApproximationWarning,
    KernelMachine,
    KernelMachineApproximation,
    measured_speed_up,
)

_FEW, _MANY = 3_000, 30_000
_N_TEST = 2_500  # rows of each class
_BANDWIDTH = 0.2


def approximation_of_kernel_machines(repeats: int) -> list[Measurement]:
    """Evaluation time relative to the approximation, seconds of the fit, and AUC lost."""
    X, y = crescents(1, n_rows_per_class=_N_TEST)
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)
        for name, machine in _machines():
            rows += _measurements(name, machine, X, y, repeats)
    return rows


def _measurements(
    name: str, machine: KernelMachine, X: FloatArray, y: IntArray, repeats: int
) -> list[Measurement]:
    began = time.perf_counter()
    approximation = KernelMachineApproximation(machine)
    seconds = time.perf_counter() - began
    ratios = tuple(measured_speed_up(machine, approximation, X, repeats=3) for _ in range(repeats))
    lost = _auc(machine, X, y) - _auc(approximation, X, y)
    print(f"{name}: {approximation.describe_cost()}")
    return [
        Measurement(f"machine / approximation, evaluation, {name}", "", ratios),
        Measurement(f"fit of the approximation, {name}", "s", (seconds,)),
        Measurement(f"AUC lost, {name}", "", (lost,)),
    ]


def _auc(model: KernelMachine | KernelMachineApproximation, X: FloatArray, y: IntArray) -> float:
    return float(roc_auc_score(y, model.decision_function(X)))


def _machines() -> Iterator[tuple[str, KernelMachine]]:
    for n_centers in (_FEW, _MANY):
        X, y = crescents(0, n_rows_per_class=n_centers // 2)
        weights = np.where(y == 1, 1.0, -1.0) / len(y)
        yield f"densities, {n_centers} centers", KernelMachine(X, weights, _BANDWIDTH)
    X, y = crescents(0, n_rows_per_class=_FEW // 2)
    fisher = KernelFisherDiscriminant(bandwidth=_BANDWIDTH, regularization=0.03, max_rows=_FEW).fit(
        X, y
    )
    yield f"kernel Fisher, {_FEW} centers", KernelMachine.from_estimator(fisher)
    X, y = crescents(0, noise=0.15)
    svc = SVC(gamma=0.5 / _BANDWIDTH**2).fit(X, y)
    machine = KernelMachine.from_estimator(svc)
    yield f"sparse SVC, {len(machine.centers)} centers", machine

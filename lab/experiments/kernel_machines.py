"""Accuracy of approximations of kernel machines, on crescents, breast cancer and ionosphere.

The data sets of Figures 2 and 3 of the maximum entropy approximation paper.
The columns are the machine itself, the paper's approximation, the approximation
with exact moments, the same with refitted amplitudes, that with axes of the least
divergence, and reduced sets (k-means
centers and least-squares weights) with as many and with three times as many terms.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from melm_core.base import FloatArray, IntArray
from melm_core.baselines import KernelFisherDiscriminant, MutualInformationProjection
from melm_core.datasets import crescents
from melm_core.kernel_machines import (
    ApproximationWarning,
    KernelMachine,
    KernelMachineApproximation,
    reduced_set,
)

Score = tuple[float, float]  # AUC, relative error of the decision values
Split = tuple[FloatArray, IntArray, FloatArray, IntArray]
Fit = Callable[[FloatArray, IntArray, float], KernelMachine]

APPROXIMATIONS: Mapping[str, Mapping[str, Any]] = {
    "paper": {"method": "paper", "refit": False},
    "exact": {"method": "exact", "refit": False},
    "exact + refit": {"method": "exact", "refit": True},
    "least divergence": {"method": "exact", "refit": True, "axes": "divergence"},
}
COLUMNS = ("original", *APPROXIMATIONS, "reduced set", "reduced set x 3")

_CRESCENT_BANDWIDTH = 0.35
_N_TEST = 500
_N_SEEDS, _N_QUICK_SEEDS = 10, 2
_N_FOLDS, _N_QUICK_FOLDS = 5, 2
CRESCENTS = "crescents"
_FILES = {"breast cancer": "breast-cancer_raw.csv", "ionosphere": "ionosphere_raw.csv"}
_LABELS = ("label", "sample_id")


def compare(
    data: Path, *, quick: bool = False, only: Collection[str] | None = None, seed: int = 0
) -> Mapping[tuple[str, str], Mapping[str, Score]]:
    """Print and return the held-out AUC and relative error of every approximation.

    Data sets whose file is missing are skipped with a message.
    """
    table = {}
    print("Held-out AUC (relative error of the decision values), means over the splits.")
    print(f"{'':34}" + "".join(f"{column:>18}" for column in COLUMNS))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)
        for name in (CRESCENTS, *_FILES):
            if only and name not in only:
                continue
            parts = list(splits(name, data, quick, seed))
            for machine, fit in MACHINES.items() if parts else ():
                table[name, machine] = _row(f"{name}, {machine}", fit, parts)
    return table


def _row(title: str, fit: Fit, splits: list[Split]) -> Mapping[str, Score]:
    results = [_scores(fit, split) for split in splits]
    means = {
        column: tuple(np.mean([result[column] for result in results], axis=0)) for column in COLUMNS
    }
    cells = "".join(f"{f'{auc:.4f} ({error:.3f})':>18}" for auc, error in means.values())
    print(f"{title:34}{cells}", flush=True)
    return means


def _scores(fit: Fit, split: Split) -> Mapping[str, Score]:
    train, y_train, test, y_test = split
    machine = fit(train, y_train, bandwidth_of(train))
    targets = machine.decision_function(test)

    def score(model: Any) -> Score:
        values = model.decision_function(test)
        error = np.linalg.norm(values - targets) / np.linalg.norm(targets)
        return float(roc_auc_score(y_test, values)), float(error)

    scores = {"original": score(machine)}
    for name, parameters in APPROXIMATIONS.items():
        approximation = KernelMachineApproximation(machine, train, **parameters)
        scores[name] = score(approximation)
    n_terms = approximation.n_components
    scores["reduced set"] = score(reduced_set(machine, n_terms, train))
    scores["reduced set x 3"] = score(reduced_set(machine, 3 * n_terms, train))
    return scores


def splits(name: str, data: Path, quick: bool, seed: int) -> Iterator[Split]:
    """Draws of the crescents, or folds of a data set in standard units; none without its file."""
    if name == CRESCENTS:
        for number in range(seed, seed + (_N_QUICK_SEEDS if quick else _N_SEEDS)):
            held_out = crescents(10_000 + number, n_rows_per_class=_N_TEST)
            yield (*crescents(number), *held_out)
        return
    path = data / _FILES[name]
    if not path.exists():
        print(f"{path.name} is not in {data}; skipped.")
        return
    X, y = _read(path)
    folds = StratifiedKFold(_N_QUICK_FOLDS if quick else _N_FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(X, y):
        scaler = StandardScaler().fit(X[train])
        yield scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def _read(path: Path) -> tuple[FloatArray, IntArray]:
    frame = pd.read_csv(path)
    X = frame.drop(columns=[column for column in _LABELS if column in frame]).to_numpy(dtype=float)
    return X, (frame["label"].to_numpy() > 0).astype(np.int64)


def bandwidth_of(X: FloatArray) -> float:
    """The median distance; for the crescents, a width that resolves their shape."""
    return _CRESCENT_BANDWIDTH if X.shape[1] == 2 else float(np.median(pdist(X)))


def _fisher(X: FloatArray, y: IntArray, bandwidth: float) -> KernelMachine:
    model = KernelFisherDiscriminant(bandwidth=bandwidth, regularization=0.03)
    return KernelMachine.from_estimator(model.fit(X, y))


def _least_squares(X: FloatArray, y: IntArray, bandwidth: float) -> KernelMachine:
    model = KernelRidge(alpha=1.0, kernel="rbf", gamma=0.5 / bandwidth**2)
    return KernelMachine.from_estimator(model.fit(X, 2.0 * y - 1.0))


def _mutual_information(X: FloatArray, y: IntArray, bandwidth: float) -> KernelMachine:
    model = MutualInformationProjection(1, bandwidth=bandwidth)
    return KernelMachine.from_estimator(model.fit(X, y))


MACHINES: Mapping[str, Fit] = {
    "kernel Fisher": _fisher,
    "kernel least squares": _least_squares,
    "mutual information": _mutual_information,
}

"""Comparison of the multi-class objectives by the separability of their planes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.melm import AGGREGATES, Multiclass

_FOLDS = 3
_DIGITS_ROWS = 600
_N_GAUSSIANS, _GAUSSIAN_FEATURES, _GAUSSIAN_ROWS = 5, 20, 500


def compare(seed: int = 0) -> None:
    """Print held-out balanced accuracies of class densities and 5-nearest neighbors."""
    names = tuple(AGGREGATES)
    print(f"Held out, {_FOLDS} folds: class densities / 5 neighbors in the plane.")
    print(f"{'data':18}" + "".join(f"{name:>18}" for name in names))
    with threadpool_limits(1):
        for name, X, y in _data(seed):
            cells = [_held_out(X, y, aggregate, seed) for aggregate in names]
            print(f"{name:18}" + "".join(f"{a:11.3f} /{b:5.3f}" for a, b in cells), flush=True)


def _held_out(X: FloatArray, y: IntArray, aggregate: Multiclass, seed: int) -> tuple[float, float]:
    scores = []
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(X, y):
        scaler = StandardScaler().fit(X[train])
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        melm = MELM(multiclass=aggregate, random_state=seed).fit(X_train, y[train])
        neighbors = KNeighborsClassifier().fit(melm.transform(X_train), y[train])
        scores.append(
            (
                balanced_accuracy_score(y[test], melm.predict(X_test)),
                balanced_accuracy_score(y[test], neighbors.predict(melm.transform(X_test))),
            )
        )
    densities, nearest = np.mean(scores, axis=0)
    return float(densities), float(nearest)


def _data(seed: int) -> Iterator[tuple[str, FloatArray, IntArray]]:
    yield ("iris", *load_iris(return_X_y=True))
    yield ("wine", *load_wine(return_X_y=True))
    yield ("five Gaussians", *_gaussians(seed))
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(seed).choice(len(y), _DIGITS_ROWS, replace=False)
    yield "digits, 600 rows", X[rows], y[rows]


def _gaussians(seed: int) -> tuple[FloatArray, IntArray]:
    """Five Gaussians with random means and covariances in twenty dimensions."""
    stream = np.random.default_rng(seed)
    y = np.repeat(np.arange(_N_GAUSSIANS), _GAUSSIAN_ROWS // _N_GAUSSIANS)
    means = 0.7 * stream.standard_normal((_N_GAUSSIANS, _GAUSSIAN_FEATURES))
    shape = (_N_GAUSSIANS, _GAUSSIAN_FEATURES, _GAUSSIAN_FEATURES)
    spreads = stream.standard_normal(shape) / np.sqrt(_GAUSSIAN_FEATURES)
    noise = stream.standard_normal((len(y), _GAUSSIAN_FEATURES))
    return means[y] + np.einsum("nij,nj->ni", spreads[y], noise), y

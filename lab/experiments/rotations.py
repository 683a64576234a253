"""The tables of the rotations paper: two synthetic problems and the Wisconsin breast cancer data.

Accuracy, mean log posterior M and mean squared error, in-sample and in
cross-validation, next to the values of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from melm_core.base import FloatArray, IntArray
from melm_core.datasets import two_gaussians, two_mixtures
from melm_core.rotations import RotationPlane

Generator: TypeAlias = Callable[[int], tuple[FloatArray, IntArray]]

SYNTHETIC: dict[str, Generator] = {
    "two Gaussians, 10-D": two_gaussians,
    "two mixtures, 10-D": two_mixtures,
}
# Accuracy, M and mean squared error, in-sample and in 5-fold cross-validation.
PAPER_SYNTHETIC = {
    "two Gaussians, 10-D": {
        1: (0.803, -0.46, 0.15, 0.754, -0.50, 0.16),
        2: (0.849, -0.35, 0.11, 0.813, -0.41, 0.14),
        3: (0.861, -0.32, 0.10, 0.827, -0.39, 0.13),
    },
    "two mixtures, 10-D": {
        1: (0.725, -0.517, 0.175, 0.710, -0.540, 0.183),
        2: (0.820, -0.409, 0.132, 0.774, -0.478, 0.157),
        3: (0.833, -0.391, 0.125, 0.803, -0.451, 0.146),
    },
}
# The same with 10-fold cross-validation.
PAPER_BREAST_CANCER = {
    1: (0.979, -0.0778, 0.0190, 0.971, -0.1022, 0.0262),
    2: (0.977, -0.0754, 0.0176, 0.967, -0.1030, 0.0258),
    3: (0.977, -0.0690, 0.0163, 0.964, -0.1070, 0.0266),
}
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "L-BFGS": {"solver": "lbfgs"},
    "nested, L-BFGS": {"solver": "lbfgs", "nested": (5,)},
    "nested, printed rule, 1 start": {
        "solver": "paper",
        "nested": (5,),
        "n_init": 1,
        "max_iter": 1000,
    },
}
KEPT = 20  # features of the breast cancer data kept by screening
_QUICK_PRINTED_STEPS = 100
_HEAD = f"{'':38}{'acc':>7}{'M':>9}{'MSE':>8}{'CV acc':>9}{'CV M':>9}{'CV MSE':>8}"


def compare(*, quick: bool = False) -> None:
    """Print the tables; if `quick`, with fewer draws, rounds of folds and iterations."""
    n_draws, n_rounds = (2, 1) if quick else (20, 3)
    with threadpool_limits(1):
        for name in SYNTHETIC:
            synthetic(name, n_draws=n_draws, quick=quick)
        breast_cancer(n_rounds=n_rounds)


def synthetic(name: str, *, n_draws: int, quick: bool) -> None:
    """Print means over draws of a problem; the QDA row uses the whole space."""
    print(f"\n{name}: {n_draws} draws, one 5-fold cross-validation each")
    print(_HEAD)
    draws = [SYNTHETIC[name](seed) for seed in range(n_draws)]
    for n_components in (1, 2, 3):
        print_row(f"paper, m = {n_components}", PAPER_SYNTHETIC[name][n_components])
        for way, parameters in WAYS.items():
            model = RotationPlane(n_components, random_state=0, **parameters)
            if quick and model.solver == "paper":
                model.set_params(max_iter=_QUICK_PRINTED_STEPS)
            print_row(f"{way}, m = {n_components}", mean_scores(model, draws, n_folds=5))
    whole = RotationPlane(draws[0][0].shape[1], random_state=0)
    print_row("quadratic discriminant analysis", mean_scores(whole, draws, n_folds=5))


def breast_cancer(*, n_rounds: int) -> None:
    """Print the screening order, the optima, and cross-validation including the screening."""
    X, y = load_breast_cancer(return_X_y=True)
    print(f"\nWisconsin breast cancer, {KEPT} features kept: {n_rounds} x 10-fold")
    best = {m: direct_optimum(X, y, m) for m in (1, 2, 3)}
    print("screening order:", best[1].screening_order_[:KEPT].tolist())
    for n_components, model in best.items():
        accuracy = model.score(X, y)
        print(f"direct optimum, m = {n_components}: M = {model.objective_:.6f}, acc {accuracy:.4f}")
    print(_HEAD)
    for n_components in (1, 2, 3):
        print_row(f"paper, m = {n_components}", PAPER_BREAST_CANCER[n_components])
        for way in ("default", "L-BFGS"):
            model = RotationPlane(n_components, screening=KEPT, random_state=0, **WAYS[way])
            rounds = mean_scores(model, [(X, y)] * n_rounds, n_folds=10)
            print_row(f"{way}, m = {n_components}", rounds)


def direct_optimum(X: FloatArray, y: IntArray, n_components: int) -> RotationPlane:
    """The best of 20 converged starts on the screened features."""
    return RotationPlane(
        n_components, solver="lbfgs", n_init=20, screening=KEPT, random_state=0
    ).fit(X, y)


def mean_scores(
    model: RotationPlane, draws: Iterable[tuple[FloatArray, IntArray]], *, n_folds: int
) -> FloatArray:
    """Accuracy, M and mean squared error, in-sample and held out, averaged over the draws.

    Returns
    -------
    ndarray of shape (6,)
    """
    rows = []
    for seed, (X, y) in enumerate(draws):
        in_sample = model.fit(X, y).predict_proba(X)
        held_out = held_out_posteriors(model, X, y, n_folds=n_folds, seed=seed)
        rows.append([*scores(in_sample, y), *scores(held_out, y)])
    means: FloatArray = np.mean(rows, axis=0)
    return means


def held_out_posteriors(
    model: RotationPlane, X: FloatArray, y: IntArray, *, n_folds: int, seed: int
) -> FloatArray:
    """Held-out posterior probabilities of all rows, shape (n_samples, n_classes)."""
    posteriors = np.empty((len(y), int(y.max()) + 1))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for train, test in folds.split(X, y):
        posteriors[test] = model.fit(X[train], y[train]).predict_proba(X[test])
    return posteriors


def scores(posteriors: FloatArray, y: IntArray) -> tuple[float, float, float]:
    """Accuracy, M, and the mean of (1 - P)^2 for the true class."""
    true = posteriors[np.arange(len(y)), y]
    accuracy = np.mean(posteriors.argmax(axis=1) == y)
    smallest = np.finfo(np.float64).tiny
    return (
        float(accuracy),
        float(np.log(np.maximum(true, smallest)).mean()),
        float(np.square(1.0 - true).mean()),
    )


def print_row(what: str, values: Iterable[float]) -> None:
    """Print one line of the table."""
    accuracy, m, mse, held_accuracy, held_m, held_mse = values
    print(
        f"{what:38}{accuracy:7.3f}{m:9.4f}{mse:8.4f}"
        f"{held_accuracy:9.3f}{held_m:9.4f}{held_mse:8.4f}",
        flush=True,
    )

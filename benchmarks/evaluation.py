"""Times of the validation: separability in-sample and held out, and permutations."""

from __future__ import annotations

import time
from collections.abc import Callable

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.table import Measurement
from melm_core.baselines import DiscriminantPlane
from melm_core.evaluation import (
    cross_validated_separability,
    permutation_test,
    pure_noise,
    separability,
)

_N_PERMUTATIONS = 20
_N_PLANNED = 999


def evaluation(repeats: int) -> list[Measurement]:
    """CPU seconds of each part for LDA, and the draws needed with early stopping."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    Z = DiscriminantPlane().fit_transform(X, y)
    with threadpool_limits(1):
        scoring = _timed(lambda: separability(Z, y), repeats)
        refitting = _timed(lambda: cross_validated_separability("lda", X, y), repeats)
        drawing = _timed(lambda: _draws(X, y, _N_PERMUTATIONS, None), repeats)
        needed = tuple(
            float(_draws(*pure_noise(random_state=seed), _N_PLANNED, 0.05))
            for seed in range(repeats)
        )
    each_ms = tuple(1000 * seconds / (_N_PERMUTATIONS + 1) for seconds in drawing)
    return [
        Measurement("separability of a plane", "CPU s", scoring),
        Measurement("LDA, in-sample and held out", "CPU s", refitting),
        Measurement("LDA, one permutation, held out", "CPU ms", each_ms),
        Measurement(f"permutations of {_N_PLANNED} that pure noise needs", "", needed),
    ]


def _draws(X: object, y: object, n_permutations: int, level: float | None) -> int:
    test = permutation_test("lda", X, y, n_permutations=n_permutations, level=level)
    return len(test.values)


def _timed(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return tuple(seconds)

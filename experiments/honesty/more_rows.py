"""What a table cut to a third says of the whole one, compared with what the whole one reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import density_scores, rows_needed

_METHOD = "plsda"
# Rows, features, classes, and the distance of a class mean from the middle.
_SHAPES = ((150, 5, 2, 1.0), (150, 20, 3, 1.5), (300, 20, 2, 1.0), (300, 50, 3, 2.0))
_N_SEEDS = 5

_Drawn: TypeAlias = tuple[FloatArray, IntArray]


def drawn(seed: int, n_rows: int, n_features: int, n_classes: int, distance: float) -> _Drawn:
    """Gaussian classes with correlated features."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    means = stream.standard_normal((n_classes, n_features))
    means *= distance / np.linalg.norm(means, axis=1, keepdims=True)
    mixing = 0.3 * stream.standard_normal((n_features, n_features)) / np.sqrt(n_features)
    X = stream.standard_normal((n_rows, n_features)) @ (np.eye(n_features) + mixing)
    return X + means[y], y


def _tables(quick: bool) -> Iterator[_Drawn]:
    if not quick:
        for load in (load_iris, load_wine, load_breast_cancer):
            yield load(return_X_y=True)
    tables = [(seed, shape) for shape in _SHAPES for seed in range(_N_SEEDS)]
    for seed, shape in tables[:2] if quick else tables[:17]:
        yield drawn(FIRST_SEED + seed, *shape)


def _is_covered(X: FloatArray, y: IntArray, seed: int) -> bool:
    """Whether the band of a third, at about the size of the whole, covers its share."""
    stream = np.random.default_rng(seed)
    of_class = [stream.permutation(np.flatnonzero(y == code)) for code in np.unique(y)]
    third = np.sort(np.concatenate([rows[: round(len(rows) / 3)] for rows in of_class]))
    found = rows_needed(_METHOD, X[third], y[third])
    at = int(np.abs(found.more - (len(y) - len(third))).argmin())
    whole = np.mean(
        [
            density_scores(_METHOD, X, y, random_state=repeat).held_out.balanced_accuracy
            for repeat in range(3)
        ]
    )
    return bool(found.lower[at] <= whole <= found.upper[at])


def simulate(quick: bool) -> tuple[Measured, ...]:
    """In how many of 20 tables the band of a third covers the whole."""
    covered = [_is_covered(*table, seed) for seed, table in enumerate(_tables(quick))]
    return (
        Measured(
            f"{len(covered)} tables cut to a third: the band covers the share of the whole",
            float(np.mean(covered)),
            (0.8, 1.0),
        ),
    )


CLAIM = Claim(
    name="more-rows",
    promise="The share that is forecast for more rows is what they reach, within its 90 % band.",
    simulate=simulate,
)

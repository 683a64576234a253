"""Is a class told apart from another in the curve of the batch weight where there is none?"""

from __future__ import annotations

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.melm import trade_off

_N_GROUPS, _ROWS_OF_GROUP, _N_FEATURES = 24, 5, 6
_WEIGHTS = (0.0, 1.0)


def table(seed: int) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Rows, classes, batches and groups: rows of a group are alike, and nothing else is.

    Class and batch belong to the group, and say nothing about it.
    """
    stream = np.random.default_rng(seed)
    groups = np.repeat(np.arange(_N_GROUPS), _ROWS_OF_GROUP)
    centers = stream.standard_normal((_N_GROUPS, _N_FEATURES))
    X = centers[groups] + 0.3 * stream.standard_normal((len(groups), _N_FEATURES))
    return X, groups % 2, groups // 2 % 2, groups


def accuracies(seed: int) -> tuple[float, float]:
    """Held-out accuracy of the classes, without groups and with them; the mean over the weights."""
    X, y, batch, groups = table(seed)
    apart, together = (
        trade_off(X, y, batch, _WEIGHTS, groups=own, n_init=2, random_state=seed)
        for own in (None, groups)
    )
    return float(apart.held_out_accuracies.mean()), float(together.held_out_accuracies.mean())


def simulate(quick: bool) -> tuple[Measured, ...]:
    """The mean accuracy in tables in which it is that of guessing."""
    n_tables = 2 if quick else 30
    found = np.array([accuracies(FIRST_SEED + at) for at in range(n_tables)])
    mean, error = found.mean(axis=0), found[:, 1].std() / np.sqrt(n_tables)
    return (
        Measured(
            f"{_N_GROUPS} groups of {_ROWS_OF_GROUP} rows, {n_tables} tables",
            "held-out accuracy of the classes with groups",
            float(mean[1]),
            (0.2, 0.8) if quick else (0.45, 0.55),
            f"{mean[0]:.3f} without groups",
            error,
        ),
    )


CLAIM = Claim(
    name="batches",
    promise=(
        "The curve of the batch weight is at guessing where nothing but groups differ, if these "
        "are given."
    ),
    simulate=simulate,
)

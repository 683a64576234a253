"""The share that is shown of the best of many, on tables in which nothing can be told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core import MELMCV
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import pure_noise
from melm_core.evaluation import (
    DEFAULT_FOLDS,
    WinnerShare,
    density_scores,
    sparse_path,
    winner_share,
)

# Those with a closed form, so that a hundred tables take minutes.
METHODS = (
    "gem",
    "pca",
    "lda",
    "rlda",
    "hlda",
    "plsda",
    "oplsda",
    "cpca",
    "2epca",
    "ppca",
    "vca",
    "sir",
    "opca",
)

Choice: TypeAlias = Callable[[FloatArray, IntArray, int], WinnerShare]


def best_method(X: FloatArray, y: IntArray, seed: int) -> WinnerShare:
    """The best of `METHODS`, as by "Compare all"."""
    right = [density_scores(key, X, y, random_state=seed).right for key in METHODS]
    return winner_share(np.stack(right, axis=1), y, random_state=seed)


def best_size(X: FloatArray, y: IntArray, seed: int) -> WinnerShare:
    """The fewest features that suffice."""
    path = sparse_path("lda", X, y, random_state=seed)
    right = path.right[:, ::-1]
    return winner_share(right, y, rule="simplest", n_folds=DEFAULT_FOLDS, random_state=seed)


def best_gamma(X: FloatArray, y: IntArray, seed: int) -> WinnerShare:
    """The kernel width that MELM chooses."""
    path = MELMCV(n_init=2, random_state=seed).fit(X, y).gamma_path_
    return winner_share(path.right, y, n_folds=DEFAULT_FOLDS, random_state=seed)


def simulate(quick: bool) -> tuple[Measured, ...]:
    """The mean of the shares that are shown, and how often chance is within their errors."""
    many, some = (6, 2) if quick else (100, 40)
    return (
        *_figures("best of 13 methods, 60 x 5", best_method, (60, 5), many, (".581", "")),
        *_figures("best of 13 methods, 40 x 30", best_method, (40, 30), many, (".621", "")),
        *_figures("fewest features, 60 x 20", best_size, (60, 20), some, (".543", ".86")),
        *_figures("best gamma, 60 x 5", best_gamma, (60, 5), some, ("", ".80")),
    )


def _figures(
    case: str,
    choose: Choice,
    shape: tuple[int, int],
    n_tables: int,
    before: tuple[str, str],
) -> tuple[Measured, ...]:
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    found = [choose(*pure_noise(*shape, 2, seed), seed) for seed in seeds]
    shares = np.array([own.share for own in found])
    errors = np.array([own.standard_error for own in found])
    apparent = np.mean([own.apparent for own in found])
    of_mean = shares.std() / np.sqrt(n_tables)
    error = float(errors.mean())  # that of one table, which is printed beside its share
    covered = np.abs(shares - 0.5) <= 2.0 * errors
    return (
        Measured(
            f"{case}: mean share shown, ± {of_mean:.3f} over {n_tables} tables "
            f"(apparent: {apparent:.3f})",
            float(shares.mean()),
            (0.5 - error, 0.5 + error),
            before[0],
        ),
        Measured(f"{case}: chance within 2 errors", float(covered.mean()), (0.9, 1.0), before[1]),
    )


CLAIM = Claim(
    name="winners",
    promise=(
        "The share that is shown of the best of many, *after choosing among 13*, is chance on "
        "noise, within its error."
    ),
    simulate=simulate,
)

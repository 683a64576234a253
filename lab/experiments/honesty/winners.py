"""The share that is shown of the best of many, against chance on noise and what new rows reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core import MELM, MELMCV
from melm_core.base import IntArray
from melm_core.datasets import pure_noise
from melm_core.density import DensityRule
from melm_core.diagnostics import WinnerShare
from melm_core.evaluation import Refits, Study, sparse_path
from melm_core.folds import CodedRows
from melm_core.methods import METHODS

# Those with a closed form, so that a hundred tables take minutes.
CANDIDATES = (
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

# Two classes whose means are so far apart are told apart in three of four rows.
_DISTANCE = 1.5
_N_NEW = 4_000

Choice: TypeAlias = Callable[[CodedRows, int], tuple[WinnerShare, Any, IntArray]]


def best_method(rows: CodedRows, seed: int) -> tuple[WinnerShare, Any, IntArray]:
    """The best of `CANDIDATES`, as by "Compare all", its estimator and its features."""
    X, y = rows.X, rows.y
    refits = [Refits.of(Study(key, X, y, random_state=seed)) for key in CANDIDATES]
    right = np.stack([each.right for each in refits], axis=1)
    found = WinnerShare.of(right, y, n_folds=refits[0].n_folds, random_state=seed)
    return found, _unfitted(CANDIDATES[found.winner]), np.arange(X.shape[1])


def best_size(rows: CodedRows, seed: int) -> tuple[WinnerShare, Any, IntArray]:
    """The fewest features that suffice."""
    path = sparse_path(Study("lda", rows.X, rows.y, random_state=seed))
    right = path.right[:, ::-1]
    found = WinnerShare.of(right, rows.y, rule="simplest", n_folds=5, random_state=seed)
    size = int(path.sizes[::-1][found.winner])
    return found, _unfitted("lda"), path.selected(size)


def best_gamma(rows: CodedRows, seed: int) -> tuple[WinnerShare, Any, IntArray]:
    """The kernel width that MELM chooses."""
    path = MELMCV(n_init=2, random_state=seed).fit(rows.X, rows.y).gamma_path_
    found = WinnerShare.of(path.right, rows.y, n_folds=5, random_state=seed)
    gamma = float(path.gammas[found.winner])
    return found, MELM(gamma=gamma, n_init=2, random_state=seed), np.arange(rows.X.shape[1])


def _unfitted(method: str) -> Any:
    return METHODS[method].estimator({"n_components": 2})


def shifted(n_rows: int, n_features: int, distance: float, seed: int) -> CodedRows:
    """Two classes of normal rows that differ in the mean of one feature."""
    X, y = pure_noise(n_rows, n_features, 2, seed)
    X[:, 0] += distance * y
    return CodedRows(X, y, np.arange(2))


def reached(rows: CodedRows, estimator: Any, features: IntArray, new: CodedRows) -> float:
    """The share of new rows that the winner tells apart once it is fitted to all rows."""
    scaler = StandardScaler().fit(rows.X[:, features])
    own, others = (scaler.transform(part.X[:, features]) for part in (rows, new))
    components = estimator.fit(own, rows.y).components_
    rule = DensityRule.of(own @ components.T, rows.y)
    told = rule.most_likely(others @ components.T)
    return float(balanced_accuracy_score(new.y, told))


def simulate(quick: bool) -> tuple[Measured, ...]:
    """The mean of the shares that are shown, and how often what is true is within their errors."""
    many, some = (1, 1) if quick else (100, 40)
    return (
        *_of_noise("best of 13 methods, 60 x 5", best_method, (60, 5), many),
        *_of_noise("best of 13 methods, 40 x 30", best_method, (40, 30), many),
        *_of_noise("fewest features, 60 x 20", best_size, (60, 20), some),
        *_of_noise("best gamma, 60 x 5", best_gamma, (60, 5), some),
        *_of_signal("best of 13 methods, 60 x 5", best_method, (60, 5), many),
        *_of_signal("fewest features, 60 x 20", best_size, (60, 20), some),
        *_of_signal("best gamma, 60 x 5", best_gamma, (60, 5), some),
    )


def _of_noise(
    case: str,
    choose: Choice,
    shape: tuple[int, int],
    n_tables: int,
) -> tuple[Measured, ...]:
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    found = [choose(shifted(*shape, 0.0, seed), seed)[0] for seed in seeds]
    shares = np.array([own.share for own in found])
    errors = np.array([own.standard_error for own in found])
    apparent = np.mean([own.apparent for own in found])
    of_mean = shares.std() / np.sqrt(n_tables)
    error = float(errors.mean())  # that of one table, which is printed beside its share
    covered = np.abs(shares - 0.5) <= 2.0 * errors
    return (
        Measured(
            f"{case}, {n_tables} tables",
            "mean share shown on noise",
            float(shares.mean()),
            (0.5 - error, 0.5 + error),
            f"{apparent:.3f} apparent",
            of_mean,
            "chance, within one error of a table",
        ),
        Measured(
            f"{case}, {n_tables} tables",
            "chance within 2 errors",
            float(covered.mean()),
            (0.9, 1.0),
        ),
    )


def _of_signal(
    case: str, choose: Choice, shape: tuple[int, int], n_tables: int
) -> tuple[Measured, ...]:
    new = shifted(_N_NEW, shape[1], _DISTANCE, FIRST_SEED - 1)
    gains, covered, apparent = [], [], []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        rows = shifted(*shape, _DISTANCE, seed)
        found, estimator, features = choose(rows, seed)
        true = reached(rows, estimator, features, new)
        gains.append(found.share - true)
        apparent.append(found.apparent - true)
        covered.append(abs(gains[-1]) <= 2.0 * found.standard_error)
    of_mean = np.std(gains) / np.sqrt(n_tables)
    case = f"{case}, classes {_DISTANCE:g} sd apart, {n_tables} tables"
    return (
        Measured(
            case,
            "mean share shown less what new rows reach",
            float(np.mean(gains)),
            (-0.03, 0.03),
            f"{np.mean(apparent):.3f} apparent",
            float(of_mean),
        ),
        Measured(case, "what new rows reach within 2 errors", float(np.mean(covered)), (0.9, 1.0)),
    )


CLAIM = Claim(
    name="winners",
    promise=(
        "The share that is shown of the best of many, *after choosing among 13*, is chance on "
        "noise, and what new rows reach on classes that differ, within its error."
    ),
    simulate=simulate,
    notes=(
        "The share is that of rows left out of resamples in which the choice is repeated "
        "(Tsamardinos and others, 2018), for methods with a closed form, numbers of features and "
        "kernel widths alike; ± is the error of the mean over tables. The winner, fitted to all "
        "rows, is judged by 4,000 new rows. A small rest of the choice is left, as the planes "
        "behind the predictions have seen each other's test rows: over two runs of 100 tables (60 "
        "x 5) the mean was .518 and .505, each ± .007. Inner folds have no such rest and take "
        "five times the fits. The error is widened by what refits share (Nadeau and Bengio, "
        "2003); without that what is true was within two errors in 85 % of tables whose classes "
        "differ for methods, and in 86 and 80 % of noise for the number of features and the "
        "kernel width."
    ),
)

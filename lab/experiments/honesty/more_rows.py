"""What a table says of larger ones, compared with what these reach and show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, permutation_test_score

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.answers import LEVEL
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import Refits, Study, rows_needed

_METHOD = "plsda"
# Rows, features, classes, and the distance of a class mean from the middle.
_SHAPES = ((150, 5, 2, 1.0), (150, 20, 3, 1.5), (300, 20, 2, 1.0), (300, 50, 3, 2.0))
_N_SEEDS = 5
# Of which a third has about as many training rows as features.
_NARROW_SHAPES = ((150, 20, 3, 1.5), (300, 50, 3, 2.0), (240, 40, 2, 1.5), (180, 30, 2, 1.5))
_WIDER_SHAPES = ((300, 10, 2, 1.0), (400, 20, 2, 1.5), (360, 16, 3, 1.5), (450, 20, 3, 2.0))
_FAR_MORE = 0.03  # than the share at which a curve is called flat
# An effect that 40 rows hardly show.
_FEW, _N_FEATURES, _DISTANCE = 40, 5, 0.4
_SIZES = (80, 120, 180, 270)
_N_POWER_TABLES, _N_SHUFFLES = 60, 39

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


def _third(y: IntArray, seed: int) -> IntArray:
    """A third of the rows of each class, ascending."""
    stream = np.random.default_rng(seed)
    of_class = [stream.permutation(np.flatnonzero(y == code)) for code in np.unique(y)]
    return np.sort(np.concatenate([rows[: round(len(rows) / 3)] for rows in of_class]))


def _reached(method: str, X: FloatArray, y: IntArray) -> float:
    """The held-out share of a whole table."""
    studies = (Study(method, X, y, random_state=repeat) for repeat in range(3))
    return float(np.mean([Refits.of(each, 5).share.balanced_accuracy for each in studies]))


def _is_covered(X: FloatArray, y: IntArray, seed: int, method: str = _METHOD) -> bool | None:
    """Whether the band of a third, at about the size of the whole, covers its share.

    None if nothing is said of more rows.
    """
    third = _third(y, seed)
    found = rows_needed(Study(method, X[third], y[third]))
    if found.falls:
        return None
    at = int(np.abs(found.more - (len(y) - len(third))).argmin())
    _, lower, upper = found.expected[:, at]
    return bool(lower <= _reached(method, X, y) <= upper)


def _covered_without_regularization() -> Measured:
    """How often the band of LDA covers the whole, where its curve falls only at few rows."""
    found = [
        _is_covered(*drawn(FIRST_SEED + seed, *shape), seed, "lda")
        for shape in _WIDER_SHAPES
        for seed in range(4)
    ]
    said = [is_covered for is_covered in found if is_covered is not None]
    return Measured(
        f"{len(said)} of {len(found)} tables by LDA with more rows than features in a third",
        "the band covers the share of the whole",
        float(np.mean(said)),
        (0.8, 1.0),
    )


def _flat_too_early() -> Measured:
    """How often a curve is called flat that rises, where rows are about as many as features."""
    tables = [
        (seed, drawn(FIRST_SEED + seed, *shape)) for shape in _NARROW_SHAPES for seed in range(4)
    ]
    early = []
    for seed, (X, y) in tables:
        third = _third(y, seed)
        found = rows_needed(Study("lda", X[third], y[third]))
        is_called_flat = found.is_shown and found.is_flat and not found.falls
        early.append(is_called_flat and _reached("lda", X, y) > found.share + _FAR_MORE)
    return Measured(
        f"{len(tables)} tables cut to about as many rows as LDA has features",
        "called flat, though the whole reaches 3 % more",
        float(np.mean(early)),
        (0.0, 0.05),
    )


def _weak(seed: int, n_rows: int) -> _Drawn:
    """Two classes that differ a little in one feature."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = stream.standard_normal((n_rows, _N_FEATURES))
    X[:, 0] += _DISTANCE * (2 * y - 1)
    return X, y


def _is_shown(seed: int, n_rows: int) -> bool:
    """Whether held-out rows of five folds are told apart, by shuffled labels at the 5 % level."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    _, _, p_value = permutation_test_score(
        LinearDiscriminantAnalysis(),
        *_weak(seed, n_rows),
        cv=folds,
        n_permutations=_N_SHUFFLES,
        scoring="balanced_accuracy",
        random_state=seed,
    )
    return bool(p_value <= LEVEL)


def _truly_needed() -> float:
    """The rows with which four of five tables show the weak effect, between the sizes tried."""
    powers = [
        np.mean([_is_shown(seed, size) for seed in range(_N_POWER_TABLES)]) for size in _SIZES
    ]
    rising = np.maximum.accumulate(powers)
    return float(np.exp(np.interp(0.8, rising, np.log(_SIZES))))


def _needed_is_covered() -> Measured:
    """How often the interval of the rows needed covers them, where the effect is not shown."""
    needed = _truly_needed()
    found = (rows_needed(Study("lda", *_weak(FIRST_SEED + seed, _FEW))) for seed in range(40))
    covered = [one.needed_lower <= needed <= one.needed_upper for one in found if not one.is_shown]
    return Measured(
        f"{len(covered)} tables of {_FEW} rows that do not show an effect",
        f"the interval of the rows needed covers {needed:.0f}, with which four of five do",
        float(np.mean(covered)),
        (0.85, 1.0),
    )


def simulate(quick: bool) -> tuple[Measured, ...]:
    """In how many of 20 tables the band of a third covers the whole, and the rows needed."""
    of_tables = [_is_covered(*table, seed) for seed, table in enumerate(_tables(quick))]
    covered = [is_covered for is_covered in of_tables if is_covered is not None]
    needed = (
        ()
        if quick
        else (_covered_without_regularization(), _flat_too_early(), _needed_is_covered())
    )
    return (
        Measured(
            f"{len(covered)} tables cut to a third",
            "the band covers the share of the whole",
            float(np.mean(covered)),
            (0.8, 1.0),
        ),
        *needed,
    )


CLAIM = Claim(
    name="more-rows",
    promise=(
        "The share that is forecast for more rows is what they reach, within its 90 % band, and an "
        "effect that is not shown is by as many as are said to be needed."
    ),
    simulate=simulate,
    notes=(
        "Three data sets and 17 tables of Gaussian classes are cut to a third; the forecast is of "
        "PLS-DA unless it says LDA. The last line is of two classes that differ a little in one "
        "of five features, judged by LDA in five folds with 39 shuffles. Without regularization "
        "the curve falls where training rows are about as many as features, and rises after: "
        "there it is said to say nothing of more rows, until it has been above its earlier height "
        "at four sizes. A curve whose last step rises by more than 3 % is not called flat."
    ),
)

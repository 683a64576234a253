"""Are the methods beside MELM shown at their strongest?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import PlantedTables
from melm_core.base import FloatArray, IntArray, balanced_share
from melm_core.diagnostics import balanced_mean
from melm_core.evaluation import Refits, Study

_N_TABLES, _FEW_TABLES = 20, 2
_N_NEW = 2_000
# Of alike features: 300 channels, whose six smooth bases hold what separates the classes.
_ALIKE = PlantedTables("alike features", 100, 15, 1.5)
# Rows of two classes, features, of which two differ, and by how much.
_N_ROWS, _N_FEATURES, _N_PLANTED, _SHIFT = 30, 60, 2, 3.0
_REAL = {"iris": load_iris, "wine": load_wine}
_BESIDE_FIELD = (
    "regularized LDA by a linear rule, less that of scikit-learn",
    "regularized LDA by class densities, less that of scikit-learn",
)
_WANTED = "0 and more, within two errors"


def _simulate(quick: bool) -> Iterator[Measured]:
    n_tables = _FEW_TABLES if quick else _N_TABLES
    yield from _of_alike_features(n_tables)
    yield from _of_few_rows(n_tables)
    yield from _of_real_tables(n_tables)


def _of_alike_features(n_tables: int) -> Iterator[Measured]:
    """LDA by its class densities, and by straight lines in its own plane, held out."""
    shares = []
    for number in range(n_tables):
        X, y, _ = _ALIKE.drawn(number, 0)[0]
        refits = Refits.of(Study("lda", X, y, groups=np.arange(len(y))))
        shares.append([refits.share.balanced_accuracy, refits.linear_share.balanced_accuracy])
    case, what = f"{_ALIKE}, {n_tables} tables", "LDA by class densities, less by a linear rule"
    yield _of_tables(case, what, *np.transpose(shares))


def _of_few_rows(n_tables: int) -> Iterator[Measured]:
    """Regularized LDA beside that of scikit-learn, on new rows."""
    shares = []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        stream = np.random.default_rng(seed)
        y = np.arange(_N_ROWS + _N_NEW) % 2
        X = stream.standard_normal((len(y), _N_FEATURES))
        X[:, :_N_PLANTED] += _SHIFT * y[:, None]
        train, new = slice(_N_ROWS), slice(_N_ROWS, None)
        refits = Refits.of(Study("rlda", X[train], y[train], groups=np.arange(_N_ROWS)))
        linear = refits.linear_rule.most_likely(refits.place(X[new]))
        field = _field().fit(X[train], y[train]).predict(X[new])
        told = linear, refits.predict(X[new]), field
        shares.append([balanced_share(each == y[new], y[new]) for each in told])
    *own, field = np.transpose(shares)
    case = f"{_N_ROWS} x {_N_FEATURES}, {_N_PLANTED} features matter, {n_tables} tables, new rows"
    for what, of_rule in zip(_BESIDE_FIELD, own, strict=True):
        yield _of_tables(case, what, of_rule, field)


def _of_tables(case: str, what: str, own: FloatArray, other: FloatArray) -> Measured:
    less = own - other
    error = float(less.std(ddof=1) / np.sqrt(len(less)))
    return _level(case, what, float(less.mean()), error, (own.mean(), other.mean()))


def _of_real_tables(n_repeats: int) -> Iterator[Measured]:
    """The same of rows held out in the same folds; the error is that of a sample of rows."""
    for name, load in _REAL.items():
        X, y = load(return_X_y=True)
        *own, field = np.mean([_right(X, y, seed) for seed in range(n_repeats)], axis=0)
        case = f"{name}, {n_repeats} times ten folds"
        for what, of_rule in zip(_BESIDE_FIELD, own, strict=True):
            less, error = map(float, balanced_mean(of_rule - field, y))
            shares = balanced_share(of_rule, y), balanced_share(field, y)
            yield _level(case, what, less, error, shares)


def _right(X: FloatArray, y: IntArray, seed: int) -> FloatArray:
    """1.0 where a held-out row is told rightly, by a linear rule, densities and scikit-learn."""
    refits = Refits.of(Study("rlda", X, y, groups=np.arange(len(y)), random_state=seed))
    told = np.empty_like(y)
    for fold in refits.folds:
        told[fold.test] = _field().fit(X[fold.train], y[fold.train]).predict(X[fold.test])
    linear = refits.linear_log_densities.argmax(axis=1)
    return np.stack([linear == y, refits.right, told == y]).astype(np.float64)


def _field() -> Pipeline:
    """Scikit-learn's, of features standardized as ours are."""
    return make_pipeline(
        StandardScaler(), LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
    )


def _level(
    case: str, what: str, less: float, error: float, shares: tuple[float, float]
) -> Measured:
    """A difference of two shares, which is to be no less than 0 by more than two errors."""
    beside = f"{shares[0]:.3f} and {shares[1]:.3f}"
    return Measured(case, what, less, (-2.0 * error, np.inf), beside, error, _WANTED)


CLAIM = Claim(
    "opponents",
    "What MELM is compared with is shown at its strongest: the class densities of LDA tell as many "
    "rows as a linear rule in its plane, where features are many and alike, and regularized LDA as "
    "many as that of scikit-learn (eigen solver, automatic shrinkage).",
    simulate=_simulate,
    notes=(
        "In brackets are both shares. Of alike features there are 300 channels, made of six smooth "
        "bases. ± is the error over tables or, of iris and wine, over rows."
    ),
)

"""How many rows like those of the table are beyond the limits of T² and Q?"""

from __future__ import annotations

import numpy as np

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import LeftOutDistances, PlaneDistances
from melm_core.methods import METHODS

# Rows and features, and what was beyond in tables of noise before: T² and Q.
SHAPES = (
    (30, 4, "", ".027"),
    (60, 10, "", ""),
    (300, 30, "", ""),
    (40, 200, "0 (limit 12 times too high)", ""),
    (60, 2000, "0 (limit 51 times too high)", ""),
)
_METHODS = ("lda", "plsda", "melm", "pca")
_NEW_ROWS = 2_000
_SIGNAL = 3.0  # standard deviations between classes


def table(n_rows: int, n_features: int, signal: float, seed: int) -> tuple[FloatArray, IntArray]:
    """Normal rows of three classes that differ in two features."""
    y = np.arange(n_rows) % 3
    X = np.random.default_rng(seed).standard_normal((n_rows, n_features))
    X[:, 0] += signal * (y == 1)
    X[:, 1] += signal * (y == 2)
    return X, y


def exceedances(
    method: str, shape: tuple[int, int], signal: float, seed: int
) -> tuple[float, float]:
    """Shares of new rows that are beyond the limits of T² and of Q of a table."""
    n_rows = shape[0]
    X, y = table(n_rows + _NEW_ROWS, shape[1], signal, seed)
    X, new, y = X[:n_rows], X[n_rows:], y[:n_rows]
    parameters = {"n_init": 1} if method == "melm" else {}
    left_out = LeftOutDistances.of(method, X, y, parameters=parameters, random_state=seed)
    rows, others = ((part - X.mean(axis=0)) / X.std(axis=0) for part in (X, new))
    values = {"n_components": 2, "random_state": seed} | parameters
    fitted = METHODS[method].estimator(values).fit(rows, y)
    plane = PlaneDistances.of(rows, fitted.components_, left_out)
    return (
        float(np.mean(plane.score_distance(others) > plane.score_limit(is_new=True))),
        float(np.mean(plane.residual(others) > plane.residual_limit(is_new=True))),
    )


def simulate(quick: bool) -> tuple[Measured, ...]:
    """Exceedances of the limits of each shape and method, without and with a difference."""
    figures = []
    for n_rows, n_features, *before in SHAPES[:1] + SHAPES[3:4] if quick else SHAPES:
        for method in _METHODS[:1] if quick else _METHODS:
            n_tables = 6 if quick else _n_tables(method, n_features)
            for signal in (0.0, _SIGNAL):
                seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
                shape = (n_rows, n_features)
                found = np.array([exceedances(method, shape, signal, seed) for seed in seeds])
                kind = f"classes {signal:g} sd apart" if signal else "noise"
                for at, name in enumerate(("T²", "Q")):
                    error = found[:, at].std() / np.sqrt(n_tables)
                    figures.append(
                        Measured(
                            f"{n_rows} x {n_features}, {method}, {kind}: beyond {name}, "
                            f"± {error:.3f} over {n_tables} tables",
                            float(found[:, at].mean()),
                            (0.0, 0.05) if quick else (0.005, 0.02),
                            "" if signal else before[at],
                        )
                    )
    return tuple(figures)


def _n_tables(method: str, n_features: int) -> int:
    n_tables = 60 if n_features < 1_000 else 12
    return n_tables if method != "melm" else n_tables // 4


CLAIM = Claim(
    name="outliers",
    promise=(
        "One new row in a hundred like those of the table is beyond the limit of T², and one "
        "beyond that of Q: between .5 and 2 %."
    ),
    simulate=simulate,
)

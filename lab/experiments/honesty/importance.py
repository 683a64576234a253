"""Features whose effect is said to be seen, where some have none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import Importance
from melm_core.evaluation import Refits, Study

# Features that are independent: where they are correlated, those without a difference of their
# means help a plane to take away what others have in common.
_SHAPES = ("normal", "lognormal", "t3", "90:10", "ties")
_METHODS = {"lda": "LDA", "plsda": "PLS-DA"}
_N_ROWS, _N_FEATURES = 150, 30
_N_PLANTED, _SHIFT = 6, 0.8  # standard deviations between the means
_N_TABLES, _FEW_TABLES = 60, 3
# A tenth, and two errors of the simulation.
_MOST_FALSE, _MOST_SEEN = 0.13, 0.16


def _simulate(quick: bool) -> Iterator[Measured]:
    n_tables = _FEW_TABLES if quick else _N_TABLES
    for shape in _SHAPES[:1] if quick else _SHAPES:
        for method, label in _METHODS.items():
            any_seen, false, ranks = [], [], []
            for number in range(n_tables):
                draw = SHAPES[shape].draw
                X, y, _ = draw(_N_ROWS, _N_FEATURES, 0.0, FIRST_SEED + number, population=number)
                any_seen.append(_worth(method, X, y).is_seen.any())
                X[:, :_N_PLANTED] += _SHIFT * (y == 1)[:, None]
                found = _worth(method, X, y)
                seen = found.is_seen
                false.append(seen[_N_PLANTED:].sum() / max(seen.sum(), 1))
                first = np.argsort(-found.loss)[:_N_PLANTED]
                ranks.append((first < _N_PLANTED).mean())
            case = f"{label}, {shape} {_N_ROWS} x {_N_FEATURES}"
            most = 0.67 if quick else _MOST_SEEN
            words = "noise with a feature that is seen"
            yield Measured(case, words, float(np.mean(any_seen)), (0.0, most))
            words = "false among the features seen"
            most = 0.5 if quick else _MOST_FALSE
            yield Measured(case, words, float(np.mean(false)), (0.0, most))
            words = f"planted among the {_N_PLANTED} first of the list"
            yield Measured(case, words, float(np.mean(ranks)), (0.5, 1.0))


def _worth(method: str, X: FloatArray, y: IntArray) -> Importance:
    return Refits.of(Study(method, X, y, groups=np.arange(len(y)))).importance()


CLAIM = Claim(
    "importance",
    "Of the features whose effect is said to be seen, at most a tenth has none, and the list "
    "begins with those that have one.",
    simulate=_simulate,
    notes=(
        "60 tables of each shape: 30 independent features, noise or six that differ by .8 "
        "standard deviations; .13 is a tenth and two errors of the simulation. Where features are "
        "correlated, those without a difference help a plane to take away what others have in "
        "common."
    ),
)

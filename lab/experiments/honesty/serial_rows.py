"""Rows that depend on their neighbors in the file, and rows in many orders that do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lab.experiments.honesty.claim import Claim, Measured
from lab.experiments.honesty.dependent_tables import (
    Draw,
    is_suspected,
    level_when_answered,
    says_plain_yes,
    table,
    tables,
)
from melm_core.base import FloatArray
from melm_studio.analyses.check import N_PERMUTATIONS
from melm_studio.tables import Table

QUESTION = "neighbors"


def serial(seed: int, correlation: float = 0.9, run: int = 15) -> Table:
    """Noise of 150 x 5 by a first-order autoregression; labels come in runs."""
    X = _drifting(np.random.default_rng(seed), 150, correlation)
    return table(X, np.arange(len(X)) // run % 2)


def sorted_noise(correlation: float, n_rows: int = 300) -> Draw:
    """Noise by a first-order autoregression, sorted by class."""

    def drawn(seed: int) -> Table:
        stream = np.random.default_rng(seed)
        return table(_drifting(stream, n_rows, correlation), np.arange(n_rows) * 2 // n_rows)

    return drawn


def _drifting(stream: np.random.Generator, n_rows: int, correlation: float) -> FloatArray:
    X = stream.standard_normal((n_rows, 5))
    for row in range(1, n_rows):
        X[row] = correlation * X[row - 1] + np.sqrt(1.0 - correlation**2) * X[row]
    return X


def _ordered(order: str, n_rows: int = 150, n_features: int = 5) -> Draw:
    """Independent rows of correlated features and two classes, in an order."""

    def drawn(seed: int) -> Table:
        stream = np.random.default_rng(seed)
        run = 15 if order == "labels in runs" else 1
        y = np.arange(n_rows) // run % 2
        X = stream.standard_normal((n_rows, n_features))
        X = X @ stream.standard_normal((n_features, n_features)) + y[:, None]
        orders: Mapping[str, np.ndarray] = {
            "as drawn": stream.permutation(n_rows),
            "labels in runs": np.arange(n_rows),
            "sorted by class": np.argsort(y, kind="stable"),
            "sorted by a feature": np.argsort(X[:, 0]),
            "sorted by class, then by a feature": np.lexsort([X[:, 0], y]),
            "sorted by class, then by a feature that is not in the table": np.lexsort([X[:, 0], y]),
        }
        rows = orders[order]
        kept = X[:, 1:] if order.endswith("not in the table") else X
        return table(kept[rows], y[rows])

    return drawn


INDEPENDENT = {
    "as drawn": _ordered("as drawn"),
    "labels in runs of 15": _ordered("labels in runs"),
    "sorted by class": _ordered("sorted by class"),
    "sorted by class, 60 x 100": _ordered("sorted by class", 60, 100),
    "sorted by a feature": _ordered("sorted by a feature"),
    "sorted by class, then by a feature": _ordered("sorted by class, then by a feature"),
}
HIDDEN = _ordered("sorted by class, then by a feature that is not in the table")


CORRELATIONS = (0.6, 0.8, 0.9, 0.95)  # down to 1 / e after 2, 4.5, 9.5 and 19.5 rows


def _share_of_yes(drawn: Iterable[Table], n_shuffles: int) -> float:
    return float(np.mean([says_plain_yes(one, n_shuffles) for one in drawn]))


def simulate(quick: bool) -> tuple[Measured, ...]:
    """How often serial rows end in a plain Yes, and independent ones are suspected."""
    n_tables, n_shuffles = (1, 39) if quick else (100, N_PERMUTATIONS)
    in_runs = list(tables(serial, n_tables))
    weak = list(tables(lambda seed: serial(seed, correlation=0.5), n_tables))
    alarms = {
        name: float(np.mean([is_suspected(one, QUESTION) for one in tables(draw, n_tables)]))
        for name, draw in INDEPENDENT.items()
    }
    hidden = float(np.mean([is_suspected(one, QUESTION) for one in tables(HIDDEN, n_tables)]))
    return (
        Measured(
            "correlation .9, labels in runs of 15",
            f"plain Yes, of {n_tables} tables",
            _share_of_yes(in_runs, n_shuffles),
            (0.0, 0.05),
        ),
        Measured(
            "correlation .9, labels in runs of 15",
            "significant once runs are kept together",
            level_when_answered(in_runs, QUESTION, "runs"),
            (0.0, 0.08),
        ),
        Measured(
            "correlation .5, labels in runs of 15",
            f"plain Yes, of {n_tables} tables",
            _share_of_yes(weak, n_shuffles),
            (0.0, 0.05),
        ),
        *(
            Measured(
                f"correlation {correlation:g}, sorted by class, 300 rows",
                f"plain Yes, of {n_tables} tables",
                _share_of_yes(tables(sorted_noise(correlation), n_tables), n_shuffles),
                (0.0, 0.05),
            )
            for correlation in CORRELATIONS
        ),
        *(
            Measured(f"independent rows, {name}", "suspected", share, (0.0, 0.02))
            for name, share in alarms.items()
        ),
        Measured(
            "independent rows, sorted by class and what is not in the table",
            "suspected",
            hidden,
            (0.0, 1.0),
        ),
    )


CLAIM = Claim(
    name="serial-rows",
    promise="Noise that resembles its neighbors in the file gets no Yes, as runs of it tell.",
    simulate=simulate,
    notes=(
        "Where labels come in runs and rows of a class resemble their neighbors, the answer is "
        "computed for runs of neighboring rows, too: up to a tenth of the file, and none where "
        "these are less than twice the estimated length of dependence. Resemblance is the serial "
        "correlation of the features, given the class, against that of rows permuted within their "
        "class; a feature by which the file is sorted does not count, nor what it explains of the "
        "others. Nor are runs tried where nearest neighbors tell the classes hardly less well "
        "without rows near in the file. The last line is no fault: a file sorted by class and "
        "then by something that is not in the table cannot be told from one whose neighbors "
        "depend on each other. Kept together, runs hold the level, at some cost of power."
    ),
)

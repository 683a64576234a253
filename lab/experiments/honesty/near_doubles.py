"""Every row twice with a little noise, and tables where no row is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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

QUESTION = "doubles"


def doubled(seed: int, noise: float = 0.001) -> Table:
    """Noise of 30 x 5, every row twice with its label."""
    stream = np.random.default_rng(seed)
    once = stream.standard_normal((30, 5))
    twice = np.vstack([once, once + noise * stream.standard_normal(once.shape)])
    return table(twice, np.tile(stream.permutation(30) % 2, 2))


def _single(draw: str, n_rows: int, n_features: int) -> Draw:
    """Rows that are there once, of one of several distributions."""

    def drawn(seed: int) -> Table:
        stream = np.random.default_rng(seed)
        shape = (n_rows, n_features)
        rows: Mapping[str, FloatArray] = {
            "normal": stream.standard_normal(shape),
            "heavy tails": stream.standard_t(2, shape),
            "rounded": stream.standard_normal(shape).round(1),
            "counts": stream.poisson(3, shape).astype(np.float64),
            "half of them binary": np.where(
                np.arange(n_features) % 2, stream.integers(0, 2, shape), stream.random(shape)
            ),
        }
        return table(rows[draw], stream.permutation(n_rows) % 2)

    return drawn


SINGLE = {
    f"{draw}, {n_rows} x {n_features}": _single(draw, n_rows, n_features)
    for draw in ("normal", "heavy tails", "rounded", "counts", "half of them binary")
    for n_rows, n_features in ((60, 5), (200, 30))
}


def simulate(quick: bool) -> Iterator[Measured]:
    """How often doubles end in a plain Yes, and single rows are taken for doubles."""
    n_tables, n_shuffles = (2, 39) if quick else (100, N_PERMUTATIONS)
    doubles = list(tables(doubled, n_tables))
    yield Measured(
        f"every row twice, noise .001 sd, {n_tables} tables",
        "plain Yes",
        float(np.mean([says_plain_yes(one, n_shuffles) for one in doubles])),
        (0.0, 0.05),
    )
    yield Measured(
        f"every row twice, noise .001 sd, {n_tables} tables",
        "significant once kept together",
        level_when_answered(doubles, QUESTION, "together"),
        (0.0, 0.08),
    )
    for name, draw in SINGLE.items():
        share = float(np.mean([is_suspected(one, QUESTION) for one in tables(draw, n_tables)]))
        yield Measured(f"no row twice, {name}", "suspected", share, (0.0, 0.02))


CLAIM = Claim(
    name="near-doubles",
    promise="Rows equal or nearly so are found, and kept together, too, before any Yes.",
    simulate=simulate,
    notes=(
        "Rows that are there twice, the second time with a little noise, are in training and "
        "held-out rows at once. They are found by the distance to the nearest neighbor over that "
        "to the tenth, given the dimension that the neighbors fill. A Yes needs both answers, "
        "with such rows apart and together."
    ),
)

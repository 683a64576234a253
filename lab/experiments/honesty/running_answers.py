"""The answer of a permutation test while it runs, where nothing can be told apart."""

from __future__ import annotations

from functools import cache

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.answers import LEVEL, is_settled_below
from melm_core.base import IntArray

# As many shuffles as a check makes, and the first after which p can be at the level.
N_SHUFFLES, FIRST = 199, 19


@cache
def says_yes(n_exceeding: int, n_drawn: int) -> bool:
    """Whether the running test says that the separation is real."""
    return is_settled_below(n_exceeding, n_drawn, N_SHUFFLES, level=LEVEL)


def exceedances(n_tables: int) -> IntArray:
    """Numbers of exceedances after each shuffle of tests of noise.

    The limit of a p-value is uniform there, and given it shuffles exceed independently.
    """
    rng = np.random.default_rng(FIRST_SEED)
    limits = rng.random((n_tables, 1))
    return (rng.random((n_tables, N_SHUFFLES)) < limits).cumsum(axis=1)


def simulate(quick: bool) -> tuple[Measured, ...]:
    """How many of the tests say Yes at some moment, by the running p and once it is settled."""
    counts = exceedances(2_000 if quick else 50_000)
    drawn = np.arange(1, N_SHUFFLES + 1)
    plain = ((counts + 1) / (drawn + 1) <= LEVEL)[:, FIRST - 1 :].any(axis=1)
    settled = np.array(
        [
            any(says_yes(int(b), int(n)) for b, n in zip(row, drawn, strict=True))
            for row in counts[plain]
        ]
    )
    share = float(settled.sum() / len(counts))
    error = np.sqrt(LEVEL * (1.0 - LEVEL) / len(counts))
    return (
        Measured(
            f"noise, {len(counts)} tests",
            f"Yes at some moment of {N_SHUFFLES} shuffles",
            share,
            (0.0, LEVEL + 2.0 * float(error)),
            f"{plain.mean():.3f} by the running p",
            float(error),
        ),
    )


CLAIM = Claim(
    name="running-answers",
    promise="A running Yes is shown only once it stays: on noise in 5 % of tests at most.",
    simulate=simulate,
    notes=(
        "It is shown if exceedances alone could not lift p above the level any more, or if the "
        "upper bound of p, valid at all times at once, is below it. Wanted is the level and two "
        "errors. The price is time: of 199 shuffles a Yes appears after 190 at the earliest."
    ),
)

"""In how many tables of noise does a branch of the tree of planes stand out?"""

from __future__ import annotations

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.datasets import pure_noise
from melm_core.melm import plane_tree

_LEVEL = 0.05

# Fewer widths and starts than on the page, so that forty trees take minutes: the search of the
# labels and that of the shuffles are the same, whatever it is.
_GAMMAS = (4.0, 2.0, 1.0, 0.5)
_STARTS = 2

_SHAPES = ((60, 5),)


def stands_out(shape: tuple[int, int], seed: int) -> tuple[bool, bool]:
    """Whether any branch stands out over an octave, and whether any plane is above the band."""
    X, y = pure_noise(*shape, 2, seed)
    tree = plane_tree(X, y, gammas=_GAMMAS, n_init=_STARTS, random_state=seed)
    is_above = bool((tree.best_divergences > tree.ceiling).any())
    return bool(tree.standing_out()), is_above


def simulate(quick: bool) -> tuple[Measured, ...]:
    """Shares of the tables."""
    n_tables = 1 if quick else 40
    figures = []
    for shape in _SHAPES:
        found = np.array([stands_out(shape, FIRST_SEED + at) for at in range(n_tables)])
        most = _LEVEL + 2.0 * np.sqrt(_LEVEL * (1.0 - _LEVEL) / n_tables)
        for at, what in enumerate(("a branch stands out", "a plane is above the band")):
            case = f"{shape[0]} x {shape[1]}, {n_tables} tables"
            figures.append(Measured(case, what, float(found[:, at].mean()), (0.0, most)))
    return tuple(figures)


CLAIM = Claim(
    name="trees",
    promise=(
        "In noise a branch of the tree of planes stands out in at most 5 % of tables. "
        "Wanted is that and two errors."
    ),
    simulate=simulate,
)

"""Lots that do not differ, of four shapes, and lots in which three features have shifted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import LEVEL, lot_change

_N_PERMUTATIONS = 199
_N_SHIFTED = 3


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Rows with their classes, lots and groups; the classes of new rows may be withheld."""

    X: FloatArray
    y: IntArray
    is_new: np.ndarray
    groups: IntArray | None = None
    has_new_labels: bool = True

    def p_value(self, shift: float) -> float:
        """Of the change, where the first features of the new rows are shifted."""
        X = self.X.copy()
        X[self.is_new, :_N_SHIFTED] += shift
        of_groups = (None, None)
        if self.groups is not None:
            of_groups = (self.groups[~self.is_new], self.groups[self.is_new])
        return lot_change(
            X[~self.is_new],
            X[self.is_new],
            self.y[~self.is_new],
            self.y[self.is_new] if self.has_new_labels else None,
            of_groups[0],
            groups_new=of_groups[1],
            n_permutations=_N_PERMUTATIONS,
            with_plane=False,
        ).p_value


def _labeled(seed: int, n_rows: int, n_features: int) -> _Drawn:
    """Three classes, of which the lots have different shares."""
    stream = np.random.default_rng(seed)
    y = stream.integers(0, 3, n_rows)
    X = stream.standard_normal((n_rows, n_features))
    X[:, 0] += 2.0 * y
    return _Drawn(X, y, stream.random(n_rows) < np.where(y == 0, 0.3, 0.6))


def _patients(seed: int) -> _Drawn:
    """20 patients of four rows each, in two classes."""
    stream = np.random.default_rng(seed)
    groups = np.repeat(np.arange(20), 4)
    X = stream.standard_normal((20, 10))[groups] + 0.5 * stream.standard_normal((80, 10))
    y = groups % 2
    return _Drawn(X, y, (stream.permutation(20) < 8)[groups], groups)


def _unlabeled(seed: int) -> _Drawn:
    """Two classes; those of the new rows are not known."""
    stream = np.random.default_rng(seed)
    y = stream.integers(0, 2, 100)
    X = stream.standard_normal((100, 8)) + 2.0 * y[:, None] * (np.arange(8) == 0)
    return _Drawn(X, y, stream.random(100) < 0.4, has_new_labels=False)


SHAPES: Mapping[str, Callable[[int], _Drawn]] = {
    "100 x 8": lambda seed: _labeled(seed, 100, 8),
    "60 x 200": lambda seed: _labeled(seed, 60, 200),
    "80 x 10 of 20 patients": _patients,
    "100 x 8, new rows without labels": _unlabeled,
}


def _found(draw: Callable[[int], _Drawn], n_tables: int, shift: float = 0.0) -> float:
    """Share of tables in which a change is shown."""
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    return float(np.mean([draw(seed).p_value(shift) <= LEVEL for seed in seeds]))


def simulate(quick: bool) -> tuple[Measured, ...]:
    """How often a change is shown where there is none, and where features have shifted."""
    n_null, n_shifted = (5, 3) if quick else (1_000, 100)
    return (
        *(
            Measured(f"{name}, no change: p at most .05", _found(draw, n_null), (0.035, 0.065))
            for name, draw in SHAPES.items()
        ),
        *(
            Measured(
                f"{name}, {_N_SHIFTED} features shifted by 1.5: p at most .05",
                _found(draw, n_shifted, 1.5),
                (0.8, 1.0),
            )
            for name, draw in SHAPES.items()
        ),
    )


CLAIM = Claim(
    name="lots",
    promise="A lot is said to have changed in one of 20 that have not, and in most that have.",
    simulate=simulate,
)

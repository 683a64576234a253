"""Lots that do not differ, of many shapes, lots in which features have shifted, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from lab.experiments.honesty import shapes
from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.answers import LEVEL
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import LotChange, lot_change

_N_PERMUTATIONS = 199
_N_SHIFTED = 3
_SEPARATION = 2.0  # standard deviations between classes of the bank of shapes
# Rows, and standard deviations between classes.
_MIXTURES = ((100, 2.0), (100, 3.0), (400, 3.0))
_PLANTED = (1.0, 2.0, 5.0, 100.0)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Rows with their classes, lots and groups; the classes of new rows may be withheld."""

    X: FloatArray
    y: IntArray
    is_new: np.ndarray
    groups: IntArray | None = None
    has_new_labels: bool = True

    def compared(self, shift: float) -> LotChange:
        """With the first features of the new rows shifted."""
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
        )


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


def _five_new(seed: int) -> _Drawn:
    """Five new rows of lognormal features."""
    X, y, _ = shapes.SHAPES["lognormal"].draw(60, 8, _SEPARATION, seed)
    return _Drawn(X, y, np.arange(60) < 5)


def _of_bank(name: str) -> Callable[[int], _Drawn]:
    """100 rows of a shape of the bank, or 30 patients, of which two fifths are new."""
    n_rows = 200 if name == "unequal groups" else 100

    def draw(seed: int) -> _Drawn:
        X, y, groups = shapes.SHAPES[name].draw(n_rows, 8, _SEPARATION, seed)
        units = np.arange(len(y)) if groups is None else groups
        n_units = len(np.unique(units))
        is_new = np.random.default_rng(seed).permutation(n_units) < round(0.4 * n_units)
        return _Drawn(X, y, is_new[np.unique(units, return_inverse=True)[1]], groups)

    return draw


def _other_mixture(n_rows: int, separation: float) -> Callable[[int], _Drawn]:
    """New rows without labels; classes have shares of 2:1 in the first lot and 1:2 in them."""

    def draw(seed: int) -> _Drawn:
        X, y, _ = shapes.SHAPES["normal"].draw(n_rows, 8, separation, seed)
        chance = np.where(y == 0, 1 / 3, 2 / 3)
        is_new = np.random.default_rng(seed).random(n_rows) < chance
        return _Drawn(X, y, is_new, has_new_labels=False)

    return draw


BANK: Mapping[str, Callable[[int], _Drawn]] = {
    **{f"{name}, two fifths new": _of_bank(name) for name in shapes.SHAPES},
    "lognormal, 60 rows, of which 5 new": _five_new,
}

SHAPES: Mapping[str, Callable[[int], _Drawn]] = {
    "100 x 8": lambda seed: _labeled(seed, 100, 8),
    "60 x 200": lambda seed: _labeled(seed, 60, 200),
    "80 x 10 of 20 patients": _patients,
    "100 x 8, new rows without labels": _unlabeled,
}


def _found(draw: Callable[[int], _Drawn], n_tables: int, shift: float = 0.0) -> float:
    """Share of tables in which a change is shown."""
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    return float(np.mean([draw(seed).compared(shift).p_value <= LEVEL for seed in seeds]))


def simulate(quick: bool) -> Iterator[Measured]:
    """How often a change is shown where there is none, and where features have shifted."""
    n_null, n_shifted = (5, 3) if quick else (1_000, 100)
    bank = {name: BANK[name] for name in ("lognormal, two fifths new",)} if quick else BANK
    for name, draw in SHAPES.items():
        yield Measured(name, "no change", _found(draw, n_null), (0.035, 0.065))
    for name, draw in SHAPES.items():
        found = _found(draw, n_shifted, 1.5)
        yield Measured(name, f"{_N_SHIFTED} features shifted by 1.5", found, (0.8, 1.0))
    for name, draw in bank.items():
        yield Measured(name, "no change", _found(draw, n_null), (0.035, 0.065))
    for n_rows, separation in _MIXTURES:
        yield Measured(
            f"{n_rows} x 8, new rows without labels, classes {separation:g} sd apart",
            "classes 2:1 and then 1:2",
            _found(_other_mixture(n_rows, separation), n_null),
            (0.0, 0.1),
        )
    for planted in _PLANTED:
        yield Measured(
            f"100 x 8, features shifted by {planted:g} sd",
            "shift said",
            _shift_said(planted, n_shifted),
            (0.9 * planted, 1.1 * planted),
            wanted_words="within a tenth",
        )


def _shift_said(planted: float, n_tables: int) -> float:
    """The mean shift that is said of features that shifted by as much in every table."""
    draw = SHAPES["100 x 8"]
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    said = [draw(seed).compared(planted).shifts[:_N_SHIFTED] for seed in seeds]
    return float(np.mean(said))


CLAIM = Claim(
    name="lots",
    promise=(
        "A lot is said to have changed in one of 20 that have not, and in most that have, by as "
        "many of the first lot's standard deviations within classes as it has. Where classes "
        "overlap and the new rows have no labels, another mixture of them may count as a change."
    ),
    simulate=simulate,
    notes=(
        "How often a change is said (p at most .05), of 1,000 pairs of lots without one and 100 "
        "with three shifted features. The classes have other shares in the two lots, unless the "
        "new rows have no labels; then another mixture may count as a change, the more often the "
        "more the classes overlap."
    ),
)

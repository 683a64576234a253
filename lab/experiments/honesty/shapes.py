"""A bank of shapes of tables, so that a claim is tried on more than normal rows.

Every feature has a standard deviation of about 1 within classes, and `separation` is in these
deviations. What belongs to the distribution of a shape (loadings, smooth bases) is drawn by
`population`, what belongs to its rows by `seed`: another seed gives fresh rows of the same
distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED
from melm_core.base import FloatArray, IntArray

_Stream: TypeAlias = np.random.Generator

CORRELATION = 0.7
TAIL_DEGREES = 3.0  # of freedom: the variance is finite, the fourth moment is not
LOG_DEVIATION = 1.0  # of the normal variable whose exponential is lognormal
MOST_ROWS_OF_A_GROUP = 12
GROUP_VARIANCE = 0.5  # share of the variance that rows of a group have in common

COLUMNS_PER_FEATURE = 20  # of wide tables and of alike features
_COMMUNALITY = 0.7  # share of the variance of a feature that comes from two factors
_N_BASES = 6
_OWN_DEVIATION = 0.1  # of a channel, beside its smooth part


class Drawn(NamedTuple):
    """A table.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        As many columns as features were asked for, or `COLUMNS_PER_FEATURE` times as many where the
        shape is wide or its features are alike.
    y : ndarray of int of shape (n_rows,)
        Class codes from 0, in random order.
    groups : ndarray of int of shape (n_rows,) or None
        Rows of a group are of one class and have a part in common.
    """

    X: FloatArray
    y: IntArray
    groups: IntArray | None


class Draw(Protocol):
    """Draws a table of a shape; see `Shape`."""

    def __call__(
        self, n_rows: int, n_features: int, separation: float, seed: int, population: int = 0
    ) -> Drawn: ...


@dataclass(frozen=True)
class Shape:
    """A distribution of tables.

    Attributes
    ----------
    name : str
    draw : callable
        ``draw(n_rows, n_features, separation, seed, population=0)``. The mean of class c is
        `separation` standard deviations from that of class 0 along a direction of its own: feature
        c - 1, or of alike features the smooth basis c - 1. 0 is noise.

    Examples
    --------
    >>> from lab.experiments.honesty.shapes import SHAPES
    >>> X, y, groups = SHAPES["90:10"].draw(100, 5, separation=2.0, seed=0)
    >>> X.shape, int((y == 1).sum()), groups
    ((100, 5), 10, None)
    """

    name: str
    draw: Draw


# Of the stream of the rows, that of the shape, and the numbers of rows and of features.
_Noise: TypeAlias = Callable[[_Stream, _Stream, int, int], FloatArray]


def _normal(rows: _Stream, _population: _Stream, n_rows: int, n_features: int) -> FloatArray:
    return rows.standard_normal((n_rows, n_features))


def _lognormal(rows: _Stream, _population: _Stream, n_rows: int, n_features: int) -> FloatArray:
    variance = LOG_DEVIATION**2
    values = np.exp(LOG_DEVIATION * rows.standard_normal((n_rows, n_features)))
    deviation = np.sqrt(np.expm1(variance) * np.exp(variance))
    standardized: FloatArray = (values - np.exp(variance / 2.0)) / deviation
    return standardized


def _heavy(rows: _Stream, _population: _Stream, n_rows: int, n_features: int) -> FloatArray:
    deviation = np.sqrt(TAIL_DEGREES / (TAIL_DEGREES - 2.0))
    values: FloatArray = rows.standard_t(TAIL_DEGREES, (n_rows, n_features)) / deviation
    return values


def _two_factors(rows: _Stream, population: _Stream, n_rows: int, n_features: int) -> FloatArray:
    loadings = population.standard_normal((2, n_features))
    loadings *= np.sqrt(_COMMUNALITY) / np.linalg.norm(loadings, axis=0)
    own = rows.standard_normal((n_rows, n_features)) * np.sqrt(1.0 - _COMMUNALITY)
    values: FloatArray = rows.standard_normal((n_rows, 2)) @ loadings + own
    return values


def _correlated(rows: _Stream, _population: _Stream, n_rows: int, n_features: int) -> FloatArray:
    own = rows.standard_normal((n_rows, n_features)) * np.sqrt(1.0 - CORRELATION)
    values: FloatArray = own + rows.standard_normal((n_rows, 1)) * np.sqrt(CORRELATION)
    return values


def _classes(shares: tuple[float, ...], n_rows: int, rows: _Stream) -> IntArray:
    """Codes in random order, as many of each as its share says."""
    ends = np.round(np.cumsum(shares) / np.sum(shares) * n_rows).astype(np.int64)
    return rows.permutation(np.searchsorted(ends, np.arange(n_rows), side="right"))


def _streams(seed: int, population: int) -> tuple[_Stream, _Stream]:
    return np.random.default_rng([population, seed]), np.random.default_rng(population)


def _independent(noise: _Noise, shares: tuple[float, ...] = (1.0, 1.0), columns: int = 1) -> Draw:
    """Independent rows, with as many columns for each feature asked for."""

    def draw(
        n_rows: int, n_features: int, separation: float, seed: int, population: int = 0
    ) -> Drawn:
        rows, own = _streams(seed, population)
        y = _classes(shares, n_rows, rows)
        X = noise(rows, own, n_rows, columns * n_features)
        return Drawn(X + separation * (np.arange(1, X.shape[1] + 1) == y[:, None]), y, None)

    return draw


def _ties(n_rows: int, n_features: int, separation: float, seed: int, population: int = 0) -> Drawn:
    """Normal values rounded to whole standard deviations."""
    X, y, _ = _independent(_normal)(n_rows, n_features, separation, seed, population)
    return Drawn(np.round(X), y, None)


def _unequal_groups(
    n_rows: int, n_features: int, separation: float, seed: int, population: int = 0
) -> Drawn:
    """Patients of 1 to 12 rows; the classes alternate from patient to patient."""
    rows, _ = _streams(seed, population)
    sizes = rows.integers(1, MOST_ROWS_OF_A_GROUP + 1, n_rows)
    groups = rows.permutation(np.repeat(np.arange(n_rows), sizes)[:n_rows])
    y = groups % 2
    shared = rows.standard_normal((n_rows, n_features))[groups] * np.sqrt(GROUP_VARIANCE)
    own = rows.standard_normal((n_rows, n_features)) * np.sqrt(1.0 - GROUP_VARIANCE)
    shift = separation * (np.arange(1, n_features + 1) == y[:, None])
    return Drawn(shared + own + shift, y, groups)


def _alike(
    n_rows: int, n_features: int, separation: float, seed: int, population: int = 0
) -> Drawn:
    """Channels of a spectrum: a few broad peaks in each, and a little noise of its own."""
    weights, y, _ = _independent(_normal)(n_rows, _N_BASES, separation, seed, population)
    rows, own = _streams(seed + 1, population)
    channels = np.linspace(0.0, 1.0, COLUMNS_PER_FEATURE * n_features)
    centers = (np.arange(_N_BASES) + own.random(_N_BASES))[:, None] / _N_BASES
    bases = np.exp(-0.5 * np.square((channels - centers) / 0.15))
    bases /= np.sqrt(np.square(bases).sum(axis=0))  # channels have a variance of 1
    noise = _OWN_DEVIATION * rows.standard_normal((n_rows, len(channels)))
    return Drawn(weights @ bases + noise, y, None)


_DRAWS: Mapping[str, Draw] = {
    "normal": _independent(_normal),
    "lognormal": _independent(_lognormal),
    "t3": _independent(_heavy),
    "two factors": _independent(_two_factors),
    "correlated": _independent(_correlated),
    "90:10": _independent(_normal, (0.9, 0.1)),
    "ties": _ties,
    "unequal groups": _unequal_groups,
    "five classes": _independent(_normal, (1.0,) * 5),
    "wide": _independent(_normal, columns=COLUMNS_PER_FEATURE),
    "alike features": _alike,
}

SHAPES: Mapping[str, Shape] = {name: Shape(name, draw) for name, draw in _DRAWS.items()}


@dataclass(frozen=True)
class PlantedTables:
    """Tables of a shape, each with fresh rows of its distribution.

    Attributes
    ----------
    shape : str
        One of `SHAPES`.
    n_rows, n_features : int
    separation : float
        See `Shape`; 0 is noise.

    Examples
    --------
    >>> from lab.experiments.honesty.shapes import PlantedTables
    >>> tables = PlantedTables("t3", 80, 5, separation=2.0)
    >>> table, fresh = tables.drawn(0, n_fresh=1_000)
    >>> str(tables), table.X.shape, fresh.X.shape
    ('t3 80 x 5, 2 sd', (80, 5), (1000, 5))
    """

    shape: str
    n_rows: int
    n_features: int
    separation: float

    def __str__(self) -> str:
        distance = f"{self.separation:g} sd" if self.separation else "noise"
        return f"{self.shape} {self.n_rows} x {self.n_features}, {distance}"

    def drawn(self, number: int, n_fresh: int) -> tuple[Drawn, Drawn]:
        """Draw a table by its number, and so many fresh rows."""
        draw, size = SHAPES[self.shape].draw, (self.n_features, self.separation)
        table = draw(self.n_rows, *size, FIRST_SEED + number, population=number)
        fresh = draw(n_fresh, *size, 2 * FIRST_SEED + number, population=number)
        return table, fresh

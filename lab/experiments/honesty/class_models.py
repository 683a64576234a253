"""Does the model of a class accept as many new rows of it as promised?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from melm_core.base import FloatArray
from melm_core.evaluation import ClassAcceptance, ClassModel

_N_FEATURES, _N_NEW, _NEW_SEED = 10, 4_000, 100_000
_REFITTED_OF = 5  # tables, whose rows are judged by refits
_SEPARATION = 3.0  # standard deviations between classes
# Rows of a table, and the most that may be accepted: of few rows a twentieth is less than one.
_SIZES = ((60, 0.98), (200, 0.97))
_GROUPED = "unequal groups"  # 60 rows are too few groups


def simulate(quick: bool) -> Iterator[Measured]:
    """Accepted new rows of the first class of every shape, and what refits say of its own rows."""
    names = ("lognormal", "wide") if quick else tuple(SHAPES)
    return (
        figure
        for n_rows, most in (_SIZES[:1] if quick else _SIZES)
        for name in names
        if n_rows > _SIZES[0][0] or name != _GROUPED
        for figure in _of_shape(name, n_rows, 6 if quick else 30, 0.99 if quick else most)
    )


def _of_shape(name: str, n_rows: int, n_tables: int, most: float) -> Iterator[Measured]:
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    new, by_form = np.array([_of_new_rows(name, n_rows, seed) for seed in seeds]).T
    own = np.array([_of_own_rows(name, n_rows, seed) for seed in seeds[::_REFITTED_OF]])
    tables, least = f"{name}, {n_rows} rows", 0.90 if n_tables < 10 else 0.93
    beside = f"by the chi-squared limit {by_form.mean():.2f}"
    yield _measured(tables, "new rows accepted", new, (least, most), beside)
    # Of few tables.
    yield _measured(tables, "own rows, by refits", own, (0.9, 1.0))


def _measured(
    tables: str, what: str, shares: FloatArray, wanted: tuple[float, float], beside: str = ""
) -> Measured:
    error = float(shares.std() / np.sqrt(len(shares)))
    return Measured(tables, what, float(shares.mean()), wanted, beside, error)


def _of_new_rows(name: str, n_rows: int, seed: int) -> tuple[float, float]:
    """Accepted shares by the limit of left-out rows, and by the chi-squared limit."""
    draw = SHAPES[name].draw
    X, y, groups = draw(n_rows, _N_FEATURES, _SEPARATION, seed)
    new = draw(_N_NEW, _N_FEATURES, _SEPARATION, _NEW_SEED + seed)
    own = y == 0
    model = ClassModel().fit(X[own], groups=None if groups is None else groups[own])
    distances = -model.score_samples(new.X[new.y == 0])
    by_form = distances * model.limit_ <= model.chi2_limit_
    return float(np.mean(distances <= 1.0)), float(np.mean(by_form))


def _of_own_rows(name: str, n_rows: int, seed: int) -> float:
    """What refits say of the rows of the first class, as the studio does."""
    X, y, groups = SHAPES[name].draw(n_rows, _N_FEATURES, _SEPARATION, seed)
    found = ClassAcceptance.of(X, y, groups)
    return float(found.accepted[y == 0, 0].mean())


CLAIM = Claim(
    name="class-models",
    promise=(
        "The model of a class accepts 95 % of new rows of its class, of any shape: between 93 and "
        "97 %, and up to 98 % where the class has about 30 rows."
    ),
    simulate=simulate,
)

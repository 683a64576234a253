"""Does the model of a class accept as many new rows of it as promised?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from melm_core.evaluation import ClassModel, class_acceptance

_N_FEATURES, _N_NEW, _NEW_SEED = 10, 4_000, 100_000
_SEPARATION = 3.0  # standard deviations between classes
# Rows of a table, and the most that may be accepted: of few rows a twentieth is less than one.
_SIZES = ((60, 0.98), (200, 0.97))
_GROUPED = "unequal groups"  # 60 rows are too few groups


def simulate(quick: bool) -> tuple[Measured, ...]:
    """Accepted new rows of the first class of every shape, and what refits say of its own rows."""
    names = ("lognormal", "wide") if quick else tuple(SHAPES)
    return tuple(
        figure
        for n_rows, most in (_SIZES[:1] if quick else _SIZES)
        for name in names
        if n_rows > _SIZES[0][0] or name != _GROUPED
        for figure in _of_shape(name, n_rows, 6 if quick else 30, 0.99 if quick else most)
    )


def _of_shape(name: str, n_rows: int, n_tables: int, most: float) -> Iterator[Measured]:
    seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
    shares = np.array([_shares(name, n_rows, seed) for seed in seeds])
    means, errors = shares.mean(axis=0), shares.std(axis=0) / np.sqrt(n_tables)
    tables, least = f"{name}, {n_rows} rows", 0.90 if n_tables < 10 else 0.93
    by_form = f"by the chi-squared limit {means[2]:.2f}"
    yield Measured(tables, "new rows accepted", means[0], (least, most), by_form, errors[0])
    yield Measured(tables, "own rows, by refits", means[1], (least, most), "", errors[1])


def _shares(name: str, n_rows: int, seed: int) -> tuple[float, float, float]:
    """Of new rows by the model, of its own by refits, and of new ones by the chi-squared limit."""
    draw = SHAPES[name].draw
    X, y, groups = draw(n_rows, _N_FEATURES, _SEPARATION, seed)
    new = draw(_N_NEW, _N_FEATURES, _SEPARATION, _NEW_SEED + seed)
    own = y == 0
    own_groups = None if groups is None else groups[own]
    model = ClassModel().fit(X[own], groups=own_groups)
    distances = -model.score_samples(new.X[new.y == 0])
    by_refits = class_acceptance(X, y, groups).accepted[own, 0]
    return (
        float(np.mean(distances <= 1.0)),
        float(by_refits.mean()),
        float(np.mean(distances * model.limit_ <= model.chi2_limit_)),
    )


CLAIM = Claim(
    name="class-models",
    promise=(
        "The model of a class accepts 95 % of new rows of its class, of any shape: between 93 and "
        "97 %, and up to 98 % where the class has about 30 rows."
    ),
    simulate=simulate,
)

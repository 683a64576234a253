"""Do the intervals of features' bars cover the lengths of the population's plane?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import stability

_RESAMPLES = 20  # as the page takes
_POPULATION = 60_000
_NO_EFFECT = 0.1  # of lengths in the plane of the population, whose own error is about .01


@dataclass(frozen=True)
class Shape:
    """Tables of normal features, the first three of which tell classes apart.

    Attributes
    ----------
    n_rows, n_features, n_components : int
        With one component there are two classes, with two three.
    """

    n_rows: int
    n_features: int
    n_components: int


SHAPES = (Shape(60, 5, 1), Shape(200, 10, 1), Shape(60, 5, 2), Shape(200, 10, 2), Shape(100, 20, 2))


def table(shape: Shape, n_rows: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Rows of a shape, as many as wanted."""
    y = np.arange(n_rows) % (shape.n_components + 1)
    X = np.random.default_rng(seed).standard_normal((n_rows, shape.n_features))
    X[:, 0] += 2.0 * (y == 1)
    X[:, 1] += (2.0 if shape.n_components > 1 else 0.0) * (y == 2)
    X[:, 2] += 0.8 * (y == 1)
    return X, y


def coverage(shape: Shape, n_tables: int) -> tuple[float, float]:
    """How often an interval has the length of a feature without effect, and of one with effect."""
    parameters = {"n_components": shape.n_components}
    population = table(shape, _POPULATION, seed=10_000)
    whole = stability("lda", *population, n_resamples=2, parameters=parameters).components
    lengths = np.linalg.norm(whole, axis=0)
    has_effect = lengths > _NO_EFFECT
    lengths[~has_effect] = 0.0
    covered = np.stack(
        [_covered(shape, lengths, seed) for seed in range(FIRST_SEED, FIRST_SEED + n_tables)]
    )
    return float(covered[:, ~has_effect].mean()), float(covered[:, has_effect].mean())


def _covered(shape: Shape, lengths: FloatArray, seed: int) -> npt.NDArray[np.bool_]:
    found = stability(
        "lda",
        *table(shape, shape.n_rows, seed),
        n_resamples=_RESAMPLES,
        parameters={"n_components": shape.n_components},
        random_state=seed,
    )
    lower, upper = found.length_interval
    return (lower <= lengths) & (lengths <= upper)


def simulate(quick: bool) -> tuple[Measured, ...]:
    """Coverage of both kinds of features on tables of several shapes."""
    shapes, n_tables = (SHAPES[:1], 30) if quick else (SHAPES, 300)
    figures = []
    for shape in shapes:
        plane = "line" if shape.n_components == 1 else "plane"
        case = f"{shape.n_rows} x {shape.n_features}, {plane}"
        null, signal = coverage(shape, n_tables)
        wanted = (0.85, 1.0) if quick else (0.92, 0.98)
        figures.append(Measured(f"{case}: features without effect", null, wanted, "0"))
        figures.append(Measured(f"{case}: features with effect", signal, wanted, ".80 to .86"))
    return tuple(figures)


CLAIM = Claim(
    name="feature-intervals",
    promise=(
        "95 % intervals of the lengths of features' bars cover the length in the population in "
        "92 to 98 % of tables, for features without effect (0) and with one."
    ),
    simulate=simulate,
)

"""The answer of the folds alone, before any permutation: how often the p-value changes it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.answers import LEVEL, bound_at_chance
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import Refits, Study, permutation_test

# Rows, features, groups (0 for none), and by how much the classes differ in every feature.
SHAPES = (
    (60, 5, 0, 0.0),
    (60, 5, 0, 0.2),
    (60, 5, 0, 0.4),
    (60, 200, 20, 0.0),
    (60, 200, 20, 0.2),
)


def draw(shape: tuple[int, int, int, float], seed: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Rows, labels and groups of rows with something in common."""
    n_rows, n_features, n_groups, distance = shape
    stream = np.random.default_rng(seed)
    groups = np.arange(n_rows) % (n_groups or n_rows)
    y = groups % 2
    X = stream.standard_normal((n_rows, n_features)) + distance * y[:, None]
    common = stream.standard_normal((int(groups.max()) + 1, n_features))[groups]
    return (X + common if n_groups else X), y, groups


def outcome(shape: tuple[int, int, int, float], seed: int) -> tuple[bool, bool]:
    """Whether the folds alone say "not shown", and whether p then finds an effect."""
    X, y, groups = draw(shape, seed)
    study = Study("lda", X, y, groups=groups)
    found = Refits.of(study).share
    units = np.bincount(y[np.unique(groups, return_index=True)[1]]).tolist()
    if bound_at_chance(found.balanced_accuracy, found.standard_error, units) is None:
        return False, False
    p_value = permutation_test(study, n_permutations=199).p_value
    return True, p_value <= LEVEL


def simulate(quick: bool) -> Iterator[Measured]:
    """How often "not shown" comes early, and how often it is taken back."""
    n_tables = 2 if quick else 40
    for shape in SHAPES:
        seeds = range(FIRST_SEED, FIRST_SEED + n_tables)
        early, changed = np.mean([outcome(shape, seed) for seed in seeds], axis=0)
        n_rows, n_features, n_groups, distance = shape
        of = f"{n_rows} x {n_features}" + (f" of {n_groups} patients" if n_groups else "")
        yield Measured(
            f"{of}, classes {distance:g} sd apart",
            f"taken back, of {n_tables} tables",
            float(changed),
            (0.0, 0.05),
            f"{early:.0%} not shown early",
        )


CLAIM = Claim(
    name="early-answers",
    promise='"Not shown", said of folds at chance before any shuffle, is hardly ever taken back.',
    simulate=simulate,
    notes=(
        "It is said where folds lie within half an error of chance and the upper 95 % bound of "
        "their share is nearer to chance than to perfect; only a settled p-value takes it back. "
        "In 60 x 5 that is 2 of 40 tables each, with an error of .03: a first reading, not the "
        "answer. The lines of patients were measured with a limit of one error, which can only "
        "take it back more often."
    ),
)

"""How many of the rows listed as mislabeled are labeled rightly?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.experiments.honesty import shapes
from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import SuspectLabels
from melm_core.evaluation import Refits, Study


@dataclass(frozen=True)
class Shape:
    """Tables of two classes, one feature of which differs.

    Attributes
    ----------
    n_rows, n_features : int
    distance : float
        Of the classes, in standard deviations.
    flipped : float
        Share of the labels that are wrong.
    """

    n_rows: int
    n_features: int
    distance: float
    flipped: float


SHAPES = (
    Shape(60, 100, 0.0, 0.0),
    Shape(60, 100, 2.0, 0.0),
    Shape(60, 100, 2.0, 0.05),
    Shape(200, 10, 2.0, 0.0),
    Shape(200, 10, 1.0, 0.05),
    Shape(200, 10, 2.0, 0.05),
    Shape(200, 10, 4.0, 0.05),
    Shape(60, 5, 4.0, 0.05),
)


# Rows, standard deviations between classes and shares of wrong labels of the bank of shapes.
_BANK = ((200, 4.0, 0.0), (200, 4.0, 0.05))
_FEATURES = 10
_MULTIPLIED = {"wide": 3, "alike features": 3}  # features of shapes that have many columns for each


def table(shape: Shape, seed: int) -> tuple[FloatArray, IntArray, npt.NDArray[np.bool_]]:
    """Rows, labels, and which of these are wrong."""
    stream = np.random.default_rng(seed)
    truth = np.arange(shape.n_rows) % 2
    X = stream.standard_normal((shape.n_rows, shape.n_features))
    X[:, 0] += shape.distance * truth
    wrong = np.zeros(shape.n_rows, dtype=np.bool_)
    wrong[stream.permutation(shape.n_rows)[: round(shape.flipped * shape.n_rows)]] = True
    return X, np.where(wrong, 1 - truth, truth), wrong


def table_of_bank(
    name: str, size: tuple[int, float, float], seed: int
) -> tuple[shapes.Drawn, npt.NDArray[np.bool_]]:
    """A table of the bank, with labels of which a share is wrong, and which these are."""
    n_rows, distance, flipped = size
    n_features = _MULTIPLIED.get(name, _FEATURES)
    drawn = shapes.SHAPES[name].draw(n_rows, n_features, distance, seed)
    stream = np.random.default_rng(seed)
    wrong = stream.permutation(n_rows) < round(flipped * n_rows)
    n_classes = int(drawn.y.max()) + 1
    others = (drawn.y + stream.integers(1, n_classes, n_rows)) % n_classes
    return drawn._replace(y=np.where(wrong, others, drawn.y)), wrong


def suspects_of(
    X: FloatArray, y: IntArray, seed: int, groups: IntArray | None = None
) -> SuspectLabels:
    """The list of a table."""
    return Refits.of(Study("lda", X, y, groups=groups, random_state=seed)).suspects()


def simulate(quick: bool) -> Iterator[Measured]:
    """False share of the lists less its estimate, over all tables and over those with a list.

    An empty list has a false share of 0, as in a false discovery rate; who reads a list asks for
    the second figure.
    """
    tables = (SHAPES[0], SHAPES[6]) if quick else SHAPES
    for each in tables:
        yield from _figures(each, 8 if quick else 100)
    for name in ("t3",) if quick else shapes.SHAPES:
        for size in _BANK:
            yield _of_bank(name, size, 4 if quick else 60)


def _of_bank(name: str, size: tuple[int, float, float], n_tables: int) -> Measured:
    """Of a shape of the bank; over those with a list nothing is promised, as they are few."""
    differences, n_lists, hits = [], 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        (X, y, groups), wrong = table_of_bank(name, size, seed)
        found = suspects_of(X, y, seed, groups)
        right = ~wrong[found.rows]
        differences.append((right.mean() if len(right) else 0.0) - found.false_share)
        n_lists += len(right) > 0
        hits += int((~right).sum())
    n_rows, distance, flipped = size
    return Measured(
        f"{name}, {n_rows} rows, {distance:g} sd, {n_tables} tables",
        f"false share less that estimated, {round(flipped * n_rows)} wrong",
        float(np.mean(differences)),
        (-0.5, 0.5) if n_tables < 10 else (-0.1, 0.1),
        f"{n_lists} with a list, {hits / n_tables:.1f} found",
    )


def _figures(shape: Shape, n_tables: int) -> Iterator[Measured]:
    listed, hits, false, estimated = [], [], [], []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        X, y, wrong = table(shape, seed)
        found = suspects_of(X, y, seed)
        right = ~wrong[found.rows]
        listed.append(len(right))
        hits.append(int((~right).sum()))
        false.append(right.mean() if len(right) else 0.0)
        estimated.append(found.false_share)
    case = (
        f"{shape.n_rows} x {shape.n_features}, {shape.distance:g} sd, "
        f"{round(shape.flipped * shape.n_rows)} wrong"
    )
    yield Measured(
        case,
        f"false share less that estimated, {n_tables} tables",
        float(np.mean(false) - np.mean(estimated)),
        (-0.1, 0.1),
        f"{np.mean(listed):.1f} listed, {np.mean(hits):.1f} of them wrong",
    )
    has_list = np.array(listed) > 0
    if has_list.any():
        seen, said = np.array(false)[has_list].mean(), np.array(estimated)[has_list].mean()
        yield Measured(
            case,
            "the same of tables with a list",
            float(seen - said),
            (-0.1, 0.1),
            f"{has_list.sum()} tables",
        )


CLAIM = Claim(
    name="suspects",
    promise=(
        "Of the rows listed as mislabeled, about as many are labeled rightly as the list says: "
        "within .1 over all tables, an empty list counted as 0, and of normal rows over those with "
        "a list."
    ),
    simulate=simulate,
    notes=(
        "All by LDA. Where more than an eighth of the rows lie in another class, wrong labels "
        "cannot be told from overlap: the list is empty and says so. At 4 sd half of the tables "
        "of 200 rows have a list, with 9 of 10 wrong labels in it, and a quarter of the tables of "
        "60 rows, with 2.6 of 3. Of ten wrong labels of wine nine or ten are found (four tables); "
        "a single one is not listed, since three rows of wine lie far outside every class. How "
        "sharp the densities are, and which share of labels is wrong, is fitted to all held-out "
        "rows. Heavy tails put rightly labeled rows deep in another class: for every four rows as "
        "far out, but in no class, one is added to those rightly labeled. Of t3 without wrong "
        "labels the few tables with a list (one in 15) have a wrong one."
    ),
)

"""How many of the rows listed as mislabeled are labeled rightly?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import SuspectLabels, calibrated_probabilities


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
    before : str
        False share of the rows listed before.
    """

    n_rows: int
    n_features: int
    distance: float
    flipped: float
    before: str = ""


SHAPES = (
    Shape(60, 100, 0.0, 0.0, "23 % of rows"),
    Shape(60, 100, 2.0, 0.0),
    Shape(60, 100, 2.0, 0.05, ".92"),
    Shape(200, 10, 2.0, 0.0),
    Shape(200, 10, 1.0, 0.05, ".88"),
    Shape(200, 10, 2.0, 0.05, ".48"),
    Shape(200, 10, 4.0, 0.05, ".08"),
    Shape(60, 5, 4.0, 0.05),
)


def table(shape: Shape, seed: int) -> tuple[FloatArray, IntArray, npt.NDArray[np.bool_]]:
    """Rows, labels, and which of these are wrong."""
    stream = np.random.default_rng(seed)
    truth = np.arange(shape.n_rows) % 2
    X = stream.standard_normal((shape.n_rows, shape.n_features))
    X[:, 0] += shape.distance * truth
    wrong = np.zeros(shape.n_rows, dtype=np.bool_)
    wrong[stream.permutation(shape.n_rows)[: round(shape.flipped * shape.n_rows)]] = True
    return X, np.where(wrong, 1 - truth, truth), wrong


def suspects_of(X: FloatArray, y: IntArray, seed: int) -> SuspectLabels:
    """The list of a table."""
    found = calibrated_probabilities("lda", X, y, random_state=seed)
    assert found is not None  # noqa: S101
    return found.suspect_labels()


def simulate(quick: bool) -> tuple[Measured, ...]:
    """False share of the lists less its estimate, over all tables and over those with a list.

    An empty list has a false share of 0, as in a false discovery rate; who reads a list asks for
    the second figure.
    """
    shapes = (SHAPES[0], SHAPES[6]) if quick else SHAPES
    return tuple(figure for shape in shapes for figure in _figures(shape, 8 if quick else 100))


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
        f"{case}: false share {np.mean(false):.2f} less {np.mean(estimated):.2f} estimated, all "
        f"{n_tables} tables; {np.mean(listed):.1f} listed, {np.mean(hits):.1f} of them wrong",
        float(np.mean(false) - np.mean(estimated)),
        (-0.1, 0.1),
        shape.before,
    )
    has_list = np.array(listed) > 0
    if has_list.any():
        seen, said = np.array(false)[has_list].mean(), np.array(estimated)[has_list].mean()
        yield Measured(
            f"{case}: {seen:.2f} less {said:.2f} estimated, {has_list.sum()} tables with a list",
            float(seen - said),
            (-0.1, 0.1),
        )


CLAIM = Claim(
    name="suspects",
    promise=(
        "Of the rows listed as mislabeled, about as many are labeled rightly as the list says: "
        "within .1 over all tables, an empty list counted as 0, and over those with a list."
    ),
    simulate=simulate,
)

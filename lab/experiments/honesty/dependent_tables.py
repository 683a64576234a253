"""Tables of noise whose rows depend on each other, and how often they end in a plain Yes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from lab.experiments.honesty.claim import FIRST_SEED
from melm_core.answers import LEVEL
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import Study, permutation_test
from melm_studio.analyses.check import N_PERMUTATIONS
from melm_studio.analyses.shuffles import shuffles_of_each
from melm_studio.tables import LabeledData, Question, Table, prepare, readings

# Given a seed; its label is the column "label".
Draw: TypeAlias = Callable[[int], Table]


def table(X: FloatArray, y: IntArray, **columns: Sequence[Any]) -> Table:
    """A table of features f0, f1, ..., of further columns, and of the label."""
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(X.shape[1])])
    for name, cells in columns.items():
        frame[name] = cells
    return Table("simulated", frame.assign(label=np.array(["a", "b"])[y]), ())


def tables(draw: Draw, n_tables: int) -> Iterable[Table]:
    """As many tables as are to be drawn."""
    return map(draw, range(FIRST_SEED, FIRST_SEED + n_tables))


def is_suspected(drawn: Table, kind: str) -> bool:
    """Whether rows of a table are suspected to belong together, by how a question begins."""
    return bool(asked(prepare(drawn, "label"), kind))


def asked(data: LabeledData, kind: str) -> tuple[Question, ...]:
    """What nobody has said of rows that may belong together, by how the id of a question begins."""
    return tuple(one for one in data.suspicions if one.id.startswith(kind))


def says_plain_yes(drawn: Table, n_shuffles: int = N_PERMUTATIONS) -> bool:
    """Whether a check ends in a Yes, or Partly: all readings of the rows agree."""
    data = prepare(drawn, "label")
    ways = readings(data)
    if {one.question.id for one in ways} != {one.id for one in data.suspicions}:
        return False
    n_each = shuffles_of_each(n_shuffles, 1 + len(ways))
    return all(is_significant(one, n_each) for one in (*(way.data for way in ways), data))


def is_significant(data: LabeledData, n_shuffles: int = N_PERMUTATIONS) -> bool:
    """Whether p of a linear discriminant is at or below the level."""
    rows = np.arange(len(data.y)) if data.groups is None else data.groups
    study = Study("lda", data.X, data.y, groups=rows)
    return permutation_test(study, n_permutations=n_shuffles).p_value <= LEVEL


def level_when_answered(draws: Iterable[Table], kind: str, value: str) -> float:
    """Share of tables that end in a plain Yes after a button is pressed.

    Parameters
    ----------
    draws : iterable of Table
    kind : str
        How the id of the question begins; tables of which it is not asked do not count.
    value : str
        How the answer begins.
    """
    found = []
    for drawn in draws:
        for question in asked(prepare(drawn, "label"), kind)[:1]:
            choice = next(one for one in question.choices if one.value.startswith(value))
            data = prepare(drawn, "label", answers={question.id: choice.value})
            found.append(is_significant(data))
    return float(np.mean(found)) if found else 0.0

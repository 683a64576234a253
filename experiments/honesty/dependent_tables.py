"""Tables of noise whose rows depend on each other, and how often they end in a plain Yes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from experiments.honesty.claim import FIRST_SEED
from melm_core.answers import LEVEL
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import Study, permutation_test
from melm_studio.tables import LabeledData, Question, Table, prepare

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


def is_asked(drawn: Table, kind: str) -> bool:
    """Whether a question whose id begins so is asked of a table."""
    return bool(asked(prepare(drawn, "label"), kind))


def asked(data: LabeledData, kind: str) -> tuple[Question, ...]:
    """The questions without an answer whose id begins so."""
    return tuple(one for one in data.open_questions if one.id.startswith(kind))


def says_plain_yes(drawn: Table, answers: Mapping[str, str] | None = None) -> bool:
    """Whether a check ends in a Yes, or Partly, that no open question holds back."""
    data = prepare(drawn, "label", answers=answers)
    return not data.open_questions and is_significant(data)


def is_significant(data: LabeledData, groups: IntArray | None = None) -> bool:
    """Whether p of a linear discriminant is at or below the level."""
    kept = data.groups if groups is None else groups
    rows = np.arange(len(data.y)) if kept is None else kept  # which the questions have settled
    study = Study("lda", data.X, data.y, groups=rows)
    return permutation_test(study, n_permutations=199).p_value <= LEVEL


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

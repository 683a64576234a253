"""Do the tables that everybody knows end with an answer, although nobody knows their history?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from lab.experiments.data import load
from lab.experiments.honesty.claim import Claim, Measured
from lab.experiments.honesty.dependent_tables import is_significant, says_plain_yes
from lab.experiments.records import DEFAULT_DATA
from melm_core.base import FloatArray, IntArray
from melm_studio.analyses.check import N_PERMUTATIONS
from melm_studio.tables import Table, prepare

_OF_SCIKIT_LEARN = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
_OF_THE_PAPER = (
    "australian", "diabetes", "fourclass", "german.numer", "heart", "ionosphere", "liver-disorders",
    "sonar",
)  # fmt: skip


def tables(*, quick: bool) -> Iterator[tuple[str, Table]]:
    """Names and tables, in the order of their files; those of the paper where they are."""
    for name in ("wine",) if quick else _OF_SCIKIT_LEARN:
        yield name, _table(*_OF_SCIKIT_LEARN[name](return_X_y=True))
    for name in () if quick else _OF_THE_PAPER:
        if any(DEFAULT_DATA.glob(f"{name}*")):
            rows = load(DEFAULT_DATA, name, raw=True)
            yield name, _table(rows.X, rows.y)


def _table(X: FloatArray, y: IntArray) -> Table:
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(X.shape[1])])
    return Table("classic", frame.assign(label=np.char.add("class ", y.astype(str))), ())


def _has_answer(one: Table, n_shuffles: int) -> bool:
    """Whether a check says yes, partly or no, and not that it depends on what nobody knows."""
    data = prepare(one, "label")
    if not data.suspicions or not is_significant(data, n_shuffles):
        return not data.open_questions
    return says_plain_yes(one, n_shuffles)


def simulate(quick: bool) -> tuple[Measured, ...]:
    """How many end with an answer, and which are open."""
    n_shuffles = 39 if quick else N_PERMUTATIONS
    found = {name: _has_answer(one, n_shuffles) for name, one in tables(quick=quick)}
    n_open = ", ".join(name for name, is_answered in found.items() if not is_answered)
    return (
        Measured(
            f"{len(found)} tables, lda",
            "with an answer",
            float(np.mean(list(found.values()))),
            (10 / 12, 1.0),
            f"open: {n_open or 'none'}",
        ),
    )


CLAIM = Claim(
    "classic-tables",
    "Tables that everybody knows end with an answer, although nobody knows their history.",
    simulate=simulate,
    notes=(
        "Wine, breast cancer, liver-disorders and sonar have rows that resemble their neighbors "
        "in the file. The answer is computed for runs of these, too, and is open only where such "
        "runs differ."
    ),
)

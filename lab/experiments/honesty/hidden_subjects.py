"""Several rows of each subject that nobody declared, and categories that are no subjects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from lab.experiments.honesty.claim import Claim, Measured
from lab.experiments.honesty.dependent_tables import (
    Draw,
    is_suspected,
    level_when_answered,
    says_plain_yes,
    table,
    tables,
)
from melm_core.base import IntArray
from melm_studio.analyses.check import N_PERMUTATIONS
from melm_studio.tables import Table

QUESTION = "subjects:"
N_SUBJECTS, N_REPEATS = 20, 6

COLUMNS: dict[str, Callable[[IntArray], list[object]]] = {
    "code": lambda subject: [f"S{one:02d}" for one in subject],
    "sample_id": lambda subject: (subject + 1.0).tolist(),
    "who": lambda subject: [f"MX-{37 * one % 101}" for one in subject],
    "field_7": lambda subject: (subject + 101.0).tolist(),
    "mouse": lambda subject: (subject + 1.0).tolist(),
}


def of_subjects(name: str = "", *, shuffled: bool = True) -> Draw:
    """Noise of 120 x 5 with what is common to the rows of a subject; the label is the subject's."""

    def drawn(seed: int) -> Table:
        stream = np.random.default_rng(seed)
        subject = np.repeat(np.arange(N_SUBJECTS), N_REPEATS)
        X = stream.standard_normal((N_SUBJECTS, 5))[subject]
        X = X + stream.standard_normal((len(subject), 5))
        y = (stream.permutation(N_SUBJECTS) % 2)[subject]
        order = stream.permutation(len(subject)) if shuffled else np.arange(len(subject))
        columns = {name: COLUMNS[name](subject[order])} if name else {}
        return table(X[order], y[order], **columns)

    return drawn


def categories(seed: int) -> Table:
    """Two classes that differ, with columns that tables have; none says what belongs together."""
    stream = np.random.default_rng(seed)
    n_rows = 150
    y = stream.permutation(n_rows) % 2
    X = stream.standard_normal((n_rows, 4)) + y[:, None]
    town = np.clip(np.round(3.0 * X[:, 0] + 6.0 + stream.standard_normal(n_rows)), 0, 14)
    return table(
        X,
        y,
        age=np.round(50.0 + 12.0 * X[:, 1]).tolist(),
        visits=stream.poisson(4, n_rows).astype(np.float64).tolist(),
        town=[f"Town {'ABCDEFGHIJKLMNO'[int(at)]}" for at in town],
        grade=[f"G{at}" for at in stream.integers(1, 9, n_rows)],
        zone=pd.Series(10.0 * stream.integers(1, 12, n_rows)).tolist(),
        distance=(1000.0 + stream.integers(0, 70, n_rows)).tolist(),
    )


def simulate(quick: bool) -> tuple[Measured, ...]:
    """How often undeclared subjects end in a plain Yes, and categories are taken for subjects."""
    n_tables, n_shuffles = (2, 39) if quick else (20, N_PERMUTATIONS)
    figures = []
    for name in COLUMNS:
        drawn = list(tables(of_subjects(name), n_tables))
        figures.append(
            Measured(
                f'column "{name}"',
                f"plain Yes, of {n_tables} tables",
                float(np.mean([says_plain_yes(one, n_shuffles) for one in drawn])),
                (0.0, 0.05),
            )
        )
    kept = level_when_answered(tables(of_subjects("code"), n_tables), QUESTION, "together")
    in_order = tables(of_subjects(shuffled=False), n_tables)
    lost = tables(of_subjects(), n_tables)
    alarms = [is_suspected(one, QUESTION) for one in tables(categories, n_tables)]
    return (
        *figures,
        Measured('column "code"', "significant once kept together", kept, (0.0, 0.08)),
        Measured(
            "no column, rows of a subject together in the file",
            f"plain Yes, of {n_tables} tables",
            float(np.mean([says_plain_yes(one, n_shuffles) for one in in_order])),
            (0.0, 0.05),
        ),
        Measured(
            "no column, rows in random order",
            f"plain Yes, of {n_tables} tables",
            float(np.mean([says_plain_yes(one, n_shuffles) for one in lost])),
            (0.0, 0.05),
        ),
        Measured(
            "independent rows with six further columns",
            "suspected",
            float(np.mean(alarms)),
            (0.0, 0.02),
        ),
    )


CLAIM = Claim(
    name="hidden-subjects",
    promise="Columns that look like subjects are kept together, too, before any Yes.",
    simulate=simulate,
    notes=(
        "Several rows of each subject, labeled by subject, without a Group column. Rows of each "
        "value of a column are kept together, too, if its name says subject, or if its values "
        "repeat 2 to 20 times, have rows of one class each and either a name of codes or rows "
        "that resemble each other in the other features. Subjects in random order, without a "
        "column that names them, cannot be seen. Once kept together 2 of 20 tables were "
        "significant, too few to tell .1 from .05."
    ),
)

"""Rows that depend on each other: the column with the role Group, and warnings without one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import duplicate_rows, label_runs
from melm_studio.tables.column_roles import Column, Role
from melm_studio.tables.formatting import count, number, shortened
from melm_studio.tables.labels import words_of

FEW_RUNS_Z = -4.0  # standard deviations below the number of runs in a random order
LEAST_REPEATS = 2  # rows for each value of an identifier, on average
GROUP_WORDS = {
    "animal", "batch", "day", "donor", "id", "identifier", "participant", "patient", "person",
    "plate", "session", "subject",
}  # fmt: skip


def row_groups(frame: pd.DataFrame, columns: Sequence[Column]) -> IntArray | None:
    """Codes of the group of each row; a row without a group is a group of its own.

    None if no column has the role Group.
    """
    names = [column.name for column in columns if column.role is Role.GROUP]
    if not names:
        return None
    codes, values = pd.factorize(frame[names[0]])
    is_missing = codes < 0
    codes[is_missing] = len(values) + np.arange(is_missing.sum())
    return codes.astype(np.int64)


def dependence_notes(
    frame: pd.DataFrame, columns: Sequence[Column], X: FloatArray, y: IntArray
) -> Iterator[str]:
    """What keeps rows together or, without a group, what suggests that rows depend on each other.

    Parameters
    ----------
    frame : DataFrame
        The rows that have a class.
    columns : sequence of Column
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    groups = [column for column in columns if column.role is Role.GROUP]
    if groups:
        n_groups = count(frame[groups[0].name].nunique(), "group")
        yield (
            f"Group: {shortened(groups[0].name)}, {n_groups}. The rows of a group stay together "
            "when rows are held out."
        )
        return
    for column in columns:
        if _may_be_group(column, len(y)):
            yield (
                f"{shortened(column.name)} repeats: {number(column.n_values)} values in "
                f"{number(len(y))} rows. If rows with the same value depend on each other, choose "
                "the role Group for it; otherwise held-out rows resemble training rows."
            )
    yield from _duplicate_notes(X, y)
    yield from _run_notes(y)


def _may_be_group(column: Column, n_rows: int) -> bool:
    is_named = not GROUP_WORDS.isdisjoint(words_of(column.name))
    repeats = 2 <= column.n_values <= n_rows / LEAST_REPEATS
    return is_named and repeats and column.role is not Role.LABEL


def _duplicate_notes(X: FloatArray, y: IntArray) -> Iterator[str]:
    found = duplicate_rows(X, y)
    if found.n_repeats:
        repeat = "row repeats" if found.n_repeats == 1 else "rows repeat"
        classes = count(found.n_classes, "class", "classes")
        yield (
            f"{number(found.n_repeats)} {repeat} an earlier row of the same class, in {classes}. "
            "The check keeps equal rows together."
        )


def _run_notes(y: IntArray) -> Iterator[str]:
    n_runs, n_classes = int(label_runs(y)[-1]) + 1, int(y.max()) + 1
    # A file sorted by class says nothing about time.
    if n_runs > n_classes and runs_z(y) < FEW_RUNS_Z:
        yield (
            f"Labels come in {number(n_runs)} runs along the file, far fewer than in a random "
            "order. If neighboring rows depend on each other, add a column that numbers the runs "
            "and choose the role Group for it."
        )


def runs_z(y: IntArray) -> float:
    """Number of runs of a label, in standard deviations from that of a random order.

    References
    ----------
    D. E. Barton, F. N. David: Multiple Runs, Biometrika 44, 1957.
    """
    n, sizes = float(len(y)), np.bincount(y).astype(np.float64)
    squares, cubes = float((sizes**2).sum()), float((sizes**3).sum())
    expected = (n * (n + 1) - squares) / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    n_runs = int(label_runs(y)[-1]) + 1
    return (n_runs - expected) / math.sqrt(max(variance, 1e-12))

"""Rows that depend on each other: the column with the role Group, and warnings without one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from melm_core.base import FloatArray, IntArray
from melm_core.density import nuisance_cells
from melm_core.evaluation import duplicate_rows, label_runs
from melm_core.methods import COMPONENTS
from melm_studio.tables.formatting import count, listed, number, shortened
from melm_studio.tables.labels import words_of
from melm_studio.tables.roles import Column, Role
from melm_studio.tables.row_columns import RowColumn

N_BLOCKS = 20  # of rows that follow each other
FEW_RUNS_Z = -4.0  # standard deviations below the number of runs in a random order
LEAST_DISTINCT = 5  # rows of each class, as many as folds
LEAST_REPEATS = 2  # rows for each value of an identifier, on average
GROUP_WORDS = {
    "animal", "batch", "day", "donor", "id", "identifier", "participant", "patient", "person",
    "plate", "session", "subject",
}  # fmt: skip


def has_chosen_groups(columns: Sequence[Column]) -> bool:
    """Whether a column says which rows depend on each other."""
    return any(column.role in (Role.GROUP, Role.ORDER) for column in columns)


def row_groups(columns: Sequence[RowColumn], X: FloatArray, y: IntArray) -> IntArray | None:
    """Codes of the group of each row; a row without a group is a group of its own.

    Without a column with the role Group, blocks of rows that follow each other in the column with
    the role Order; without either, rows with equal values and label. None if there are none.

    Parameters
    ----------
    columns : sequence of RowColumn
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    by_role = {column.role: column for column in columns}
    if Role.GROUP in by_role:
        codes, values = pd.factorize(by_role[Role.GROUP].values)
        is_missing = codes < 0
        codes[is_missing] = len(values) + np.arange(is_missing.sum())
        return codes.astype(np.int64)
    if Role.ORDER in by_role:
        return time_blocks(by_role[Role.ORDER].values, y)
    return equal_rows(X, y)


def time_blocks(order: FloatArray, y: IntArray) -> IntArray:
    """Codes of blocks of rows that follow each other; a row without a time comes last.

    Where labels come in runs, the runs are the blocks, so that labels are exchanged between whole
    runs; otherwise the blocks are of equal length.
    """
    rows = np.argsort(order, kind="stable")
    runs = label_runs(y[rows])
    n_blocks = min(N_BLOCKS, len(y))
    is_in_runs = runs_z(y[rows]) < FEW_RUNS_Z and _fewest_runs(runs, y[rows]) > 1
    codes = np.empty(len(y), dtype=np.int64)
    codes[rows] = runs if is_in_runs else np.arange(len(y)) * n_blocks // len(y)
    return codes


def _fewest_runs(runs: IntArray, y: IntArray) -> int:
    """The number of runs of the class that has the fewest."""
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    return int(np.bincount(y[starts]).min())


def equal_rows(X: FloatArray, y: IntArray) -> IntArray | None:
    """Codes that are equal for rows with equal values and label; None if no row repeats.

    None also if a class has too few different rows to be held out in part.
    """
    found = duplicate_rows(X, y)
    if not found.n_repeats:
        return None
    first = np.unique(found.groups, return_index=True)[1]
    n_distinct = np.bincount(y[first])
    return found.groups if n_distinct.min() >= LEAST_DISTINCT else None


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
    by_role = {column.role: column for column in columns}
    if Role.BATCH in by_role:
        yield from _batch_notes(frame[by_role[Role.BATCH].name], y)
    if Role.GROUP in by_role:
        group = by_role[Role.GROUP].name
        yield (
            f"Group: {shortened(group)}, {count(frame[group].nunique(), 'group')}. The rows of a "
            "group stay together when rows are held out."
        )
        return
    if Role.ORDER in by_role:
        yield (
            f"Order: {shortened(by_role[Role.ORDER].name)}. Rows that follow each other stay "
            "together in blocks when rows are held out."
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


def _batch_notes(cells: pd.Series, y: IntArray) -> Iterator[str]:
    n_classes = pd.DataFrame({"batch": cells, "y": y}).groupby("batch")["y"].nunique()
    name, n_batches = shortened(str(cells.name)), len(n_classes)
    if n_batches > 1 and (n_classes == 1).all():
        yield (
            f"Batch: {name}. Every batch holds one class only, so a difference between classes may "
            "be one between batches."
        )
    else:
        yield f"Batch: {name}, {count(n_batches, 'batch', 'batches')}."
        yield from _small_cell_notes(cells, y)


def _small_cell_notes(cells: pd.Series, y: IntArray) -> Iterator[str]:
    """Which classes have too few rows of a batch to be compared there."""
    codes, names = pd.factorize(cells.fillna("missing"))
    found = nuisance_cells(y, codes.astype(np.int64), n_components=int(COMPONENTS.default))
    if found.small and not found.is_confounded:
        fewest = min(rows for _, _, rows in found.small)
        batches = sorted({str(names[batch]) for _, batch, _ in found.small})
        yield (
            f"Batch: some classes have as few as {count(fewest, 'row')} of "
            f"{shortened(listed(batches))}, too few to compare batches there."
        )


def _may_be_group(column: Column, n_rows: int) -> bool:
    is_named = not GROUP_WORDS.isdisjoint(words_of(column.name))
    repeats = 2 <= column.n_values <= n_rows / LEAST_REPEATS
    return is_named and repeats and column.role not in (Role.LABEL, Role.BATCH)


def _duplicate_notes(X: FloatArray, y: IntArray) -> Iterator[str]:
    found = duplicate_rows(X, y)
    if found.n_repeats:
        repeat = "row repeats" if found.n_repeats == 1 else "rows repeat"
        classes = count(found.n_classes, "class", "classes")
        yield (
            f"{number(found.n_repeats)} {repeat} an earlier row of the same class, in {classes}. "
            "Equal rows stay together when rows are held out."
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

"""Preparing a table as labeled data: numeric features and classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from melm_core.base import ColumnEncoding, FloatArray
from melm_studio.tables.classes import (
    VALUES_AS_CLASSES,
    Classes,
    ClassRules,
    find_classes,
    sort_key,
)
from melm_studio.tables.column_roles import column_roles, find_roles
from melm_studio.tables.dependence import dependence_notes, has_chosen_groups, row_groups
from melm_studio.tables.formatting import count, listed, number, shortened
from melm_studio.tables.labeled_data import LabeledData, UnlabeledRows
from melm_studio.tables.labels import guess_label, label_candidates
from melm_studio.tables.ordered_levels import ordered_levels
from melm_studio.tables.read import Table, TableError, unique_names
from melm_studio.tables.roles import FEATURES, USED, Column, Role, Use
from melm_studio.tables.row_columns import row_columns

__all__ = ["column_roles", "guess_label", "label_candidates", "prepare"]

MAX_CELLS = 50_000_000  # of the prepared table: 0.4 GB
MIN_FEATURES = 2


def prepare(
    table: Table,
    label: str | None = None,
    *,
    standardize: bool = True,
    roles: Mapping[str, Use | str] | None = None,
    class_rules: ClassRules = VALUES_AS_CLASSES,
    max_cells: int = MAX_CELLS,
) -> LabeledData:
    """Turn a table into numeric features and classes.

    Parameters
    ----------
    table : Table
        The table as read from a file.
    label : str, optional
        The column that contains the classes; guessed by default.
    standardize : bool, default=True
        Whether to scale every feature to mean 0 and standard deviation 1.
    roles : mapping of str to Use, optional
        Columns to use as features or to leave out, whatever would be inferred; never the label.
    class_rules : ClassRules, optional
        How the values of the label become classes; by default each value is one.
    max_cells : int, default=50_000_000
        The largest prepared table, of 8 bytes per cell.

    Raises
    ------
    TableError
        If there are not two classes with two rows or more, or not two features, or a column
        cannot be used as `roles` says.

    Examples
    --------
    >>> from melm_studio.tables import load_sample, prepare
    >>> prepare(load_sample("iris")).X.shape
    (150, 4)
    """
    roles = roles or {}
    label = guess_label(table, without=roles) if label is None else label
    classes = find_classes(table.frame, label, class_rules)
    columns = find_roles(table.frame, label, classes, roles)
    frame = table.frame.iloc[classes.rows]
    encodings = _encodings(frame, columns, max_cells)
    names = unique_names([name for one in encodings for name in one.feature_names])
    X = _encoded(frame, encodings)
    center, scale = np.zeros(len(names)), np.ones(len(names))
    if standardize:
        center, scale = X.mean(axis=0), X.std(axis=0)
    scaling_steps = ("Standardized: mean 0, standard deviation 1.",) if standardize else ()
    X = (X - center) / scale
    kept = row_columns(frame, columns)
    notes = tuple(dependence_notes(frame, columns, X, classes.y))
    warnings = () if has_chosen_groups(columns) else notes
    unlabeled, unlabeled_steps = _unlabeled_rows(
        table.frame, classes, columns, encodings, max_cells
    )
    return LabeledData(
        name=table.name,
        X=X,
        y=classes.y,
        class_names=classes.names,
        feature_names=tuple(names),
        center=center,
        scale=scale,
        row_numbers=table.row_numbers[classes.rows],
        steps=(
            *table.steps,
            *classes.steps,
            *_column_steps(columns, frame),
            *scaling_steps,
            *unlabeled_steps,
            *notes,
        ),
        columns=columns,
        groups=row_groups(kept, X, classes.y),
        row_columns=kept,
        unlabeled=unlabeled and replace(unlabeled, X=(unlabeled.X - center) / scale),
        encodings=tuple(encodings),
        form=table.form,
        # The first step of the classes only names them.
        warnings=(*classes.steps[1:], *unlabeled_steps, *warnings),
    )


def _encoded(frame: pd.DataFrame, encodings: Sequence[ColumnEncoding]) -> FloatArray:
    """The features before scaling, of shape (n_rows, n_features)."""
    return np.hstack([one.encode(frame[one.name]) for one in encodings])


def _unlabeled_rows(
    frame: pd.DataFrame,
    classes: Classes,
    columns: Sequence[Column],
    encodings: Sequence[ColumnEncoding],
    max_cells: int,
) -> tuple[UnlabeledRows | None, tuple[str, ...]]:
    """The rows without a label whose categories are known, before scaling."""
    n_unlabeled = len(classes.unlabeled)
    if not n_unlabeled:
        return None, ()
    rows = frame.iloc[classes.unlabeled]
    is_known = np.all([one.can_encode(rows[one.name]) for one in encodings], axis=0)
    n_features = sum(len(one.feature_names) for one in encodings)
    if n_features * (int(is_known.sum()) + len(classes.y)) > max_cells:
        return None, (
            f"Left out: {count(n_unlabeled, 'row')} without a label, for want of memory.",
        )
    steps = [f"{count(n_unlabeled, 'row')} without a label: kept as unknown, not used by the fit."]
    if not is_known.all():
        odd = count(int((~is_known).sum()), "row")
        steps.append(f"Left out: {odd} without a label with categories that no labeled row has.")
    if not is_known.any():
        return None, tuple(steps[1:])
    known = rows[is_known]
    unlabeled = UnlabeledRows(
        X=_encoded(known, encodings),
        row_numbers=known.index.to_numpy(np.int64) + 1,
        row_columns=row_columns(known, columns),
    )
    return unlabeled, tuple(steps)


def _encodings(
    frame: pd.DataFrame, columns: Sequence[Column], max_cells: int
) -> list[ColumnEncoding]:
    """The encodings of the columns that are features."""
    encodings: list[ColumnEncoding] = []
    n_features = 0
    for column in columns:
        if column.role in FEATURES:
            encodings.append(_encoding(frame[column.name], column))
            n_features += len(encodings[-1].feature_names)
            _reject_too_many(n_features, len(frame), max_cells)
    if n_features < MIN_FEATURES:
        raise TableError(_too_few(n_features, columns))
    return encodings


def _encoding(cells: pd.Series, column: Column) -> ColumnEncoding:
    if column.role is Role.NUMERIC:
        return ColumnEncoding(column.name, fill=float(np.nanmedian(cells.to_numpy(np.float64))))
    levels = sorted(cells.dropna().unique(), key=sort_key)
    if column.role is Role.ORDERED:
        return _ordered_encoding(cells, ordered_levels(levels) or tuple(levels))
    missing = (None,) if cells.isna().any() else ()
    return ColumnEncoding(column.name, levels=(*levels, *missing))


def _ordered_encoding(cells: pd.Series, levels: tuple[str, ...]) -> ColumnEncoding:
    codes = pd.Index(levels).get_indexer(pd.Index(cells.dropna()))
    # A category, not a value between two of them.
    fill = float(np.quantile(codes, 0.5, method="lower")) if cells.isna().any() else None
    return ColumnEncoding(str(cells.name), fill=fill, levels=levels, is_ordered=True)


def _reject_too_many(n_features: int, n_rows: int, max_cells: int) -> None:
    if n_features * n_rows > max_cells:
        raise TableError(
            f"The prepared table has {count(n_rows, 'row')} and so many features that it exceeds "
            f"{number(max_cells)} cells. Remove rows or columns and drop the file again."
        )


def _too_few(n_features: int, columns: Sequence[Column]) -> str:
    others = [column for column in columns if column.role not in (Role.LABEL, *FEATURES)]
    left_out = [f"{shortened(column.name)} ({column.reason})" for column in others]
    why = f" Left out: {'; '.join(left_out[:5])}." if left_out else ""
    return (
        f"A plane needs at least {MIN_FEATURES} features and the table has {n_features}.{why} "
        "Add columns with numbers or categories and drop the file again."
    )


def _column_steps(columns: Sequence[Column], frame: pd.DataFrame) -> Iterator[str]:
    numeric = [column.name for column in columns if column.role is Role.NUMERIC]
    categorical = [column.name for column in columns if column.role is Role.CATEGORICAL]
    if numeric:
        are = "is a feature" if len(numeric) == 1 else "are features"
        yield f"{count(len(numeric), 'numeric column')} {are}."
    if categorical:
        are = "is" if len(categorical) == 1 else "are"
        noun = count(len(categorical), "categorical column")
        yield f"{noun} {are} one-hot encoded ({listed(categorical)})."
    for column in columns:
        if column.role is Role.ORDERED:
            levels = ordered_levels(frame[column.name].dropna().unique())
            yield _ordered_step(column.name, levels)
    yield from _kept_steps(columns)
    left_out: dict[tuple[Role, str], list[str]] = {}
    for column in columns:
        if column.role not in USED:
            left_out.setdefault((column.role, column.reason), []).append(column.name)
    for (role, reason), names in left_out.items():
        yield _left_out_step(role, reason, names)
    ordered = [column.name for column in columns if column.role is Role.ORDERED]
    yield from _missing_steps(
        frame[[*numeric, *ordered]].isna().sum(), frame[categorical].isna().sum()
    )


def _ordered_step(name: str, levels: Sequence[str] | None) -> str:
    order = " < ".join(map(shortened, levels)) if levels else "in alphabetical order"
    return f"{shortened(name)} is an ordered category ({order}): one feature, its position."


def _kept_steps(columns: Sequence[Column]) -> Iterator[str]:
    """The columns that are kept beside the features; groups have notes of their own."""
    for role, what in ((Role.NAME, "Name of the rows"), (Role.INFO, "Kept as information")):
        names = [column.name for column in columns if column.role is role]
        if names:
            yield f"{what}: {listed(names)}."


def _left_out_step(role: Role, reason: str, names: list[str]) -> str:
    why = reason.partition(":")[0]
    if len(names) == 1:
        name = shortened(names[0])
        is_constant = role is Role.CONSTANT
        return f"{name} is constant and left out." if is_constant else f"{name} is left out: {why}."
    noun = f"{number(len(names))} columns are"
    if role is Role.CONSTANT:
        return f"{noun} constant and left out: {listed(names)}."
    return f"{noun} left out ({listed(names)}): {why}."


def _missing_steps(numeric: pd.Series[int], categorical: pd.Series[int]) -> Iterator[str]:
    """How missing cells were filled, given their number in each column."""
    for n_missing, fate in (
        (numeric[numeric > 0], "filled with the median"),
        (categorical[categorical > 0], "counted as a category"),
    ):
        if len(n_missing):
            n_cells = int(n_missing.sum())
            columns = f"{count(len(n_missing), 'column')} ({listed(list(n_missing.index))})"
            were = "was" if n_cells == 1 else "were"
            yield f"{count(n_cells, 'missing value')} in {columns} {were} {fate}."

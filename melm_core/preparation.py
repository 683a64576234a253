"""From a table as it was read to labelled data: which column is what, and what becomes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd

from melm_core._typing import FloatArray, IntArray
from melm_core.datasets import LabelledData
from melm_core.tables import Table, TableError, counted, grouped, listed, shortened, unique_names

MAX_CLASSES = 20
MAX_LEVELS = 20
MAX_CELLS = 50_000_000  # of the prepared table: 0.4 GB
MIN_FEATURES = 2

LARGEST = 1e150  # squares of larger values overflow
SMALLEST_SPREAD = 1e-150  # squares of smaller ones vanish
RESOLUTION = 1e-13  # a spread below this share of the values is rounding error
DISTINCT_SHARE = 0.9  # text that differs in more than this share of the rows names the row
PROBE_ROWS = 10_000

# The best hint first.
LABEL_WORDS = (
    "label", "class", "target", "y", "species", "diagnosis", "outcome", "category", "type",
    "cultivar", "digit", "variety", "group", "survived", "response", "result",
)  # fmt: skip
ID_WORDS = {"id", "ids", "idx", "index", "identifier", "key", "no", "nr", "number", "uuid"}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")  # splits sample_id and SampleId


class Role(StrEnum):
    """What a column is used for."""

    LABEL = "label"
    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ID = "id"
    CONSTANT = "constant"
    IGNORED = "ignored"


USED = (Role.LABEL, Role.NUMERIC, Role.CATEGORICAL)


@dataclass(frozen=True)
class Column:
    """A column's role, and a short phrase that says why."""

    name: str
    role: Role
    reason: str


def guess_label(table: Table) -> str:
    """Guess the label column by its name, else take the last, the first, or the best text column.

    Raises
    ------
    TableError
        If no column could be a label.
    """
    candidates = label_candidates(table)
    if not candidates:
        raise TableError(
            f"No column could be the label, which has 2 to {MAX_CLASSES} different values with "
            "several rows each. Add a column with the class of every row and drop the file again."
        )
    return candidates[0]


def label_candidates(table: Table) -> tuple[str, ...]:
    """Columns that could be the label, the guess first and the others in their order."""
    usable = [str(name) for name, column in table.frame.items() if _could_be_label(column)]
    if not usable:
        return ()
    guess = min(usable, key=lambda name: _label_preference(table.frame, name))
    return (guess, *(name for name in usable if name != guess))


def column_roles(table: Table, label: str) -> tuple[Column, ...]:
    """Find out what each column is good for, in the order of the table.

    Raises
    ------
    TableError
        If the label column does not exist or does not hold 2 to 20 classes.
    """
    return _roles(table.frame, label, _find_classes(table.frame, label))


def prepare(table: Table, label: str | None = None, *, standardise: bool = True) -> LabelledData:
    """Turn a table into numeric features and classes.

    Parameters
    ----------
    table : Table
        The table as it was read.
    label : str, optional
        The column that holds the classes; guessed by default.
    standardise : bool, default=True
        Whether to bring every feature to mean 0 and standard deviation 1.

    Raises
    ------
    TableError
        If there are not 2 to 20 classes of two rows or more, or not two features.
    """
    label = guess_label(table) if label is None else label
    classes = _find_classes(table.frame, label)
    columns = _roles(table.frame, label, classes)
    frame = table.frame.iloc[classes.rows]
    names, X = _encode(frame, columns)  # (n_samples, n_features)
    center, scale = np.zeros(len(names)), np.ones(len(names))
    if standardise:
        center, scale = X.mean(axis=0), X.std(axis=0)
    scaling_steps = ("Standardised: mean 0, standard deviation 1.",) if standardise else ()
    return LabelledData(
        name=table.name,
        X=(X - center) / scale,
        y=classes.y,
        class_names=classes.names,
        feature_names=tuple(names),
        center=center,
        scale=scale,
        row_numbers=classes.rows + 1,
        steps=(*table.steps, *classes.steps, *_column_steps(columns, frame), *scaling_steps),
    )


def _could_be_label(column: pd.Series) -> bool:
    if column.iloc[:PROBE_ROWS].nunique() > MAX_CLASSES:
        return False
    counts = column.value_counts()
    return len(counts) <= MAX_CLASSES and int((counts > 1).sum()) > 1


def _label_preference(frame: pd.DataFrame, name: str) -> tuple[int, bool, bool, bool, int]:
    """Sort key: the lowest is the likeliest label."""
    ranks = [
        LABEL_WORDS.index(word) if word in LABEL_WORDS else len(LABEL_WORDS)
        for word in _words(name)
    ]
    hint = min(ranks) if ranks and max(ranks) < len(LABEL_WORDS) else len(LABEL_WORDS)
    column = frame[name]
    is_last, is_first = name == frame.columns[-1], name == frame.columns[0]
    return hint, not is_last, not is_first, _is_numeric(column), column.nunique()


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name)]


def _is_numeric(column: pd.Series) -> bool:
    return column.dtype.kind == "f"


@dataclass(frozen=True, eq=False)
class _Classes:
    """Class names, the rows that have one of them, and their codes."""

    names: tuple[str, ...]
    rows: IntArray
    y: IntArray
    steps: tuple[str, ...]


def _find_classes(frame: pd.DataFrame, label: str) -> _Classes:
    if label not in frame.columns:
        columns = listed([str(name) for name in frame.columns])
        raise TableError(f'There is no column "{shortened(label)}". The columns are {columns}.')
    cells = frame[label]
    counts = cells.value_counts()
    _refuse_label(label, counts)
    values = sorted(counts.index[counts > 1], key=_sort_key)
    codes = np.asarray(pd.Index(values).get_indexer(pd.Index(cells)), dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)
    names = tuple(_class_name(value) for value in values)
    single = [_class_name(value) for value in counts.index[counts == 1]]
    sizes = dict(zip(names, np.bincount(codes[rows]).tolist(), strict=True))
    n_missing = int(cells.isna().sum())
    return _Classes(names, rows, codes[rows], _class_steps(label, sizes, single, n_missing))


def _refuse_label(label: str, counts: pd.Series[int]) -> None:
    found = counted(len(counts), "different value")
    way_out = f"Choose a label with 2 to {MAX_CLASSES} different values and several rows of each."
    if not 2 <= len(counts) <= MAX_CLASSES:
        raise TableError(f'The label column "{shortened(label)}" has {found}. {way_out}')
    if (counts > 1).sum() < 2:
        raise TableError(
            f'The label column "{shortened(label)}" has {found}, but fewer than two of them stand '
            f"in more than one row. {way_out}"
        )


def _sort_key(value: float | str) -> tuple[float | str, float | str]:
    return (value.casefold(), value) if isinstance(value, str) else (value, value)


def _class_name(value: float | str) -> str:
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if is_whole else str(value)


def _class_steps(
    label: str, sizes: dict[str, int], single: Sequence[str], n_missing: int
) -> tuple[str, ...]:
    shares = ", ".join(
        f"{shortened(name)}{':' if name[-1:].isdigit() else ''} {grouped(size)}"
        for name, size in sizes.items()
    )
    steps = [f"Label: {shortened(label)}, {len(sizes)} classes ({shares})."]
    if n_missing:
        steps.append(f"Left out: {counted(n_missing, 'row')} without a label.")
    if single:
        noun = counted(len(single), "class", "classes")
        steps.append(f"Left out: {noun} of a single row ({listed(single)}).")
    return tuple(steps)


def _roles(frame: pd.DataFrame, label: str, classes: _Classes) -> tuple[Column, ...]:
    found = (
        (Role.LABEL, counted(len(classes.names), "class", "classes"))
        if name == label
        else _role(str(name), column, classes.rows)
        for name, column in frame.items()
    )
    return tuple(
        Column(str(name), role, reason)
        for name, (role, reason) in zip(frame.columns, found, strict=True)
    )


def _role(name: str, column: pd.Series, rows: IntArray) -> tuple[Role, str]:
    cells = column.iloc[rows]
    present = cells.dropna()
    if present.empty:
        return Role.IGNORED, "every value is missing"
    n_missing = len(cells) - len(present)
    if not _is_numeric(column):
        return _text_role(present, n_missing)
    low, high = float(present.min()), float(present.max())
    if max(-low, high) > LARGEST:
        return Role.IGNORED, "its values are too large to calculate with"
    if high - low <= max(RESOLUTION * max(-low, high), SMALLEST_SPREAD):
        return Role.CONSTANT, "every value is the same"
    if _is_identifier(name, column.dropna().to_numpy(np.float64)):  # a left-out row may break it
        return Role.ID, "every value differs: an identifier"
    filled = f", {counted(n_missing, 'missing value')} filled with the median" if n_missing else ""
    return Role.NUMERIC, f"numeric{filled}"


def _text_role(present: pd.Series, n_missing: int) -> tuple[Role, str]:
    n_levels = present.nunique()
    if n_levels > max(2, DISTINCT_SHARE * len(present)):
        nearly = "" if n_levels == len(present) else "nearly "
        return Role.ID, f"{nearly}every value differs: an identifier"
    if n_levels > MAX_LEVELS:
        return Role.IGNORED, f"{grouped(n_levels)} categories, more than {MAX_LEVELS}"
    if n_levels == 1 and not n_missing:
        return Role.CONSTANT, "every value is the same"
    missing = " and missing" if n_missing else ""
    return (
        Role.CATEGORICAL,
        f"{counted(n_levels, 'category', 'categories')}{missing}, one-hot encoded",
    )


def _is_identifier(name: str, values: FloatArray) -> bool:
    """Whether whole numbers count the rows, or are all different under such a name."""
    if not np.array_equal(values, np.floor(values)):
        return False
    if np.all(np.diff(values) == 1):
        return True
    words = _words(name)
    is_named = bool(words) and not ID_WORDS.isdisjoint({words[0], words[-1]})
    return is_named and len(np.unique(values)) == len(values)


def _encode(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[list[str], FloatArray]:
    """Feature names, and the features before scaling: (n_samples, n_features)."""
    names: list[str] = []
    features: list[FloatArray] = []
    for column in columns:
        for name, feature in _features(frame[column.name], column):
            names.append(name)
            features.append(feature)
            _refuse_too_many(len(features), len(frame))
    if len(features) < MIN_FEATURES:
        raise TableError(_too_few(len(features), columns))
    return unique_names(names), np.column_stack(features)


def _features(cells: pd.Series, column: Column) -> Iterator[tuple[str, FloatArray]]:
    if column.role is Role.NUMERIC:
        yield column.name, cells.fillna(cells.median()).to_numpy(np.float64)
    elif column.role is Role.CATEGORICAL:
        yield from _one_hot(cells, column.name)


def _one_hot(cells: pd.Series, name: str) -> Iterator[tuple[str, FloatArray]]:
    """One indicator for each level; two levels are told apart by the second alone."""
    levels = sorted(cells.dropna().unique(), key=_sort_key)
    indicators = [(f"{name} = {level}", cells == level) for level in levels]
    if cells.isna().any():
        indicators.append((f"{name} = missing", cells.isna()))
    for feature_name, indicator in indicators[1:] if len(indicators) == 2 else indicators:
        yield feature_name, indicator.to_numpy(np.float64)


def _refuse_too_many(n_features: int, n_rows: int) -> None:
    if n_features * n_rows > MAX_CELLS:
        raise TableError(
            f"The prepared table has {counted(n_rows, 'row')} and so many features that it exceeds "
            f"{grouped(MAX_CELLS)} cells. Leave rows or columns out and drop the file again."
        )


def _too_few(n_features: int, columns: Sequence[Column]) -> str:
    left_out = [f"{shortened(c.name)} ({c.reason})" for c in columns if c.role not in USED]
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
        yield f"{counted(len(numeric), 'numeric column')} {are}."
    if categorical:
        are = "is" if len(categorical) == 1 else "are"
        noun = counted(len(categorical), "categorical column")
        yield f"{noun} {are} one-hot encoded ({listed(categorical)})."
    left_out: dict[tuple[Role, str], list[str]] = {}
    for column in columns:
        if column.role not in USED:
            left_out.setdefault((column.role, column.reason), []).append(column.name)
    for (role, reason), names in left_out.items():
        yield _left_out_step(role, reason, names)
    yield from _missing_steps(frame[numeric].isna().sum(), frame[categorical].isna().sum())


def _left_out_step(role: Role, reason: str, names: list[str]) -> str:
    why = reason.partition(":")[0]
    if len(names) == 1:
        name = shortened(names[0])
        is_constant = role is Role.CONSTANT
        return f"{name} is constant and left out." if is_constant else f"{name} is left out: {why}."
    noun = f"{grouped(len(names))} columns are"
    if role is Role.CONSTANT:
        return f"{noun} constant and left out: {listed(names)}."
    return f"{noun} left out ({listed(names)}): {why}."


def _missing_steps(numeric: pd.Series[int], categorical: pd.Series[int]) -> Iterator[str]:
    """Say what became of missing cells, given their number in each column."""
    for n_missing, fate in (
        (numeric[numeric > 0], "filled with the median"),
        (categorical[categorical > 0], "counted as a category"),
    ):
        if len(n_missing):
            n_cells = int(n_missing.sum())
            columns = f"{counted(len(n_missing), 'column')} ({listed(list(n_missing.index))})"
            were = "was" if n_cells == 1 else "were"
            yield f"{counted(n_cells, 'missing value')} in {columns} {were} {fate}."

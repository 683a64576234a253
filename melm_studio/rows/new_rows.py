"""A second table: its columns matched with those of the first and prepared as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import (
    ColumnEncoding,
    FloatArray,
    IntArray,
    UserError,
    check_columns,
    columns_as_known,
    numbers_as_known,
    plain_name,
    sources_of,
    split_unit,
    unknown_categories,
)
from melm_core.recipe import beyond_curves
from melm_studio.runs.execution.rows import RunData
from melm_studio.tables import (
    LabeledData,
    Role,
    Table,
    conversions_of,
    count,
    fill_source,
    listed,
    number,
    number_text,
    shortened,
)

MAX_NEW_ROWS = 20_000

# The quantiles between which nearly all rows of the run's table lie. A median beyond them by half
# of their distance, 4.7 standard deviations of a normal feature, is more often another unit than
# another population.
_QUANTILES = 0.01, 0.99
_FAR = 0.5
_NEAR_POWER = 0.3  # of a ratio of medians to a power of ten, in decimal digits: a factor of two
_UNSCALED: Mapping[str, float] = MappingProxyType({})

_NO_SUBJECTS = (
    "This run compares within {name}: a row is placed by its difference from the mean of its "
    "{name}, and these rows have no such column. Add it, with at least two rows of each value."
)
_ALL_ALONE = (
    "This run compares within {name}: a row is placed by its difference from the mean of its "
    "{name}, and no value of it has two of these rows. Add the other rows of each."
)
_ALONE = (
    "{rows} left out: no other row of the same {name}, from whose mean a difference could be taken."
)
_NOT_COMPUTED = (
    "No row of {name} can be placed: a step of the preparation, such as a logarithm, cannot be "
    "computed for any. Check its numbers."
)


class ScaleQuestion(Struct, frozen=True):
    """A column that seems to be in another unit than that of the run's table.

    Attributes
    ----------
    column : str
    factor : float
        The power of ten by which its numbers fit, with what they were multiplied by before.
    sentence, label : str
        The question, and what the button says that answers yes.
    """

    column: str
    factor: float
    sentence: str
    label: str


@dataclass(frozen=True, eq=False)
class NewRows:
    """The rows of a second table that can be placed in planes of the first.

    Attributes
    ----------
    name : str
        Of the table.
    row_numbers : ndarray of shape (n_rows,)
        Rows of its file, counted from 1 without the header.
    X : ndarray of shape (n_rows, n_features)
        Prepared as the first table was.
    encoded : ndarray of shape (n_rows, n_columns)
        Before the recipe, as refits take them that prepare rows anew.
    names : tuple of str
        Of the rows, empty without a column of names.
    labels : ndarray of shape (n_rows,)
        Class codes, -1 where the class is not given or not one of the first table's.
    notes : tuple of str
        What was found different, a sentence each.
    scales : tuple of ScaleQuestion
    groups : tuple of str
        What the first table's column of groups is of the rows; empty without that column.
    """

    name: str
    row_numbers: IntArray
    X: FloatArray
    encoded: FloatArray
    names: tuple[str, ...]
    labels: IntArray
    notes: tuple[str, ...]
    scales: tuple[ScaleQuestion, ...] = ()
    groups: tuple[str, ...] = ()


def match_rows(data: RunData, table: Table, scaled: Mapping[str, float] = _UNSCALED) -> NewRows:
    """Prepare the rows of a second table as the first one was.

    Columns are matched by name, in any order, and others are ignored. Missing numbers get the value
    that the first table's got.

    Parameters
    ----------
    data : LabeledData
        The first table.
    table : Table
        The second one.
    scaled : mapping of str to float, optional
        What the numbers of columns of the first table are multiplied by, as the visitor chose.

    Raises
    ------
    UserError
        If columns are missing or cannot be multiplied, the table is too long, or no row can be
        prepared.
    """
    if len(table.frame) > MAX_NEW_ROWS:
        raise UserError(
            f"{table.name} has {number(len(table.frame))} rows, and at most "
            f"{number(MAX_NEW_ROWS)} can be added at once. Split the file."
        )
    frame, given = _matched(data, table)
    columns, renamed = _own_columns(data, frame, given, table.form.decimal, scaled)
    matched = np.flatnonzero(~np.any([column.is_unknown for column in columns], axis=0))
    if not len(matched):
        raise UserError(
            f"No row of {table.name} can be placed. {' '.join(_unknown_notes(columns))}"
        )
    encoded = np.hstack([column.encoded(matched) for column in columns])
    encoded, alone_notes = _within_subjects(data, frame, matched, encoded)
    X = data.fitted_preparation.apply(encoded)
    is_finite = np.isfinite(X).all(axis=1)
    if alone_notes:
        is_finite &= ~np.isnan(encoded).all(axis=1)
    if not is_finite.any():
        raise UserError(_NOT_COMPUTED.format(name=table.name))
    matched, encoded, X = matched[is_finite], encoded[is_finite], X[is_finite]
    labels, label_notes = _labels(data, frame, matched)
    notes = (
        *renamed,
        *_unknown_notes(columns),
        *(alone_notes or _step_notes(int((~is_finite).sum()))),
        *_filled_notes(data, columns),
        *_beyond_notes(data, encoded),
        *label_notes,
    )
    scales, unit_notes = _other_scales(data, encoded, scaled)
    return NewRows(
        table.name,
        matched + 1,
        X,
        encoded,
        _texts(data, Role.NAME, frame, matched),
        labels,
        (*notes, *unit_notes),
        scales,
        _texts(data, Role.GROUP, frame, matched),
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of one column: ready to encode, and which of them cannot be."""

    encoding: ColumnEncoding
    cells: npt.NDArray[np.generic]
    is_unknown: npt.NDArray[np.bool_]
    is_filled: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, encoding: ColumnEncoding, column: pd.Series, numbers: FloatArray | None) -> _Cells:
        if numbers is None:
            texts = np.array([cell_text(cell) for cell in column], dtype=object)
            is_known = np.isin(texts, [level for level in encoding.levels if level is not None])
            is_missing = np.array([text is None for text in texts])
            is_fine = is_missing & (None in encoding.levels or encoding.fill is not None)
            return cls(encoding, texts, ~is_known & ~is_fine, np.zeros(len(texts), dtype=bool))
        is_missing = ~np.isfinite(numbers)
        is_unknown = is_missing & (encoding.fill is None)
        return cls(encoding, numbers, is_unknown, is_missing & ~is_unknown)

    def encoded(self, rows: IntArray) -> FloatArray:
        return self.encoding.with_gaps.encode(self.cells[rows])


def cell_text(cell: object) -> str | None:
    """Return the text of a cell as categories are named; None where it is missing."""
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return None
    return (number_text(cell) if isinstance(cell, float) else str(cell).strip()) or None


def _matched(data: LabeledData, table: Table) -> tuple[pd.DataFrame, dict[str, str]]:
    """Rename columns to those of the first table; also return the old names by the new ones."""
    wanted = [encoding.name for encoding in data.encodings]
    roles = (Role.LABEL, Role.NAME, Role.GROUP)
    others = [column.name for column in data.columns if column.role in roles]
    units, given = conversions_of(wanted), [str(name) for name in table.frame.columns]
    names = columns_as_known(given, [*dict.fromkeys((*wanted, *others))], units)
    frame = table.frame.set_axis(names, axis=1)
    by_name = dict(zip(names, given, strict=True))
    check_columns(names, wanted, units)
    for name in wanted:
        if name not in by_name:
            (source,) = {*sources_of(name)} & {*by_name}
            frame, by_name[name] = frame.assign(**{name: frame[source]}), by_name[source]
    return frame, by_name


def _within_subjects(
    data: LabeledData, frame: pd.DataFrame, rows: IntArray, encoded: FloatArray
) -> tuple[FloatArray, list[str]]:
    """Encoded rows less the mean of their subject, where the run compares within subjects.

    All NaN in rows that have no such mean, which the notes count.
    """
    if data.within is None:
        return encoded, []
    name = shortened(data.within.column)
    if data.within.column not in frame.columns:
        raise UserError(_NO_SUBJECTS.format(name=name))
    subjects = pd.factorize(frame[data.within.column].iloc[rows])[0]
    centered = data.within.centered(encoded, subjects)
    n_alone = int(np.isnan(centered).all(axis=1).sum())
    if n_alone == len(rows):
        raise UserError(_ALL_ALONE.format(name=name))
    return centered, [_ALONE.format(rows=count(n_alone, "row"), name=name)] if n_alone else []


def lacking(data: LabeledData, table: Table) -> bool:
    """Return whether a second table has none of the columns that place the first one's rows."""
    wanted = (source for encoding in data.encodings for source in sources_of(encoding.name))
    names = (map(str, table.frame.columns), wanted)
    theirs, ours = ({plain_name(split_unit(name)[0]) for name in side} for side in names)
    return theirs.isdisjoint(ours)


def _own_columns(
    data: LabeledData,
    frame: pd.DataFrame,
    given: Mapping[str, str],
    decimal: str,
    scaled: Mapping[str, float],
) -> tuple[list[_Cells], list[str]]:
    """The columns in the first table's units, multiplied as the visitor chose, and notes."""
    numeric = [encoding.name for encoding in data.encodings if not encoding.levels]
    rules = data.rules_of_new_cells
    others = [name for name in scaled if name not in numeric]
    if others:
        raise UserError(
            f"{shortened(others[0])} is not a column of numbers of the run, so it cannot be "
            f"multiplied. Columns of numbers are {listed(numeric)}."
        )
    units = conversions_of(numeric)
    pairs = [f"{other} as {name}" for name, other in given.items() if other not in sources_of(name)]
    notes = [f"Columns spelled otherwise: {listed(pairs)}."] if pairs else []
    columns = []
    for encoding in data.encodings:
        name, column, numbers = encoding.name, frame[encoding.name], None
        if not encoding.levels:
            is_text = column.dtype.kind != "f"
            cells = [cell_text(cell) or "" for cell in column] if is_text else column.to_numpy()
            numbers, said = numbers_as_known(cells, name, given[name], decimal, units, rules=rules)
            notes += said
            if (factor := scaled.get(name, 1.0)) != 1.0:
                numbers *= factor
                notes.append(f"{name} {_times(factor)}, as you chose.")
        columns.append(_Cells.of(encoding, column, numbers))
    return columns, notes


def _times(factor: float) -> str:
    """In words that a power of ten multiplies, or divides."""
    if factor < 1:
        return f"was divided by {1 / factor:,.6g}"
    return f"was multiplied by {factor:,.6g}"


def _texts(data: LabeledData, role: Role, frame: pd.DataFrame, rows: IntArray) -> tuple[str, ...]:
    """Return the cells of the column with a role in the first table; none without it."""
    column = next((item.name for item in data.columns if item.role is role), None)
    if column is None or column not in frame.columns:
        return ()
    return tuple(cell_text(cell) or "" for cell in frame[column].iloc[rows])


def _labels(data: LabeledData, frame: pd.DataFrame, rows: IntArray) -> tuple[IntArray, list[str]]:
    """Return the classes of rows, and notes on labels that the first table lacks."""
    unlabeled = np.full(len(rows), -1, dtype=np.int64)
    if not data.label or data.label not in frame.columns:
        return unlabeled, []
    codes = {name: code for code, name in enumerate(data.class_names)}
    texts = [cell_text(cell) for cell in frame[data.label].iloc[rows]]
    others = sorted({text for text in texts if text is not None and text not in codes})
    labels = np.array([codes.get(text or "", -1) for text in texts], dtype=np.int64)
    noun = count(len(others), "label is not a class", "labels are not classes")
    return labels, [f"{noun} of the run: {listed(others)}."] if others else []


def _unknown_notes(columns: list[_Cells]) -> Iterator[str]:
    """Yield notes on rows that cannot be placed, by column."""
    for column in columns:
        if n_rows := int(column.is_unknown.sum()):
            name, levels = column.encoding.name, column.encoding.levels
            pairs = zip(column.cells, column.is_unknown, strict=True)
            cells = [cell if is_unknown else levels[0] for cell, is_unknown in pairs]
            said = unknown_categories(cells, name, levels)
            yield f"{count(n_rows, 'row')} left out. {said}"


def _step_notes(n_rows: int) -> Iterator[str]:
    if n_rows:
        yield f"{count(n_rows, 'row')} left out: a step of the preparation cannot be computed."


def _beyond_notes(data: LabeledData, encoded: FloatArray) -> Iterator[str]:
    """Say how many rows have values beyond those that curves were fitted to."""
    if not data.has_curves:
        return
    fitted = data.fitted_preparation
    curves = fitted.rules.curves
    is_beyond = beyond_curves(fitted.features(encoded), curves)
    if n_rows := int(is_beyond.any(axis=1).sum()):
        beyond = np.flatnonzero(is_beyond.any(axis=0))
        names = [data.feature_names[curves[place].at] for place in beyond]
        yield (
            f"{count(n_rows, 'row')} beyond the range of the run's training rows in "
            f"{listed(names)}: a curve goes on as a straight line there."
        )


def _filled_notes(data: LabeledData, columns: list[_Cells]) -> Iterator[str]:
    filled = {cells.encoding.name: int(cells.is_filled.sum()) for cells in columns}
    names = [name for name, n_cells in filled.items() if n_cells]
    if names:
        n_cells = sum(filled.values())
        were = "was" if n_cells == 1 else "were"
        yield (
            f"{count(n_cells, 'cell')} without a number ({listed(names)}) {were} filled with "
            f"{fill_source(data.recipe.missing)} of the run's table."
        )


def _other_scales(
    data: LabeledData, encoded: FloatArray, scaled: Mapping[str, float]
) -> tuple[tuple[ScaleQuestion, ...], list[str]]:
    """Find numeric columns that seem to be in another unit, by quantiles of the run's table.

    One whose median is beyond them, by a ratio near a power of ten that brings it between them, is
    asked about; of others that are far off, a note says so.
    """
    owners = [encoding for encoding in data.encodings for _ in encoding.feature_names]
    numeric = [feature for feature, encoding in enumerate(owners) if not encoding.levels]
    if not numeric:
        return (), []
    values = data.unprepared[:, numeric]
    low, high = np.nanquantile(values, _QUANTILES, axis=0)
    theirs, ours = np.nanmedian(values, axis=0), _medians(encoded[:, numeric])
    questions, notes = [], []
    for feature, below, above, there, here in zip(numeric, low, high, theirs, ours, strict=True):
        name = owners[feature].name
        excess = max(below - here, here - above)
        if not excess > 0:
            continue
        factor = _power_of_ten(here, there)
        medians = f"The median of {name} is {here:,.4g}, and {there:,.4g} in the run's table"
        if factor != 1.0 and below <= here * factor <= above:
            by = f"Divide by {1 / factor:,.6g}" if factor < 1 else f"Multiply by {factor:,.6g}"
            whole = factor * scaled.get(name, 1.0)
            questions.append(ScaleQuestion(name, whole, f"{medians}: another unit?", by))
        elif excess > _FAR * (above - below):
            notes.append(f"{medians}, beyond nearly all of its rows. Check its unit.")
    return tuple(questions), notes


def _medians(encoded: FloatArray) -> FloatArray:
    """Return the medians of columns, NaN of one without a number."""
    is_given = ~np.isnan(encoded)
    columns = (column[given] for column, given in zip(encoded.T, is_given.T, strict=True))
    return np.array([np.median(column) if len(column) else np.nan for column in columns])


def _power_of_ten(here: float, there: float) -> float:
    """Return the power of ten between medians of one sign, 1 if their ratio is not near one."""
    if here * there <= 0:
        return 1.0
    digits = float(np.log10(there / here))
    power = round(digits)
    return float(f"1e{power}") if abs(digits - power) <= _NEAR_POWER else 1.0

"""One row in full: its prediction, what moves it from the center, what else is known about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from melm_core.base import FloatArray, IntArray
from melm_studio.rows.held_out_probabilities import KnownProbabilities
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import RowSummary, names_of, row_summaries, unlabeled_summaries
from melm_studio.tables import LabeledData, Role, RowColumn, shortened

MAX_CONTRIBUTIONS = 3
MAX_INFO = 8
MOST_TEXT = 300  # characters of a cell
N_NEAREST = 3
MAX_COMPARED_CELLS = 5_000_000  # some hundredths of a second
# Of a feature's center and scale: what is smaller is a zero of the table, rounded.
_ROUNDING = 1e-12


class Contribution(Struct, frozen=True):
    """A feature of a row: its value, and how far that is from the mean in standard deviations."""

    feature: str
    value: str
    deviations: float


class RowDetails(Struct, frozen=True, kw_only=True):
    """One row.

    Attributes
    ----------
    summary : RowSummary
    contributions : tuple of Contribution
        The features that move the row farthest from the center of the plane; none of a nonlinear
        projection.
    info : tuple of (str, str)
        Other columns of the table and their values; a picture is a data URI.
    nearest : tuple of str
        The rows nearest by all prepared features, not in the plane alone: name or number and class.
        Empty for a row without a class, and of tables too large to search at once.
    """

    summary: RowSummary
    contributions: tuple[Contribution, ...]
    info: tuple[tuple[str, str], ...]
    nearest: tuple[str, ...] = ()


def row_details(
    data: LabeledData,
    placer: RowPlacer,
    index: int,
    probabilities: KnownProbabilities | None = None,
) -> RowDetails:
    """Return the details of a row of the table, by index; see `row_summaries`."""
    indices = np.array([index])
    (summary,) = row_summaries(data, placer, indices, probabilities)
    values = partial(table_value, data, index)
    return RowDetails(
        summary=summary,
        contributions=_contributions(data, placer, placer.rows(data, indices), values),
        info=_info(data.row_columns, indices),
        nearest=_nearest(data, index),
    )


def _nearest(data: LabeledData, index: int) -> tuple[str, ...]:
    """Name the rows at the smallest Euclidean distances from a row, in the prepared features."""
    if data.X.size > MAX_COMPARED_CELLS:
        return ()
    distances = np.square(data.X - data.X[index]).sum(axis=1)
    distances[index] = np.inf
    neighbors = np.argsort(distances, kind="stable")[: min(N_NEAREST, len(distances) - 1)]
    names = names_of(data, neighbors) or [""] * len(neighbors)
    rows = zip(neighbors, names, strict=True)
    return tuple(
        f"{name or f'row {data.row_numbers[neighbor]}'} ({data.class_names[data.y[neighbor]]})"
        for neighbor, name in rows
    )


def unlabeled_details(data: LabeledData, placer: RowPlacer, index: int) -> RowDetails:
    """Return the details of a row without a class, by its index among these.

    Where steps other than filling and scaling were applied, there are no contributions: the values
    of such rows before the steps are not kept.
    """
    others = data.unlabeled
    if others is None:
        raise ValueError("Every row of the table has a class.")
    indices = np.array([index])
    (summary,) = unlabeled_summaries(data, placer, indices)
    rows = placer.unlabeled_rows(indices)

    def value(feature: int) -> str:
        return value_text(in_units(data, feature, rows[:, feature]))

    return RowDetails(
        summary=summary,
        contributions=_contributions(data, placer, rows, value) if data.raw is None else (),
        info=_info(others.row_columns, indices),
    )


def table_values(data: LabeledData, feature: int) -> FloatArray:
    """Return a feature of every row in the units of the table, before any step of a recipe."""
    if data.raw is not None and feature < data.raw.shape[1]:
        return data.raw[:, feature]
    return in_units(data, feature, data.X[:, feature])


def in_units(data: LabeledData, feature: int, standardized: FloatArray) -> FloatArray:
    """Standardized values of a feature in the units of the table."""
    scale, center = data.scale[feature], data.center[feature]
    values: FloatArray = standardized * scale + center
    values[np.abs(values) < _ROUNDING * (abs(center) + scale)] = 0.0
    return values


def value_text(values: FloatArray) -> str:
    """Format the mean of the present values of a feature."""
    present = values[np.isfinite(values)]
    return f"{present.mean():,.4g}" if len(present) else "missing"


def table_value(data: LabeledData, index: int, feature: int) -> str:
    """Return a feature of a row, by index, in the units of the table."""
    return value_text(table_values(data, feature)[[index]])


def _info(columns: Sequence[RowColumn], indices: IntArray) -> tuple[tuple[str, str], ...]:
    """Return names and cells of the columns beside the features and the name of a row."""
    others = [column for column in columns if column.role is not Role.NAME][:MAX_INFO]
    return tuple((column.name, _cell(column, indices)) for column in others)


def _cell(column: RowColumn, indices: IntArray) -> str:
    text = column.rows(indices).texts[0]
    return text if column.is_pictures and text else shortened(text, MOST_TEXT) or "–"


def _contributions(
    data: LabeledData, placer: RowPlacer, rows: FloatArray, value_of: Callable[[int], str]
) -> tuple[Contribution, ...]:
    """Return contributions to the T² of a row, in projected coordinates, shape (1, n)."""
    shares = placer.contributions(rows)[0]
    if len(shares) != len(data.own_feature_names):
        return ()
    strongest = np.argsort(-shares, kind="stable")[:MAX_CONTRIBUTIONS]
    return tuple(
        Contribution(
            data.feature_names[feature],
            value_of(feature),
            _deviations(data.X[:, feature], rows[0, feature]),
        )
        for feature in strongest
        if shares[feature] > 0
    )


def _deviations(column: FloatArray, value: float) -> float:
    spread = float(column.std())
    return float((value - column.mean()) / spread) if spread else 0.0

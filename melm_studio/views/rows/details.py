"""One row in full: its prediction, what moves it from the center, what else is known about it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from melm_core.base import FloatArray
from melm_studio.tables import LabeledData
from melm_studio.views.rows.placement import RowPlacer
from melm_studio.views.rows.row_summaries import RowSummary, row_summaries

MAX_CONTRIBUTIONS = 3
MAX_INFO = 8


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
        Other columns of the table and their values.
    """

    summary: RowSummary
    contributions: tuple[Contribution, ...]
    info: tuple[tuple[str, str], ...]


def row_details(
    data: LabeledData, placer: RowPlacer, index: int, out_of_fold: FloatArray | None = None
) -> RowDetails:
    """Return the details of a row of the table, by index."""
    chosen = np.array([index])
    (summary,) = row_summaries(data, placer, chosen, out_of_fold)
    return RowDetails(
        summary=summary,
        contributions=_contributions(data, placer, index),
        info=tuple(
            (column.name, column.rows(chosen).texts[0] or "–") for column in data.info[:MAX_INFO]
        ),
    )


def table_values(data: LabeledData, feature: int) -> FloatArray:
    """A feature of every row in the units of the table, before any step of a recipe."""
    if data.raw is not None and feature < data.raw.shape[1]:
        return data.raw[:, feature]
    values: FloatArray = data.X[:, feature] * data.scale[feature] + data.center[feature]
    return values


def value_text(values: FloatArray) -> str:
    """The mean of values of a feature, but for missing ones."""
    present = values[np.isfinite(values)]
    return f"{present.mean():,.4g}" if len(present) else "missing"


def _contributions(data: LabeledData, placer: RowPlacer, index: int) -> tuple[Contribution, ...]:
    rows = placer.rows(data, np.array([index]))
    shares = placer.contributions(rows)[0]
    if len(shares) != len(data.feature_names):
        return ()
    strongest = np.argsort(-shares, kind="stable")[:MAX_CONTRIBUTIONS]
    return tuple(
        Contribution(
            data.feature_names[feature],
            value_text(table_values(data, feature)[[index]]),
            _deviations(data.X[:, feature], rows[0, feature]),
        )
        for feature in strongest
        if shares[feature] > 0
    )


def _deviations(column: FloatArray, value: float) -> float:
    spread = float(column.std())
    return float((value - column.mean()) / spread) if spread else 0.0

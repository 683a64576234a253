"""The distances T² and Q of every row from a plane, and what the features contribute to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import names_of
from melm_studio.tables import LabeledData, count, number, shortened

MAX_DRAWN = 4_000
MAX_CONTRIBUTIONS = 12


@dataclass(frozen=True, eq=False)
class RowDistances:
    """The distances of rows, those beyond a limit among them.

    Attributes
    ----------
    row_numbers : ndarray of shape (n_drawn,)
        Of the file, counted from 1 without the header.
    names : tuple of str
        Of the rows; empty without a column of names.
    codes : ndarray of shape (n_drawn,)
        Their classes.
    is_held_out : ndarray of bool, shape (n_drawn,)
    scores, residuals : ndarray of shape (n_drawn,)
        T² in the plane and Q off it.
    score_limit, new_score_limit, residual_limit, new_residual_limit : float
        99 % of rows like those of the table are below: T² of training rows and of held-out rows,
        and Q of both, which is infinite if the plane holds all features.
    words : str
        How many rows are beyond, and how many are drawn.
    """

    row_numbers: IntArray
    names: tuple[str, ...]
    codes: IntArray
    is_held_out: npt.NDArray[np.bool_]
    scores: FloatArray
    residuals: FloatArray
    score_limit: float
    new_score_limit: float
    residual_limit: float
    new_residual_limit: float
    words: str

    def label(self, index: int) -> str:
        """Return the name of a row with its number in the file, else the number alone."""
        row = f"row {number(int(self.row_numbers[index]))}"
        name = self.names[index] if self.names else ""
        return f"{shortened(name)} ({row})" if name else row

    def farthest(self, n_rows: int) -> IntArray:
        """Return the rows with the largest T² or Q relative to its limit, in order."""
        limits = np.where(self.is_held_out, self.new_score_limit, self.score_limit)
        off = np.where(self.is_held_out, self.new_residual_limit, self.residual_limit)
        relative = np.maximum(self.scores / limits, self.residuals / off)
        order: IntArray = np.argsort(-relative, kind="stable")[:n_rows]
        return order


@dataclass(frozen=True, eq=False)
class RowContributions:
    """Contributions of the features to the distances of one row, the largest first.

    Attributes
    ----------
    row : str
        Its name, or its number in the file.
    features : tuple of str
    to_score : ndarray of shape (n_shown,)
        They sum to T² over all features; a negative one holds the row near the center.
    to_residual : ndarray of shape (n_shown,)
        They sum to Q over all features.
    """

    row: str
    features: tuple[str, ...]
    to_score: FloatArray
    to_residual: FloatArray


def row_distances(data: LabeledData, placer: RowPlacer) -> RowDistances:
    """Return the distances of all rows, or of those beyond a limit and a share of the others."""
    rows = placer.rows(data, np.arange(len(data.y)))
    fitted, new = (placer.place(rows, is_new=is_new) for is_new in (False, True))
    is_beyond = np.where(placer.is_held_out, new.is_unlike, fitted.is_unlike)
    drawn = _drawn(is_beyond)
    words = (
        f"{count(int(is_beyond.sum()), 'row')} of {number(len(rows))} beyond a 99 % limit; about "
        f"{number(max(1, round(0.02 * len(rows))))} would be by chance."
    )
    if placer.is_extrapolated:
        words += (
            " So few rows have no hundredth: the limits of held-out rows continue a smooth tail."
        )
    if len(drawn) < len(rows):
        words += f" {number(len(drawn))} rows are drawn, all beyond a limit among them."
    return RowDistances(
        row_numbers=data.row_numbers[drawn],
        names=tuple(names_of(data, drawn)),
        codes=data.y[drawn],
        is_held_out=placer.is_held_out[drawn],
        scores=fitted.score_distances[drawn],
        residuals=fitted.residuals[drawn],
        score_limit=fitted.score_limit,
        new_score_limit=new.score_limit,
        residual_limit=fitted.residual_limit,
        new_residual_limit=new.residual_limit,
        words=words,
    )


def row_contributions(data: LabeledData, placer: RowPlacer, index: int) -> RowContributions:
    """Return the largest contributions to the distances of a row of the table, by index."""
    row = placer.rows(data, np.array([index]))
    to_score = placer.contributions(row)[0]
    to_residual = placer.residual_contributions(row)[0]
    total = np.abs(to_score) / max(np.abs(to_score).sum(), np.finfo(float).tiny)
    total += to_residual / max(to_residual.sum(), np.finfo(float).tiny)
    largest = np.argsort(-total, kind="stable")[:MAX_CONTRIBUTIONS]
    names = names_of(data, np.array([index]))
    features = data.feature_names
    if len(features) != len(to_score):  # of a nonlinear projection
        features = tuple(f"coordinate {axis + 1}" for axis in range(len(to_score)))
    return RowContributions(
        row=(names[0] if names else "") or f"row {number(int(data.row_numbers[index]))}",
        features=tuple(features[feature] for feature in largest),
        to_score=to_score[largest],
        to_residual=to_residual[largest],
    )


def _drawn(is_beyond: npt.NDArray[np.bool_]) -> IntArray:
    inside = np.flatnonzero(~is_beyond)
    beyond = np.flatnonzero(is_beyond)[:MAX_DRAWN]
    n_inside = min(len(inside), max(MAX_DRAWN - len(beyond), 0))
    sampled = inside[np.linspace(0, len(inside) - 1, n_inside).astype(np.int64)]
    drawn: IntArray = np.sort(np.concatenate([beyond, sampled]))
    return drawn

"""T² and Q of the rows of a run with their limits, and what moves the one selected; drawn."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from melm_core.base import FloatArray, IntArray
from melm_studio.analyses.content import Block, answer, notes, plot, selects
from melm_studio.planes.figure import shown
from melm_studio.planes.theme import (
    THEMES,
    Scheme,
    Theme,
    class_color,
    class_shape,
    page_layout,
)
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_summaries import names_of
from melm_studio.tables import LabeledData, count, number, shortened

MAX_DRAWN = 4_000
MAX_CONTRIBUTIONS = 12
_MOST_LISTED = 200
_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted, "
    "from refits without a tenth of the rows, for held-out rows, which are open. Click a row, or "
    "choose it, to select it and to see why."
)


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
        f"{number(max(1, round(0.02 * len(rows))))} are expected by chance."
    )
    if placer.is_extrapolated:
        words += " Too few rows for a limit of 1 %: those of held-out rows continue a smooth tail."
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


def distances_shown(
    data: LabeledData,
    every: RowDistances,
    row: int | None,
    explained: RowContributions | None,
    scheme: Scheme = Scheme.LIGHT,
) -> list[Block]:
    """All rows, a way to choose one, and what moves the chosen one, if one is.

    Parameters
    ----------
    data : LabeledData
    every : RowDistances
    row : int or None
        The number of the chosen row.
    explained : RowContributions or None
        Of the chosen row.
    scheme : Scheme
    """
    figure = distances_figure(every, data.class_names, scheme, named=row)
    said = f"What moves {explained.row} from the center, and off the plane." if explained else ""
    shown = [
        plot(json.loads(figure.to_json()), every.words),
        selects([("row", "Row, farthest first", *_listed(every, row))]),
        answer(said),
    ]
    if explained:
        bars = json.loads(contributions_figure(explained, scheme).to_json())
        shown.append(plot(bars, said, name="contributions"))
    return [*shown, notes([_EXPLANATION])]


def _listed(every: RowDistances, row: int | None) -> tuple[dict[str, str], str]:
    """The rows to choose from by number, the farthest first, and the number of the chosen one."""
    places = {int(number): index for index, number in enumerate(every.row_numbers)}
    listed = [int(every.row_numbers[index]) for index in every.farthest(_MOST_LISTED)]
    if row in places and row not in listed:
        listed = [row, *listed]
    labels = {"": "Choose a row"} | {str(each): every.label(places[each]) for each in listed}
    return labels, "" if row is None else str(row)


def distances_figure(
    distances: RowDistances,
    class_names: Sequence[str],
    scheme: Scheme = Scheme.LIGHT,
    *,
    named: int | None = None,
) -> go.Figure:
    """Plot Q against T² of each row, in the colors of the classes; held-out rows are open.

    Parameters
    ----------
    distances : RowDistances
    class_names : sequence of str
    scheme : Scheme
    named : int, optional
        A row of the file whose name stands beside its mark, if it is drawn.
    """
    theme = THEMES[scheme]
    figure = go.Figure(
        [
            _rows(distances, code, is_held_out, name, theme)
            for code, name in enumerate(class_names)
            for is_held_out in (False, True)
        ]
    )
    line = {"color": theme.ink, "width": 1}
    figure.add_vline(distances.score_limit, line={**line, "dash": "dash"})
    figure.add_vline(distances.new_score_limit, line={**line, "dash": "dot"})
    if np.isfinite(distances.residual_limit):
        figure.add_hline(distances.residual_limit, line={**line, "dash": "dash"})
        figure.add_hline(distances.new_residual_limit, line={**line, "dash": "dot"})
    for index in np.flatnonzero(distances.row_numbers == named) if named is not None else ():
        figure.add_annotation(
            x=distances.scores[index],
            y=distances.residuals[index],
            text=_label(distances, int(index)),
            ax=0,
            ay=-28,
            arrowhead=0,
            font={"size": 13},
        )
    figure.update_xaxes(title="T², in the plane", rangemode="tozero", gridcolor=theme.grid)
    figure.update_yaxes(title="Q, off the plane", rangemode="tozero", gridcolor=theme.grid)
    return _laid_out(figure, theme).update_layout(dragmode="pan", hovermode="closest")


def contributions_figure(
    contributions: RowContributions, scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """Bars of what the features contribute to T² and to Q of one row."""
    theme = THEMES[scheme]
    features = [shown(name) for name in contributions.features][::-1]
    places = list(range(len(features)))
    bars = (
        ("to T²", _shares(contributions.to_score), theme.class_colors[0]),
        ("to Q", _shares(contributions.to_residual), theme.class_colors[1]),
    )
    figure = go.Figure(
        [
            go.Bar(
                x=values[::-1],
                y=places,
                name=name,
                orientation="h",
                marker={"color": color},
                hovertemplate="%{x:.0%}<extra>" + name + "</extra>",
            )
            for name, values, color in bars
        ]
    )
    figure.update_xaxes(title="share of the distance", tickformat=".0%", gridcolor=theme.grid)
    figure.update_yaxes(tickvals=places, ticktext=features, automargin=True)
    return _laid_out(figure, theme).update_layout(barmode="group")


def _shares(values: FloatArray) -> FloatArray:
    """Relative to the sum of their sizes, so that both distances fit one axis."""
    total = float(np.abs(values).sum())
    shares: FloatArray = values / total if total else values
    return shares


def _rows(
    distances: RowDistances, code: int, is_held_out: bool, name: str, theme: Theme
) -> go.Scatter:
    indices = np.flatnonzero((distances.codes == code) & (distances.is_held_out == is_held_out))
    names = [_label(distances, int(index)) for index in indices]
    shape = class_shape(code)
    return go.Scatter(
        x=distances.scores[indices],
        y=distances.residuals[indices],
        customdata=distances.row_numbers[indices],
        text=names,
        name=shown(name),
        legendgroup=str(code),
        showlegend=not is_held_out,
        mode="markers",
        marker={
            "size": 7,
            "color": class_color(code, theme),
            "symbol": f"{shape}-open" if is_held_out else shape,
        },
        hovertemplate="%{text}<br>T² %{x:.1f}, Q %{y:.1f}<extra>"
        + ("held out" if is_held_out else "training")
        + "</extra>",
    )


def _label(distances: RowDistances, index: int) -> str:
    return html.escape(distances.label(index), quote=False)


def _laid_out(figure: go.Figure, theme: Theme) -> go.Figure:
    figure.update_xaxes(zerolinecolor=theme.grid, title_font_size=13)
    figure.update_yaxes(zeroline=False, title_font_size=13)
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": 8, "b": 40},
        **page_layout(theme.ink),
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )

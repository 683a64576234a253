"""T² and Q of the rows of a run with their limits, drawn, and what moves the one selected."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from melm_core.base import FloatArray
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
from melm_studio.rows.distances import RowContributions, RowDistances
from melm_studio.tables import LabeledData

_MOST_LISTED = 200
_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted, "
    "from refits without a tenth of the rows, for held-out rows, which are open. Click a row, or "
    "choose it, to select it and to see why."
)


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

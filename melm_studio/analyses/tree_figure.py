"""The tree of planes: every optimum by kernel width, over what shuffled labels reach."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from melm_studio.analyses.tree import Height, TreeArrays
from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout, translucent

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
_TITLES = {
    Height.ACCURACY: "held-out accuracy",
    Height.DIVERGENCE: "divergence (nats)",
}
_LEAST_DIVERGENCE = 1e-3  # on a logarithmic axis
_AXES: dict[Height, dict[str, Any]] = {
    Height.ACCURACY: {"tickformat": ".0%"},
    # What shuffled labels reach would be invisible beside narrow kernels.
    Height.DIVERGENCE: {"type": "log", "dtick": "D2"},
}


def tree_figure(
    tree: TreeArrays,
    height: Height,
    *,
    guessing: float | None = None,
    recommended: float | None = None,
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """Planes as points over the logarithm of the kernel width; lines join what continues.

    Branches that stand out are dark and lettered; the grey band is what shuffled labels reach.

    Parameters
    ----------
    tree : TreeArrays
    height : Height
    guessing : float, optional
        The accuracy of guessing.
    recommended : float, optional
        The kernel width that inner folds recommend.
    scheme : Scheme
    """
    theme = THEMES[scheme]
    figure = go.Figure([*_band(tree, theme), _links(tree, theme), *_branches(tree, theme)])
    if guessing is not None and height is Height.ACCURACY:
        line = {"color": theme.faint_ink, "width": 1, "dash": "dot"}
        figure.add_hline(guessing, line=line, annotation={**_note("guessing", theme), "x": 1})
    if recommended is not None:
        line = {"color": theme.faint_ink, "width": 1.2, "dash": "dash"}
        note = {**_note("recommended", theme), "y": 1, "yanchor": "bottom"}
        figure.add_vline(recommended, line=line, annotation=note)
    axis: dict[str, Any] = {"zeroline": False, "gridcolor": theme.grid, "title_font_size": 13}
    figure.update_xaxes(
        **axis,
        type="log",
        title_text="kernel width γ, finer to smoother",
        tickvals=tree.gammas,
        ticktext=[f"{gamma:g}" for gamma in tree.gammas],
    )
    figure.update_yaxes(
        **axis, **_AXES[height], title_text=_TITLES[height], range=_range(tree, height)
    )
    return figure.update_layout(
        margin={"l": 8, "r": 12, "t": 24, "b": 40},
        **page_layout(theme.ink),
        showlegend=False,
        hovermode="closest",
        dragmode=False,
    )


def _range(tree: TreeArrays, height: Height) -> list[float]:
    """The heights of the planes and of the band, with room for a letter above them."""
    values = np.concatenate([tree.heights, tree.noise[np.isfinite(tree.noise)]])
    if height is Height.DIVERGENCE:
        values = np.log10(np.maximum(values, _LEAST_DIVERGENCE))
    low, high = float(values.min()), float(values.max())
    room = max(high - low, 0.1)
    return [low - 0.08 * room, high + 0.2 * room]


def _note(text: str, theme: Theme) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"size": 12, "color": theme.faint_ink}}


def _band(tree: TreeArrays, theme: Theme) -> list[go.Scatter]:
    """From the least to the most that shuffled labels reach, at the widths where it is known."""
    known = np.isfinite(tree.noise).any(axis=0) if len(tree.noise) else np.zeros(0, dtype=bool)
    if not known.any():
        return []
    gammas, noise = tree.gammas[known], tree.noise[:, known]
    low, high = np.nanmin(noise, axis=0), np.nanmax(noise, axis=0)
    return [
        go.Scatter(
            x=np.concatenate([gammas, gammas[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            name="shuffled labels",
            mode="lines",
            fill="toself",
            fillcolor=translucent(theme.faint_ink, 0.22),
            line={"width": 0},
            hoverinfo="skip",
        )
    ]


def _links(tree: TreeArrays, theme: Theme) -> go.Scatter:
    """Where a branch merges into another, or ends in it."""
    continued = {pair for branch in tree.branches for pair in pairwise(branch)}
    leads = [(plane, int(to)) for plane, to in enumerate(tree.narrowing) if to >= 0]
    leads += [(int(to), plane) for plane, to in enumerate(tree.widening) if to >= 0]
    ends = [pair for pair in dict.fromkeys(leads) if pair not in continued]
    places = np.array([[*pair, -1] for pair in ends], dtype=np.int64).ravel()
    is_gap = places < 0
    return go.Scatter(
        x=np.where(is_gap, np.nan, tree.gammas[tree.widths[places]]),
        y=np.where(is_gap, np.nan, tree.heights[places]),
        name="merges",
        mode="lines",
        line={"color": theme.faint_ink, "width": 1, "dash": "dot"},
        opacity=0.6,
        hoverinfo="skip",
    )


def _branches(tree: TreeArrays, theme: Theme) -> list[go.Scatter]:
    """The others first, under those that stand out."""
    letters = {indices[0]: letter for letter, indices in tree.named.items()}
    owner = {branch: _letter_of(branch, letters) for branch in map(tuple, tree.branches)}
    order = sorted(owner, key=lambda branch: owner[branch] is not None)
    return [_branch(tree, branch, owner[branch], theme) for branch in order]


def _letter_of(branch: Sequence[int], letters: dict[int, str]) -> str | None:
    return next((letters[plane] for plane in branch if plane in letters), None)


def _branch(
    tree: TreeArrays, branch: Sequence[int], letter: str | None, theme: Theme
) -> go.Scatter:
    planes = list(branch)
    stands_out = letter is not None
    color = theme.ink if stands_out else theme.faint_ink
    best = planes[int(np.argmax(tree.heights[planes]))]
    return go.Scatter(
        x=tree.gammas[tree.widths[planes]],
        y=tree.heights[planes],
        customdata=planes,
        text=[letter if stands_out and plane == best else "" for plane in planes],
        textposition="top center",
        textfont={"size": 14, "color": theme.ink},
        hovertext=[tree.words[plane] for plane in planes],
        name=letter or "",
        mode="lines+markers+text",
        line={"color": color, "width": 2.4 if stands_out else 1},
        marker={
            "size": 10 if stands_out else 6,
            "color": color,
            "symbol": _symbol(letter),
            "line": {"width": 1, "color": theme.surface},
        },
        opacity=1.0 if stands_out else 0.7,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _symbol(letter: str | None) -> str:
    return "circle" if letter is None else _SYMBOLS[(ord(letter) - ord("A")) % len(_SYMBOLS)]

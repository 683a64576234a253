"""A run as a self-contained page: plotly's frames, a slider and a button."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio

from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.plotly_script import plotly_script
from melm_studio.planes.theme import FONT, THEMES, TRANSPARENT, Scheme, Theme
from melm_studio.planes.traces import PlaneTrace
from melm_studio.planes.types import ClassView, PlaneView

FRAME_MS = 110

# Small enough to send; plotly itself takes as much again.
FRAMES_BYTES = 5_000_000
MOST_POINTS = 1_200

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
html {{ background: {surface}; }}
body {{ box-sizing: border-box; display: flex; flex-direction: column; height: 100vh;
  margin: 0 auto; max-width: 1100px; padding: 20px 24px 16px; color: {ink}; font-family: {font}; }}
body > div {{ flex: 1; min-height: 320px; }}
h1 {{ margin: 0 0 4px; font-size: 1.5rem; font-weight: 650; overflow-wrap: anywhere; }}
p {{ margin: 0 0 12px; color: {faint_ink}; font-variant-numeric: tabular-nums; }}
{style}</style>
</head>
<body>
<h1>{title}</h1>
<p>{caption}</p>
<script>{plotly}</script>
{figure}
{rows}{sections}
</body>
</html>
"""


@dataclass(frozen=True)
class ReplayFrame:
    """One plane of a replay, with its caption."""

    view: PlaneView
    words: str


def replay_page(
    frames: Sequence[ReplayFrame],
    class_names: Sequence[str],
    title: str,
    caption: str,
    *,
    n_components: int = 2,
    layers: Collection[PlaneTrace] = (),
    scheme: Scheme = Scheme.LIGHT,
    rows: Callable[[str], str] | None = None,
    sections: str = "",
    style: str = "",
) -> str:
    """The HTML of a page that opens without a server or network.

    `layers` are shown of those that are off until they are asked for. Markup in titles, captions
    and names is escaped; that of sections below the run, and their styles, is kept, and so is what
    `rows` returns for the name of the last frame, under whose figure it draws.
    """
    theme = THEMES[scheme]
    figure = replay_figure(
        frames, class_names, n_components=n_components, layers=layers, scheme=scheme
    )
    drawn = pio.to_html(
        figure,
        full_html=False,
        include_plotlyjs=False,
        include_mathjax=False,
        auto_play=False,
        div_id="picture",
        default_height="100%",
        config={"displayModeBar": False, "scrollZoom": True, "responsive": True},
    )
    return _PAGE.format(
        title=html.escape(title),
        caption=html.escape(caption),
        plotly=plotly_script(),
        figure=drawn,
        rows=rows(figure.frames[-1].name) if rows else "",
        sections=sections,
        style=style,
        surface=theme.surface,
        ink=theme.ink,
        faint_ink=theme.faint_ink,
        font=FONT,
    )


def replay_figure(
    frames: Sequence[ReplayFrame],
    class_names: Sequence[str],
    *,
    n_components: int = 2,
    layers: Collection[PlaneTrace] = (),
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """The planes as the frames of a figure, which shows the last one until played."""
    kept = [
        replace(frame, view=thinned(frame.view, has_layers=bool(layers)))
        for frame in _affordable(frames)
    ]
    views = [frame.view for frame in kept]
    arrays = [plane_frame(view) for view in views]
    figure = empty_figure(class_names, _n_points(views[-1]), scheme, n_components=n_components)
    for trace, last in zip(figure.data, arrays[-1], strict=True):
        trace.update(last)
    for trace in figure.data:
        trace.showlegend = trace.meta["kind"] == PlaneTrace.TRAIN
        if trace.meta["kind"] in layers:
            trace.visible = True
    figure.frames = [
        go.Frame(name=str(number), data=traces) for number, traces in enumerate(arrays)
    ]
    x, y = shared_axes(views)
    is_played = len(kept) > 1
    return figure.update_layout(
        xaxis={"range": x},
        yaxis={"range": y},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        margin={"l": 8, "r": 8, "t": 44, "b": 8},
        sliders=[_slider(kept, THEMES[scheme])] if is_played else [],
        updatemenus=[_buttons(THEMES[scheme])] if is_played else [],
    )


def evenly(n: int, most: int) -> list[int]:
    """At most `most` of the numbers 0 to n - 1, evenly spaced, including both ends."""
    numbers: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int)).tolist()
    return numbers


def _affordable(frames: Sequence[ReplayFrame]) -> list[ReplayFrame]:
    """As many evenly spaced frames as `FRAMES_BYTES` allows."""
    largest = max(n_bytes(thinned(frame.view)) for frame in frames)
    return [frames[i] for i in evenly(len(frames), max(2, FRAMES_BYTES // largest))]


def n_bytes(view: PlaneView) -> int:
    """The approximate size of a frame as text: single precision in base 64."""
    n_vertices = sum(len(part.contours) for part in view.classes)
    return int(4 / 3 * 8 * (_n_points(view) + n_vertices)) + 2_000


def n_shown(view: PlaneView) -> int:
    """How many rows of a view are drawn in each frame."""
    return _n_points(thinned(view))


def _n_points(view: PlaneView) -> int:
    return sum(len(part.train) + len(part.held_out) for part in view.classes)


def thinned(view: PlaneView, *, has_layers: bool = False) -> PlaneView:
    """Every n-th point of each class, the same ones in every plane; layers if they are shown."""
    step = max(1, math.ceil(_n_points(view) / MOST_POINTS))
    classes = tuple(
        replace(part, train=part.train[::step], held_out=part.held_out[::step])
        if has_layers
        else ClassView(part.train[::step], part.held_out[::step], part.contours, part.levels)
        for part in view.classes
    )
    return replace(view, classes=classes)


def shared_axes(views: Sequence[PlaneView]) -> list[list[float]]:
    """Ranges that hold the last plane and most others; a few early ones may extend beyond."""
    boxes = np.array([limits(view) for view in views])  # (n_views, 2, 2)
    lows, highs = np.quantile(boxes[:, :, 0], 0.1, axis=0), np.quantile(boxes[:, :, 1], 0.9, axis=0)
    last = boxes[-1]
    ranges = np.column_stack([np.minimum(lows, last[:, 0]), np.maximum(highs, last[:, 1])])
    x, y = ranges.tolist()
    return [x, y]


def _slider(frames: Sequence[ReplayFrame], theme: Theme) -> dict[str, Any]:
    steps = [
        {"method": "animate", "label": frame.words, "args": [[str(number)], _timing(0)]}
        for number, frame in enumerate(frames)
    ]
    return {
        "active": len(steps) - 1,
        "steps": steps,
        "x": 0.14,
        "len": 0.86,
        "pad": {"t": 18, "b": 4},
        # Hides all labels but that of the plane on screen.
        "font": {"color": TRANSPARENT, "size": 1},
        "currentvalue": {"font": {"color": theme.ink, "size": 15}, "xanchor": "left"},
        "ticklen": 0,
        "minorticklen": 0,
    }


def _buttons(theme: Theme) -> dict[str, Any]:
    play = {"label": "Play", "method": "animate", "args": [None, _timing(FRAME_MS)]}
    pause = {"label": "Pause", "method": "animate", "args": [[None], _timing(0)]}
    return {
        "type": "buttons",
        "direction": "right",
        "buttons": [play, pause],
        "showactive": False,
        "x": 0,
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "pad": {"t": 44},
        "font": {"color": theme.ink, "size": 14},
        "bgcolor": theme.surface,
        "bordercolor": theme.grid,
    }


def _timing(duration: int) -> dict[str, Any]:
    return {
        "mode": "immediate",
        "frame": {"duration": duration, "redraw": True},
        "transition": {"duration": 0},
    }

"""A run as a self-contained page, which the painter of the studio draws and moves."""

from __future__ import annotations

import base64
import gzip
import html
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
import plotly.graph_objects as go

from melm_core.base import FloatArray
from melm_studio.planes.class_outlines import simplified
from melm_studio.planes.encoding import EllipseCoordinate, compact, stepped
from melm_studio.planes.figure import curve_figure, empty_figure, limits, plane_frame
from melm_studio.planes.theme import FONT, THEMES, Scheme, embedded_font_face
from melm_studio.planes.types import ClassView, PlaneView

# Small enough to send.
FRAMES_BYTES = 2_000_000
MOST_POINTS = 1_200
# Of plain numbers, those of arrows and of the curve among them.
_DIGITS = 5
# Steps across a picture, about: a quarter of a pixel where it is a thousand wide. Neighbors along a
# contour are so few steps apart that they compress to a byte, and vertices less than a step from
# its line are left out.
_STEPS = 4_000
_MOST_CODES = 2**16 - 2

_STYLE = """\
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { background: var(--surface); color: var(--ink); font: 1rem/1.4 FONT; }
body { margin: 0; }
main { display: flex; flex-direction: column; gap: 8px; height: 100dvh; margin: 0 auto;
  max-width: 1100px; padding: 14px max(14px, env(safe-area-inset-left)) 12px; }
header { display: flex; align-items: start; justify-content: space-between; gap: 12px; }
h1 { margin: 0; font-size: clamp(1.125rem, 3vw, 1.5rem); line-height: 1.25; font-weight: 650;
  overflow-wrap: anywhere; }
p { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
strong { font-weight: 600; }
.dim, .words { color: var(--faint-ink); font-size: .875rem; }
.words { min-height: 2.8em; }
.picture { position: relative; flex: 1; min-height: 220px; border: 1px solid var(--grid);
  border-radius: 10px; overflow: hidden; }
.plot, .plot canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.plot { touch-action: none; cursor: grab; }
.row-layer { position: absolute; pointer-events: none; }
.ring { position: absolute; width: 16px; height: 16px; margin: -8px; border-radius: 50%;
  border: 2px solid var(--ink); pointer-events: none; }
.row { position: absolute; left: 8px; top: 8px; max-width: calc(100% - 16px); padding: 2px 8px;
  border: 1px solid var(--grid); border-radius: 6px; background: var(--surface);
  font-size: .875rem; pointer-events: none; }
.fit { position: absolute; right: 8px; top: 8px; }
.classes { display: flex; flex-wrap: wrap; gap: 6px; max-height: 96px; margin: 0; padding: 0;
  overflow-y: auto; list-style: none; }
.swatch { width: 11px; height: 11px; border-radius: 50%; }
.curve { position: relative; flex: none; height: 96px; cursor: pointer; touch-action: pan-y; }
.curve > div:first-child, .tree { position: relative; }
.curve > div:first-child { height: 100%; }
.curve canvas, .tree canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.cursor { position: absolute; left: -1px; top: 0; bottom: 16px; width: 2px;
  background: var(--accent); pointer-events: none; }
.player { display: flex; align-items: center; gap: 12px; }
.player button { min-width: 88px; min-height: 44px; font-weight: 600; }
input[type=range] { flex: 1; width: 100%; min-width: 0; height: 44px; margin: 0;
  accent-color: var(--accent); }
button { display: inline-flex; align-items: center; justify-content: center; gap: 6px;
  min-height: 32px; padding: 2px 12px; border: 1px solid var(--faint-ink); border-radius: 8px;
  background: var(--surface); color: var(--ink); font: inherit; font-size: .875rem;
  text-align: left; cursor: pointer; }
button[aria-pressed="true"] { border-color: var(--ink); box-shadow: inset 0 0 0 1px var(--ink); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.plot:focus-visible { outline-offset: -2px; }
@media (width < 480px) { .words { min-height: 4.2em; } }
@media (height < 520px) { .words { min-height: 0; } .curve { height: 64px; } }
"""
_PAGE = """\
<!DOCTYPE html>
<html lang="en"{chosen}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{font_face}
{colors}
{style}</style>
</head>
<body>
<main data-section="run">
<header><h1>{title}</h1>
<button type="button" data-part="scheme" aria-label="Light or dark colors">◐</button></header>
<p><strong>{lead}</strong><span class="dim">{follow}</span></p>
<div class="picture" data-part="picture"></div>
<ul class="classes" data-part="classes" aria-label="Classes"></ul>
<div class="curve" data-part="curve" hidden><div data-part="chart"></div>
<div class="cursor" data-part="cursor"></div></div>
<div class="player" data-part="player" hidden>
<button type="button" data-part="play">Play</button>
<input type="range" data-part="slider" aria-label="Plane of the run"></div>
<p class="words" data-part="words">{words}</p>
{note}<script type="text/plain" data-part="replay">{data}</script>
{sections}
</main>
<script type="module">
{script}
</script>
</body>
</html>
"""
_ACCENTS = {Scheme.LIGHT: "#364fc7", Scheme.DARK: "#91a7ff"}


@dataclass(frozen=True)
class ReplayFrame:
    """One plane of a replay: its caption, its number in the run, and the titles of its axes.

    Of the last one it is known which features perhaps do not matter: their arrows are faint. As on
    the page, that is asked of a plane that stays: of all that pass by it would take as long as
    their pictures, and arrows would flicker.
    """

    view: PlaneView
    words: str
    sequence: int = 0
    axes: tuple[str, str] = ("Component 1", "Component 2")
    unseen: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ReplayText:
    """Texts around the picture of a replay.

    Attributes
    ----------
    title : str
    lead, follow : str
        The verdict on the run, and how its sentence goes on.
    note : str
        On what the picture leaves out.
    axes : tuple of str
        Titles of the axes of any plane.
    objective : str
        What the curve shows.
    """

    title: str
    lead: str = ""
    follow: str = ""
    note: str = ""
    axes: tuple[str, str] = ("Component 1", "Component 2")
    objective: str = ""


def replay_page(
    frames: Sequence[ReplayFrame],
    class_names: Sequence[str],
    text: ReplayText,
    *,
    script: str,
    curve: Mapping[str, Sequence[Any]] | None = None,
    n_components: int = 2,
    layers: Collection[str] = (),
    scheme: Scheme | None = None,
    rows: dict[str, Any] | None = None,
    sections: str = "",
    section_style: str = "",
) -> str:
    """Return the HTML of a page that opens without a server or network.

    Parameters
    ----------
    frames : sequence of ReplayFrame
    class_names : sequence of str
    text : ReplayText
        Markup in it and in names is escaped.
    script : str
        What draws the page, ``assets/studio/present/replay``.
    curve : mapping, optional
        The events of the run, as ``Events`` of ``assets/studio/panel/curve.mjs``; several frames
        need them.
    n_components : int
    layers : collection of str
        Which layers are shown of those that are off until they are asked for.
    scheme : Scheme, optional
        The colors at first; by default those of the reader's system.
    rows : dict, optional
        Every row of the last plane, which is drawn in place of the sample.
    sections, section_style : str
        Markup below the run, and its style; both are kept as they are.
    """
    last = frames[-1]
    data = replay_data(
        frames, class_names, text, curve=curve, n_components=n_components, layers=layers
    )
    return _PAGE.format(
        chosen="" if scheme is None else f' data-scheme="{scheme.value}"',
        title=html.escape(text.title),
        lead=html.escape(text.lead),
        follow=html.escape(text.follow),
        words=html.escape(last.words),
        note=f'<p class="dim">{html.escape(text.note)}</p>\n' if text.note else "",
        font_face=embedded_font_face(),
        colors=color_rules(),
        style=_STYLE.replace("FONT", FONT) + section_style,
        data=packed({**data, "rows": rows}),
        sections=sections,
        script=script,
    )


def replay_data(
    frames: Sequence[ReplayFrame],
    class_names: Sequence[str],
    text: ReplayText,
    *,
    curve: Mapping[str, Sequence[Any]] | None = None,
    n_components: int = 2,
    layers: Collection[str] = (),
) -> dict[str, Any]:
    """Return what the script of a replay draws: see ``assets/studio/present/replay/page.mjs``."""
    thin = [replace(frame, view=thinned(frame.view, has_layers=bool(layers))) for frame in frames]
    shown = _affordable(thin)
    views = [frame.view for frame in shown]
    return {
        "scene": scene_data(
            class_names,
            _n_points(views[-1]),
            titles=text.axes,
            n_components=n_components,
            layers=layers,
        ),
        "frames": [
            {
                "words": frame.words,
                "sequence": frame.sequence,
                "titles": frame.axes,
                "unseen": sorted(frame.unseen),
                **plane_data(frame.view),
            }
            for frame in shown
        ],
        # The last one glides to its own, as a run on the page does when it ends.
        "axes": [*[shared_axes(views)] * (len(views) - 1), limits(frames[-1].view)],
        "curve": _curve_data(curve, text.objective) if curve else None,
    }


def scene_data(
    class_names: Sequence[str],
    n_points: int,
    *,
    titles: tuple[str, str],
    n_components: int = 2,
    layers: Collection[str] = (),
) -> dict[str, Any]:
    """Return what planes of the same rows have in common: ``Scene`` of ``present/picture.mjs``."""
    figures = {
        scheme.value: plain(empty_figure(class_names, n_points, scheme, n_components=n_components))
        for scheme in Scheme
    }
    return {
        "names": list(class_names),
        "figures": figures,
        "surfaces": {scheme.value: THEMES[scheme].surface for scheme in Scheme},
        "titles": titles,
        "layers": sorted(layers),
    }


def plane_data(view: PlaneView) -> dict[str, Any]:
    """Return the arrays of a plane, and what its arrows are of."""
    arrows, step = view.arrows, _step(view)
    return {
        "traces": _short(plane_frame(view, lambda values: _encoded(values, step))),
        "arrows": {"features": arrows.features.tolist(), "names": arrows.labels},
    }


def _curve_data(events: Mapping[str, Sequence[Any]], objective: str) -> dict[str, Any]:
    figures = {scheme.value: plain(curve_figure(scheme, objective)) for scheme in Scheme}
    return {"events": _short(dict(events)), "figures": figures}


def _step(view: PlaneView) -> float:
    """Return the step of the coordinates of a picture, in one digit."""
    extent = float(np.ptp(limits(view), axis=1).max())
    return float(f"{extent / _STEPS:.1g}") or 1.0


def _encoded(values: FloatArray | EllipseCoordinate, step: float) -> Any:
    if isinstance(values, EllipseCoordinate) or not len(values):
        return compact(values)
    extent = float(np.nanmax(values) - np.nanmin(values)) if np.isfinite(values).any() else 0.0
    encoded = stepped(values, 2, step=max(step, extent / _MOST_CODES)).as_json()
    # In as few digits as make a tenth of a step.
    return encoded | {"low": round(encoded["low"], 1 - math.floor(math.log10(step)))}


def _short(values: Any) -> Any:
    """Round numbers to `_DIGITS` significant digits."""
    if isinstance(values, float):
        return float(f"{values:.{_DIGITS}g}")
    if isinstance(values, dict):
        is_encoded = "dtype" in values  # an array with its header
        return values if is_encoded else {name: _short(value) for name, value in values.items()}
    return [_short(value) for value in values] if isinstance(values, (list, tuple)) else values


def plain(figure: go.Figure) -> Any:
    """Return a figure as JSON values."""
    return json.loads(figure.to_json())


def packed(data: Any) -> str:
    """Return data as text for the script of a page: JSON as gzip, in base 64."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(data), mtime=0)).decode()


def color_rules(root: str = ":root") -> str:
    """Return the colors of an element by its ``data-scheme`` or the reader's system."""
    light, dark = (_variables(scheme) for scheme in (Scheme.LIGHT, Scheme.DARK))
    return (
        f"{root} {{ {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ {root}:not([data-scheme]) {{ {dark} }} }}\n"
        f'{root}[data-scheme="dark"] {{ {dark} }}\n'
    )


def _variables(scheme: Scheme) -> str:
    theme = THEMES[scheme]
    return (
        f"color-scheme: {scheme.value}; --surface: {theme.surface}; --ink: {theme.ink}; "
        f"--faint-ink: {theme.faint_ink}; --grid: {theme.grid}; --accent: {_ACCENTS[scheme]};"
    )


def evenly(n: int, most: int) -> list[int]:
    """At most `most` of the numbers 0 to n - 1, evenly spaced, including both ends."""
    numbers: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int)).tolist()
    return numbers


def _affordable(frames: Sequence[ReplayFrame]) -> list[ReplayFrame]:
    """Select as many evenly spaced frames, thinned already, as `FRAMES_BYTES` allows."""
    largest = max(n_bytes(frame.view) for frame in frames)
    return [frames[i] for i in evenly(len(frames), max(2, FRAMES_BYTES // largest))]


def n_bytes(view: PlaneView) -> int:
    """Estimate the size of a frame as text: two bytes a number in base 64."""
    n_vertices = sum(len(part.contours) for part in view.classes)
    return int(4 / 3 * 4 * (_n_points(view) + n_vertices)) + 3_000


def n_shown(view: PlaneView) -> int:
    """Count the rows of a view that are drawn in each frame."""
    return _n_points(thinned(view))


def _n_points(view: PlaneView) -> int:
    return sum(len(part.train) + len(part.held_out) for part in view.classes)


def thinned(view: PlaneView, *, has_layers: bool = False) -> PlaneView:
    """Keep every n-th point of each class, the same ones in every plane; layers if shown.

    Lines around regions have the vertices that are seen.
    """
    step = max(1, math.ceil(_n_points(view) / MOST_POINTS))

    def thin(part: ClassView) -> ClassView:
        rows = part.train[::step], part.held_out[::step]
        lines, levels = part.contours, part.levels
        if levels:
            lines, levels = simplified(lines, levels, _step(view))
        if not has_layers:
            return ClassView(*rows, lines, levels)
        return replace(part, train=rows[0], held_out=rows[1], contours=lines, levels=levels)

    return replace(view, classes=tuple(map(thin, view.classes)))


def shared_axes(views: Sequence[PlaneView]) -> list[list[float]]:
    """Ranges that hold the last plane and most others; a few early ones may extend beyond."""
    boxes = np.array([limits(view) for view in views])  # (n_views, 2, 2)
    lows, highs = np.quantile(boxes[:, :, 0], 0.1, axis=0), np.quantile(boxes[:, :, 1], 0.9, axis=0)
    last = boxes[-1]
    ranges = np.column_stack([np.minimum(lows, last[:, 0]), np.maximum(highs, last[:, 1])])
    x, y = ranges.tolist()
    return [x, y]

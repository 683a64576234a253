"""Sections of a replay below the run: its tree of planes, and its resampled plane."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from melm_studio.analyses.tree import Height, NamedBranch, TreeArrays, tree_figure
from melm_studio.planes.figure import limits
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.publication.replay import n_bytes, packed, plane_data, shared_axes, thinned

# Time from one resample to the next, and of a plane as a branch is followed.
_RESAMPLE_MS = 800
_BRANCH_MS = 700
_FASTEST_MS = 1000 / 15
_RESAMPLES = """\
<p><button type="button" data-part="play" hidden>Watch it move</button></p>
<div class="picture" data-part="picture" role="img" aria-label="The resampled plane"></div>
<details data-part="stills"><summary>Resamples side by side</summary>
<div class="multiples" data-part="multiples"></div></details>
<p>{note}</p>"""
_TREE = """\
<div class="pair">
<div class="tree" data-part="chart" role="img" aria-label="Optima by kernel width"></div>
<div class="picture" data-part="picture" role="img" aria-label="The chosen plane"></div>
</div>
<div class="player"><span class="dim">γ</span>
<input type="range" data-part="slider" aria-label="Kernel width γ"></div>
<p role="status" data-part="words"></p>
<ul>{branches}</ul>
<p>{notes}</p>"""
_BRANCH = (
    '<li><button type="button" data-branch="{number}" aria-pressed="false">'
    "Follow {letter}</button> {words}</li>"
)
_MOST_TICKS = 8  # of the tree
_SIDES = 0.08  # room beside it
# Of the planes of a section.
SECTION_BYTES = 3_000_000
SECTION_STYLE = """\
main { height: auto; }
main > .picture { flex: none; height: max(280px, 100dvh - 340px); }
.plot { touch-action: pan-y; }
section { margin-top: 32px; }
h2 { margin: 0 0 4px; font-size: 1.25rem; font-weight: 650; }
section .picture, section .tree { height: min(420px, 80dvh); }
section .tree { touch-action: pan-y; cursor: pointer; }
section .multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr));
  gap: 12px; margin: 8px 0 12px; }
section figure { margin: 0; }
section figure canvas { width: 100%; height: 130px; }
section figcaption { font-size: .875rem; }
section ul { margin: 8px 0 12px; padding: 0; list-style: none; }
section li { margin-bottom: 6px; }
section [data-branch] { min-height: 44px; }
section summary { min-height: 24px; cursor: pointer; }
@media (width >= 800px) {
  section .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; }
}
"""


@dataclass(frozen=True, eq=False)
class ResamplesSection:
    """The resampled plane of a run.

    Attributes
    ----------
    words, note : str
    loop : sequence of PlaneView
        From resample to resample and round again.
    per_resample : int
        Planes of the loop from one resample to the next.
    labels : sequence of str
        Of the resamples.
    mean : PlaneView or None
        The plane that they agree on.
    """

    words: str
    note: str
    loop: Sequence[PlaneView]
    per_resample: int
    labels: Sequence[str]
    mean: PlaneView | None


@dataclass(frozen=True, eq=False)
class TreeSection:
    """The tree of planes of a run.

    Attributes
    ----------
    words : str
    notes : sequence of str
    arrays : TreeArrays
    height : Height
    branches : sequence of NamedBranch
    views : mapping of int to PlaneView
        Planes by their place in the tree, those of the named branches among them.
    recommended : float or None
        The kernel width that inner folds recommend.
    """

    words: str
    notes: Sequence[str]
    arrays: TreeArrays
    height: Height
    branches: Sequence[NamedBranch]
    views: Mapping[int, PlaneView]
    recommended: float | None = None


def resamples_html(section: ResamplesSection) -> str:
    """Return the resamples as a loop and, for reduced motion, side by side."""
    stills = [[i * section.per_resample, label] for i, label in enumerate(section.labels)]
    if section.mean is not None:
        stills.insert(0, [len(section.loop), "Plane that they agree on"])
    views = [*section.loop, *([section.mean] if section.mean is not None else [])]
    data = {
        **planes_of(views, is_still=True),
        "loop": len(section.loop),
        "stills": stills,
        "ms": max(_FASTEST_MS, _RESAMPLE_MS / section.per_resample),
    }
    content = _RESAMPLES.format(note=html.escape(section.note))
    return section_html("resamples", "Resampled plane", section.words, content, data)


def tree_html(section: TreeSection, n_classes: int) -> str:
    """Return the tree beside the plane that is selected in it, and its branches."""
    charts = {
        scheme.value: _chart(
            tree_figure(
                section.arrays,
                section.height,
                guessing=1 / n_classes,
                recommended=section.recommended,
                scheme=scheme,
            )
        )
        for scheme in Scheme
    }
    order = list(section.views)
    shown = sorted({section.arrays.gammas[section.arrays.widths[place]] for place in order})
    marks = [
        {
            "step": shown.index(section.arrays.gammas[section.arrays.widths[place]]),
            "x": math.log10(section.arrays.gammas[section.arrays.widths[place]]),
            "y": float(section.arrays.heights[place]),
            "words": section.arrays.words[place],
        }
        for place in order
    ]
    data = {
        **planes_of([section.views[place] for place in order], is_still=False),
        "charts": charts,
        "marks": marks,
        "branches": [
            [order.index(place) for place in branch.planes if place in section.views]
            for branch in section.branches
        ],
        "ms": _BRANCH_MS,
    }
    branches = "".join(
        _BRANCH.format(number=number, letter=branch.letter, words=html.escape(branch.words))
        for number, branch in enumerate(section.branches)
    )
    notes = html.escape(" ".join(section.notes))
    content = _TREE.format(branches=branches, notes=notes)
    return section_html("tree", "Tree of planes", section.words, content, data)


def _chart(figure: Mapping[str, Any]) -> dict[str, Any]:
    """Return a figure of the tree over the log kernel width, for the canvas of a replay.

    It is ``Chart`` of ``assets/studio/panel/curve.mjs`` with its ``layout``. Lines across and up
    are traces, and those that are dotted in plotly are dashed.
    """
    layout = figure["layout"]
    font, ends = layout["font"], layout["yaxis"]["range"]
    places = [math.log10(gamma) for gamma in layout["xaxis"]["tickvals"]]
    low, high = min(places), max(places)
    room = _SIDES * ((high - low) or 1.0)
    across = [low - room, high + room]
    some = slice(None, None, math.ceil(len(places) / _MOST_TICKS))
    titles = [layout[axis]["title"]["text"] for axis in ("yaxis", "xaxis")]
    lines = [
        {
            "mode": "lines",
            "x": across if "domain" in shape["xref"] else [math.log10(shape["x0"])] * 2,
            "y": ends if "domain" in shape["yref"] else [shape["y0"]] * 2,
            "line": _dashed(shape["line"], {}),
        }
        for shape in layout["shapes"]
    ]
    traces = [
        {
            **trace,
            "x": [None if gamma is None else math.log10(gamma) for gamma in trace["x"]],
            "textfont": {**trace.get("textfont", {}), "family": font["family"]},
            **({"line": _dashed(trace["line"], trace)} if "line" in trace else {}),
        }
        for trace in figure["data"]
    ]
    return {
        "traces": [*traces, *lines],
        "range": across,
        "values": ends,
        "caption": " by ".join(titles),
        "ticks": {
            "tickvals": places[some],
            "ticktext": layout["xaxis"]["ticktext"][some],
        },
        "layout": {
            "font": font,
            "margin": {"l": 44, "r": 14, "t": 18, "b": 24},
            "xaxis": {"tickfont": {"size": 12, "color": font["color"]}},
            "yaxis": {"nticks": 8, "gridcolor": layout["yaxis"]["gridcolor"]},
        },
    }


def _dashed(line: Mapping[str, Any], trace: Mapping[str, Any]) -> dict[str, Any]:
    color = {"color": trace["fillcolor"]} if "fillcolor" in trace else {}
    return {**color, **line, "dash": "dash" if line.get("dash") else None}


def most_planes(view: PlaneView) -> int:
    """Return how many planes like this one `SECTION_BYTES` allow, at least one."""
    return max(1, SECTION_BYTES // n_bytes(thinned(view)))


def planes_of(views: Sequence[PlaneView], *, is_still: bool) -> dict[str, Any]:
    """Return the planes of a picture, with their axes.

    Those that follow each other as a motion have the same axes: the picture stays still.
    """
    thin = [thinned(view) for view in views]
    return {
        "axes": [shared_axes(thin)] if is_still else [limits(view) for view in thin],
        "planes": [plane_data(view) for view in thin],
    }


def section_html(kind: str, title: str, words: str, content: str, data: dict[str, Any]) -> str:
    """Return a section with its data."""
    return (
        f'<section data-section="{kind}" aria-labelledby="{kind}">\n'
        f'<h2 id="{kind}">{html.escape(title)}</h2>\n<p>{html.escape(words)}</p>\n{content}\n'
        f'<script type="text/plain">{packed(data)}</script>\n</section>'
    )

"""Sections of a replay below the run: its tree of planes, and its resampled plane."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from melm_studio.analyses.tree import Height, NamedBranch, TreeArrays, tree_figure
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.publication.replay import n_bytes, shared_axes, thinned

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
<div class="tree" data-part="tree" role="img" aria-label="Optima by kernel width"></div>
<div class="picture" data-part="picture" role="img" aria-label="The chosen plane"></div>
</div>
<input type="range" data-part="choice" aria-label="Plane of the tree">
<p role="status" data-part="words"></p>
<ul>{branches}</ul>
<p>{notes}</p>"""
_BRANCH = (
    '<li><button type="button" data-branch="{number}" aria-pressed="false">'
    "Follow {letter}</button> {words}</li>"
)
# Of the planes of a section.
SECTION_BYTES = 3_000_000
_SCRIPT = Path(__file__).parent / "replay_sections.js"
SECTION_STYLE = """\
body { height: auto; }
body > div { flex: none; height: 78vh; }
section { margin-top: 40px; }
h2 { margin: 0 0 4px; font-size: 1.25rem; font-weight: 650; }
section .picture, section .tree { height: 420px; }
section .multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr));
  gap: 12px; margin: 8px 0 12px; }
section figure { margin: 0; }
section figure > div { height: 130px; }
section figcaption { font-size: 0.875rem; }
section ul { margin: 0 0 12px; padding: 0; list-style: none; }
section li { margin-bottom: 6px; }
section button { min-height: 32px; padding: 2px 12px; border: 1px solid currentcolor;
  border-radius: 6px; background: none; color: inherit; font: inherit; text-align: left;
  cursor: pointer; }
section summary { min-height: 24px; cursor: pointer; }
section input { width: 100%; min-height: 24px; }
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


def resamples_html(section: ResamplesSection, painted: Painted) -> str:
    """The resamples as a loop and, for those who want less motion, side by side."""
    stills = [[i * section.per_resample, label] for i, label in enumerate(section.labels)]
    if section.mean is not None:
        stills.insert(0, [len(section.loop), "Plane that they agree on"])
    views = [*section.loop, *([section.mean] if section.mean is not None else [])]
    data = {
        **planes_figure(views, painted, is_still=True),
        "loop": len(section.loop),
        "stills": stills,
        "ms": max(_FASTEST_MS, _RESAMPLE_MS / section.per_resample),
    }
    content = _RESAMPLES.format(note=html.escape(section.note))
    return section_html("resamples", "Resampled plane", section.words, content, data)


def tree_html(section: TreeSection, painted: Painted) -> str:
    """The tree beside the plane that is chosen in it, and its branches to follow."""
    figure = tree_figure(
        section.arrays,
        section.height,
        guessing=1 / len(painted.class_names),
        recommended=section.recommended,
        scheme=painted.scheme,
    )
    order = list(section.views)
    marks = [
        {
            "x": float(section.arrays.gammas[section.arrays.widths[place]]),
            "y": float(section.arrays.heights[place]),
            "words": section.arrays.words[place],
        }
        for place in order
    ]
    data = {
        **planes_figure([section.views[place] for place in order], painted, is_still=False),
        "tree": figure,
        "order": order,
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


@dataclass(frozen=True, eq=False)
class Painted:
    """What the planes of a replay share.

    Attributes
    ----------
    class_names : sequence of str
    n_components : int
    scheme : Scheme
    """

    class_names: Sequence[str]
    n_components: int = 2
    scheme: Scheme = Scheme.LIGHT


def most_planes(view: PlaneView) -> int:
    """How many planes like this one `SECTION_BYTES` allow, at least one."""
    return max(1, SECTION_BYTES // n_bytes(thinned(view)))


def planes_figure(
    views: Sequence[PlaneView], painted: Painted, *, is_still: bool
) -> dict[str, Any]:
    """The styles of a picture, with the axes and the arrays of each of its planes.

    Those that follow each other as a motion have the same axes: the picture stays still.
    """
    kept = [thinned(view) for view in views]
    n_points = sum(len(part.train) + len(part.held_out) for part in kept[0].classes)
    figure = empty_figure(
        painted.class_names, n_points, painted.scheme, n_components=painted.n_components
    )
    return {
        "figure": plain(figure),
        "axes": [shared_axes(kept)] if is_still else [limits(view) for view in kept],
        "planes": [plane_frame(view) for view in kept],
    }


def plain(figure: go.Figure) -> Any:
    """A figure as JSON values."""
    return json.loads(figure.to_json())


def section_html(kind: str, title: str, words: str, content: str, data: dict[str, Any]) -> str:
    """A section with its data, which no name in them can end early."""
    written = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<section data-section="{kind}" aria-labelledby="{kind}">\n'
        f'<h2 id="{kind}">{html.escape(title)}</h2>\n<p>{html.escape(words)}</p>\n{content}\n'
        f'<script type="application/json">{written}</script>\n</section>'
    )


@lru_cache(maxsize=1)
def script_of_sections() -> str:
    """The element of the script that operates the sections before it."""
    return f"<script>{_SCRIPT.read_text('utf-8')}</script>"

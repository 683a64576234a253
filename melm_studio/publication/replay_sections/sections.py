"""The sections of a replay: the tree of planes of a run, and its resampled plane."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from melm_studio.analyses.drawn_tree import Height, TreeArrays
from melm_studio.analyses.tree_figure import tree_figure
from melm_studio.analyses.tree_words import NamedBranch
from melm_studio.planes.types import PlaneView
from melm_studio.publication.replay_sections.section import (
    Painted,
    plain,
    planes_figure,
    section_html,
)

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
        "tree": plain(figure),
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

"""The replay of a visitor's run, put together: evenly spaced planes, its tree and resamples.

The tree and the resamples are sections below the run.
"""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from melm_core.base import FloatArray
from melm_studio.abandonment import go_on
from melm_studio.analyses.resamples import RESAMPLES, resample_label, resamples_note
from melm_studio.analyses.tree import (
    TREE,
    Height,
    NamedBranch,
    TreeArrays,
    named_branches,
    tree_arrays,
    tree_figure,
    tree_notes,
)
from melm_studio.planes.captions import axis_names, axis_titles, objective_in_words, title
from melm_studio.planes.drawn_rows import every_point_by_class
from melm_studio.planes.encoding import stepped, whole
from melm_studio.planes.figure import limits
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.publication.replay import (
    ReplayFrame,
    ReplayText,
    evenly,
    n_bytes,
    n_shown,
    packed,
    plane_data,
    replay_page,
    shared_axes,
    thinned,
)
from melm_studio.runs.records.run import PlaneEvent, RunRecord, recommended_gamma
from melm_studio.scores import plane_caption
from melm_studio.tables import number
from melm_studio.workspace.known_runs import KnownRuns
from melm_studio.workspace.view_spec import MORE_LAYERS

MAX_FRAMES = 60
# Eight bytes a row in base 64.
MOST_ROWS = 1_000_000
# As on the page; fewer where planes are large or have many rows.
_MOST_PER_RESAMPLE = 12
_MOST_ROWS = 20_000_000
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


@dataclass(frozen=True)
class RunReplay:
    """A run that becomes a file which opens without the studio.

    Attributes
    ----------
    runs : KnownRuns
    record : RunRecord
    events : sequence of PlaneEvent
        All of its planes, at least one.
    """

    runs: KnownRuns
    record: RunRecord
    events: Sequence[PlaneEvent]

    def page(self, script: str, layers: Collection[str], scheme: Scheme | None) -> str:
        """Return the file.

        Parameters
        ----------
        script : str
            Draws it.
        layers : collection of str
            What else it shows, see `MoreLayer`.
        scheme : Scheme or None
            None for that of its reader.
        """
        events, viewer = self.events, self._viewer
        frames = [
            self._frame(events[i], is_last=i == len(events) - 1)
            for i in evenly(len(events), MAX_FRAMES)
        ]
        last, n_drawn = frames[-1], n_shown(frames[-1].view)
        has_all = n_drawn < viewer.n_rows <= MOST_ROWS
        note = ""
        if n_drawn < viewer.n_rows:
            is_alone = len(frames) == 1
            note = _sample_in_words(viewer.n_rows, n_drawn, has_all=has_all, is_alone=is_alone)
        verdict = self.runs.verdict(self._last)
        sections = "\n".join(filter(None, (self._tree(), self._resamples())))
        text = ReplayText(
            title=f"{title(self.record)}, {self.record.data_name}",
            lead=verdict.lead,
            follow=verdict.sentence.removeprefix(verdict.lead),
            note=note,
            axes=axis_names(self.record),
            objective=objective_in_words(self.record),
        )
        return replay_page(
            frames,
            viewer.class_names,
            text,
            script=script,
            curve=self._curve(),
            n_components=viewer.n_components,
            layers={name for name in layers if name in MORE_LAYERS},
            scheme=scheme,
            rows=self._every_row(last.view) if has_all else None,
            sections=sections,
            section_style=SECTION_STYLE if sections else "",
        )

    @property
    def _last(self) -> Shown:
        return Shown.of(self.record, self.events[-1])

    @property
    def _viewer(self) -> PlaneViewer:
        return self.runs.renderer.planes.viewer(self.record)

    def _curve(self) -> dict[str, list[Any]]:
        """Return every event of the run, of which the frames show some."""
        return {
            "sequences": [event.sequence for event in self.events],
            "objective": [event.objective for event in self.events],
            "best": [event.best_objective for event in self.events],
            "starts": [event.start for event in self.events],
            "n_sampled": [event.n_sampled for event in self.events],
            "held_out": self.runs.renderer.held_out_curve(self.record, self.events),
        }

    def _frame(self, event: PlaneEvent, *, is_last: bool) -> ReplayFrame:
        go_on()
        renderer, shown = self.runs.renderer, Shown.of(self.record, event)
        view = renderer.view(shown)
        axes = axis_titles(renderer.planes, shown, view)
        caption = plane_caption(
            renderer.divergence(shown),
            view.scores.divergence_held_out,
            None if is_last else self.runs.verdict(shown),
        )
        words = f"plane {event.sequence + 1}, {caption}"
        unseen = renderer.planes.unseen_features(shown) if is_last else frozenset()
        return ReplayFrame(view, words, event.sequence, axes, unseen)

    def _every_row(self, view: PlaneView) -> dict[str, Any]:
        """Return what the script draws in place of the sample in its last frame, its view."""
        axes, parts = self.runs.renderer.planes.drawn_parts(self._last)
        by_class = every_point_by_class(axes, parts, is_line=self._viewer.n_components == 1)
        return _packed(by_class) | {"limits": limits(view)}

    def _tree(self) -> str:
        """Return the section of the tree with its data; empty where the run has none."""
        current = self.runs.space.about(self.record, TREE.name)
        if current is None:
            return ""
        report = TREE.stored(self.runs.space.store, current.run_id)
        if not report.planes:
            return ""
        n_classes = len(self._viewer.class_names)
        arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
        branches = named_branches(report, n_classes)
        named = [place for branch in branches for place in branch.planes]
        places = list(dict.fromkeys([*named, *range(len(report.planes))]))

        def view(place: int) -> PlaneView:
            plane = report.planes[place]
            morph = MorphTarget(current.run_id, 1.0, plane.plane)
            return self._view(ViewOptions(gamma=report.gammas[plane.width], morph=morph))

        viewed = places[: most_planes(view(places[0]))]
        section = TreeSection(
            words=TREE.sentence(report, is_final=current.state.is_final),
            notes=tree_notes(report),
            arrays=arrays,
            height=height,
            branches=branches,
            views={place: view(place) for place in viewed},
            recommended=recommended_gamma(self.record, self.runs.space.fits()),
        )
        return tree_html(section, n_classes)

    def _resamples(self) -> str:
        """Return the section of the resamples with their data; empty where there are too few."""
        current = self.runs.space.about(self.record, RESAMPLES.name)
        if current is None:
            return ""
        report = RESAMPLES.stored(self.runs.space.store, current.run_id)
        if len(report.planes) < 2:
            return ""

        def view(morph: MorphTarget) -> PlaneView:
            return self._view(ViewOptions(morph=morph))

        first = view(MorphTarget(current.run_id, 1.0, report.planes[0]))
        n_planes = min(most_planes(first), _MOST_ROWS // self._viewer.n_rows)
        per_resample = min(max(1, n_planes // len(report.planes)), _MOST_PER_RESAMPLE)
        section = ResamplesSection(
            words=RESAMPLES.sentence(report, is_final=current.state.is_final),
            note=resamples_note(report),
            loop=[view(morph) for morph in _loop(current.run_id, report.planes, per_resample)],
            per_resample=per_resample,
            labels=[resample_label(i, angle) for i, angle in enumerate(report.angles)],
            mean=view(MorphTarget(current.run_id, 1.0, report.mean)) if report.mean >= 0 else None,
        )
        return resamples_html(section)

    def _view(self, options: ViewOptions) -> PlaneView:
        go_on()
        return self.runs.renderer.view(self._last.under(options))


def _loop(run_id: str, planes: tuple[int, ...], per_resample: int) -> Iterator[MorphTarget]:
    """From each resample to the next, and from the last to the first."""
    for plane, after in zip(planes, (*planes[1:], planes[0]), strict=True):
        for step in range(per_resample):
            yield MorphTarget(run_id, step / per_resample, after, plane)


def _sample_in_words(n_rows: int, n_drawn: int, *, has_all: bool, is_alone: bool) -> str:
    sample = f"a sample of {number(n_drawn)}"
    if not has_all:
        return f"Frames show {sample} of {number(n_rows)} rows; contours and scores take all."
    others = "." if is_alone else f", the others {sample}."
    return f"The last frame shows all {number(n_rows)} rows{others}"


def _packed(by_class: list[tuple[FloatArray, FloatArray]]) -> dict[str, Any]:
    counts = [len(points) for of_class in by_class for points in of_class]
    stretches = np.indices((len(by_class), 2)).reshape(2, -1)
    codes, is_held_out = (np.repeat(values, counts) for values in stretches)
    points = np.concatenate([points for of_class in by_class for points in of_class])
    x, y = (stepped(along, 3) for along in points.T)
    arrays = {"x": x, "y": y, "classes": whole(codes), "held_out": whole(is_held_out)}
    return {name: array.as_json() for name, array in arrays.items()}


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

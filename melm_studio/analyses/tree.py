"""The tree of planes of a run: every optimum at each kernel width, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

import numpy as np

from melm_core.base import FloatArray, IntArray, percent, stratified_sample
from melm_core.melm import TREE_GAMMAS, PlaneTree, TreeNode, plane_tree
from melm_core.methods import BATCH_WEIGHT, COMPONENTS, SEED
from melm_studio.analyses import charts, content
from melm_studio.analyses.analysis import CLASSES, Analysis, Section, Subject, Table, Work, chosen
from melm_studio.planes.theme import THEMES, Scheme, Theme, translucent
from melm_studio.record import Record
from melm_studio.runs.execution.rows import RunData, nuisance_of, rows_of
from melm_studio.runs.records.run import RunRecord, recommended_gamma
from melm_studio.scores import guessing
from melm_studio.tables import LabeledData, count, number

# The method whose planes make a tree.
TREE_METHOD = "melm"

MOST_TREE_ROWS = 2_000
# As many as the scores of a panel use, so that they are the same.
MOST_SCORED_ROWS = 1_000
# So many that a branch stands out in noise in at most one of twenty tables.
N_SHUFFLES = 19
MOST_SECONDS = 600.0

_N_WIDTHS = len(TREE_GAMMAS)
# Down, back, and down again; then every width of the labels as they are and of every shuffle.
_N_SEARCHES = 3 * _N_WIDTHS - 2
_N_STEPS = _N_SEARCHES + (1 + N_SHUFFLES) * _N_WIDTHS

_NO_TREE = "Only runs of MELM have a tree of planes. Run MELM on this table, and open its tree."

# More branches than this are not described.
MOST_NAMED = 8
_WAYS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")

_MEANING = (
    "Each mark is a plane where the divergence has an optimum at that kernel width, each line one "
    "that persists as the kernels change. The gray band is what shuffled labels reach. Lettered "
    "branches exceed it over an octave of kernel widths or more, and differ by 45° or more."
)
_MARKS = (
    "Each mark is a plane where the divergence has an optimum, each line one that persists as the "
    "kernels change. Dark lines exceed what shuffled labels reach (the gray band) over an octave "
    "of γ or more. Click a mark to see its plane."
)


class Height(StrEnum):
    """Meaning of the height of a plane in the tree."""

    ACCURACY = "accuracy"
    DIVERGENCE = "divergence"


_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
_TITLES = {
    Height.ACCURACY: "held-out accuracy",
    Height.DIVERGENCE: "divergence (nats)",
}
_HEIGHTS: dict[str, str] = {
    Height.ACCURACY: "Held-out accuracy",
    Height.DIVERGENCE: "Divergence",
}
_KEYS = (
    "Tree of planes. Left and right arrows change the kernel width, up and down the plane; Enter "
    "shows it in the picture."
)
_LEAST_DIVERGENCE = 1e-3  # on a logarithmic axis
_AXES: dict[Height, dict[str, Any]] = {
    Height.ACCURACY: {"tickformat": ".0%"},
    # What shuffled labels reach would be invisible beside narrow kernels.
    Height.DIVERGENCE: {"type": "log", "dtick": "D2"},
}


class TreePlane(Record, frozen=True):
    """An optimum at one kernel width.

    Attributes
    ----------
    width : int
        Index of its gamma.
    plane : int
        Its number in the history of the tree's run.
    divergence : float
        In nats.
    accuracy : float
        Balanced accuracy of the held-out rows; NaN if there are none.
    narrowing, widening : int
        Index of the plane that it leads to at the next narrower and the next wider kernel; -1
        where there is none.
    """

    width: int
    plane: int
    divergence: float
    accuracy: float
    narrowing: int = -1
    widening: int = -1


class TreeReport(Record, frozen=True):
    """The tree so far.

    Attributes
    ----------
    gammas : tuple of float
        Falling.
    planes : tuple of TreePlane
        By width, and at each by falling divergence.
    branches : tuple of tuples of int
        Indices of the planes that continue each other, the widest kernel first.
    standing_out : tuple of tuples of int
        The part of each persistent branch that is above what shuffled labels reach, the largest
        held-out accuracy first, without those that show nearly the same; empty until the labels
        were shuffled.
    noise, noise_accuracy : tuple of tuples of float
        For each time that the labels were shuffled, divergence and held-out accuracy by gamma; NaN
        where not computed.
    ceiling : tuple of float
        What shuffled labels reach, by gamma, see `PlaneTree.ceiling`; empty until it is known.
    stage : str
        What is being computed.
    fraction : float
        Share of the work done.
    n_rows, n_train : int
        The training rows that the search used, of how many.
    """

    gammas: tuple[float, ...] = ()
    planes: tuple[TreePlane, ...] = ()
    branches: tuple[tuple[int, ...], ...] = ()
    standing_out: tuple[tuple[int, ...], ...] = ()
    noise: tuple[tuple[float, ...], ...] = ()
    noise_accuracy: tuple[tuple[float, ...], ...] = ()
    ceiling: tuple[float, ...] = ()
    stage: str = "starting"
    fraction: float = 0.0
    n_rows: int = 0
    n_train: int = 0


class Tree(Analysis[TreeReport]):
    """Every optimum at each kernel width; its planes are the history of its run."""

    report = TreeReport
    name = "tree"
    title = "Tree of planes"
    again = "Search again"
    needs = (CLASSES, "tree")
    is_saved = False

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        return "" if record.method == TREE_METHOD else _NO_TREE

    def compute(self, work: Work) -> None:
        """Grow the tree, and keep its planes as the history of the run."""
        _Growth(work).run(work.data)

    def progress(self, report: TreeReport) -> tuple[float, str]:
        return report.fraction, report.stage.capitalize()

    def sentence(self, report: TreeReport, *, is_final: bool) -> str:
        """Say in how many different ways the classes can be told apart, once it is known."""
        if not report.planes:
            return "No plane was found yet." if is_final else "Looking for the first planes."
        if not _has_noise(report):
            n_widths = len({plane.width for plane in report.planes})
            lead = f"{count(len(report.planes), 'optimum', 'optima')} at {n_widths} of "
            return (
                f"{lead}{len(report.gammas)} kernel widths, not yet compared with shuffled labels."
            )
        n_ways = len(report.standing_out)
        if n_ways == 0:
            return (
                "No plane stands out: none exceeds shuffled labels over an octave of γ. This is "
                "what noise looks like."
            )
        ways = _WAYS[n_ways] if n_ways < len(_WAYS) else number(n_ways)
        kind = "way" if n_ways == 1 else "different ways"
        return f"{ways} {kind} to tell these classes apart."

    def shown(
        self, report: TreeReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        branches = named_branches(report, len(subject.class_names))
        drawn, planes = _drawn(report, subject, query)
        return {
            "branches": [asdict(branch) for branch in branches],
            "planes": planes,
            "content": [
                *drawn,
                content.preview(),
                content.branches([(branch.letter, branch.words) for branch in branches]),
                content.notes([*tree_notes(report), _MARKS]),
            ],
        }

    def section(self, report: TreeReport, subject: Subject) -> Section | None:
        if not report.planes:
            return None
        branches = named_branches(report, len(subject.class_names))
        rows = tuple((branch.letter, branch.words) for branch in branches)
        table = Table(
            "Branches that stand out", ("Branch", "Kernel widths and held-out rows"), rows
        )
        words = self.sentence(report, is_final=subject.is_final)
        return Section(
            "Different ways to tell the classes apart",
            sentences=(words, *tree_notes(report), _MEANING),
            tables=(table,) if rows else (),
        )


TREE = Tree()


def _drawn(
    report: TreeReport, subject: Subject, query: Mapping[str, str]
) -> tuple[list[content.Block], list[dict[str, Any]]]:
    """Return the choice of the height and the figure; and its planes."""
    if not report.planes:
        return [], []
    n_classes = len(subject.class_names)
    arrays, height = tree_arrays(report, n_classes, chosen(query, "height", Height.ACCURACY))
    figure = tree_figure(
        arrays,
        height,
        guessing=1 / n_classes,
        recommended=recommended_gamma(subject.record, subject.fits),
        scheme=chosen(query, "scheme", Scheme.LIGHT),
    )
    steps = tree_steps(report.planes, arrays.heights)
    planes = [
        {
            "plane": plane.plane,
            "gamma": report.gammas[plane.width],
            "y": float(y),
            "steps": leads_to,
            "words": words,
        }
        for plane, y, words, leads_to in zip(
            report.planes, arrays.heights, arrays.words, steps, strict=True
        )
    ]
    heights = content.choice("height", "Height of the planes", _HEIGHTS, height)
    return [heights, content.plot(figure, _KEYS, keys=True)], planes


def tree_steps(planes: Sequence[TreePlane], heights: FloatArray) -> list[dict[str, int]]:
    """Return where each plane leads: a step ``left``, ``right``, ``up`` or ``down``.

    To the left kernels are narrower. A step follows the branch; where that ends, it goes to the
    plane of the nearest height at the next width. Up and down are the other planes of the same
    width. At an end it stays.
    """
    widths = np.array([plane.width for plane in planes])

    def nearest(i: int, others: IntArray) -> int:
        if not len(others):
            return i
        next_width = others[np.abs(others - widths[i]).argmin()]
        there = np.flatnonzero(widths == next_width)
        return int(there[np.abs(heights[there] - heights[i]).argmin()])

    def steps(i: int, plane: TreePlane) -> dict[str, int]:
        same = np.flatnonzero(widths == widths[i])
        column = same[np.argsort(heights[same], kind="stable")].tolist()
        place = column.index(i)
        narrower, wider = widths[widths > widths[i]], widths[widths < widths[i]]
        return {
            "left": plane.narrowing if plane.narrowing >= 0 else nearest(i, narrower),
            "right": plane.widening if plane.widening >= 0 else nearest(i, wider),
            "up": column[min(place + 1, len(column) - 1)],
            "down": column[max(place - 1, 0)],
        }

    return [steps(i, plane) for i, plane in enumerate(planes)]


def _scored(data: LabeledData, rows: IntArray) -> tuple[Any, ...]:
    """Return rows with their labels, and with their groups if there are any."""
    groups = () if data.groups is None else (data.groups[rows],)
    return (data.X[rows], data.y[rows], *groups)


class _Growth:
    """One tree at work."""

    def __init__(self, work: Work) -> None:
        self._work, self._record = work, work.record
        self._began_s = work.clock.monotonic()
        self._planes: dict[TreeNode, int] = {}
        self._n_steps = self._n_rows = self._n_train = 0

    def run(self, data: RunData) -> None:
        train, held_out = rows_of(data, self._record)
        self._n_train = len(train.y)
        rows, scored = (
            stratified_sample(part.y, min(1.0, most / max(1, len(part.y))), len(data.class_names))
            for part, most in ((train, MOST_TREE_ROWS), (held_out, MOST_SCORED_ROWS))
        )
        self._n_rows = len(rows)
        has_every_class = len(np.unique(held_out.y[scored])) == len(data.class_names)
        parameters = self._record.parameters.values
        names = (COMPONENTS.name, "multiclass", BATCH_WEIGHT.name)
        tree = plane_tree(
            train.X[rows],
            train.y[rows],
            **{name: values[rows] for name, values in nuisance_of(train, self._record).items()},
            groups=None if train.groups is None else train.groups[rows],
            held_out=_scored(held_out, scored) if has_every_class else None,
            n_shuffles=N_SHUFFLES,
            parameters={name: parameters[name] for name in names if name in parameters},
            random_state=parameters[SEED.name],
            callback=self._after_width,
        )
        self._report(tree, "done", 1.0)

    def _after_width(self, tree: PlaneTree) -> bool:
        self._n_steps += 1
        is_searching = self._n_steps < _N_SEARCHES
        stage = "following the planes" if is_searching else "shuffling labels"
        self._report(tree, stage, self._n_steps / _N_STEPS)
        return self._work.clock.monotonic() - self._began_s > MOST_SECONDS

    def _report(self, tree: PlaneTree, stage: str, fraction: float) -> None:
        for node in tree.nodes:
            if node not in self._planes:
                self._planes[node] = self._number(node, fraction)
        report = report_of_tree(
            tree,
            self._planes,
            stage=stage,
            fraction=fraction,
            n_rows=self._n_rows,
            n_train=self._n_train,
        )
        self._work.put(report.to_bytes())

    def _number(self, node: TreeNode, fraction: float) -> int:
        """Add a plane to the history, and return its number there."""
        return self._work.keep_plane(
            len(self._planes),
            node.components,
            stage=f"γ {TREE_GAMMAS[node.width]:g}",
            fraction=fraction,
            elapsed_s=self._work.clock.monotonic() - self._began_s,
            objective=node.divergence,
        )


def report_of_tree(
    tree: PlaneTree, numbers: Mapping[TreeNode, int] | None = None, **progress: Any
) -> TreeReport:
    """Return the record of a tree.

    Parameters
    ----------
    tree : PlaneTree
    numbers : mapping of TreeNode to int, optional
        The number of each plane in the history of the run; by default that in the tree.
    **progress
        Other fields of the record.
    """
    number_of = numbers or {node: number for number, node in enumerate(tree.nodes)}
    is_known = bool(len(tree.noise)) and bool(np.isfinite(tree.noise).all())
    return TreeReport(
        gammas=tuple(tree.gammas.tolist()),
        planes=tuple(
            TreePlane(
                width=node.width,
                plane=number_of[node],
                divergence=node.divergence,
                accuracy=node.held_out_accuracy,
                narrowing=int(tree.narrowing[index]),
                widening=int(tree.widening[index]),
            )
            for index, node in enumerate(tree.nodes)
        ),
        branches=tree.branches,
        standing_out=tree.standing_out() if is_known else (),
        noise=tuple(map(tuple, tree.noise.tolist())),
        noise_accuracy=tuple(map(tuple, tree.noise_accuracy.tolist())),
        ceiling=tuple(tree.ceiling.tolist()) if is_known else (),
        **progress,
    )


@dataclass(frozen=True)
class NamedBranch:
    """A branch that stands out: its letter, a sentence, its planes, and the best of them."""

    letter: str
    words: str
    planes: tuple[int, ...]
    best: int


def named_branches(report: TreeReport, n_classes: int) -> tuple[NamedBranch, ...]:
    """Return the branches that stand out from shuffled labels, the best first."""
    standing = report.standing_out[:MOST_NAMED]
    return tuple(
        _named(letter, report, indices, n_classes)
        for letter, indices in zip(ascii_uppercase, standing, strict=False)
    )


def plane_sentence(report: TreeReport, plane: TreePlane) -> str:
    """Describe one plane: its kernel width and its scores."""
    accuracy = "" if math.isnan(plane.accuracy) else f", {percent(plane.accuracy)} held out"
    return f"γ {report.gammas[plane.width]:g}: divergence {plane.divergence:.3g}{accuracy}"


def tree_notes(report: TreeReport) -> tuple[str, ...]:
    """Say where the classes stand out most from shuffled labels, and what limits the tree."""
    is_sample = report.n_rows < report.n_train
    sample = (
        f"Searched in an even sample of {number(report.n_rows)} of {number(report.n_train)} "
        "training rows; the picture's own scores use all of them."
    )
    return (*filter(None, [contrast_sentence(report)]), *([sample] if is_sample else []))


def contrast_sentence(report: TreeReport) -> str:
    """Say where the classes stand out most from shuffled labels; empty while unknown."""
    if not _has_noise(report) or not report.standing_out:
        return ""
    best = np.full(len(report.gammas), np.nan)
    for plane in report.planes:
        best[plane.width] = np.fmax(best[plane.width], plane.divergence)
    ratios = best / np.array(report.ceiling)
    width = int(np.nanargmax(ratios))
    return (
        f"At γ {report.gammas[width]:g} the divergence exceeds what shuffled labels reach most, "
        f"{ratios[width]:.1f} times."
    )


def _has_noise(report: TreeReport) -> bool:
    return bool(report.noise) and bool(np.isfinite(report.noise).all())


def _named(letter: str, report: TreeReport, indices: Sequence[int], n_classes: int) -> NamedBranch:
    planes = [report.planes[i] for i in indices]
    widest, narrowest = (f"{report.gammas[plane.width]:g}" for plane in (planes[0], planes[-1]))
    accuracies = [plane.accuracy for plane in planes]
    has_accuracy = not any(map(math.isnan, accuracies))
    scores = accuracies if has_accuracy else [plane.divergence for plane in planes]
    words = f"γ {widest} to {narrowest}"
    if has_accuracy:
        low, high = percent(min(accuracies)), percent(max(accuracies))
        span = high if low == high else f"{low} to {high}"
        words += f": {span} held out, {guessing(1.0 / n_classes)}"
    return NamedBranch(letter, words, tuple(indices), int(indices[int(np.argmax(scores))]))


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Arrays that draw a tree.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
    widths : ndarray of shape (n_planes,)
        Index of the gamma of each plane.
    heights : ndarray of shape (n_planes,)
    narrowing, widening : ndarray of shape (n_planes,)
        Index of the plane that each leads to, -1 for none.
    branches : sequence of sequences of int
        Planes that continue each other.
    named : mapping of str to sequence of int
        The branches that stand out, by letter.
    noise : ndarray of shape (n_shuffles, n_gammas)
        What shuffled labels reach; NaN where unknown.
    words : sequence of str
        What is said of each plane.
    """

    gammas: FloatArray
    widths: IntArray
    heights: FloatArray
    narrowing: IntArray
    widening: IntArray
    branches: Sequence[Sequence[int]]
    named: dict[str, Sequence[int]]
    noise: FloatArray
    words: Sequence[str]


def tree_arrays(report: TreeReport, n_classes: int, height: Height) -> tuple[TreeArrays, Height]:
    """Return the arrays of a tree that has planes, and what their height is.

    Without held-out rows, that is the divergence.
    """
    planes = report.planes
    accuracies = np.array([plane.accuracy for plane in planes])
    if np.isnan(accuracies).any():
        height = Height.DIVERGENCE
    is_accuracy = height is Height.ACCURACY
    noise = report.noise_accuracy if is_accuracy else (*report.noise, *_ceilings(report))
    arrays = TreeArrays(
        gammas=np.array(report.gammas),
        widths=np.array([plane.width for plane in planes]),
        heights=accuracies if is_accuracy else np.array([plane.divergence for plane in planes]),
        narrowing=np.array([plane.narrowing for plane in planes]),
        widening=np.array([plane.widening for plane in planes]),
        branches=report.branches,
        named={branch.letter: branch.planes for branch in named_branches(report, n_classes)},
        noise=np.array(noise).reshape(-1, len(report.gammas)),
        words=[plane_sentence(report, plane) for plane in planes],
    )
    return arrays, height


def _ceilings(report: TreeReport) -> tuple[tuple[float, ...], ...]:
    return (report.ceiling,) if report.ceiling else ()


def tree_figure(
    tree: TreeArrays,
    height: Height,
    *,
    guessing: float | None = None,
    recommended: float | None = None,
    scheme: Scheme = Scheme.LIGHT,
) -> dict[str, Any]:
    """Plot planes over the logarithm of the kernel width; lines join what continues.

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
    shapes, notes = [], []
    if guessing is not None and height is Height.ACCURACY:
        shapes += charts.across(theme, [(guessing, "dot")])
        notes.append(charts.guessing_note(theme, guessing))
    if recommended is not None:
        shapes += charts.across(theme, [], up=[(recommended, "dash")])
        # On a logarithmic axis a shape is placed by the value, a note by its logarithm.
        place = {"x": math.log10(recommended), "xref": "x", "y": 1, "yref": "y domain"}
        look = {"showarrow": False, "font": {"size": 12, "color": theme.faint_ink}}
        anchors = {"xanchor": "left", "yanchor": "bottom"}
        notes.append({"text": "recommended", **place, **look, **anchors})
    layout = charts.layout(
        theme,
        xaxis=charts.axis(
            theme,
            "kernel width γ, finer to smoother",
            type="log",
            tickvals=tree.gammas.tolist(),
            ticktext=[f"{gamma:g}" for gamma in tree.gammas],
        ),
        yaxis=charts.axis(theme, _TITLES[height], **_AXES[height], range=_range(tree, height)),
        shapes=shapes,
        annotations=notes,
        showlegend=False,
        hovermode="closest",
        hoverlabel={"align": "left"},
    )
    traces = [*_band(tree, theme), _links(tree, theme), *_branches(tree, theme)]
    return {"data": [{"type": "scatter", **trace} for trace in traces], "layout": layout}


def _range(tree: TreeArrays, height: Height) -> list[float]:
    """Return the range of planes and band, with room for a letter above them."""
    values = np.concatenate([tree.heights, tree.noise[np.isfinite(tree.noise)]])
    if height is Height.DIVERGENCE:
        values = np.log10(np.maximum(values, _LEAST_DIVERGENCE))
    low, high = float(values.min()), float(values.max())
    room = max(high - low, 0.1)
    return [low - 0.08 * room, high + 0.2 * room]


def _band(tree: TreeArrays, theme: Theme) -> list[dict[str, Any]]:
    """Draw from the least to the most that shuffled labels reach, at the widths computed."""
    has_noise = np.isfinite(tree.noise).any(axis=0) if len(tree.noise) else np.zeros(0, dtype=bool)
    if not has_noise.any():
        return []
    gammas, noise = tree.gammas[has_noise], tree.noise[:, has_noise]
    low, high = np.nanmin(noise, axis=0), np.nanmax(noise, axis=0)
    return [
        {
            "x": [*gammas.tolist(), *gammas[::-1].tolist()],
            "y": [*high.tolist(), *low[::-1].tolist()],
            "name": "shuffled labels",
            "mode": "lines",
            "fill": "toself",
            "fillcolor": translucent(theme.faint_ink, 0.22),
            "line": {"width": 0},
            "hoverinfo": "skip",
        }
    ]


def _links(tree: TreeArrays, theme: Theme) -> dict[str, Any]:
    """Draw where a branch merges into another, or ends in it."""
    continued = {pair for branch in tree.branches for pair in pairwise(branch)}
    leads = [(plane, int(to)) for plane, to in enumerate(tree.narrowing) if to >= 0]
    leads += [(int(to), plane) for plane, to in enumerate(tree.widening) if to >= 0]
    ends = [pair for pair in dict.fromkeys(leads) if pair not in continued]
    gammas = tree.gammas[tree.widths].tolist()
    heights = tree.heights.tolist()
    return {
        "x": [value for a, b in ends for value in (gammas[a], gammas[b], None)],
        "y": [value for a, b in ends for value in (heights[a], heights[b], None)],
        "name": "merges",
        "mode": "lines",
        "line": {"color": theme.faint_ink, "width": 1, "dash": "dot"},
        "opacity": 0.6,
        "hoverinfo": "skip",
    }


def _branches(tree: TreeArrays, theme: Theme) -> list[dict[str, Any]]:
    """Draw the other branches first, under those that stand out."""
    letters = {indices[0]: letter for letter, indices in tree.named.items()}
    owner = {branch: _letter_of(branch, letters) for branch in map(tuple, tree.branches)}
    order = sorted(owner, key=lambda branch: owner[branch] is not None)
    return [_branch(tree, branch, owner[branch], theme) for branch in order]


def _letter_of(branch: Sequence[int], letters: dict[int, str]) -> str | None:
    return next((letters[plane] for plane in branch if plane in letters), None)


def _branch(
    tree: TreeArrays, branch: Sequence[int], letter: str | None, theme: Theme
) -> dict[str, Any]:
    planes = list(branch)
    stands_out = letter is not None
    color = theme.ink if stands_out else theme.faint_ink
    best = planes[int(np.argmax(tree.heights[planes]))]
    return {
        "x": tree.gammas[tree.widths[planes]].tolist(),
        "y": tree.heights[planes].tolist(),
        "customdata": planes,
        "text": [letter if stands_out and plane == best else "" for plane in planes],
        "textposition": "top center",
        "textfont": {"size": 14, "color": theme.ink},
        "hovertext": [tree.words[plane] for plane in planes],
        "name": letter or "",
        "mode": "lines+markers+text",
        "line": {"color": color, "width": 2.4 if stands_out else 1},
        "marker": {
            "size": 10 if stands_out else 6,
            "color": color,
            "symbol": _symbol(letter),
            "line": {"width": 1, "color": theme.surface},
        },
        "opacity": 1.0 if stands_out else 0.7,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _symbol(letter: str | None) -> str:
    return "circle" if letter is None else _SYMBOLS[(ord(letter) - ord("A")) % len(_SYMBOLS)]

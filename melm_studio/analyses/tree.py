"""The tree of planes of a run: every optimum at each kernel width, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase
from typing import Any

import numpy as np

from melm_core.base import FloatArray, IntArray, percent, stratified_sample
from melm_core.melm import TREE_GAMMAS, PlaneTree, TreeNode, plane_tree
from melm_core.methods import BATCH_WEIGHT, COMPONENTS, SEED
from melm_studio.analyses.report_section import Picture, Section, Table
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.derived_planes import keep_plane
from melm_studio.runs.execution.giving_way import is_stopped
from melm_studio.runs.execution.rows import nuisance_of, rows_of
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.records.tree_report import TreePlane, TreeReport, report_of_tree
from melm_studio.runs.store.protocol import RunStore
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


def tree_of(store: RunStore, run_id: str) -> TreeReport:
    """Return the tree so far."""
    return stored_report(store, run_id, TreeReport.from_bytes) or TreeReport()


def grow_tree(store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> bool:
    """Grow the tree, keep its planes as the history of the run; return false if stopped."""
    growth = _Growth(store, record, clock)
    growth.run(data)
    return not growth.stopped


def _scored(data: LabeledData, rows: IntArray) -> tuple[Any, ...]:
    """Rows with their labels, and with their groups if there are any."""
    groups = () if data.groups is None else (data.groups[rows],)
    return (data.X[rows], data.y[rows], *groups)


class _Growth:
    """One tree at work."""

    def __init__(self, store: RunStore, record: RunRecord, clock: Clock) -> None:
        self.stopped = False
        self._store, self._record, self._clock = store, record, clock
        self._began_s = clock.monotonic()
        self._planes: dict[TreeNode, int] = {}
        self._n_steps = self._n_rows = self._n_train = 0

    def run(self, data: LabeledData) -> None:
        train, held_out = rows_of(data, self._record)
        self._n_train = len(train.y)
        rows, scored = (
            stratified_sample(part.y, min(1.0, most / max(1, len(part.y))), len(data.class_names))
            for part, most in ((train, MOST_TREE_ROWS), (held_out, MOST_SCORED_ROWS))
        )
        self._n_rows = len(rows)
        has_every_class = len(np.unique(held_out.y[scored])) == len(data.class_names)
        known = self._record.parameters.values
        names = (COMPONENTS.name, "multiclass", BATCH_WEIGHT.name)
        tree = plane_tree(
            train.X[rows],
            train.y[rows],
            **{name: values[rows] for name, values in nuisance_of(train, self._record).items()},
            groups=None if train.groups is None else train.groups[rows],
            held_out=_scored(held_out, scored) if has_every_class else None,
            n_shuffles=N_SHUFFLES,
            parameters={name: known[name] for name in names if name in known},
            random_state=known[SEED.name],
            callback=self._after_width,
        )
        self._report(tree, "done", 1.0 if not self.stopped else self._n_steps / _N_STEPS)

    def _after_width(self, tree: PlaneTree) -> bool:
        self._n_steps += 1
        is_searching = self._n_steps < _N_SEARCHES
        stage = "following the planes" if is_searching else "comparing with shuffled labels"
        self._report(tree, stage, self._n_steps / _N_STEPS)
        self.stopped = is_stopped(self._store, self._record, self._clock)
        return self.stopped or self._clock.monotonic() - self._began_s > MOST_SECONDS

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
        self._store.put_report(self._record.run_id, report.to_bytes())

    def _number(self, node: TreeNode, fraction: float) -> int:
        """The number of a plane in the history, to which it is added."""
        return keep_plane(
            self._store,
            self._record.run_id,
            len(self._planes),
            node.components,
            stage=f"γ {TREE_GAMMAS[node.width]:g}",
            fraction=fraction,
            elapsed_s=self._clock.monotonic() - self._began_s,
            objective=node.divergence,
        )


# More branches than this are not described.
MOST_NAMED = 8
_WAYS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


@dataclass(frozen=True)
class NamedBranch:
    """A branch that stands out: its letter, a sentence, its planes, and the best of them."""

    letter: str
    words: str
    planes: tuple[int, ...]
    best: int


def tree_sentence(report: TreeReport, *, is_final: bool) -> str:
    """In how many different ways the classes can be told apart, as far as it is known."""
    if not report.planes:
        return "No plane was found yet." if is_final else "Looking for the first planes."
    if not _has_noise(report):
        n_widths = len({plane.width for plane in report.planes})
        found = f"{count(len(report.planes), 'optimum', 'optima')} at {n_widths} of "
        return f"{found}{len(report.gammas)} kernel widths, not yet compared with shuffled labels."
    n_ways = len(report.standing_out)
    if n_ways == 0:
        return (
            "No plane stands out: none exceeds shuffled labels over an octave of γ. This is what "
            "noise looks like."
        )
    ways = _WAYS[n_ways] if n_ways < len(_WAYS) else number(n_ways)
    kind = "way" if n_ways == 1 else "different ways"
    return f"{ways} {kind} to see these classes apart."


def named_branches(report: TreeReport, n_classes: int) -> tuple[NamedBranch, ...]:
    """The branches that stand out from shuffled labels, the best first."""
    standing = report.standing_out[:MOST_NAMED]
    return tuple(
        _named(letter, report, indices, n_classes)
        for letter, indices in zip(ascii_uppercase, standing, strict=False)
    )


def plane_sentence(report: TreeReport, plane: TreePlane) -> str:
    """One plane: its kernel width and its scores."""
    accuracy = "" if math.isnan(plane.accuracy) else f", {percent(plane.accuracy)} held out"
    return f"γ {report.gammas[plane.width]:g}: divergence {plane.divergence:.3g}{accuracy}"


def tree_notes(report: TreeReport) -> tuple[str, ...]:
    """What limits the tree."""
    if report.n_rows >= report.n_train:
        return ()
    return (
        f"Searched in an even sample of {number(report.n_rows)} of {number(report.n_train)} "
        "training rows; the picture's own scores use all of them.",
    )


def contrast_sentence(report: TreeReport) -> str:
    """Where the classes stand out most from shuffled labels; empty while it is not known."""
    if not _has_noise(report) or not report.standing_out:
        return ""
    best = np.full(len(report.gammas), np.nan)
    for plane in report.planes:
        best[plane.width] = np.fmax(best[plane.width], plane.divergence)
    ratios = best / np.array(report.ceiling)
    at = int(np.nanargmax(ratios))
    return (
        f"At γ {report.gammas[at]:g} the divergence exceeds what shuffled labels reach most, "
        f"{ratios[at]:.1f} times."
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


class Height(StrEnum):
    """What the height of a plane in the tree stands for."""

    ACCURACY = "accuracy"
    DIVERGENCE = "divergence"


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """What is drawn of a tree.

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
    """The arrays of a tree that has planes, and what their height is.

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


_MEANING = (
    "Each mark is a plane where the divergence has an optimum at that kernel width, each line one "
    "that persists as the kernels change. The gray band is what shuffled labels reach. Lettered "
    "branches exceed it over an octave of kernel widths or more, and differ by 45° or more."
)


def tree_section(
    report: TreeReport, n_classes: int, picture: Picture, *, is_final: bool
) -> Section:
    """The section on a tree that has planes."""
    branches = named_branches(report, n_classes)
    rows = tuple((branch.letter, branch.words) for branch in branches)
    table = Table("Branches that stand out", ("Branch", "Kernel widths and held-out rows"), rows)
    sentences = (tree_sentence(report, is_final=is_final), contrast_sentence(report))
    return Section(
        "Different ways to see the classes",
        sentences=tuple(filter(None, (*sentences, *tree_notes(report), _MEANING))),
        tables=(table,) if rows else (),
        pictures=(picture,),
    )

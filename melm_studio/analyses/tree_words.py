"""What the tree of planes of a run says, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from melm_core.base import percent
from melm_studio.runs.records.tree_report import TreePlane, TreeReport
from melm_studio.scores import guessing
from melm_studio.tables import count, number

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
    ratios = best / np.mean(report.noise, axis=0)
    at = int(np.nanargmax(ratios))
    return (
        f"At γ {report.gammas[at]:g} the divergence exceeds that of shuffled labels most, "
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

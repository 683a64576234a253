"""What is drawn of the tree of planes of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_studio.analyses.tree_words import named_branches, plane_sentence
from melm_studio.runs.records.tree_report import TreeReport


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
    noise = report.noise_accuracy if is_accuracy else report.noise
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

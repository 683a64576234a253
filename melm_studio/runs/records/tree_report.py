"""The record of what is known of the tree of planes of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from melm_core.melm import PlaneTree, TreeNode
from melm_studio.record import Record


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
    known = numbers or {node: number for number, node in enumerate(tree.nodes)}
    is_known = bool(len(tree.noise)) and bool(np.isfinite(tree.noise).all())
    return TreeReport(
        gammas=tuple(tree.gammas.tolist()),
        planes=tuple(
            TreePlane(
                width=node.width,
                plane=known[node],
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

"""The tree of planes: every optimum at each kernel width, followed to wider and narrower kernels.

Wide kernels smooth each class to one Gaussian, and the divergence has few local optima; narrow
ones see ever smaller structure. An optimum that persists over many widths does not depend on the
width that happens to be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_integer, check_positive
from melm_core.base.weighted_estimator import WeightedRows
from melm_core.linalg.planes import principal_angles, random_components
from melm_core.melm.estimator import MELM
from melm_core.melm.gamma_choice import held_out_accuracy

# From smooth to local, by half octaves.
TREE_GAMMAS = tuple(2.0 ** (step / 2) for step in range(6, -4, -1))

# Planes closer than this, in radians, are one.
SAME_ANGLE = 0.1

# Relative gain of a step below which a plane has converged: only its optimum has to be recognized.
_TOL = 1e-7


@dataclass(frozen=True, eq=False)
class TreeNode:
    """An optimum of the divergence at one kernel width.

    Attributes
    ----------
    width : int
        Index of its gamma.
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    divergence : float
        In nats.
    held_out_accuracy : float
        Balanced accuracy at the held-out rows of the class densities of the training rows; NaN
        without held-out rows.
    """

    width: int
    components: FloatArray
    divergence: float
    held_out_accuracy: float = np.nan


@dataclass(frozen=True, eq=False)
class PlaneTree:
    """The optima at each kernel width, and which continue which.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Falling: from smooth to local.
    nodes : tuple of TreeNode
        By width, and at each by falling divergence.
    edges : ndarray of shape (n_edges, 2)
        Indices of nodes at neighboring widths, the wider first: following one leads to the other.
    noise : ndarray of shape (n_shuffles, n_gammas)
        The largest divergence found with shuffled labels; NaN where not yet computed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.melm import plane_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = plane_tree(X, y, gammas=(4.0, 2.0), n_init=2, n_shuffles=0)
    >>> len(tree.counts)
    2
    """

    gammas: FloatArray
    nodes: tuple[TreeNode, ...]
    edges: IntArray
    noise: FloatArray

    @property
    def counts(self) -> IntArray:
        """Number of optima at each width, shape (n_gammas,)."""
        return np.bincount([node.width for node in self.nodes], minlength=len(self.gammas))

    @property
    def best_divergences(self) -> FloatArray:
        """The largest divergence at each width, shape (n_gammas,); NaN where not yet computed."""
        best = np.full(len(self.gammas), np.nan)
        for node in self.nodes:
            best[node.width] = np.fmax(best[node.width], node.divergence)
        return best

    @property
    def births(self) -> tuple[int, ...]:
        """Nodes that no node at the wider kernel continues to."""
        return tuple(np.setdiff1d(np.arange(len(self.nodes)), self.edges[:, 1]).tolist())

    @property
    def ends(self) -> tuple[int, ...]:
        """Nodes that continue to no node at the narrower kernel."""
        return tuple(np.setdiff1d(np.arange(len(self.nodes)), self.edges[:, 0]).tolist())

    @property
    def merges(self) -> tuple[int, ...]:
        """Nodes in which several nodes at the narrower kernel merge."""
        n_narrower = np.bincount(self.edges[:, 0], minlength=len(self.nodes))
        return tuple(np.flatnonzero(n_narrower > 1).tolist())


# Given the tree so far; a true return value stops its growth.
TreeCallback: TypeAlias = Callable[[PlaneTree], bool | None]


def plane_tree(
    X: Any,
    y: Any,
    *,
    gammas: Sequence[float] = TREE_GAMMAS,
    held_out: tuple[Any, Any] | None = None,
    n_init: int = 8,
    max_planes: int = 8,
    n_shuffles: int = 4,
    parameters: dict[str, Any] | None = None,
    random_state: int = 0,
    callback: TreeCallback | None = None,
) -> PlaneTree:
    """Find the optima of MELM at every kernel width, and follow them to the neighboring widths.

    At each width, from smooth to local, the optima of the wider kernels and random planes are
    optimized; on the way back, the optima of the narrower kernels. Planes that differ by at most
    0.1 radians are one. Angles depend on the units: standardize the features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    gammas : sequence of float, default=TREE_GAMMAS
        Two or more kernel widths, relative to Silverman's rule, in any order.
    held_out : tuple of (X, y) or None, default=None
        Rows that took no part, to score every plane.
    n_init : int, default=8
        Random planes at each width.
    max_planes : int, default=8
        The best optima that are kept at each width.
    n_shuffles : int, default=4
        Number of times that the labels are shuffled for `PlaneTree.noise`.
    parameters : dict, optional
        Other parameters of `MELM`, such as n_components.
    random_state : int, default=0
    callback : callable, optional
        Called with the tree after every width of every pass.

    Returns
    -------
    PlaneTree

    Raises
    ------
    ValueError
        If a parameter or the data are invalid.
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    for name, value, least in (("n_init", n_init, 1), ("max_planes", max_planes, 1)):
        check_integer(name, value, minimum=least)
    check_integer("n_shuffles", n_shuffles, minimum=0)
    estimator = MELM(tol=_TOL, continuation=None).set_params(**(parameters or {}))
    growth = _Growth(
        estimator=estimator,
        X=X,
        y=codes,
        held_out=None if held_out is None else _coded(held_out, labels),
        gammas=_falling(gammas),
        max_planes=max_planes,
        noise=np.full((n_shuffles, len(set(gammas))), np.nan),
    )
    for _ in growth.grown(n_init, random_state):
        if callback is not None and callback(growth.tree()):
            break
    return growth.tree()


def _falling(gammas: Sequence[float]) -> FloatArray:
    for gamma in gammas:
        check_positive("gammas", gamma)
    falling = np.array(sorted(set(gammas), reverse=True), dtype=np.float64)
    if len(falling) < 2:
        raise UserError(f"gammas={tuple(gammas)} must hold two or more different kernel widths.")
    return falling


def _coded(rows: tuple[Any, Any], labels: Any) -> tuple[FloatArray, IntArray]:
    X, y = check_X_y(*rows, dtype=np.float64)
    if not np.isin(y, labels).all():
        unknown = np.setdiff1d(y, labels).tolist()
        raise UserError(f"Held-out rows have labels that no training row has: {unknown[:5]}.")
    return X, np.searchsorted(labels, y)


@dataclass(eq=False)
class _Growth:
    """A tree that is growing."""

    estimator: MELM
    X: FloatArray
    y: IntArray
    held_out: tuple[FloatArray, IntArray] | None
    gammas: FloatArray
    max_planes: int
    noise: FloatArray
    levels: dict[int, list[TreeNode]] = field(default_factory=dict)
    edges: set[tuple[TreeNode, TreeNode]] = field(default_factory=set)

    def grown(self, n_init: int, random_state: int) -> Iterator[None]:
        """Yield after every width: on the way down, on the way back, and for shuffled labels."""
        for width in range(len(self.gammas)):
            rng = np.random.default_rng([random_state, width])
            self._descend(width, n_init, rng)
            yield
        for width in range(len(self.gammas) - 2, -1, -1):
            self._ascend(width)
            yield
        for shuffle, best in enumerate(self.noise):
            rng = np.random.default_rng([random_state, len(self.gammas), shuffle])
            shuffled = rng.permutation(self.y)
            for width, gamma in enumerate(self.gammas):
                search = clone(self.estimator)
                search.set_params(gamma=gamma, n_init=n_init, continuation="auto")
                search.set_params(random_state=random_state)
                best[width] = search.fit(self.X, shuffled).divergence_
            yield

    def tree(self) -> PlaneTree:
        """The tree so far."""
        nodes = [
            node
            for width in sorted(self.levels)
            for node in sorted(self.levels[width], key=lambda node: -node.divergence)
        ]
        places = {node: place for place, node in enumerate(nodes)}
        known = [edge for edge in self.edges if edge[0] in places and edge[1] in places]
        pairs = sorted((places[wider], places[narrower]) for wider, narrower in known)
        edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return PlaneTree(self.gammas, tuple(nodes), edges, self.noise.copy())

    def _descend(self, width: int, n_init: int, rng: np.random.Generator) -> None:
        """Follow the optima of the wider kernels, and add those that random planes lead to."""
        self.levels[width] = []
        for wider in self.levels.get(width - 1, ()):
            self.edges.add((wider, self._optimum(width, wider.components)))
        shape = (self.estimator.n_components, self.X.shape[1])
        for _ in range(n_init):
            self._optimum(width, random_components(*shape, rng))
        best_first = sorted(self.levels[width], key=lambda node: -node.divergence)
        self.levels[width] = best_first[: self.max_planes]

    def _ascend(self, width: int) -> None:
        """Follow the optima of the narrower kernels."""
        for narrower in self.levels[width + 1]:
            found = self._optimum(width, narrower.components)
            self.edges.add((found, narrower))
        best_first = sorted(self.levels[width], key=lambda node: -node.divergence)
        self.levels[width] = best_first[: self.max_planes]

    def _optimum(self, width: int, plane: FloatArray) -> TreeNode:
        """The optimum that a plane leads to, which becomes a node unless it is one."""
        fit = clone(self.estimator).set_params(gamma=self.gammas[width], init=plane[None])
        fit.fit(self.X, self.y)
        for node in self.levels[width]:
            if principal_angles(fit.components_, node.components)[-1] <= SAME_ANGLE:
                return node
        found = TreeNode(width, fit.components_, fit.divergence_, self._accuracy(fit))
        self.levels[width].append(found)
        return found

    def _accuracy(self, fit: MELM) -> float:
        if self.held_out is None:
            return np.nan
        return held_out_accuracy(fit, _unweighted(self.X, self.y), _unweighted(*self.held_out))


def _unweighted(X: FloatArray, y: IntArray) -> WeightedRows:
    return WeightedRows(X, y, None, np.ones(len(y), dtype=bool))

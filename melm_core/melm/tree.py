"""The tree of planes: every optimum at each kernel width, followed both ways.

Wide kernels smooth each class to one Gaussian, and the divergence has few local optima; narrow
ones see ever smaller structure. An optimum that persists over many widths does not depend on the
width that happens to be chosen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, nuisance_codes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_integer, check_positive
from melm_core.base.label_permutations import Block, exchangeable_blocks, permuted_labels
from melm_core.base.sample_weights import balanced_share
from melm_core.density import ClassDensities, SmallCellsWarning, kernel_classes, nuisance_cells
from melm_core.linalg.planes import principal_angles, random_components
from melm_core.melm.estimator import MELM
from melm_core.melm.search import SearchOptions

# From smooth to local, by half octaves.
TREE_GAMMAS = (8.0, 5.7, 4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5, 0.35)

# Planes closer than this, in radians, are one.
SAME_ANGLE = 0.1

# Random planes from which the search that is compared with shuffled labels begins at each width,
# beside the plane of the wider kernel: it is made twenty times.
_COMPARED_STARTS = 2

# Relative gain of a step below which a plane has converged: only its optimum has to be recognized.
_TOL = 1e-7

# How often labels are shuffled again that leave a class with less than two rows: groups differ in
# size.
_MOST_SHUFFLES = 100

_ROUNDING = 1e-9  # of a ratio of widths


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
        Balanced accuracy at the held-out rows of the class densities of the training rows, with
        kernels of this width; NaN without held-out rows.
    nuisance_divergence : float
        The mean over the classes of the divergence between the values of a nuisance, in nats; 0
        without one.
    """

    width: int
    components: FloatArray
    divergence: float
    held_out_accuracy: float = np.nan
    nuisance_divergence: float = 0.0


@dataclass(frozen=True, eq=False)
class PlaneTree:
    """The optima at each kernel width, and which continue which.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Falling: from smooth to local.
    nodes : tuple of TreeNode
        By width, and at each by falling divergence.
    narrowing, widening : ndarray of shape (n_nodes,)
        Index of the node that each leads to at the next narrower and at the next wider kernel; -1
        where there is none, or it is not known.
    noise, noise_accuracy : ndarray of shape (n_shuffles, n_gammas)
        Divergence and held-out accuracy of the best plane found with shuffled labels; NaN where
        not computed.
    compared : ndarray of shape (n_gammas,)
        The divergence that the search of the shuffles finds with the labels as they are: it is
        shorter than that of the nodes.

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
    narrowing: IntArray
    widening: IntArray
    noise: FloatArray
    noise_accuracy: FloatArray
    compared: FloatArray

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
    def contrast(self) -> FloatArray:
        """The divergence over its mean for shuffled labels by one search, shape (n_gammas,)."""
        if not len(self.noise):
            return np.full(len(self.gammas), np.nan)
        ratio: FloatArray = self.compared / self.noise.mean(axis=0)
        return ratio

    @property
    def ceiling(self) -> FloatArray:
        """Divergence that planes of shuffled labels reach at any width, shape (n_gammas,).

        The mean over the shuffles at each width, times the largest ratio of a shuffle to the mean
        of the others at any width: nothing is above it by having many widths to choose from. Where
        the search of the tree finds more than that of the shuffles, the ceiling is as much higher.
        Zero without shuffles, NaN where they are not computed; with one shuffle, itself.

        References
        ----------
        P. H. Westfall, S. S. Young: Resampling-based multiple testing, Wiley, 1993 (the largest of
        several statistics under shuffled labels).
        """
        n_shuffles = len(self.noise)
        if not n_shuffles:
            return np.zeros(len(self.gammas))
        mean, largest = self.noise.mean(axis=0), 1.0
        if n_shuffles > 1:
            others = (n_shuffles * mean - self.noise) / (n_shuffles - 1)
            largest = float(np.max(self.noise / others))
        thorough = np.maximum(self.best_divergences / self.compared, 1.0)
        ceiling: FloatArray = mean * largest * thorough
        return ceiling

    @property
    def edges(self) -> IntArray:
        """Pairs of nodes at neighboring widths, the wider first: one leads to the other."""
        leads = [(wide, narrow) for wide, narrow in enumerate(self.narrowing) if narrow >= 0]
        leads += [(wide, narrow) for narrow, wide in enumerate(self.widening) if wide >= 0]
        return np.array(sorted(set(leads)), dtype=np.int64).reshape(-1, 2)

    @property
    def branches(self) -> tuple[tuple[int, ...], ...]:
        """Chains of nodes that lead to each other, the widest kernel first; a node is in one."""
        branches: dict[int, list[int]] = {}
        for node in range(len(self.nodes)):
            wider = int(self.widening[node])
            is_same = wider >= 0 and self.narrowing[wider] == node
            chain = branches[wider] if is_same else []
            chain.append(node)
            branches[node] = chain
        return tuple(tuple(branch) for node, branch in branches.items() if branch[0] == node)

    @property
    def births(self) -> tuple[int, ...]:
        """The first node of every branch: no node at the wider kernel is the same optimum."""
        return tuple(branch[0] for branch in self.branches)

    @property
    def ends(self) -> tuple[int, ...]:
        """The last node of every branch: no node at the narrower kernel is the same optimum."""
        return tuple(branch[-1] for branch in self.branches)

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """The first node of a branch, and the node of another in which it merges when widened."""
        return tuple(
            (first, int(self.widening[first])) for first in self.births if self.widening[first] >= 0
        )

    def standing_out(
        self, octaves: float = 1.0, angle: float = np.pi / 4
    ) -> tuple[tuple[int, ...], ...]:
        """Return the distinct branches that persist, with nodes above those of shuffled labels.

        Parameters
        ----------
        octaves : float, default=1
            How far the widths of these nodes must reach, as a power of 2.
        angle : float, default=pi/4
            In radians. A branch that comes closer to a better one is left out: it is another
            optimum, but shows nearly the same. By default they are closer to being at a right
            angle, in one direction at least, than to being the same plane.

        Returns
        -------
        tuple of tuples of int
            The branch with the largest held-out accuracy first, then by divergence.
        """
        ceiling = self.ceiling
        above = (
            tuple(i for i in branch if self.nodes[i].divergence > ceiling[self.nodes[i].width])
            for branch in self.branches
        )
        lasting = [nodes for nodes in above if nodes and self._octaves(nodes) >= octaves]
        different: list[tuple[int, ...]] = []
        for branch in sorted(lasting, key=self._rank, reverse=True):
            if all(self._angle(branch, other) > angle for other in different):
                different.append(branch)
        return tuple(different)

    def _angle(self, branch: Sequence[int], other: Sequence[int]) -> float:
        """Compute the smallest angle between planes of two branches."""
        pairs = (
            (self.nodes[i].components, self.nodes[j].components) for i in branch for j in other
        )
        return min(float(principal_angles(*pair)[-1]) for pair in pairs)

    def _octaves(self, branch: Sequence[int]) -> float:
        widest, narrowest = (self.gammas[self.nodes[i].width] for i in (branch[0], branch[-1]))
        return float(np.log2(widest / narrowest)) + _ROUNDING

    def _rank(self, branch: Sequence[int]) -> tuple[float, float]:
        nodes = [self.nodes[i] for i in branch]
        accuracy = max(float(np.nan_to_num(node.held_out_accuracy)) for node in nodes)
        return accuracy, max(node.divergence for node in nodes)


# Given the tree so far; a true return value stops its growth.
TreeCallback: TypeAlias = Callable[[PlaneTree], bool | None]


def plane_tree(
    X: Any,
    y: Any,
    *,
    gammas: Sequence[float] = TREE_GAMMAS,
    nuisance: Any = None,
    groups: Any = None,
    held_out: tuple[Any, Any] | tuple[Any, Any, Any] | None = None,
    n_init: int = 8,
    max_planes: int = 8,
    n_shuffles: int = 19,
    parameters: dict[str, Any] | None = None,
    random_state: int = 0,
    callback: TreeCallback | None = None,
) -> PlaneTree:
    """Find the optima of MELM at every kernel width, and follow them to the neighboring widths.

    At each width, from smooth to local, the optima of the wider kernels and random planes are
    optimized; on the way back, the optima of the narrower kernels; at last those that were found on
    the way back are followed down. Planes that differ by at most 0.1 radians are one. Angles depend
    on the units: standardize the features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    gammas : sequence of float, default=TREE_GAMMAS
        Two or more kernel widths, relative to Silverman's rule, in any order.
    nuisance : array-like of shape (n_samples,) or None, default=None
        What the planes are to be blind to, such as the batch, with ``nuisance_weight`` among the
        parameters.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows with the same value depend on each other. For `PlaneTree.noise`, labels are shuffled
        between groups of one label, and within the others.
    held_out : tuple of (X, y) or (X, y, groups), or None, default=None
        Rows that took no part, to score every plane.
    n_init : int, default=8
        Random planes at each width.
    max_planes : int, default=8
        The best optima that are kept at each width.
    n_shuffles : int, default=19
        Number of times that the labels are shuffled for `PlaneTree.noise`; those of the held-out
        rows are shuffled too. The planes of shuffled labels are blind to the nuisance as well. With
        19, a plane stands out in at most 5 % of tables in which nothing can be told apart. The
        search is a shorter one than that of the tree, and is made for the labels as they are, too.
    parameters : dict, optional
        Other parameters of `MELM`, such as n_components.
    random_state : int, default=0
    callback : callable, optional
        Called with the tree after every width of every pass; a true return value ends the search.

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
    estimator = MELM(search=SearchOptions(tol=_TOL)).set_params(**(parameters or {}))
    growth = _Growth(
        estimator=estimator,
        rows=Rows(X, codes, exchangeable_blocks(codes, _codes_of(groups, len(X)))),
        nuisance=None if nuisance is None else nuisance_codes(nuisance, len(X)),
        held_out=None if held_out is None else _coded(*held_out, labels=labels),
        gammas=_falling(gammas),
        max_planes=max_planes,
        noise=np.full((n_shuffles, len(set(gammas))), np.nan),
        noise_accuracy=np.full((n_shuffles, len(set(gammas))), np.nan),
        compared=np.full(len(set(gammas)), np.nan),
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


def _codes_of(groups: Any, n_samples: int) -> IntArray | None:
    return None if groups is None else group_codes(groups, n_samples)


def _coded(X: Any, y: Any, groups: Any = None, *, labels: Any) -> Rows:
    X, y = check_X_y(X, y, dtype=np.float64)
    if not np.isin(y, labels).all():
        unknown = np.setdiff1d(y, labels).tolist()
        raise UserError(f"Held-out rows have labels that no training row has: {unknown[:5]}.")
    codes = np.searchsorted(labels, y)
    return Rows(X, codes, exchangeable_blocks(codes, _codes_of(groups, len(X))))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with their class codes, and the blocks within which their labels are exchangeable."""

    X: FloatArray
    y: IntArray
    blocks: tuple[Block, ...]

    def shuffled(self, rng: np.random.Generator) -> Rows:
        """Return the rows with shuffled labels."""
        for _ in range(_MOST_SHUFFLES):
            y = permuted_labels(self.blocks, rng)
            if np.bincount(y, minlength=int(self.y.max()) + 1).min() > 1:
                break
        return replace(self, y=y)


@dataclass(eq=False)
class _Growth:
    """A tree that is growing."""

    estimator: MELM
    rows: Rows
    nuisance: IntArray | None
    held_out: Rows | None
    gammas: FloatArray
    max_planes: int
    noise: FloatArray
    noise_accuracy: FloatArray
    compared: FloatArray
    classes: ClassDensities = field(init=False)
    levels: dict[int, list[TreeNode]] = field(default_factory=dict)
    narrowing: dict[TreeNode, TreeNode] = field(default_factory=dict)
    widening: dict[TreeNode, TreeNode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.classes = _densities(self.estimator, self.rows)

    def grown(self, n_init: int, random_state: int) -> Iterator[None]:
        """Yield after every width: on the way down, back, down again, and for shuffled labels."""
        n_gammas = len(self.gammas)
        for width in range(n_gammas):
            self._search(width, n_init, np.random.default_rng([random_state, width]))
            yield
        for width in range(n_gammas - 2, -1, -1):
            self._widen(width)
            yield
        for width in range(n_gammas - 1):
            self._narrow(width)
            yield
        if len(self.noise):
            rng = np.random.default_rng([random_state, n_gammas])
            for width, fit in self._compared(self.rows, rng):
                self.compared[width] = fit.divergence_
                yield
        for shuffle in range(len(self.noise)):
            rng = np.random.default_rng([random_state, n_gammas, 1 + shuffle])
            yield from self._shuffled(shuffle, rng)

    def tree(self) -> PlaneTree:
        """Return the tree so far."""
        nodes = [node for width in sorted(self.levels) for node in self.levels[width]]
        places = {node: place for place, node in enumerate(nodes)}
        leads = (_places(places, self.narrowing), _places(places, self.widening))
        noise = (self.noise.copy(), self.noise_accuracy.copy(), self.compared.copy())
        return PlaneTree(self.gammas, tuple(nodes), *leads, *noise)

    def _search(self, width: int, n_init: int, rng: np.random.Generator) -> None:
        """Follow the optima of the wider kernels, and add those that random planes lead to."""
        self.levels[width] = []
        for wider in self.levels.get(width - 1, ()):
            self.narrowing[wider] = self._optimum(width, wider.components)
        shape = (self.estimator.n_components, self.rows.X.shape[1])
        for _ in range(n_init):
            self._optimum(width, random_components(*shape, rng))
        self._keep_best(width)

    def _widen(self, width: int) -> None:
        """Follow the optima of the narrower kernels."""
        for narrower in self.levels[width + 1]:
            self.widening[narrower] = self._optimum(width, narrower.components)
        self._keep_best(width)

    def _narrow(self, width: int) -> None:
        """Follow the optima found on the way back, and link them to what they lead to."""
        for wider in self.levels[width]:
            if self.narrowing.get(wider) not in self.levels[width + 1]:
                self.narrowing[wider] = self._optimum(width + 1, wider.components)
        self._keep_best(width + 1)
        for narrower in self.levels[width + 1]:
            if narrower not in self.widening:
                fit = self._fitted(width, narrower.components)
                if (node := self._known(width, fit)) is not None:
                    self.widening[narrower] = node

    def _shuffled(self, shuffle: int, rng: np.random.Generator) -> Iterator[None]:
        """Search the best plane at each width for labels that say nothing."""
        rows = self.rows.shuffled(rng)
        held_out = self.held_out and self.held_out.shuffled(rng)
        classes = _densities(self.estimator, rows)
        for width, fit in self._compared(rows, rng):
            self.noise[shuffle, width] = fit.divergence_
            densities = classes.widened(self.gammas[width])
            self.noise_accuracy[shuffle, width] = _accuracy(fit, densities, held_out)
            yield

    def _compared(self, rows: Rows, rng: np.random.Generator) -> Iterator[tuple[int, MELM]]:
        """Yield the best plane at each width by a search that is the same for any labels."""
        shape = (self.estimator.n_components, rows.X.shape[1])
        nuisance = self._nuisance_of(rows)
        starts: list[FloatArray] = []
        for width, gamma in enumerate(self.gammas):
            starts += [random_components(*shape, rng) for _ in range(_COMPARED_STARTS)]
            search = clone(self.estimator).set_params(gamma=gamma)
            search.set_search(init=np.stack(starts))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SmallCellsWarning)  # of the labels as they are
                search.fit(rows.X, rows.y, nuisance=nuisance)
            starts = [search.components_]
            yield width, search

    def _optimum(self, width: int, plane: FloatArray) -> TreeNode:
        """Return the node of the optimum that a plane leads to; add it if it is new."""
        fit = self._fitted(width, plane)
        if (same := self._known(width, fit)) is not None:
            return same
        accuracy = _accuracy(fit, self.classes.widened(self.gammas[width]), self.held_out)
        of_nuisance = 0.0 if self.nuisance is None else fit.nuisance_divergence_
        node = TreeNode(width, fit.components_, fit.divergence_, accuracy, of_nuisance)
        self.levels[width].append(node)
        return node

    def _fitted(self, width: int, plane: FloatArray) -> MELM:
        fit: MELM = clone(self.estimator).set_params(gamma=self.gammas[width])
        fit.set_search(init=plane[None])
        return fit.fit(self.rows.X, self.rows.y, nuisance=self.nuisance)

    def _nuisance_of(self, rows: Rows) -> IntArray | None:
        """Return the nuisance, unless shuffled labels leave no class with two of its values."""
        if self.nuisance is None:
            return None
        n_components = self.estimator.get_params()["n_components"]
        cells = nuisance_cells(rows.y, self.nuisance, n_components=n_components)
        return None if cells.is_confounded else self.nuisance

    def _known(self, width: int, fit: MELM) -> TreeNode | None:
        for node in self.levels[width]:
            if principal_angles(fit.components_, node.components)[-1] <= SAME_ANGLE:
                return node
        return None

    def _keep_best(self, width: int) -> None:
        best_first = sorted(self.levels[width], key=self._objective, reverse=True)
        self.levels[width] = best_first[: self.max_planes]

    def _objective(self, node: TreeNode) -> float:
        """Return the objective of a node: its divergence less that of the nuisance."""
        return node.divergence - self.estimator.nuisance_weight * node.nuisance_divergence


def _densities(estimator: MELM, rows: Rows) -> ClassDensities:
    """Return the class densities at gamma 1."""
    options = estimator.get_params()
    return kernel_classes(
        rows.X, rows.y, n_components=options["n_components"], shrinkage=options["shrinkage"]
    )


def _places(places: dict[TreeNode, int], leads: dict[TreeNode, TreeNode]) -> IntArray:
    """Map every node to the position of the node that it leads to."""
    targets = {node: places[to] for node, to in leads.items() if to in places}
    return np.array([targets.get(node, -1) for node in places], dtype=np.int64)


def _accuracy(fit: MELM, classes: ClassDensities, held_out: Rows | None) -> float:
    """Compute the balanced accuracy at held-out rows of the densities that the divergence is of."""
    if held_out is None:
        return np.nan
    densities = classes.project(fit.components_)
    predicted = densities.most_likely(held_out.X @ fit.components_.T)
    return balanced_share(predicted == held_out.y, held_out.y)

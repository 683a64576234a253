"""The tree of planes as a value: its nodes, which lead to which, and what shuffled labels reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.linalg.planes import principal_angles

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

"""The information potential of distant samples, summed over the nearest pairs alone.

Where kernels are narrow beside the gap between two samples, a few pairs of rows at its edges hold
practically all of the potential, and a tilted sum has too few neighbors to be accurate. All terms
are positive, so what is left out is bounded: a pair whose distance r, in kernel widths, exceeds
the smallest distance d adds at most exp((d^2 - r^2) / 2) times as much as the nearest one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.engines.direct_sums import Potential, inverse_root

# What all pairs that are left out add at most, relative to the sum.
TOLERANCE = 1e-12

# Of more pairs, a tilted sum is sooner and has enough neighbors to be as accurate; so many take a
# hundredth of a second.
MOST_PAIRS = 100_000

# Of so many rows of each sample, the nearest pair bounds the smallest distance, and near pairs show
# at once that those of all rows are many.
_SAMPLED = 1_000


def near_log_potential(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> Potential | None:
    """Compute `direct_sums.log_potential` for samples of which few pairs are near.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
    covariance : ndarray of shape (n_components, n_components)
    weights_a, weights_b : ndarray of shape (n_first,), (n_second,) or None

    Returns
    -------
    Potential or None
        None if more than MOST_PAIRS pairs are near.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density.engines.direct_sums import log_potential
    >>> rows = np.arange(6.0).reshape(3, 2)
    >>> far, kernel = rows + 1e3, np.eye(2)
    >>> near = near_log_potential(rows, far, kernel)
    >>> bool(np.isclose(near.value, log_potential(rows, far, kernel).value, rtol=1e-12))
    True
    """
    root, log_norm = inverse_root(covariance)
    u, v = a @ root, b @ root
    shares = [_shares(u, weights_a), _shares(v, weights_b)]
    beyond = 2.0 * float(-np.log(TOLERANCE) - sum(np.log(of_rows.min()) for of_rows in shares))
    pairs = _NearPairs.of(u, v, beyond)
    if pairs is None:
        return None
    first, second = pairs.first, pairs.second
    kernels = np.exp(-0.5 * pairs.excess) * shares[0][first] * shares[1][second]
    total = float(kernels.sum())
    offsets = u[first] - v[second]
    pulls = (kernels / total)[:, None] * offsets
    return Potential(
        value=float(np.log(total) - 0.5 * pairs.least_square + log_norm),
        by_first=-_sums(first, pulls, len(u)) @ root.T,
        by_second=_sums(second, pulls, len(v)) @ root.T,
        by_covariance=0.5 * root @ (offsets.T @ pulls - np.eye(len(root))) @ root.T,
    )


@dataclass(frozen=True, eq=False)
class _NearPairs:
    """Pairs of a point of each of two samples.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,)
        Numbers of the points.
    least_square : float
        Square of the smallest distance.
    excess : ndarray of shape (n_pairs,)
        By how much the square of the distance of a pair exceeds that.
    """

    first: IntArray
    second: IntArray
    least_square: float
    excess: FloatArray

    @classmethod
    def of(cls, u: FloatArray, v: FloatArray, beyond: float) -> _NearPairs | None:
        """Find all pairs whose squares exceed the least by at most `beyond`; None if too many."""
        steps = [max(1, len(z) // _SAMPLED) for z in (u, v)]
        few = [cKDTree(z[::step]) for z, step in zip((u, v), steps, strict=True)]
        if few[0].count_neighbors(few[1], beyond**0.5) * steps[0] * steps[1] > 10 * MOST_PAIRS:
            return None
        bound = float(few[1].query(few[0].data)[0].min())
        # Points that are farther from the box around all others than that are in no near pair.
        near = [_near_box(z, other, np.hypot(bound, beyond**0.5)) for z, other in ((u, v), (v, u))]
        trees = [
            cKDTree(z[rows], balanced_tree=False, compact_nodes=False)
            for z, rows in zip((u, v), near, strict=True)
        ]
        least = min(bound, float(trees[1].query(u[near[0]], distance_upper_bound=bound)[0].min()))
        reach = float(np.hypot(least, beyond**0.5))
        if trees[0].count_neighbors(trees[1], reach) > MOST_PAIRS:
            return None
        pairs = trees[0].sparse_distance_matrix(trees[1], reach, output_type="ndarray")
        excess = np.square(pairs["v"]) - least**2
        return cls(near[0][pairs["i"]], near[1][pairs["j"]], least**2, excess)


def _near_box(points: FloatArray, others: FloatArray, reach: float) -> IntArray:
    """Numbers of the points that are at most so far from the box around others."""
    squares = np.zeros(len(points))
    for column, other in zip(points.T, others.T, strict=True):
        squares += np.square(column - np.clip(column, other.min(), other.max()))
    return np.flatnonzero(squares <= reach**2 * (1.0 + 1e-12))


def _shares(rows: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the weights of rows relative to their sum."""
    shares = np.ones(len(rows)) if weights is None else weights
    return np.asarray(shares / shares.sum())


def _sums(codes: IntArray, values: FloatArray, n_sums: int) -> FloatArray:
    """Compute sums of the values of each code, (n_sums, n_columns)."""
    columns = [np.bincount(codes, column, minlength=n_sums) for column in values.T]
    return np.column_stack(columns)

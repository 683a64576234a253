"""How long the blocks of rows are, and which classes form which pair."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray

# Block lengths are multiples of this, so that vector instructions meet no remainder.
_LANES = 8
_MAX_BLOCK = 360

# Fixed cost of a tile, in kernel values.
_TILE_OVERHEAD = 4_000


def block_length(counts: IntArray) -> int:
    """The number of rows in a block for which all tiles cost least.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    """
    per_class = np.arange(1, max(2, int(counts.max()) // _LANES + 2))
    exact = -(-int(counts.max()) // per_class)
    lengths = np.minimum(-(-exact // _LANES) * _LANES, _MAX_BLOCK // _LANES * _LANES)
    n_blocks = (-(-counts[:, None] // lengths)).sum(axis=0)
    costs = n_blocks * (n_blocks + 1) * (_TILE_OVERHEAD + lengths**2)
    return int(lengths[costs.argmin()])


def pair_numbers(n_classes: int) -> IntArray:
    """The number of every pair of classes in the order of the upper triangle, symmetric."""
    numbers = np.zeros((n_classes, n_classes), dtype=np.int64)
    first, second = np.triu_indices(n_classes)
    numbers[first, second] = numbers[second, first] = np.arange(len(first))
    return numbers


def members_of_pairs(n_classes: int) -> FloatArray:
    """How often each class is in each pair, shape (n_classes, n_pairs)."""
    codes = np.arange(n_classes)[:, None]
    first, second = np.triu_indices(n_classes)
    members: FloatArray = (first == codes).astype(np.float64) + (second == codes)
    return members

"""Which ordered pairs of classes to take directions from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import IntArray

Pairs: TypeAlias = Literal["all", "hypercube"]


def all_pairs(n_classes: int) -> IntArray:
    """Every ordered pair of different classes.

    Returns
    -------
    ndarray of shape (n_classes (n_classes - 1), 2)
        Codes of the numerator and the denominator class.
    """
    first, second = np.nonzero(~np.eye(n_classes, dtype=bool))
    return np.column_stack([first, second]).astype(np.int64)


def hypercube_pairs(n_classes: int, random_state: np.random.Generator) -> IntArray:
    """Ordered pairs of neighbors on a hypercube whose vertices the classes take at random.

    About n_classes log2 n_classes pairs instead of all. A labeling that
    leaves a class without a neighbor, and so without any direction, is drawn
    again (GEM, section 4.3, does not say).

    Parameters
    ----------
    n_classes : int
        Two or more.
    random_state : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_pairs, 2)
        Codes of the numerator and the denominator class; with (i, j) comes (j, i).
    """
    n_dimensions = int(n_classes - 1).bit_length()
    while True:
        vertices = random_state.permutation(2**n_dimensions)[:n_classes]
        are_neighbors = np.bitwise_count(vertices[:, None] ^ vertices) == 1
        if are_neighbors.any(axis=1).all():
            return np.argwhere(are_neighbors).astype(np.int64)


SELECTIONS: Mapping[Pairs, Callable[[int, np.random.Generator], IntArray]] = MappingProxyType(
    {"all": lambda n_classes, _: all_pairs(n_classes), "hypercube": hypercube_pairs}
)

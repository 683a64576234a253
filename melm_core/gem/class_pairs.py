"""The ordered pairs of classes whose generalized eigenvectors are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import IntArray

Pairs: TypeAlias = Literal["all", "hypercube"]


def all_pairs(n_classes: int) -> IntArray:
    """Return all ordered pairs of different classes.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes (n_classes - 1), 2)
        Codes of the numerator and the denominator class.
    """
    first, second = np.nonzero(~np.eye(n_classes, dtype=bool))
    return np.column_stack([first, second]).astype(np.int64)


def hypercube_pairs(n_classes: int, random_state: np.random.Generator) -> IntArray:
    """Return the ordered pairs of classes on neighboring vertices of a random hypercube.

    There are about n_classes log2 n_classes of them instead of all
    n_classes (n_classes - 1). An assignment that leaves a class without a
    neighbor is drawn again; the paper does not consider this case.

    Parameters
    ----------
    n_classes : int
        Two or more.
    random_state : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_pairs, 2)
        Codes of the numerator and the denominator class; symmetric, with (i, j) and (j, i).

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.gem import hypercube_pairs
    >>> len(hypercube_pairs(8, np.random.default_rng(0)))  # all pairs: 56
    24
    """
    n_dimensions = int(n_classes - 1).bit_length()
    while True:
        vertices = random_state.permutation(2**n_dimensions)[:n_classes]
        differing = vertices[:, None] ^ vertices
        are_neighbors = (differing > 0) & (differing & (differing - 1) == 0)  # one bit
        if are_neighbors.any(axis=1).all():
            return np.argwhere(are_neighbors).astype(np.int64)


SELECTIONS: Mapping[Pairs, Callable[[int, np.random.Generator], IntArray]] = MappingProxyType(
    {"all": lambda n_classes, _: all_pairs(n_classes), "hypercube": hypercube_pairs}
)

"""Random starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.linalg.planes import random_components
from melm_core.optimization.types import Start


def random_starts(
    n_starts: int, n_components: int, n_features: int, seed: int | Sequence[int]
) -> list[Start]:
    """Planes drawn uniformly (Haar measure), each from a random stream of its own.

    So start i is the same plane whatever the number of starts.

    Parameters
    ----------
    n_starts, n_components, n_features : int
    seed : int or sequence of int

    Returns
    -------
    list of Start
        With orthonormal components of shape (n_components, n_features).

    Raises
    ------
    ValueError
        If n_components exceeds n_features.

    Examples
    --------
    >>> from melm_core.optimization import random_starts
    >>> [start.components.shape for start in random_starts(3, 2, 5, seed=0)]
    [(2, 5), (2, 5), (2, 5)]
    """
    streams = np.random.SeedSequence(seed).spawn(n_starts)
    return [
        Start("random", random_components(n_components, n_features, np.random.default_rng(stream)))
        for stream in streams
    ]


def whole_space(n_features: int) -> list[Start]:
    """The only plane with as many components as there are features."""
    return [Start("whole space", np.eye(n_features))]

"""Data in which there is nothing to find."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer


def pure_noise(
    n_rows: int = 60, n_features: int = 50, n_classes: int = 3, random_state: int = 0
) -> tuple[FloatArray, IntArray]:
    """Standard normal features, and classes of even sizes that have nothing to do with them.

    With about as many features as rows, every method that looks at the labels
    separates the rows it sees; no method separates new ones.

    Parameters
    ----------
    n_rows, n_features, n_classes : int
    random_state : int

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class codes 0 .. n_classes-1 in turn.
    """
    check_integer("n_features", n_features, minimum=1)
    check_integer("n_classes", n_classes, minimum=2)
    check_integer("n_rows", n_rows, minimum=2 * n_classes)
    stream = np.random.default_rng(random_state)
    return stream.standard_normal((n_rows, n_features)), np.arange(n_rows) % n_classes

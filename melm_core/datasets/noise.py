"""Data without any structure."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer


def pure_noise(
    n_rows: int = 60, n_features: int = 50, n_classes: int = 3, random_state: int = 0
) -> tuple[FloatArray, IntArray]:
    """Standard normal features with unrelated labels of equally large classes.

    With about as many features as rows, every supervised method separates its
    training rows; no method separates held-out rows.

    Parameters
    ----------
    n_rows : int, default=60
        At least two per class.
    n_features : int, default=50
    n_classes : int, default=3
    random_state : int, default=0

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class codes 0 .. n_classes-1 in turn.

    Raises
    ------
    ValueError
        If there are fewer than two classes, two rows per class, or one feature.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> X, y = pure_noise(n_rows=6, n_features=2)
    >>> y
    array([0, 1, 2, 0, 1, 2])
    """
    check_integer("n_features", n_features, minimum=1)
    check_integer("n_classes", n_classes, minimum=2)
    check_integer("n_rows", n_rows, minimum=2 * n_classes)
    stream = np.random.default_rng(random_state)
    return stream.standard_normal((n_rows, n_features)), np.arange(n_rows) % n_classes

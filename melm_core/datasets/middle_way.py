"""Classes that differ in how far features are from their mean, to either side."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive


def moderation(
    random_state: int,
    *,
    n_rows: int = 400,
    n_features: int = 8,
    n_relevant: int = 4,
    noise: float = 0.3,
) -> tuple[FloatArray, IntArray]:
    """Standard normal features; the class says whether some are near their means.

    Too little is as bad as too much: both classes have the same mean, so no
    straight direction tells them apart, and no plane shows what several
    features do so. Where features bend, one direction does: the class depends
    on the sum of their absolute values.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=400
    n_features : int, default=8
    n_relevant : int, default=4
        How many, the first ones, tell the classes; the others say nothing.
    noise : float, default=0.3
        Standard deviation of what is added to the sum.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        1 for the half of the rows whose noisy sum is smaller, else 0.

    Raises
    ------
    ValueError
        If n_rows is less than 4, n_relevant less than 1, n_features less than
        n_relevant, or noise not positive.

    Examples
    --------
    >>> from melm_core.datasets import moderation
    >>> X, y = moderation(0, n_rows=100)
    >>> bool(abs(X[y == 1, :4]).mean() < abs(X[y == 0, :4]).mean())
    True
    """
    check_integer("n_rows", n_rows, minimum=4)
    check_integer("n_relevant", n_relevant, minimum=1)
    check_integer("n_features", n_features, minimum=n_relevant)
    check_positive("noise", noise)
    stream = np.random.default_rng(random_state)
    X = stream.standard_normal((n_rows, n_features))
    excess = np.abs(X[:, :n_relevant]).sum(axis=1) + noise * stream.standard_normal(n_rows)
    return X, (excess < np.median(excess)).astype(np.int64)

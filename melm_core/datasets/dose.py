"""Classes of which one lies between two parts of the other in a single feature."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive


def middle_dose(
    random_state: int, *, n_rows: int = 300, n_features: int = 5, noise: float = 0.2
) -> tuple[FloatArray, IntArray]:
    """Standard normal features; the class says whether the first is near its mean.

    Who takes too little is as unwell as who takes too much: both classes have
    the same mean, which no straight direction tells apart, while any bend of
    the first feature does. The other features say nothing.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=300
    n_features : int, default=5
    noise : float, default=0.2
        Standard deviation of what is added to the first feature before the
        class is read off.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        1 where the noisy first feature lies among the middle half of a
        standard normal distribution, else 0.

    Raises
    ------
    ValueError
        If n_rows is less than 4, n_features less than 1, or noise not positive.

    Examples
    --------
    >>> from melm_core.datasets import middle_dose
    >>> X, y = middle_dose(0, n_rows=100)
    >>> abs(X[y == 1, 0]).mean() < abs(X[y == 0, 0]).mean()
    True
    """
    check_integer("n_rows", n_rows, minimum=4)
    check_integer("n_features", n_features, minimum=1)
    check_positive("noise", noise)
    stream = np.random.default_rng(random_state)
    X = stream.standard_normal((n_rows, n_features))
    felt = X[:, 0] + noise * stream.standard_normal(n_rows)
    return X, (np.abs(felt) < _MIDDLE_HALF).astype(np.int64)


_MIDDLE_HALF = 0.674489750196082  # the upper quartile of a standard normal distribution

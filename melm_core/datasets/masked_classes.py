"""Classes whose differences are small beside the variance that they share."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive

_N_CLASSES, _N_LONG = 4, 3
_RADIUS = 2.5  # of the circle on which the class means lie, in standard deviations


def masked_gaussians(
    random_state: int, *, n_rows: int = 600, n_features: int = 12, spread: float = 5.0
) -> tuple[FloatArray, IntArray]:
    """Four Gaussian classes in a plane, and three long directions that say nothing of them.

    The features mix all directions at random, so that the largest variance of the
    features, standardized or not, is that of the long directions: a plane of principal
    components tells the classes apart about as well as guessing does. They are rounded to six
    decimals, so that every processor draws the same.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=600
    n_features : int, default=12
    spread : float, default=5.0
        Standard deviation along the long directions; it is 1 along the others.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class codes 0 .. 3 in turn.

    Raises
    ------
    ValueError
        If n_rows is less than 4, n_features less than 5, or spread not positive.

    Examples
    --------
    >>> from melm_core.datasets import masked_gaussians
    >>> X, y = masked_gaussians(0)
    >>> X.shape
    (600, 12)
    """
    check_integer("n_rows", n_rows, minimum=_N_CLASSES)
    check_integer("n_features", n_features, minimum=2 + _N_LONG)
    check_positive("spread", spread)
    stream = np.random.default_rng(random_state)
    y = np.arange(n_rows) % _N_CLASSES
    turns = 2.0 * np.pi * y / _N_CLASSES
    axes = np.linalg.qr(stream.standard_normal((n_features, n_features)))[0]
    rows = stream.standard_normal((n_rows, n_features))
    rows[:, :2] += _RADIUS * np.column_stack([np.cos(turns), np.sin(turns)])
    rows[:, 2 : 2 + _N_LONG] *= spread
    # Processors differ in the last digits of a product.
    X: FloatArray = np.round(rows @ axes.T, 6)
    return X, y

"""Classes measured in batches that drift along features which also tell the classes apart."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_not_negative

# Probability of each batch by class: unbalanced, so that batch and class are correlated.
_SHARES = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])


def batches(
    random_state: int, n_rows: int = 900, *, drift: float = 1.0
) -> tuple[FloatArray, IntArray, IntArray]:
    """Two classes in three batches, in 12 dimensions.

    The classes differ by 1.2 standard deviations in the first feature and by 1 in the second.
    From batch to batch, the second feature drifts by 0.8 and the third by 0.7. The last
    two batches hold more of the second class, so the drift tells the classes apart as well.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=900
    drift : float, default=1.0
        What the drift from batch to batch is multiplied by; 0 for batches that do not differ.

    Returns
    -------
    X : ndarray of shape (n_rows, 12)
    y : ndarray of shape (n_rows,)
        Class codes 0 and 1.
    batch : ndarray of shape (n_rows,)
        Codes 0 to 2.

    Raises
    ------
    ValueError
        If drift is negative or not finite.

    Examples
    --------
    >>> from melm_core.datasets import batches
    >>> X, y, batch = batches(0)
    >>> X.shape
    (900, 12)
    """
    check_not_negative("drift", drift)
    stream = np.random.default_rng(random_state)
    y = stream.integers(2, size=n_rows)
    batch = np.array([stream.choice(3, p=_SHARES[code]) for code in y])
    X = stream.standard_normal((n_rows, 12))
    X[:, 0] += 1.2 * y
    X[:, 1] += 1.0 * y + 0.8 * drift * batch
    X[:, 2] += 0.7 * drift * batch
    return X, y, batch

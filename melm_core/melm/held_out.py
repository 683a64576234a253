"""The divergence between the densities of training rows and those of held-out rows."""

from __future__ import annotations

from collections.abc import Sequence

from melm_core.base.array_types import FloatArray
from melm_core.density.class_densities import ClassDensities
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass


def held_out_divergence(
    train: ClassDensities,
    held_out_rows: Sequence[FloatArray],
    *,
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """Compute the divergence between the densities of training and of held-out rows.

    Every potential is computed across the two samples, with the kernels of the
    training rows: (log ip(a, a') + log ip(b, b')) - (log ip(a, b') + log ip(b, a')),
    where a prime marks held-out rows, aggregated over the pairs of classes. No
    row is paired with itself, so overfitting to noise does not raise the value.

    Parameters
    ----------
    train : ClassDensities
        Projected training rows and their kernels.
    held_out_rows : sequence of ndarray of shape (n_held_out_of_class, n_components)
        Projected held-out rows of each class, at least one per class.
    multiclass : "mean", "softmin" or "ovr"

    Returns
    -------
    float
        In nats; not bounded below by 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import divergence, held_out_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = np.eye(4)[2:]
    >>> train = kernel_classes(X[::2], y[::2], n_components=2).project(plane)
    >>> held_out = X[1::2] @ plane.T
    >>> rows = [held_out[y[1::2] == code] for code in range(3)]
    >>> round(held_out_divergence(train, rows), 2)
    4.66
    """
    logs = train.log_potentials_with(held_out_rows)
    # The ordered pairs (a, b) and (b, a) have the same weight.
    value, _ = AGGREGATES[multiclass](0.5 * (logs + logs.T), train.totals)
    return float(value)

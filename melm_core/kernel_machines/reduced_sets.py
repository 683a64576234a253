"""Reduced sets: kernel machines with fewer centers, a baseline for approximations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import check_integer
from melm_core.density import gaussian_sums
from melm_core.kernel_machines.approximation import fitted_amplitudes, spread_rows
from melm_core.kernel_machines.machine import KernelMachine, checked_rows


def reduced_set(
    machine: KernelMachine, n_centers: int, X: Any = None, *, random_state: int = 0
) -> KernelMachine:
    """Approximate a kernel machine by one with fewer centers.

    The centers are the means of k-means clusters, and the weights are fitted
    by least squares. Kernels of widths of their own are replaced by one of
    their mean squared width.

    Parameters
    ----------
    machine : KernelMachine
    n_centers : int
        Capped at the number of distinct centers of the machine.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to which the weights are fitted; the machine's centers by default.
    random_state : int, default=0
        Seed of k-means.

    Returns
    -------
    KernelMachine
        With the same kernel, or kernels, and intercept.

    Raises
    ------
    ValueError
        If n_centers or X is invalid.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from melm_core.kernel_machines import KernelMachine, reduced_set
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> machine = KernelMachine.from_estimator(SVC(gamma=1.0).fit(X, y))
    >>> reduced_set(machine, 10, X).centers.shape
    (10, 2)
    """
    check_integer("n_centers", n_centers, minimum=1)
    origin = machine.centers.mean(axis=0)
    linear = machine.linear_map()
    scaled = (machine.centers - origin) @ linear
    n_clusters = min(n_centers, len(np.unique(scaled, axis=0)))
    labels = KMeans(n_clusters, n_init=1, random_state=random_state).fit_predict(scaled)
    centers = _means(machine.centers, labels)
    widths = np.sqrt(_means(np.square(machine.relative_bandwidths), labels))
    rows = spread_rows(machine.centers if X is None else checked_rows(X, len(origin)))
    kernels = gaussian_sums(
        (rows - origin) @ linear, (centers - origin) @ linear, widths, np.eye(len(centers))
    )
    targets = machine.decision_function(rows) - machine.intercept
    bandwidth = machine.bandwidth
    return replace(
        machine,
        centers=centers,
        weights=fitted_amplitudes(kernels, targets),
        bandwidth=bandwidth if np.ndim(bandwidth) == 0 else widths * np.median(bandwidth),
    )


def _means(values: FloatArray, labels: np.typing.NDArray[np.int32]) -> FloatArray:
    """Compute the mean of the values of each label, shape (n_labels, ...)."""
    return np.stack([values[labels == label].mean(axis=0) for label in np.unique(labels)])

"""The divergence in the limit of wide kernels: every class is one Gaussian.

As gamma grows, a kernel density tends to the Gaussian with the mean and the
covariance of its class, widened by the kernel. The divergence of Gaussians
needs no sums over rows, so its optima take a fraction of the time of one
local search over the kernel densities. The search at gamma begins there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density.kernel_density import KernelClasses
from melm_core.linalg.class_moments import covariance_of
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.multiclass import AGGREGATES, Multiclass
from melm_core.optimization.multistart import first_alike, maximize
from melm_core.optimization.types import Objective, Stage, Start

_MAX_ITER = 200
_TOL = 1e-8

# Added to every covariance, relative to the mean variance: a class with fewer rows
# than features has a singular covariance.
_REGULARIZATION = 1e-9


def wide_kernel_objective(classes: KernelClasses, multiclass: Multiclass) -> Objective:
    """The divergence of the classes as Gaussians, and its derivative by the components.

    log ip_ab = log N(m_a - m_b; 0, V(S_a + S_b)V'), where m is the mean of a
    class and S the sum of its covariance and its kernel's.

    Parameters
    ----------
    classes : KernelClasses
    multiclass : "mean", "softmin" or "ovr"

    Returns
    -------
    callable
        Takes components of shape (n_components, n_features) and returns the
        divergence in nats and its gradient, of the same shape.
    """
    means = np.stack([rows.mean(axis=0) for rows in classes.rows])
    spreads = _class_spreads(classes)
    counts, n_classes = classes.counts, len(classes.rows)
    first, second = np.triu_indices(n_classes)
    offsets = means[first] - means[second]  # (n_pairs, n_features)
    sums = spreads[first] + spreads[second]  # (n_pairs, n_features, n_features)

    def objective(components: FloatArray) -> tuple[float, FloatArray]:
        spread = components @ sums  # (n_pairs, n_components, n_features)
        inner = spread @ components.T
        projected = offsets @ components.T
        solved = np.linalg.solve(inner, projected[..., None])[..., 0]
        _, log_dets = np.linalg.slogdet(2.0 * np.pi * inner)
        log_values = np.empty((n_classes, n_classes))
        log_values[first, second] = -0.5 * (log_dets + (projected * solved).sum(axis=1))
        log_values[second, first] = log_values[first, second]
        value, weights = AGGREGATES[multiclass](log_values, counts)
        gradients = (
            solved[:, :, None] * (np.einsum("pk,pkd->pd", solved, spread) - offsets)[:, None, :]
        ) - np.linalg.solve(inner, spread)
        return value, np.tensordot(weights[first, second], gradients, axes=1)

    return objective


def _class_spreads(classes: KernelClasses) -> FloatArray:
    """Covariances of the classes plus those of their kernels, never singular."""
    own = np.stack([covariance_of(rows) for rows in classes.rows])
    n_features = own.shape[1]
    floor = _REGULARIZATION * np.trace(own.mean(axis=0)) / n_features * np.eye(n_features)
    spreads: FloatArray = own + classes.covariances + floor
    return spreads


def wide_kernel_optima(
    classes: KernelClasses,
    planes: Sequence[FloatArray],
    *,
    multiclass: Multiclass,
    max_planes: int,
) -> list[FloatArray]:
    """The distinct local optima that are reached from the given planes, best first.

    Parameters
    ----------
    classes : KernelClasses
        With the kernels of the first stage of the search.
    planes : sequence of ndarray of shape (n_components, n_features)
    multiclass : "mean", "softmin" or "ovr"
    max_planes : int
        Maximum number of optima.
    """
    stage = Stage("", wide_kernel_objective(classes, multiclass), _MAX_ITER, _TOL)
    starts = [Start("", plane) for plane in planes]
    outcome = maximize([stage], starts, report=lambda _: False, n_jobs=1)
    ranked = sorted(outcome.start_results, key=lambda result: -result.objective)
    optima = [orthonormalize(result.components) for result in ranked]
    firsts = first_alike(optima)
    return [plane for i, plane in enumerate(optima) if firsts[i] == i][:max_planes]

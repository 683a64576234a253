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
from melm_core.base.sample_weights import mean_of
from melm_core.density.class_densities import ClassDensities
from melm_core.linalg.class_moments import covariance_of
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.multiclass import AGGREGATES, NUISANCE_AGGREGATE, Multiclass
from melm_core.optimization.batch_lbfgs import maximize_batch
from melm_core.optimization.multistart import first_alike
from melm_core.optimization.types import BatchObjective

_MAX_ITER = 60
_TOL = 1e-6

# Planes within this angle, in radians, are on their way to the same optimum: converging to the
# last digit would take longer than it is worth, and copies would take the places of other starts.
_SAME_OPTIMUM = 0.3

# Added to every covariance, relative to the mean variance: a class with fewer rows
# than features has a singular covariance.
_REGULARIZATION = 1e-9


def wide_kernel_objective(classes: ClassDensities, multiclass: Multiclass) -> BatchObjective:
    """The divergence of the classes as Gaussians, and its derivative by the components.

    log ip_ab = log N(m_a - m_b; 0, V(S_a + S_b)V'), where m is the mean of a
    class and S the sum of its covariance and its kernel's.

    Parameters
    ----------
    classes : ClassDensities
    multiclass : "mean", "softmin" or "ovr"

    Returns
    -------
    callable
        Takes components of shape (n_planes, n_components, n_features) and returns
        the divergences in nats, of shape (n_planes,), and their gradients.
    """
    blocks = zip(classes.rows, classes.weights_of_classes, strict=True)
    means = np.stack([mean_of(rows, weights) for rows, weights in blocks])
    spreads = _class_spreads(classes)
    totals, codes = classes.totals, np.arange(len(classes.rows))
    first, second = np.triu_indices(len(codes))
    is_first, is_second = first == codes[:, None], second == codes[:, None]
    members = is_first + 1.0 * is_second  # (n_classes, n_pairs)
    sides = is_first - 1.0 * is_second

    def objective(components: FloatArray) -> tuple[FloatArray, FloatArray]:
        spread = components[:, None] @ spreads  # (n_planes, n_classes, n_components, n_features)
        own = spread @ components[:, None].swapaxes(-1, -2)
        inverse = np.linalg.inv(own[:, first] + own[:, second])
        centers = (components @ means.T).swapaxes(-1, -2)  # (n_planes, n_classes, n_components)
        offsets = centers[:, first] - centers[:, second]
        solved = (inverse @ offsets[..., None])[..., 0]
        log_dets = np.linalg.slogdet(inverse / (2.0 * np.pi))[1]
        logs = 0.5 * (log_dets - (offsets * solved).sum(axis=-1))
        log_values = np.empty((len(components), len(codes), len(codes)))
        log_values[:, first, second] = log_values[:, second, first] = logs
        values, weights = AGGREGATES[multiclass](log_values, totals)
        of_pairs = weights[:, first, second]
        outer = solved[..., :, None] * solved[..., None, :] - inverse
        by_spreads = members @ _flat(of_pairs[..., None, None] * outer)
        by_means = sides @ (of_pairs[..., None] * solved)  # (n_planes, n_classes, n_components)
        gradients = (by_spreads.reshape(own.shape) @ spread).sum(axis=1)
        return values, gradients - by_means.swapaxes(-1, -2) @ means

    return objective


def _blind_objective(
    classes: ClassDensities, multiclass: Multiclass, nuisance_weight: float
) -> BatchObjective:
    """The divergence of the classes less that of the nuisance, all of them as Gaussians."""
    of_classes = wide_kernel_objective(classes, multiclass)
    if not (nuisance_weight and classes.cells):
        return of_classes
    of_cells = [wide_kernel_objective(own, NUISANCE_AGGREGATE) for own in classes.cells]
    share = nuisance_weight / len(of_cells)

    def objective(components: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, gradients = of_classes(components)
        for cells in of_cells:
            own, by_components = cells(components)
            values, gradients = values - share * own, gradients - share * by_components
        return values, gradients

    return objective


def _flat(matrices: FloatArray) -> FloatArray:
    """The last two axes as one."""
    return matrices.reshape(*matrices.shape[:-2], -1)


def _class_spreads(classes: ClassDensities) -> FloatArray:
    """Covariances of the classes plus those of their kernels, never singular."""
    blocks = zip(classes.rows, classes.weights_of_classes, strict=True)
    own = np.stack([covariance_of(rows, weights) for rows, weights in blocks])
    n_features = own.shape[1]
    floor = _REGULARIZATION * np.trace(own.mean(axis=0)) / n_features * np.eye(n_features)
    spreads: FloatArray = own + classes.covariances + floor
    return spreads


def wide_kernel_optima(
    classes: ClassDensities,
    planes: Sequence[FloatArray],
    *,
    multiclass: Multiclass,
    max_planes: int,
    nuisance_weight: float = 0.0,
) -> list[FloatArray]:
    """The distinct local optima that are reached from the given planes, best first.

    Parameters
    ----------
    classes : ClassDensities
        With the kernels of the first stage of the search.
    planes : sequence of ndarray of shape (n_components, n_features)
    multiclass : "mean", "softmin" or "ovr"
    max_planes : int
        Maximum number of optima.
    nuisance_weight : float
        Of the divergence of a nuisance, if the classes have cells.
    """
    objective = _blind_objective(classes, multiclass, nuisance_weight)
    found = maximize_batch(objective, planes, max_iter=_MAX_ITER, tol=_TOL)
    ranked = np.argsort(-found.values, kind="stable")
    optima = [orthonormalize(plane) for plane in found.components[ranked]]
    firsts = first_alike(optima, _SAME_OPTIMUM)
    return [plane for i, plane in enumerate(optima) if firsts[i] == i][:max_planes]

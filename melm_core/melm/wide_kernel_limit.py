"""The divergence of very wide kernels: every class as one Gaussian.

As gamma grows a kernel density tends to the Gaussian of the class's mean and
covariance, blurred by the kernel. Its divergence needs no sums over rows, so
its optima are found in a fraction of the time of one climb over the kernel
densities. They are where the search for the optimum at gamma begins.
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

_MOST_ITERATIONS = 200
_TOL = 1e-8

# Added to every covariance, relative to the mean variance: where a class has
# fewer rows than there are features, its Gaussian is flat in some direction.
_FLATTEST = 1e-9


def gaussian_objective(classes: KernelClasses, multiclass: Multiclass) -> Objective:
    """The divergence of the classes as Gaussians, and its derivative by the components.

    log ip_ab = log N(m_a - m_b; 0, V(S_a + S_b)V') with the means m of the
    classes and S the sum of their covariance and their kernel's.

    Parameters
    ----------
    classes : KernelClasses
    multiclass : "mean", "softmin" or "ovr"
    """
    means = np.stack([rows.mean(axis=0) for rows in classes.rows])
    own = np.stack([covariance_of(rows) for rows in classes.rows])
    floor = _FLATTEST * np.trace(own.mean(axis=0)) / own.shape[1] * np.eye(own.shape[1])
    spreads = own + classes.covariances + floor
    counts, n_classes = classes.counts, len(classes.rows)
    first, second = np.triu_indices(n_classes)
    offsets = means[first] - means[second]  # (n_pairs, n_features)
    sums = spreads[first] + spreads[second]  # (n_pairs, n_features, n_features)

    def objective(components: FloatArray) -> tuple[float, FloatArray]:
        spread = components @ sums  # (n_pairs, n_components, n_features)
        inner = spread @ components.T
        apart = offsets @ components.T
        pulled = np.linalg.solve(inner, apart[..., None])[..., 0]
        _, log_dets = np.linalg.slogdet(2.0 * np.pi * inner)
        log_values = np.empty((n_classes, n_classes))
        log_values[first, second] = -0.5 * (log_dets + (apart * pulled).sum(axis=1))
        log_values[second, first] = log_values[first, second]
        value, weights = AGGREGATES[multiclass](log_values, counts)
        gradients = (
            pulled[:, :, None] * (np.einsum("pk,pkd->pd", pulled, spread) - offsets)[:, None, :]
        ) - np.linalg.solve(inner, spread)
        return value, np.tensordot(weights[first, second], gradients, axes=1)

    return objective


def wide_optima(
    classes: KernelClasses,
    planes: Sequence[FloatArray],
    *,
    multiclass: Multiclass,
    most: int,
) -> list[FloatArray]:
    """The distinct planes of largest divergence that climbs from the given planes end in.

    Parameters
    ----------
    classes : KernelClasses
        With kernels as wide as those that the search begins with.
    planes : sequence of ndarray of shape (n_components, n_features)
    multiclass : "mean", "softmin" or "ovr"
    most : int
        How many at most, the best ones first.
    """
    stage = Stage("", gaussian_objective(classes, multiclass), _MOST_ITERATIONS, _TOL)
    starts = [Start("", plane) for plane in planes]
    outcome = maximize([stage], starts, report=lambda _: False, n_jobs=1)
    ranked = sorted(outcome.inits, key=lambda init: -init.objective)
    climbed = [orthonormalize(init.components) for init in ranked]
    firsts = first_alike(climbed)
    return [plane for i, plane in enumerate(climbed) if firsts[i] == i][:most]

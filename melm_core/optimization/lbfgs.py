"""The default local solver: L-BFGS on free components."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from melm_core.base.array_types import FloatArray
from melm_core.optimization.types import LocalOptimum, SolverMonitor, Stage


def lbfgs(stage: Stage, components: FloatArray, monitor: SolverMonitor) -> LocalOptimum:
    """Maximize an objective that depends on the span of the components only.

    Such an objective needs no constraint: the components need not stay orthonormal.

    Parameters
    ----------
    stage : Stage
    components : ndarray of shape (n_components, n_features)
        The initial plane.
    monitor : SolverMonitor

    References
    ----------
    R. H. Byrd, P. Lu, J. Nocedal, C. Zhu: A Limited Memory Algorithm for Bound
    Constrained Optimization, SIAM J. Sci. Comput. 16, 1995.
    """
    shape, initial = components.shape, components.ravel()

    def evaluate(entries: FloatArray) -> tuple[float, FloatArray]:
        monitor.count_evaluation()
        value, gradient = stage.objective(entries.reshape(shape))
        return -value, -gradient.ravel()

    def accept(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        current = intermediate_result.x.reshape(shape).copy()
        if monitor.accept(current, -float(intermediate_result.fun)):
            raise StopIteration

    first = evaluate(initial)
    if monitor.accept(components.copy(), -first[0]):
        return LocalOptimum(components, -first[0], converged=False)
    result: Any = scipy.optimize.minimize(
        # The monitor has already counted the evaluation of the initial plane.
        lambda entries: first if np.array_equal(entries, initial) else evaluate(entries),
        initial,
        jac=True,
        method="L-BFGS-B",
        callback=accept,
        options={"maxiter": stage.max_iter, "ftol": stage.tol, "gtol": stage.tol**0.5},
    )
    return LocalOptimum(result.x.reshape(shape), -float(result.fun), bool(result.success))

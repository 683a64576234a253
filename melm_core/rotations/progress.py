"""The progress of a reduction by rotations, over its stages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from melm_core.base.progress import Callback
from melm_core.linalg.planes import orthonormalize
from melm_core.optimization.progress import ProgressReporter
from melm_core.optimization.types import Step
from melm_core.rotations.search import Reduction


class ReductionReporter:
    """Reports the steps of all reductions to the callback of a fit as one search.

    Parameters
    ----------
    callback : callable or None
        As the `callback` of an estimator.
    n_components : int
        Dimension of the final plane. A step of an earlier reduction reports
        the plane spanned by that many directions of its subspace.
    """

    def __init__(self, callback: Callback | None, n_components: int) -> None:
        self._is_needed = callback is not None
        self._reporter = ProgressReporter(callback)
        self._n_components = n_components
        self._reduction = 0
        self._best_value = -np.inf
        self._n_evaluations, self._earlier_evaluations = 0, 0
        self._stopped = False

    def __call__(self, reduction: Reduction, step: Step) -> bool:
        """Report a step and return whether the callback has requested a stop."""
        if self._is_needed and not self._stopped:
            self._stopped = self._reporter(self._of_whole_fit(reduction, step))
        return self._stopped

    def _of_whole_fit(self, reduction: Reduction, step: Step) -> Step:
        """The step in the coordinates of the data, its counts over all reductions so far."""
        components, objective = step.components, step.objective
        if len(components) > self._n_components:
            components = orthonormalize(components)[: self._n_components]
            objective = reduction.objective.evaluate(components).value
        self._best_value = max(self._best_value, objective)
        self._count(reduction, step)
        return replace(
            step,
            components=components @ reduction.basis.T,
            objective=objective,
            best_objective=self._best_value,
            stage_name="" if reduction.n_stages == 1 else _dimensions(reduction, step),
            n_evaluations=self._n_evaluations,
            fraction=(reduction.number + step.fraction) / reduction.n_stages,
        )

    def _count(self, reduction: Reduction, step: Step) -> None:
        if reduction.number != self._reduction:
            self._reduction, self._earlier_evaluations = reduction.number, self._n_evaluations
        self._n_evaluations = self._earlier_evaluations + step.n_evaluations


def _dimensions(reduction: Reduction, step: Step) -> str:
    return f"{reduction.basis.shape[1]} to {len(step.components)} dimensions"

"""What a fit through rotations tells while it runs."""

from __future__ import annotations

import time
from collections import defaultdict

import numpy as np

from melm_core.base.progress import Callback, Progress
from melm_core.linalg.planes import orthonormalize
from melm_core.rotations.search import Reduction
from melm_core.rotations.solvers import Turn

# An ascent of about this many steps counts as half done: the number of steps
# is not known beforehand, yet the bar has to move.
_STEPS_TO_HALF = 20


class RotationReporter:
    """Keeps the history of every start, and turns steps into `Progress` for the callback.

    Parameters
    ----------
    callback : callable or None
    n_components : int
        Dimension of the plane; in an earlier stage of a nested reduction as
        many directions of the subspace are shown.
    """

    def __init__(self, callback: Callback | None, n_components: int) -> None:
        self._callback, self._n_components = callback, n_components
        self._stage = -1
        self._best, self._fraction, self._n_evaluations = -np.inf, 0.0, 0
        self._earlier_evaluations = 0
        self._stopped = False
        self._began = time.perf_counter()
        self._histories: dict[int, list[float]] = {}

    def __call__(self, stage: Reduction, step: Turn) -> bool:
        """Note a step; whether the callback has asked to stop."""
        if stage.number != self._stage:
            self._stage, self._histories = stage.number, defaultdict(list)
            self._earlier_evaluations = self._n_evaluations
        self._histories[step.start].append(step.objective)
        self._n_evaluations = self._earlier_evaluations + step.n_evaluations
        if self._callback is not None and not self._stopped:
            self._stopped = bool(self._callback(self._progress(stage, step)))
        return self._stopped

    def history(self, position: int) -> list[float]:
        """M at every step of a start of the latest stage, by position among those that began."""
        return self._histories[sorted(self._histories)[position]]

    def _progress(self, stage: Reduction, step: Turn) -> Progress:
        components, objective = step.components, step.objective
        if len(components) > self._n_components:  # an earlier stage: the plane it would leave
            components = orthonormalize(components)[: self._n_components]
            objective = stage.objective.evaluate(components).value
        self._best = max(self._best, objective)
        within_start = step.iteration / (step.iteration + _STEPS_TO_HALF)
        within_stage = (step.start + within_start) / step.n_starts
        self._fraction = max(self._fraction, (stage.number + within_stage) / stage.n_stages)
        words = f"start {step.start + 1} of {step.n_starts}"
        return Progress(
            components=orthonormalize(components @ stage.basis.T),
            objective=objective,
            best_objective=self._best,
            start=step.start + 1,
            n_starts=step.n_starts,
            iteration=step.iteration,
            n_evaluations=self._n_evaluations,
            stage=words if stage.n_stages == 1 else f"{words}, {_reduction(stage, step)}",
            fraction=self._fraction,
            elapsed_s=time.perf_counter() - self._began,
        )


def _reduction(stage: Reduction, step: Turn) -> str:
    return f"{stage.basis.shape[1]} to {len(step.components)} dimensions"

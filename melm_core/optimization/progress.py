"""From the steps of a search to the `Progress` that the callback of a fit receives."""

from __future__ import annotations

import time
from collections.abc import Callable

from melm_core.base.array_types import FloatArray
from melm_core.base.progress import Callback, Progress
from melm_core.linalg.planes import orthonormalize
from melm_core.optimization.types import Step


class ProgressReporter:
    """Reports steps to the callback of a fit, and the time since the reporter was made.

    Parameters
    ----------
    callback : callable or None
        As the `callback` of an estimator.
    to_data_space : callable, default=orthonormalize
        Takes the components of a step and returns orthonormal components in
        the coordinates of the data, of shape (n_components, n_features).
    """

    def __init__(
        self,
        callback: Callback | None,
        to_data_space: Callable[[FloatArray], FloatArray] = orthonormalize,
    ) -> None:
        self._callback = callback
        self._to_data_space = to_data_space
        self._started = time.perf_counter()

    def __call__(self, step: Step) -> bool:
        """Report a step and return whether the callback requested a stop."""
        if self._callback is None:
            return False
        return bool(self._callback(self._progress(step)))

    def _progress(self, step: Step) -> Progress:
        start = f"start {step.start + 1} of {step.n_starts}"
        return Progress(
            components=self._to_data_space(step.components),
            objective=step.objective,
            best_objective=step.best_objective,
            start=step.start + 1,
            n_starts=step.n_starts,
            iteration=step.iteration,
            n_evaluations=step.n_evaluations,
            stage=f"{start}, {step.stage_name}" if step.stage_name else start,
            fraction=step.fraction,
            elapsed_s=time.perf_counter() - self._started,
        )

"""The progress of a search over all its starts, which may run in several threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from melm_core.optimization.types import Objective, Step, StepCallback

# A local solver is assumed to be half done after this many steps: their number is
# unknown beforehand, and the reported fraction has to increase.
_STEPS_TO_HALF = 20


class ProgressTracker:
    """Counts evaluations, reports steps one at a time, and remembers a requested stop.

    Parameters
    ----------
    report : callable
        Called with every accepted step; a true return value stops the search.
    n_stages : int

    Attributes
    ----------
    n_stages, n_evaluations : int
    stopped : bool
    """

    def __init__(self, report: StepCallback, n_stages: int) -> None:
        self.n_stages = n_stages
        self.n_evaluations = 0
        self.stopped = False
        self._report = report
        self._lock = threading.Lock()
        self._monitored: Objective | None = None
        self._best_value = -np.inf
        self._fraction = 0.0

    def count_evaluations(self, number: int = 1) -> None:
        """Count evaluations of the objective."""
        with self._lock:
            self.n_evaluations += number

    def resume_from(self, step: Step, monitored: Objective) -> None:
        """Continue after a step that has been reported already."""
        self._monitored, self._best_value = monitored, step.objective

    def report(self, step: Step, monitored: Objective) -> None:
        """Complete a step with the state of the search and report it."""
        with self._lock:
            if monitored is not self._monitored:  # values on a subsample are not comparable
                self._monitored, self._best_value = monitored, -np.inf
            self._best_value = max(self._best_value, step.objective)
            self._fraction = max(self._fraction, _fraction(step))
            completed = replace(
                step,
                n_evaluations=self.n_evaluations,
                best_objective=self._best_value,
                fraction=self._fraction,
            )
            self.stopped = bool(self._report(completed)) or self.stopped

    def replay(self, steps: Sequence[Step], n_evaluations: int, monitored: Objective) -> None:
        """Report the steps of another tracker, with its evaluations in between."""
        n_counted = 0
        for step in steps:
            if self.stopped:
                break
            self.count_evaluations(step.n_evaluations - n_counted)
            n_counted = step.n_evaluations
            self.report(step, monitored)
        self.count_evaluations(n_evaluations - n_counted)


def _fraction(step: Step) -> float:
    within_start = step.iteration / (step.iteration + _STEPS_TO_HALF)
    within_stage = (step.start + within_start) / step.n_starts
    return (step.stage + within_stage) / step.n_stages

"""The state of one start on its way through the stages of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.optimization.tracker import ProgressTracker
from melm_core.optimization.types import (
    LocalOptimum,
    LocalSolver,
    Objective,
    Stage,
    Start,
    StartResult,
    Step,
)


class Position(NamedTuple):
    """The stage, and the start among those that entered it, both counted from 0."""

    stage: int
    start: int
    n_starts: int


@dataclass(eq=False)
class StartState:
    """The current plane of a start and the best plane it has passed.

    Attributes
    ----------
    start : Start
    merged_with : StartState or None
        The start that reached the same plane and is optimized for both.
    components, objective : ndarray, float
        The plane after the latest stage, and the objective of that stage.
    best_components, best_value : ndarray, float
        The plane of the largest monitored objective so far.
    n_iterations, n_evaluations : int
        Over all stages.
    history : list of float
        The monitored objective at every accepted step of the latest stage.
    """

    start: Start
    merged_with: StartState | None = None
    objective: float = -np.inf
    best_value: float = -np.inf
    n_iterations: int = 0
    n_evaluations: int = 0
    converged: bool = False
    has_begun: bool = False
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.components = self.best_components = self.start.components

    @classmethod
    def stopped_at(cls, step: Step) -> StartState:
        """A start that was stopped at its initial plane."""
        state = cls(Start(step.stage_name, step.components), objective=step.objective)
        state.record(step.components, step.objective)
        return state

    def optimize(
        self, tracker: ProgressTracker, *, stage: Stage, position: Position, solver: LocalSolver
    ) -> None:
        """Run the local solver from the current plane."""
        monitor = self.enter(tracker, stage, position)
        if not tracker.stopped:
            optimum = solver(stage, self.components, monitor)
            self.leave(optimum, stopped=tracker.stopped)

    def enter(self, tracker: ProgressTracker, stage: Stage, position: Position) -> StageMonitor:
        """Begin a stage; what is returned follows the local solver."""
        self.history = []
        return StageMonitor(self, tracker, stage, position)

    def leave(self, optimum: LocalOptimum, *, stopped: bool) -> None:
        """End a stage with the plane that the local solver has found."""
        self.components, self.objective = optimum.components, optimum.value
        self.n_iterations += max(len(self.history) - 1, 0)
        self.converged = optimum.converged and not stopped

    def record(self, components: FloatArray, value: float) -> None:
        """Add an accepted step to the history."""
        self.has_begun = True
        self.history.append(value)
        self.update_best(components, value)

    def update_best(self, components: FloatArray, value: float) -> None:
        """Keep the plane if it is better than all before."""
        if value > self.best_value:
            self.best_value, self.best_components = value, components

    def merge_into(self, other: StartState) -> None:
        """Leave the rest of the search to another start that reached the same plane."""
        self.merged_with = other
        other.update_best(self.best_components, self.best_value)

    def settle(self, objective: Objective) -> None:
        """Take the better of the current plane and the best one, evaluated by `objective`."""
        planes = (self.components, self.best_components)
        values = [objective(plane)[0] for plane in planes]
        best = int(np.argmax(values))
        self.objective, self.components = values[best], planes[best]

    def revert_to_best(self) -> None:
        """Take the best plane with its monitored value."""
        self.objective, self.components = self.best_value, self.best_components

    def result(self) -> StartResult:
        """The result, with the plane of the start that this one was merged into."""
        final = self
        while final.merged_with is not None:
            final = final.merged_with
        return StartResult(
            kind=self.start.kind,
            objective=final.objective,
            n_iterations=self.n_iterations,
            n_evaluations=self.n_evaluations,
            converged=final.converged,
            components=final.components,
            history=tuple(self.history),
        )


@dataclass(frozen=True, eq=False)
class StageMonitor:
    """Forwards what a local solver does in one stage to the state and the tracker."""

    state: StartState
    tracker: ProgressTracker
    stage: Stage
    position: Position

    def count_evaluation(self) -> None:
        """See `SolverMonitor`."""
        self.state.n_evaluations += 1
        self.tracker.count_evaluations()

    def accept(self, components: FloatArray, value: float) -> bool:
        """See `SolverMonitor`."""
        if self.stage.monitor is not None:
            value, _ = self.stage.monitor(components)
        self.state.record(components, value)
        self.tracker.report(self._step(components, value), self.stage.monitored)
        return self.tracker.stopped

    def _step(self, components: FloatArray, value: float) -> Step:
        return Step(
            components=components,
            objective=value,
            best_objective=value,
            stage=self.position.stage,
            n_stages=self.tracker.n_stages,
            stage_name=self.stage.name,
            start=self.position.start,
            n_starts=self.position.n_starts,
            iteration=len(self.state.history) - 1,
        )

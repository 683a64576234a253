"""Starts that are optimized together, in the same array operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from melm_core.base.array_types import FloatArray
from melm_core.optimization.batch_lbfgs import maximize_batch
from melm_core.optimization.start_state import Position, StageMonitor, StartState
from melm_core.optimization.tracker import ProgressTracker
from melm_core.optimization.types import LocalOptimum, Stage


@dataclass(eq=False)
class StartBatch:
    """Some of the starts of a stage that has an objective for several planes.

    Attributes
    ----------
    states : list of StartState
    positions : list of Position
        Of each of them in the stage.
    """

    states: list[StartState]
    positions: list[Position]

    def optimize(self, tracker: ProgressTracker, *, stage: Stage) -> None:
        """Optimize all starts from their current planes."""
        monitors = [
            state.enter(tracker, stage, position)
            for state, position in zip(self.states, self.positions, strict=True)
        ]
        if tracker.stopped or stage.batch is None:
            return
        optima = maximize_batch(
            stage.batch,
            [state.components for state in self.states],
            max_iter=stage.max_iter,
            tol=stage.tol,
            observer=_InOrder(monitors, tracker),
        )
        results = zip(optima.components, optima.values.tolist(), optima.converged, strict=True)
        for state, (components, value, converged) in zip(self.states, results, strict=True):
            state.leave(LocalOptimum(components, value, bool(converged)), stopped=tracker.stopped)

    def copy_to(self, states: Sequence[StartState]) -> None:
        """Write the states to those they are copies of, if another process changed them."""
        for state, changed in zip(states, self.states, strict=True):
            vars(state).update(vars(changed))


@dataclass(eq=False)
class _InOrder:
    """Reports the steps of one start after the other, although all advance at the same time.

    So a viewer sees every start on its way instead of jumps between them. The
    steps of the first start are reported as they are taken; those of the
    others wait until the start before has ended.
    """

    monitors: Sequence[StageMonitor]
    tracker: ProgressTracker
    current: int = 0
    ended: set[int] = field(default_factory=set)
    waiting: dict[int, list[tuple[FloatArray, float]]] = field(default_factory=dict)

    def count_evaluation(self, number: int) -> None:
        self.monitors[number].count_evaluation()

    def accept(self, number: int, components: FloatArray, value: float) -> bool:
        if number == self.current:
            return self.monitors[number].accept(components, value)
        self.waiting.setdefault(number, []).append((components, value))
        return self.tracker.stopped

    def finish(self, number: int) -> bool:
        self.ended.add(number)
        while self.current in self.ended and not self.tracker.stopped:
            self.current += 1
            self._report_waiting()
        return self.tracker.stopped

    def _report_waiting(self) -> None:
        for components, value in self.waiting.pop(self.current, []):
            if not self.tracker.stopped:
                self.monitors[self.current].accept(components, value)

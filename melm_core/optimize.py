"""Ascent from several starts: L-BFGS on free components, best start kept.

The objectives here depend on the span of the components only, so nothing
needs to hold them orthonormal while they are optimised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import scipy.optimize

from melm_core._typing import FloatArray

# components of shape (n_components, n_features) -> value and gradient of that shape
Objective: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, eq=False)
class Start:
    """Where an ascent begins: a word for how it was found, and the components."""

    kind: str
    components: FloatArray


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step of an ascent; iteration 0 is the start itself."""

    components: FloatArray
    objective: float
    start: int
    iteration: int
    n_evaluations: int


@dataclass(frozen=True, eq=False)
class Init:
    """What one start came to."""

    kind: str
    objective: float
    n_iterations: int
    n_evaluations: int
    converged: bool
    components: FloatArray


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best plane of all starts, with the record of each.

    Attributes
    ----------
    best : Init
    inits : tuple of Init
        In the order of the starts; fewer than the starts if stopped.
    history : tuple of float
        The objective at every accepted step, start after start.
    n_evaluations : int
    stopped : bool
        Whether the reporter asked to stop.
    """

    best: Init
    inits: tuple[Init, ...]
    history: tuple[float, ...]
    n_evaluations: int
    stopped: bool


# A true return stops the ascent.
Reporter: TypeAlias = Callable[[Step], bool]


def maximize(
    objective: Objective,
    starts: Sequence[Start],
    *,
    max_iter: int,
    tol: float,
    report: Reporter,
) -> Outcome:
    """Climb from every start and keep the best.

    Parameters
    ----------
    objective : callable
    starts : sequence of Start, at least one
    max_iter : int
        Accepted steps a start at most.
    tol : float
        A start has converged once a step improves the objective by less than
        this share of it, or the largest entry of the gradient falls below
        its square root.
    report : callable
        Given every accepted step; a true return stops.
    """
    ascent = _Ascent(objective, report)
    inits: list[Init] = []
    for index, start in enumerate(starts):
        inits.append(ascent.climb(index, start, max_iter=max_iter, tol=tol))
        if ascent.stopped:
            break
    best = max(inits, key=lambda init: init.objective)
    return Outcome(best, tuple(inits), tuple(ascent.history), ascent.n_evaluations, ascent.stopped)


@dataclass
class _Ascent:
    """Counters that run through all starts of one maximisation."""

    objective: Objective
    report: Reporter
    n_evaluations: int = 0
    stopped: bool = False
    history: list[float] = field(default_factory=list)

    def climb(self, index: int, start: Start, *, max_iter: int, tol: float) -> Init:
        shape = start.components.shape
        evaluations_before = self.n_evaluations
        iterations = 0

        def accept(intermediate_result: scipy.optimize.OptimizeResult) -> None:
            nonlocal iterations
            iterations += 1
            components = intermediate_result.x.reshape(shape)
            self._note(components, -float(intermediate_result.fun), index, iterations)
            if self.stopped:
                raise StopIteration

        value, _ = self._evaluate(start.components)
        self._note(start.components, value, index, 0)
        if self.stopped:
            return Init(start.kind, value, 0, 1, False, start.components)
        result: Any = scipy.optimize.minimize(
            lambda x: self._descent(x.reshape(shape)),
            start.components.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=accept,
            options={"maxiter": max_iter, "ftol": tol, "gtol": tol**0.5},
        )
        return Init(
            kind=start.kind,
            objective=-float(result.fun),
            n_iterations=iterations,
            n_evaluations=self.n_evaluations - evaluations_before,
            converged=bool(result.success) and not self.stopped,
            components=result.x.reshape(shape),
        )

    def _evaluate(self, components: FloatArray) -> tuple[float, FloatArray]:
        self.n_evaluations += 1
        return self.objective(components)

    def _descent(self, components: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = self._evaluate(components)
        return -value, -gradient.ravel()

    def _note(self, components: FloatArray, value: float, start: int, iteration: int) -> None:
        self.history.append(value)
        step = Step(components.copy(), value, start, iteration, self.n_evaluations)
        self.stopped = self.report(step)

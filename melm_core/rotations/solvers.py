"""Ascent of an objective by rotations of the plane, from several starts.

Three ways: steps along the gradient with Armijo's line search (the default),
L-BFGS on free components, and the step rule as the paper prints it. The
printed rule has no line search: its steps tend to the square root of the
gradient's norm, overshoot near a maximum, and go round it for ever. So the
best plane it passes is what it returns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from joblib import Parallel, delayed

from melm_core.base.array_types import FloatArray
from melm_core.linalg.rotation_group import rotate
from melm_core.optimization.multistart import maximize
from melm_core.optimization.types import Init, Outcome, Stage, Start, Step

Solver: TypeAlias = Literal["armijo", "lbfgs", "paper"]
SOLVERS: tuple[Solver, ...] = ("armijo", "lbfgs", "paper")

# Length of the first trial step of a start, in radians.
_FIRST_TURN = 0.3

# A step must gain at least this share of what the slope promises (Armijo).
_SUFFICIENT = 1e-4
_SHORTENING, _LENGTHENING = 0.4, 2.5
_MOST_SHORTENINGS = 40

# Steps of L-BFGS gain little before they gain much: a small gain is a weaker sign there.
_QUASI_NEWTON_TOL = 1e-3

# The epsilon of the printed rule: its step far from a maximum, in radians.
PAPER_EPSILON = 0.1


@dataclass(frozen=True, eq=False)
class Turn:
    """An accepted step of a start; iteration 0 is the plane it begins with.

    `start` counts from 0, of `n_starts`; `n_evaluations` is of all starts together.
    """

    components: FloatArray
    objective: float
    start: int
    n_starts: int
    iteration: int
    n_evaluations: int


# A true return stops the ascent.
Reporter: TypeAlias = Callable[[Turn], bool]


class Measured(Protocol):
    """The objective in one plane, with its derivative on demand."""

    @property
    def value(self) -> float:
        """The objective."""

    def gradient(self) -> FloatArray:
        """Its derivative by the components."""


class SpanObjective(Protocol):
    """An objective that depends on the span of the components only."""

    def __call__(self, components: FloatArray) -> tuple[float, FloatArray]:
        """Value and derivative by `components`."""

    def evaluate(self, components: FloatArray) -> Measured:
        """Value, and the derivative if asked for."""


def ascend(
    objective: SpanObjective,
    starts: Sequence[Start],
    *,
    solver: Solver,
    max_iter: int,
    tol: float,
    report: Reporter,
    n_jobs: int | None = None,
) -> Outcome:
    """Climb from every start and keep the best plane.

    Parameters
    ----------
    objective : SpanObjective
    starts : sequence of Start, at least one
        With orthonormal components.
    solver : "armijo", "lbfgs" or "paper"
    max_iter : int
        Accepted steps a start at most.
    tol : float
        A start has converged once a step gains less than this, or a thousandth
        of it for L-BFGS. The printed rule does not converge.
    report : callable
        Given every accepted step, one at a time; a true return stops.
    n_jobs : int or None
        Threads that climb at the same time, as joblib reads it. The outcome
        does not depend on it.
    """
    if solver == "lbfgs":
        stage = Stage("", objective, max_iter, tol * _QUASI_NEWTON_TOL)
        return maximize([stage], starts, report=lambda step: report(_turn(step)), n_jobs=n_jobs)
    clerk = _Clerk(report, len(starts))
    walks = [_WALKS[solver](objective, start.components) for start in starts]
    jobs = [delayed(_climb)(walk, max_iter, tol, clerk, i) for i, walk in enumerate(walks)]
    Parallel(n_jobs=n_jobs, backend="threading")(jobs)
    begun = [(start, walk) for start, walk in zip(starts, walks, strict=True) if walk.history]
    inits = tuple(walk.init(start.kind) for start, walk in begun)
    return Outcome(
        best=max(inits, key=lambda init: init.objective),
        inits=inits,
        history=tuple(value for _, walk in begun for value in walk.history),
        n_evaluations=sum(init.n_evaluations for init in inits),
        stopped=clerk.stopped,
    )


class Walk:
    """One start on its way up.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        Where it stands, orthonormal rows.
    best_components, best : ndarray, float
        The best plane it stood on, and the objective there.
    history : list of float
        The objective at the start and after every step.
    n_evaluations : int
    converged : bool
    """

    def __init__(self, objective: SpanObjective, components: FloatArray) -> None:
        self._objective = objective
        self.components = self.best_components = components
        self.best = -np.inf
        self.history: list[float] = []
        self.n_evaluations = 0
        self.converged = False

    def begin(self) -> None:
        """Measure the plane it begins with."""
        self._stand_on(self.components, self._evaluate(self.components))

    def advance(self, tol: float) -> bool:
        """Take a step; false if there is none that leads up."""
        raise NotImplementedError

    def init(self, kind: str) -> Init:
        """The record of this start."""
        return Init(
            kind=kind,
            objective=self.best,
            n_iterations=len(self.history) - 1,
            n_evaluations=self.n_evaluations,
            converged=self.converged,
            components=self.best_components,
        )

    def _evaluate(self, components: FloatArray) -> Measured:
        self.n_evaluations += 1
        return self._objective.evaluate(components)

    def _stand_on(self, components: FloatArray, measured: Measured) -> None:
        self.components, self._here = components, measured
        self.history.append(measured.value)
        if measured.value > self.best:
            self.best, self.best_components = measured.value, components

    def _tangent(self) -> FloatArray:
        """The gradient as a rotation, G O_w in the paper's terms.

        The gradient has no part within the plane but for rounding, which
        would tilt the frame step after step.
        """
        gradient = self._here.gradient()
        tangent: FloatArray = gradient - (gradient @ self.components.T) @ self.components
        return tangent


class ArmijoWalk(Walk):
    """Rotations along the gradient, each as long as it needs to be to gain enough."""

    _step = 0.0

    def advance(self, tol: float) -> bool:
        """See `Walk`."""
        tangent = self._tangent()
        slope = float(np.square(tangent).sum())
        value = self._here.value
        if slope == 0.0:
            self.converged = True
            return False
        step = self._step or _FIRST_TURN / np.sqrt(slope)
        for _ in range(_MOST_SHORTENINGS):
            trial = rotate(self.components, step * tangent)
            measured = self._evaluate(trial)
            if measured.value >= value + _SUFFICIENT * step * slope:
                self._stand_on(trial, measured)
                self._step = _LENGTHENING * step
                self.converged = measured.value - value <= tol
                return True
            step *= _SHORTENING
        self.converged = True
        return False


class PaperWalk(Walk):
    """Rotations by the printed learning rate (section 3.1), in every plane of rotation together.

    With g the norm of the gradient, the step eta(eps) g is eps sqrt(g / (g + eps^2)).
    """

    def advance(self, tol: float) -> bool:
        """See `Walk`; goes on whether or not it leads up."""
        tangent = self._tangent()
        norm = float(np.linalg.norm(tangent))
        if norm == 0.0:
            self.converged = True
            return False
        length = PAPER_EPSILON * np.sqrt(norm / (norm + PAPER_EPSILON**2))
        turned = rotate(self.components, (length / norm) * tangent)
        self._stand_on(turned, self._evaluate(turned))
        return True


_WALKS: dict[Solver, type[Walk]] = {"armijo": ArmijoWalk, "paper": PaperWalk}


class _Clerk:
    """Passes steps on one at a time, and remembers that somebody asked to stop."""

    def __init__(self, report: Reporter, n_starts: int) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._evaluations = [0] * n_starts
        self.stopped = False

    def note(self, walk: Walk, start: int) -> None:
        with self._lock:
            self._evaluations[start] = walk.n_evaluations
            turn = Turn(
                components=walk.components,
                objective=walk.history[-1],
                start=start,
                n_starts=len(self._evaluations),
                iteration=len(walk.history) - 1,
                n_evaluations=sum(self._evaluations),
            )
            self.stopped = self._report(turn) or self.stopped


def _turn(step: Step) -> Turn:
    return Turn(
        components=step.components,
        objective=step.objective,
        start=step.start,
        n_starts=step.n_starts,
        iteration=step.iteration,
        n_evaluations=step.n_evaluations,
    )


def _climb(walk: Walk, max_iter: int, tol: float, clerk: _Clerk, start: int) -> None:
    if clerk.stopped:
        return
    walk.begin()
    clerk.note(walk, start)
    while not (clerk.stopped or walk.converged) and len(walk.history) <= max_iter:
        if not walk.advance(tol):
            return
        clerk.note(walk, start)

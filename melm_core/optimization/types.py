"""The parts of a multistart search: objectives, starts, stages, steps and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeAlias

from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import orthonormalize

# components of shape (n_components, n_features) -> value and gradient of that shape
Objective: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]

# components of several planes, of shape (n_planes, n_components, n_features) -> values of
# shape (n_planes,) and gradients; those of one plane do not depend on the others
BatchObjective: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class SizedBatchObjective(Protocol):
    """A `BatchObjective` that knows how many planes it should be given at once."""

    @property
    def batch_size(self) -> int:
        """The largest number of planes that is worth a longer step."""
        ...

    def __call__(self, components: FloatArray, /) -> tuple[FloatArray, FloatArray]:
        """Values, shape (n_planes,), and gradients in the shape of the components."""
        ...


@dataclass(frozen=True, eq=False)
class Start:
    """An initial plane.

    Attributes
    ----------
    kind : str
        How the plane was found, such as "random".
    components : ndarray of shape (n_components, n_features)
    stage : int
        The first stage it takes part in, counted from 0.
    """

    kind: str
    components: FloatArray
    stage: int = 0


@dataclass(frozen=True, eq=False)
class Stage:
    """One objective to maximize.

    Attributes
    ----------
    name : str
        Shown with the progress; empty for the only or the last stage.
    objective : callable
        Takes components of shape (n_components, n_features) and returns the
        value and its gradient, of the same shape.
    max_iter : int
        Maximum number of accepted steps per start.
    tol : float
        A local solver stops once a step gains less than this; `lbfgs` takes
        the gain relative to the value, and also stops once the largest entry
        of the gradient falls below the square root of `tol`.
    max_starts : int or None
        Only this many of the best distinct planes enter the stage.
    max_gap : float or None
        Only planes whose objective is below the best one by at most this share
        of it, or this if the best one is less than 1, enter the stage.
    monitor : callable or None
        An objective to report at each step instead of `objective`, where that
        is only a smoothed version of it.
    batch : callable or None
        The objective of several planes at once, if there is one, possibly in
        single precision. As many starts as it wants are then optimized together.
    is_parallel : bool
        Whether the objective itself uses all workers, as sums over the blocks of a table do. The
        starts are then optimized in this process, one after the other.
    """

    name: str
    objective: Objective
    max_iter: int
    tol: float
    max_starts: int | None = None
    max_gap: float | None = None
    monitor: Objective | None = None
    batch: SizedBatchObjective | None = None
    is_parallel: bool = False

    @property
    def monitored(self) -> Objective:
        """The objective whose values are reported."""
        return self.monitor or self.objective


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step of a local solver.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    objective, best_objective : float
        The monitored objective here, and its largest value so far.
    stage, n_stages : int
        The stage, counted from 0, and the number of stages.
    stage_name : str
    start, n_starts : int
        The start, counted from 0, among those that entered the stage.
    iteration : int
        Accepted steps of the start in this stage; 0 is the initial plane.
    n_evaluations : int
        Evaluations of the objective so far, all starts together.
    fraction : float
        Estimated fraction of the work done, in [0, 1]; never decreases.
    """

    components: FloatArray
    objective: float
    best_objective: float
    stage: int
    n_stages: int
    stage_name: str
    start: int
    n_starts: int
    iteration: int
    n_evaluations: int = 0
    fraction: float = 0.0


@dataclass(frozen=True, eq=False)
class StartResult:
    """The result of one start.

    Attributes
    ----------
    kind : str
        How the initial plane was found, such as "random".
    objective : float
        Value in the last stage that the plane reached.
    n_iterations, n_evaluations : int
        Over all stages in which the start was optimized on its own.
    converged : bool
    components : ndarray of shape (n_components, n_features)
    history : tuple of float
        The monitored objective at every accepted step of the last of these stages.
    """

    kind: str
    objective: float
    n_iterations: int
    n_evaluations: int
    converged: bool
    components: FloatArray
    history: tuple[float, ...]

    def in_data_space(self, basis: FloatArray) -> Self:
        """The same result with orthonormal components in the coordinates of the data.

        Parameters
        ----------
        basis : ndarray of shape (n_features, n_coordinates)
            The search ran on the rows X @ basis.
        """
        return replace(self, components=orthonormalize(self.components @ basis.T))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best plane of a search, and the result of every start.

    Attributes
    ----------
    best : StartResult
        Of the starts that reached the last stage; if the search was stopped,
        the best plane so far.
    start_results : tuple of StartResult
        In the order of the starts. A start that was merged into another one
        has the plane that they reached together. Fewer than the starts if the
        search was stopped.
    history : tuple of float
        The monitored objective at every accepted step of the last stage that
        was entered, one start after the other.
    n_evaluations : int
    stopped : bool
        Whether the report callback requested the stop.
    """

    best: StartResult
    start_results: tuple[StartResult, ...]
    history: tuple[float, ...]
    n_evaluations: int
    stopped: bool


# Called with every accepted step; a true return value stops the search.
StepCallback: TypeAlias = Callable[[Step], bool | None]


class SolverMonitor(Protocol):
    """Counts the evaluations of a local solver and records its steps."""

    def count_evaluation(self) -> None:
        """Count one evaluation of the objective."""

    def accept(self, components: FloatArray, value: float) -> bool:
        """Record an accepted step and return whether the solver has to stop.

        The initial plane is the first step. `components` must not be changed afterwards.
        """


@dataclass(frozen=True, eq=False)
class LocalOptimum:
    """The plane that a local solver returns.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    value : float
        The objective of the stage there.
    converged : bool
    """

    components: FloatArray
    value: float
    converged: bool


# Maximizes the objective of a stage from an initial plane.
LocalSolver: TypeAlias = Callable[[Stage, FloatArray, SolverMonitor], LocalOptimum]

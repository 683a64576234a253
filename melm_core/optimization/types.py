"""What an ascent is made of: objectives, starts, stages, steps, and what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from melm_core.base.array_types import FloatArray

# components of shape (n_components, n_features) -> value and gradient of that shape
Objective: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, eq=False)
class Start:
    """Where an ascent begins: a word for how it was found, the components, the first stage."""

    kind: str
    components: FloatArray
    stage: int = 0


@dataclass(frozen=True, eq=False)
class Stage:
    """One objective to climb.

    Attributes
    ----------
    name : str
        For the reader of progress; empty for the only or last stage.
    objective : callable
    max_iter : int
        Accepted steps a start at most.
    tol : float
        A start has converged once a step improves the objective by less than
        this share of it, or the largest entry of the gradient falls below
        its square root.
    most_starts : int or None
        Only so many of the best distinct planes go on to this stage.
    reported : callable or None
        What is reported at each step in place of the objective, where that is
        only a smoother version of what counts.
    """

    name: str
    objective: Objective
    max_iter: int
    tol: float
    most_starts: int | None = None
    reported: Objective | None = None

    @property
    def measure(self) -> Objective:
        """What the steps are reported by."""
        return self.reported or self.objective


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step of an ascent; iteration 0 is where a start enters a stage.

    `start` counts from 0 within the stage, of `n_starts` that reached it;
    `best_objective` is the best so far of what was measured the same way, and
    `fraction` the share of the work done, which never falls.
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
class Init:
    """What one start came to.

    Attributes
    ----------
    kind : str
    objective : float
        Of the last stage that its plane climbed.
    n_iterations, n_evaluations : int
        Over all stages it climbed itself.
    converged : bool
    components : ndarray of shape (n_components, n_features)
    """

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
        Of those that reached the last stage; if stopped, the best plane on the way.
    inits : tuple of Init
        In the order of the starts; a start that met another one carries the
        plane they reached together. Fewer than the starts if stopped.
    history : tuple of float
        The objective at every accepted step of the last stage, start after start,
        or of the stage in which it was stopped.
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

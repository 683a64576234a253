"""What an iterative fit tells while it runs, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from melm_core.base.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class Progress:
    """One accepted step of a fit.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        The plane of this step, orthonormal rows in the coordinates of the data.
    objective, best_objective : float
        The objective of this plane, and the best of all starts so far.
    start, n_starts : int
        Which start this step belongs to, counted from 1, and how many there are.
    iteration : int
        Accepted steps within this start; 0 is the plane the start begins with.
    n_evaluations : int
        Evaluations of the objective so far, all starts together.
    stage : str
        The same in words, as "start 3 of 16".
    fraction : float
        Share of the work done, between 0 and 1; never falls.
    elapsed_s : float
        Seconds since the fit began.
    """

    components: FloatArray
    objective: float
    best_objective: float
    start: int
    n_starts: int
    iteration: int
    n_evaluations: int
    stage: str
    fraction: float
    elapsed_s: float


# A true return stops the fit; the best plane so far is kept.
Callback: TypeAlias = Callable[[Progress], bool | None]

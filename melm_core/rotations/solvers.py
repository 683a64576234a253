"""Local solvers that rotate the plane along the gradient.

`armijo`, the default, chooses the length of each step by Armijo's line search.
`printed_rule` is the step rule as the paper prints it. It has no line search:
near a maximum its steps tend to the square root of the gradient's norm and
overshoot, so it never converges, and it returns the best plane it has passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.progress import Callback
from melm_core.optimization.lbfgs import LocalOptimum, Observer, lbfgs
from melm_core.optimization.multistart import LocalSolver, Outcome, Stage, Start, maximize
from melm_core.rotations.objective import Evaluation, PosteriorObjective

Solver: TypeAlias = Literal["armijo", "lbfgs", "paper"]
SOLVERS: tuple[Solver, ...] = ("armijo", "lbfgs", "paper")

# Length of the first trial step of a start, in radians.
_FIRST_STEP = 0.3

# A step has to gain at least this fraction of what the slope promises (Armijo).
_SUFFICIENT_GAIN = 1e-4
_SHORTENING, _LENGTHENING = 0.4, 2.5
_MAX_SHORTENINGS = 40

# L-BFGS steps may gain little before they gain much, so it takes a smaller tolerance.
_LBFGS_TOL = 1e-3

# The epsilon of the printed rule: the length of a step far from a maximum, in radians.
PAPER_EPSILON = 0.1


@dataclass(frozen=True, eq=False)
class _Plane:
    """A plane with its evaluation; orthonormal components."""

    components: FloatArray
    evaluation: Evaluation

    @property
    def value(self) -> float:
        return self.evaluation.value

    def tangent(self) -> FloatArray:
        """Return the gradient as a rotation, G O_w in the notation of the paper.

        The gradient has no part within the plane except for rounding errors,
        which would accumulate in the frame if they were not removed.
        """
        gradient = self.evaluation.gradient()
        tangent: FloatArray = gradient - (gradient @ self.components.T) @ self.components
        return tangent


class _Evaluator:
    """Evaluates the objective and records the accepted steps."""

    def __init__(self, objective: PosteriorObjective, observer: Observer) -> None:
        self._objective = objective
        self._observer = observer

    def evaluate(self, components: FloatArray) -> _Plane:
        self._observer.count_evaluations(0, 1)
        return _Plane(components, self._objective.evaluate(components))

    def accept(self, plane: _Plane) -> bool:
        """Record a step and return whether to stop."""
        return self._observer.accept(0, plane.components, plane.value)


def armijo(
    objective: PosteriorObjective,
    components: FloatArray,
    *,
    max_iter: int,
    tol: float,
    observer: Observer,
) -> LocalOptimum:
    """Rotate along the gradient, each step as long as Armijo's rule allows.

    Parameters
    ----------
    objective : PosteriorObjective
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows of the initial plane.
    max_iter : int
        Maximum number of steps.
    tol : float
        The gain below which the solver has converged.
    observer : Observer
    """
    evaluator = _Evaluator(objective, observer)
    plane, step_size, converged = evaluator.evaluate(components), 0.0, False
    stopped = evaluator.accept(plane)
    for _ in range(max_iter):
        if stopped or converged:
            break
        improved = _line_search(evaluator, plane, step_size)
        if improved is None:
            converged = True
            break
        higher, step_size = improved
        converged = higher.value - plane.value <= tol
        plane = higher
        stopped = evaluator.accept(plane)
    return LocalOptimum(plane.components, plane.value, converged)


def _line_search(
    evaluator: _Evaluator, plane: _Plane, step_size: float
) -> tuple[_Plane, float] | None:
    """Find a plane that gains enough, and the next step size; None if there is none.

    A step size of 0 means that none is known yet.
    """
    tangent = plane.tangent()
    slope = float(np.square(tangent).sum())
    if slope == 0.0:
        return None
    step_size = step_size or _FIRST_STEP / np.sqrt(slope)
    for _ in range(_MAX_SHORTENINGS):
        trial = evaluator.evaluate(rotate(plane.components, step_size * tangent))
        if trial.value >= plane.value + _SUFFICIENT_GAIN * step_size * slope:
            return trial, _LENGTHENING * step_size
        step_size *= _SHORTENING
    return None


def printed_rule(
    objective: PosteriorObjective,
    components: FloatArray,
    *,
    max_iter: int,
    tol: float,
    observer: Observer,
) -> LocalOptimum:
    """Rotate by the printed learning rate (section 3.1), in all planes of rotation at once.

    With g the norm of the gradient, the length of a step is eps sqrt(g / (g + eps^2)).
    Steps are accepted whether or not they lead higher.

    Parameters
    ----------
    objective, components, max_iter, tol, observer
        As for `armijo`.
    """
    del tol  # it does not converge
    evaluator = _Evaluator(objective, observer)
    best = plane = evaluator.evaluate(components)
    stopped, converged = evaluator.accept(plane), False
    for _ in range(max_iter):
        if stopped:
            break
        tangent = plane.tangent()
        norm = float(np.linalg.norm(tangent))
        if norm == 0.0:
            converged = True
            break
        length = PAPER_EPSILON * np.sqrt(norm / (norm + PAPER_EPSILON**2))
        plane = evaluator.evaluate(rotate(plane.components, (length / norm) * tangent))
        best = max(best, plane, key=lambda passed: passed.value)
        stopped = evaluator.accept(plane)
    return LocalOptimum(best.components, best.value, converged)


_SOLVERS: Mapping[Solver, LocalSolver] = MappingProxyType(
    {"armijo": armijo, "lbfgs": lbfgs, "paper": printed_rule}
)


def maximize_over_planes(
    objective: PosteriorObjective,
    starts: Sequence[Start],
    *,
    name: str = "",
    solver: Solver,
    max_iter: int,
    tol: float,
    callback: Callback | None = None,
    n_jobs: int | None = None,
) -> Outcome:
    """Run a solver from every start and return the best plane.

    Parameters
    ----------
    objective : PosteriorObjective
    starts : sequence of Start, at least one
        With orthonormal components.
    name : str
        Of the reduction, shown with the progress.
    solver : "armijo", "lbfgs" or "paper"
    max_iter : int
        Maximum number of accepted steps per start.
    tol : float
        Gain below which a start has converged; for L-BFGS a thousandth of it,
        relative to the value. The printed rule does not converge.
    callback, n_jobs
        As for `melm_core.optimization.maximize`.
    """
    stage = Stage(name, objective, max_iter, tol * _LBFGS_TOL if solver == "lbfgs" else tol)
    return maximize([stage], starts, callback=callback, solver=_SOLVERS[solver], n_jobs=n_jobs)


def rotate(components: FloatArray, tangent: FloatArray) -> FloatArray:
    """Rotate a plane by exp([[0, S], [-S', 0]]), given the tangent S O_w, without forming O_w.

    Equation (1) of the paper lacks a part of the identity for m > q; the formula here, by the
    singular values of S, is valid for all shapes.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows O_z.
    tangent : ndarray of shape (n_components, n_features)
        Rows orthogonal to those of `components`; its singular values are the
        angles of the rotation, in radians.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The first rows of the rotation times [O_z; O_w], orthonormal.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.rotations.solvers import rotate
    >>> rotate(np.array([[1.0, 0.0]]), np.array([[0.0, np.pi / 6]])).round(3)
    array([[0.866, 0.5  ]])
    """
    left, angles, right = np.linalg.svd(tangent, full_matrices=False)
    rotated: FloatArray = (
        components
        + (left * _cosine_minus_one(angles)) @ (left.T @ components)
        + (left * np.sin(angles)) @ right
    )
    return rotated


def _cosine_minus_one(angles: FloatArray) -> FloatArray:
    """cos(angle) - 1, accurate for small angles too."""
    differences: FloatArray = -2.0 * np.square(np.sin(0.5 * angles))
    return differences

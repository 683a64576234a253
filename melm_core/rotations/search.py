"""The search for the plane: features, coordinates, starts, nested reductions, and local solvers.

The solvers rotate the plane along the gradient. `armijo`, the default, chooses the length of each
step by Armijo's line search. `printed_rule` is the step rule as the paper prints it. It has no line
search: near a maximum its steps tend to the square root of the gradient's norm and overshoot, so it
never converges, and it returns the best plane it has passed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from msgspec import structs

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.progress import Callback, Progress
from melm_core.density.covariances import within_class_whitening
from melm_core.linalg.planes import orthonormalize
from melm_core.optimization.lbfgs import LocalOptimum, Observer, lbfgs
from melm_core.optimization.multistart import (
    LocalSolver,
    Outcome,
    Stage,
    Start,
    maximize,
    random_starts,
    whole_space,
)
from melm_core.rotations.class_families import ClassFamily, family_per_class
from melm_core.rotations.density_models import (
    Density,
    DensityModel,
    gaussian_per_class,
    kernels_per_class,
    mixture_per_class,
    regularize_flat,
)
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


@dataclass(frozen=True)
class RotationSettings:
    """The parameters of `RotationPlane` that the search needs."""

    dimensions: tuple[int, ...]
    density: Density | ClassFamily
    n_mixture: int
    gamma: float
    solver: Solver
    n_init: int
    max_iter: int
    tol: float
    seed: int
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class Reduction:
    """One of the nested reductions.

    Attributes
    ----------
    number, n_stages : int
        The reduction, counted from 0, and the number of reductions.
    objective : PosteriorObjective
        In the coordinates of the reduction.
    basis : ndarray of shape (n_features, n_coordinates)
        The reduction works on the rows X @ basis.
    """

    number: int
    n_stages: int
    objective: PosteriorObjective
    basis: FloatArray


def reduce_by_rotations(
    X: FloatArray,
    y: IntArray,
    priors: FloatArray,
    basis: FloatArray,
    *,
    settings: RotationSettings,
    callback: Callback | None,
) -> tuple[Reduction, Outcome]:
    """Reduce to each of the dimensions in turn.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data minus their mean.
    y : ndarray of shape (n_samples,)
        Class codes.
    priors : ndarray of shape (n_classes,)
    basis : ndarray of shape (n_features, n_coordinates)
        The initial coordinates, see `search_basis`.
    settings : RotationSettings
    callback : callable or None
        As of the estimator. Once it has stopped a reduction, it stops the next ones
        too; each of them then keeps the initial plane of its first start.

    Returns
    -------
    Reduction
        The last one.
    Outcome
        Its result.
    """
    progress = None
    if callback is not None:
        progress = _ReductionProgress(callback, settings.dimensions[-1])
    for number, dimension in enumerate(settings.dimensions):
        rows = X @ basis
        densities = _densities(rows, y, dimension, settings)
        objective = PosteriorObjective(densities, y, priors)
        stage = Reduction(number, len(settings.dimensions), objective, basis)
        is_one_of_several = len(settings.dimensions) > 1
        outcome = maximize_over_planes(
            objective,
            _starts(number, rows.shape[1], settings),
            name=f"{rows.shape[1]} to {dimension} dimensions" if is_one_of_several else "",
            solver=settings.solver,
            max_iter=settings.max_iter,
            tol=settings.tol,
            callback=None if progress is None else partial(progress.report, stage),
            n_jobs=settings.n_jobs,
        )
        basis = basis @ orthonormalize(outcome.best.components).T
    return stage, outcome


class _ReductionProgress:
    """Reports the steps of all reductions to the callback of a fit as one search.

    Parameters
    ----------
    callback : callable
    n_components : int
        Dimension of the final plane. A step of an earlier reduction reports
        the plane spanned by that many directions of its subspace.
    """

    def __init__(self, callback: Callback, n_components: int) -> None:
        self._callback = callback
        self._n_components = n_components
        self._began_s = time.perf_counter()
        self._reduction = 0
        self._best_value = -np.inf
        self._n_evaluations, self._earlier_evaluations = 0, 0
        self._stopped = False

    def report(self, reduction: Reduction, step: Progress) -> bool:
        """Report a step and return whether the callback has requested a stop."""
        if not self._stopped:
            self._stopped = bool(self._callback(self._of_whole_fit(reduction, step)))
        return self._stopped

    def _of_whole_fit(self, reduction: Reduction, step: Progress) -> Progress:
        """Return the step in the coordinates of the data, with counts over all reductions."""
        components, objective = step.components, step.objective
        if len(components) > self._n_components:
            components = orthonormalize(components)[: self._n_components]
            objective = reduction.objective.evaluate(components).value
        self._best_value = max(self._best_value, objective)
        if reduction.number != self._reduction:
            self._reduction, self._earlier_evaluations = reduction.number, self._n_evaluations
        self._n_evaluations = self._earlier_evaluations + step.n_evaluations
        return structs.replace(
            step,
            components=orthonormalize(components @ reduction.basis.T),
            objective=objective,
            best_objective=self._best_value,
            n_evaluations=self._n_evaluations,
            fraction=(reduction.number + step.fraction) / reduction.n_stages,
            elapsed_s=time.perf_counter() - self._began_s,
        )


def search_basis(X: FloatArray, y: IntArray, *, whiten: bool) -> FloatArray:
    """Compute coordinates in which the rows are standardized or whitened.

    Directions in which no class varies are left out, since a Gaussian has no density there.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data minus their mean.
    y : ndarray of shape (n_samples,)
        Class codes.
    whiten : bool
        Whether all directions get unit variance. The maxima are the same
        either way, but the steps towards them differ.

    Returns
    -------
    ndarray of shape (n_features, rank)
        The coordinates are X @ basis.
    """
    varying = within_class_whitening(X, y)  # (n_features, rank), used for its span only
    spread = X.std(axis=0)
    units = np.divide(1.0, spread, out=np.zeros_like(spread), where=varying.any(axis=1))
    frame, _ = np.linalg.qr(spread[:, None] * varying)
    basis: FloatArray = units[:, None] * frame
    if not whiten:
        return basis
    _, lengths, axes = np.linalg.svd(X @ basis, full_matrices=False)
    white: FloatArray = basis @ axes.T * (np.sqrt(len(X)) / lengths)
    return white


def _densities(
    rows: FloatArray, y: IntArray, dimension: int, settings: RotationSettings
) -> DensityModel:
    if isinstance(settings.density, ClassFamily):
        return family_per_class(rows, y, settings.density)
    if settings.density == "kde":
        return kernels_per_class(rows, y, n_components=dimension, gamma=settings.gamma)
    if settings.density == "gaussian":
        return regularize_flat(gaussian_per_class(rows, y))
    return regularize_flat(
        mixture_per_class(
            rows,
            y,
            n_components=dimension,
            n_mixture=settings.n_mixture,
            random_state=settings.seed,
        )
    )


def _starts(number: int, n_coordinates: int, settings: RotationSettings) -> list[Start]:
    dimension = settings.dimensions[number]
    if dimension == n_coordinates:
        return whole_space(n_coordinates)
    return random_starts(settings.n_init, dimension, n_coordinates, (settings.seed, number))


def screening_objectives(X: FloatArray, y: IntArray, priors: FloatArray) -> FloatArray:
    """M of every feature alone, with one Gaussian per class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes, each with at least two rows.
    priors : ndarray of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_features,)
        In nats. A feature that does not vary has no density; its posteriors are
        taken to be the priors.
    """
    uninformative = float(np.log(priors)[y].mean())
    return np.array([_objective(column[:, None], y, priors, uninformative) for column in X.T])


def _objective(column: FloatArray, y: IntArray, priors: FloatArray, otherwise: float) -> float:
    if np.ptp(column) == 0:
        return otherwise
    standard = (column - column.mean()) / column.std()
    densities = regularize_flat(gaussian_per_class(standard, y))
    return PosteriorObjective(densities, y, priors).evaluate(np.eye(1)).value


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
    >>> from melm_core.rotations.search import rotate
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

"""The search for the plane: features, coordinates, starts, and one or more nested reductions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
from msgspec import structs

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.progress import Callback, Progress
from melm_core.density.covariances import within_class_whitening
from melm_core.linalg.planes import orthonormalize
from melm_core.optimization.multistart import Outcome, Start, random_starts, whole_space
from melm_core.rotations.class_families import ClassFamily, family_per_class
from melm_core.rotations.density_models import (
    Density,
    DensityModel,
    gaussian_per_class,
    kernels_per_class,
    mixture_per_class,
    regularize_flat,
)
from melm_core.rotations.objective import PosteriorObjective
from melm_core.rotations.solvers import Solver, maximize_over_planes


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

"""Neighborhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov, 2005)."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_integer,
    check_positive,
)
from melm_core.base.progress import Callback, Progress
from melm_core.base.sampling import stratified_sample
from melm_core.baselines.discriminant import DiscriminantPlane
from melm_core.linalg.class_moments import class_means
from melm_core.linalg.informed_planes import plane_through, standard_units
from melm_core.linalg.smaller_tables import row_space

# Axes with a smaller within-class standard deviation than this, in standard units, are not scaled:
# the exponents would lose precision.
SMALLEST_WIDTH = 1e-3


class NeighborhoodComponentsPlane(SupervisedPlaneEstimator):
    """The plane of neighborhood components analysis (NCA).

    It maximizes the expected leave-one-out accuracy of classifying each row by
    a random neighbor, drawn with probability proportional to exp(-distance^2).
    The search starts from the linear discriminants of the standardized
    features and optimizes an unconstrained linear map; `components_` is an
    orthonormal basis of its span. Nothing is regularized, and rows have no
    weights: a repeated row would be its own nearest neighbor.

    Parameters
    ----------
    n_components : int, default=2
    max_iter : int, default=100
        Maximum number of accepted steps.
    tol : float, default=1e-5
        Relative improvement, and norm of the gradient, at which the search has
        converged.
    max_rows : int, default=2000
        Larger data are represented by a stratified sample of this many rows,
        because time and memory are quadratic in the number of rows.
    callback : callable, default=None
        Called with a `Progress` at every accepted step; a true return value
        stops the fit, which keeps the last accepted plane.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    scaling_ : ndarray of shape (n_components, n_features)
        The optimized map; distances are those between the rows
        z = scaling_ (x - mean_).
    objective_ : float
        Expected leave-one-out accuracy under this map, between 0 and 1.
    sample_indices_ : ndarray of shape (n_sampled,)
        Indices of the rows used by the search.
    n_iter_ : int
        Number of accepted steps.
    converged_ : bool
        Whether the search converged, rather than being stopped.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov: Neighbourhood
    Components Analysis, NIPS 17, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import NeighborhoodComponentsPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = NeighborhoodComponentsPlane(max_iter=20).fit(X, y)
    >>> print(f"{plane.objective_:.1f}")
    1.0
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 100,
        tol: float = 1e-5,
        max_rows: int = 2_000,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.max_rows = max_rows
        self.callback = callback

    def _check_parameters(self) -> None:
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        check_integer("max_rows", self.max_rows, minimum=4)

    def _fit_plane(self, X: FloatArray, y: IntArray) -> None:
        standardized, widths = standard_units(X)
        self.sample_indices_ = stratified_sample(y, self.max_rows / len(y), len(self.classes_))
        space = row_space(standardized, self.n_components)
        rows, codes = space.rows[self.sample_indices_], y[self.sample_indices_]
        centered = X - self.mean_

        def span(mapping: FloatArray) -> FloatArray:
            return plane_through(space.lift(mapping) / widths, centered, self.n_components)[0]

        ascent = _Ascent(rows, codes, span, self.max_iter, self.callback)
        ascent.optimize(discriminant_map(rows, codes, self.n_components), self.tol)
        self.components_ = span(ascent.mapping)
        self.scaling_ = space.lift(ascent.mapping) / widths
        self.objective_ = neighbor_accuracy(rows @ ascent.mapping.T, codes)
        self.n_iter_ = ascent.n_accepted
        self.converged_ = not ascent.is_stopped and ascent.n_accepted < self.max_iter


def neighbor_accuracy(Z: FloatArray, y: IntArray) -> float:
    """Expected leave-one-out accuracy of a random neighbor, drawn by exp(-distance^2).

    The mean over the rows of p_i, Goldberger et al. (2005), equations 1 to 3.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
    y : ndarray of shape (n_samples,)
        Class codes.
    """
    exponents = -cdist(Z, Z, "sqeuclidean")  # (n_samples, n_samples)
    np.fill_diagonal(exponents, -np.inf)
    shares = softmax(exponents, axis=1)
    return float((shares * (y[:, None] == y)).sum(axis=1).mean())


def discriminant_map(X: FloatArray, y: IntArray, n_components: int) -> FloatArray:
    """Compute the linear discriminants, scaled to unit variance within the classes.

    The scale matters because the softmax weights neighbors at distances of about 1.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes.
    n_components : int

    Returns
    -------
    ndarray of shape (n_components, n_features)
    """
    components = DiscriminantPlane(n_components).fit(X, y).components_
    projected = X @ components.T
    means = class_means(projected, y)
    widths = (projected - means[y]).std(axis=0)[:, None]
    mapping: FloatArray = components / np.where(widths < SMALLEST_WIDTH, 1.0, widths)
    return mapping


class _Ascent:
    """The search from one initial map: the last accepted map, and reports to the callback.

    Attributes
    ----------
    mapping : ndarray of shape (n_components, n_features)
    n_accepted : int
    is_stopped : bool
    """

    def __init__(
        self,
        rows: FloatArray,
        codes: IntArray,
        span: Callable[[FloatArray], FloatArray],
        max_iter: int,
        callback: Callback | None,
    ) -> None:
        self._rows, self._codes = rows, codes
        self._max_iter = max_iter
        self._callback = callback
        self._best = -np.inf
        self._span = span
        self._began_s = time.perf_counter()
        self.n_accepted = 0

    def optimize(self, mapping: FloatArray, tol: float) -> None:
        """Maximize from an initial map until convergence, or until the callback stops it."""
        self.mapping = mapping
        self.is_stopped = self._notify()
        if not self.is_stopped:
            NeighborhoodComponentsAnalysis(
                len(mapping),
                init=mapping,
                max_iter=self._max_iter,
                tol=tol,
                callback=self._accept,
            ).fit(self._rows, self._codes)

    def _accept(self, entries: FloatArray, _: int) -> None:
        self.mapping = entries.reshape(self.mapping.shape).copy()
        self.n_accepted += 1
        self.is_stopped = self._notify()
        if self.is_stopped:
            raise StopIteration  # how scikit-learn's optimizer is stopped

    def _notify(self) -> bool:
        if self._callback is None:
            return False
        objective = neighbor_accuracy(self._rows @ self.mapping.T, self._codes)
        self._best = max(self._best, objective)
        step = Progress(
            components=self._span(self.mapping),
            objective=objective,
            best_objective=self._best,
            start=1,
            n_starts=1,
            iteration=self.n_accepted,
            n_evaluations=self.n_accepted + 1,
            stage="start 1 of 1",
            fraction=self.n_accepted / self._max_iter,
            elapsed_s=time.perf_counter() - self._began_s,
        )
        return bool(self._callback(step))

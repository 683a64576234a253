"""Neighbourhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov, 2005)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_integer,
    check_n_components,
    check_positive,
)
from melm_core.base.progress import Callback
from melm_core.base.sampling import stratified_sample
from melm_core.baselines.discriminant import DiscriminantPlane
from melm_core.linalg.class_moments import class_means
from melm_core.linalg.completion import plane_through, standard_units
from melm_core.optimization.progress import ProgressReporter
from melm_core.optimization.types import Step

# An axis along which the classes are narrower than this, in standard units, is
# not stretched: exponents of its distances would lose their digits.
SMALLEST_WIDTH = 1e-3


class NeighbourhoodComponentsPlane(SupervisedPlaneEstimator):
    """The plane in which a row's neighbours most often share its class (NCA).

    Maximises the expected leave-one-out accuracy of a rule that picks each
    row's neighbour at random, with probability proportional to exp(-distance^2).
    The ascent runs on free components in standard units, from the plane of the
    linear discriminants; the map that it finds also stretches the plane, and
    `components_` keeps its span.

    Parameters
    ----------
    n_components : int, default=2
    max_iter : int, default=100
        Accepted steps at most.
    tol : float, default=1e-5
        Relative improvement, and size of the gradient, below which the ascent
        has converged.
    max_rows : int, default=2000
        An evaluation takes time and memory in proportion to the square of the
        number of rows; more rows than this are represented by a stratified
        sample.
    callback : callable, default=None
        Given a `Progress` at every accepted step; a true return stops the fit
        and the best plane so far is kept. An evaluation of the objective for
        each of these is what `n_evaluations` counts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    scaling_ : ndarray of shape (n_components, n_features)
        The map itself: rows z = scaling_ (x - mean_) are those whose
        neighbours were counted.
    objective_ : float
        Expected leave-one-out accuracy after this map, between 0 and 1.
    sample_indices_ : ndarray of shape (n_sampled,)
        Rows that the search saw: all of them up to `max_rows`.
    n_iter_ : int
        Accepted steps.
    converged_ : bool
        Whether the ascent ended by itself.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov: Neighbourhood
    Components Analysis, NIPS 17, 2005.
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

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, y = self._validate_labelled(X, y)
        check_n_components(self.n_components, X.shape[1])
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        check_integer("max_rows", self.max_rows, minimum=4)
        standardized, widths = standard_units(X)
        self.sample_indices_ = stratified_sample(y, self.max_rows / len(y), len(self.classes_))
        rows, codes = standardized[self.sample_indices_], y[self.sample_indices_]
        centred = X - self.mean_

        def span(mapping: FloatArray) -> FloatArray:
            return plane_through(mapping / widths, centred, self.n_components)[0]

        ascent = _Ascent(rows, codes, span, self.max_iter, self.callback)
        ascent.climb(discriminating_map(rows, codes, self.n_components), self.tol)
        self.components_ = span(ascent.mapping)
        self.scaling_ = ascent.mapping / widths
        self.objective_ = neighbour_accuracy(rows @ ascent.mapping.T, codes)
        self.n_iter_ = ascent.n_accepted
        self.converged_ = not ascent.is_stopped and ascent.n_accepted < self.max_iter
        return self


def neighbour_accuracy(Z: FloatArray, y: IntArray) -> float:
    """Expected leave-one-out accuracy of a random neighbour, drawn by exp(-distance^2).

    The mean over rows of p_i, Goldberger et al. (2005), equations 1 to 3.

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


def discriminating_map(X: FloatArray, y: IntArray, n_components: int) -> FloatArray:
    """The plane of the linear discriminants, scaled to unit variance within the classes.

    Neighbours are counted at distances of about 1, so the scale matters.

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
    """Climbs from a map, keeps the last accepted one and tells the callback.

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
        self._report = ProgressReporter(callback, to_data_space=span)
        self.n_accepted = 0

    def climb(self, mapping: FloatArray, tol: float) -> None:
        """Follow the gradient from a map until nothing improves or the callback stops it."""
        self.mapping = mapping
        self.is_stopped = self._tell()
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
        self.is_stopped = self._tell()
        if self.is_stopped:
            raise StopIteration  # the optimiser's own way to be stopped

    def _tell(self) -> bool:
        if self._callback is None:
            return False
        objective = neighbour_accuracy(self._rows @ self.mapping.T, self._codes)
        self._best = max(self._best, objective)
        return self._report(self._step(objective))

    def _step(self, objective: float) -> Step:
        return Step(
            components=self.mapping,
            objective=objective,
            best_objective=self._best,
            stage=0,
            n_stages=1,
            stage_name="",
            start=0,
            n_starts=1,
            iteration=self.n_accepted,
            n_evaluations=self.n_accepted + 1,
            fraction=self.n_accepted / self._max_iter,
        )

"""Planes of folds drawn in one frame: that of the plane of all rows.

A plane is drawn along its principal axes, each in units of the spread that new rows will have along
it: the square root of w' S w, S the covariance of the fitted rows as Ledoit and Wolf shrink it. By
that of the fitted rows themselves, which a plane of many features makes too small, new rows would
lie far outside. The plane of a fold is turned so that the rows that both planes were fitted to lie
as closely as possible together (Procrustes).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.sampling import thinned
from melm_core.density.class_rules import DensityRule
from melm_core.density.covariances import ledoit_wolf_share
from melm_core.evaluation.refitting import FittedProjection, is_placed, is_plane
from melm_core.linalg.class_moments import covariance_of
from melm_core.linalg.planes import chordal_distance, orthogonal_procrustes

# Rows that say how much a covariance is shrunk, and how planes are turned: more say the same.
_MOST_ROWS = 2_000
# A fold is drawn by the start result nearest to the plane of all rows, of those whose objective is
# within this share of the best.
_NEARLY_BEST = 0.05


@dataclass(frozen=True, eq=False)
class Frame:
    """Frame in which rows are drawn.

    Attributes
    ----------
    projection : FittedProjection
    center : ndarray of shape (n_components,)
        Mean of the fitted rows in the coordinates of the projection.
    turn : ndarray of shape (n_components, n_components)
        Coordinates less their center times this are places, up to `offset`.
    offset : ndarray of shape (n_components,)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from melm_core.evaluation import Study
    >>> from melm_core.evaluation.fold_frames import Frame
    >>> study = Study("pca", *load_wine(return_X_y=True))
    >>> places = Frame.of(study.fitted(), study.rows.X).place(study.rows.X)
    >>> places.std(axis=0).round(1).tolist()
    [1.0, 1.0]
    """

    projection: FittedProjection
    center: FloatArray
    turn: FloatArray
    offset: FloatArray

    @classmethod
    def of(cls, projection: FittedProjection, X: FloatArray) -> Self:
        """The frame of a projection and the rows that it was fitted to, before preparation."""
        points = projection.transform(X)
        points = points[is_placed(points)]
        if not len(points):
            raise UserError(
                "No row has a place: all coordinates are nan or infinite. Let the estimator place "
                "the rows, as by an imputer before it."
            )
        center, covariance = points.mean(axis=0), covariance_of(points)
        if is_plane(projection.estimator):
            prepared = projection.preparation.apply(thinned(X, _MOST_ROWS))
            offsets = prepared - prepared.mean(axis=0)
            share = ledoit_wolf_share(offsets, offsets.shape[1])
            mean_variance = float(np.square(offsets).mean())
            shrunk = (1.0 - share) * covariance + share * mean_variance * np.eye(len(center))
            variances, axes = np.linalg.eigh(shrunk)
            turn = axes[:, ::-1] / np.sqrt(_not_flat(variances[::-1]))
        else:  # distances of a nonlinear map are what it is about
            scale = np.sqrt(_not_flat(np.array([np.trace(covariance) / len(center)])))
            turn = np.eye(len(center)) / scale
        return cls(projection, center, turn, np.zeros(len(center)))

    @classmethod
    def of_coordinates(cls, projection: FittedProjection) -> Self:
        """The frame of a plane in which rows lie where their coordinates are."""
        n_components = len(projection.components)
        nowhere = np.zeros(n_components)
        return cls(projection, nowhere, np.eye(n_components), nowhere)

    def place(self, X: FloatArray) -> FloatArray:
        """Return coordinates of rows before preparation, shape (n_rows, n_components)."""
        return (self.projection.transform(X) - self.center) @ self.turn + self.offset

    def aligned(self, reference: Frame, X: FloatArray) -> Frame:
        """The frame turned to another one by rows that both projections were fitted to.

        Raises
        ------
        UserError
            If they have different numbers of coordinates, as of words that a fold lacks.
        """
        shared = thinned(X, _MOST_ROWS)
        wanted, placed = reference.place(shared), self.place(shared)
        if wanted.shape[1] != placed.shape[1]:
            raise UserError(
                f"The estimator gives {wanted.shape[1]} coordinates "
                f"fitted to all rows, and {placed.shape[1]} without a fold. Fix their number, as "
                "by a vocabulary or by TruncatedSVD, or put a classifier behind it."
            )
        both = is_placed(wanted) & is_placed(placed)
        turn = self.turn @ orthogonal_procrustes(placed[both], wanted[both])
        places = reference.place(X)
        return replace(self, turn=turn, offset=places[is_placed(places)].mean(axis=0))

    @property
    def axes(self) -> FloatArray:
        """Places change by this with the prepared features, shape (n_components, n_features).

        Raises
        ------
        ValueError
            If the projection is nonlinear.
        """
        axes: FloatArray = self.turn.T @ self.projection.components
        return axes

    def rule_along(self, components: FloatArray, rule: DensityRule) -> DensityRule:
        """A rule for places as one for coordinates along any components of the same plane.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
            Of prepared features.
        rule : DensityRule
        """
        return rule.affine(self.change_to(components), self.offset - self.center @ self.turn)

    def change_to(self, components: FloatArray) -> FloatArray:
        """Differences of places times this are those of coordinates along the components."""
        change: FloatArray = np.linalg.inv(self.turn) @ (self.projection.components @ components.T)
        return change


def nearest_start(projection: FittedProjection, reference: FittedProjection) -> FittedProjection:
    """The start result of a search that is nearest to another plane, of those nearly as good.

    A search of a fold may end in another optimum than that of all rows, as good as that one. The
    drawing follows the same optimum; scores are of the best plane, as a nearest one would know the
    rows that were left out.
    """
    results = getattr(projection.estimator, "start_results_", ())
    if not results or not is_plane(reference.estimator):
        return projection
    target = reference.components
    if results[0].components.shape != target.shape:  # a fold without a feature
        return projection
    best = max(result.objective for result in results)
    least = best - _NEARLY_BEST * abs(best)
    able = [result for result in results if result.objective >= least]
    nearest = min(able, key=lambda result: chordal_distance(result.components, target))
    distance = chordal_distance(projection.components, target)
    if distance <= chordal_distance(nearest.components, target):
        return projection
    return FittedProjection.of_plane(nearest.components, projection.preparation)


def _not_flat(variances: FloatArray) -> FloatArray:
    largest = max(float(variances.max()), np.finfo(np.float64).tiny)
    return np.maximum(variances, 1e-12 * largest)

"""All that is drawn of a plane, computed from the plane and the data.

A run keeps planes only. Points, contours, arrows and scores follow from a
plane by the same densities that the fit optimises.

Planes are drawn in standard deviations: within the plane the coordinates are
turned into ones in which the seen rows have unit covariance. Neither the
divergence nor any density's contours depend on that choice, and planes whose
variances differ a hundredfold, as those of PCA and MELM may, can be seen side
by side on the same axes.

One component is drawn as the densities on its line, three as they look from one
side: a density of kernels projects to a density of the projected kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_core.density import KernelClasses, inverse_root, kernel_classes, log_densities
from melm_core.linalg import covariance_of, orthogonal_turn
from melm_core.melm import divergence, held_out_divergence
from melm_studio.tables import LabelledData
from melm_studio.views.contours import class_contours
from melm_studio.views.edit import strongest_features
from melm_studio.views.line import arrow_lanes, density_curves, in_strips, threshold_lines
from melm_studio.views.types import (
    Arrows,
    ClassView,
    GammaProfile,
    PlaneView,
    ProjectedRows,
    Scores,
)

# More points than this are neither told apart nor moved smoothly; the
# densities still sum over all rows.
MOST_DRAWN_ROWS = 2_000

# Live scores are taken on at most this many rows, seen and unseen each.
MOST_SCORED_ROWS = 1_000

MOST_ARROWS = 8

# Where three components are seen as the first two of them.
FROM_THE_FRONT = (0.0, 0.0)


class PlaneViewer:
    """Draws planes of one data set; prepared once, then asked for plane after plane.

    Parameters
    ----------
    seen, unseen : LabelledData
        Rows that fits see, and rows that are held out (possibly none).
    gamma : float
        Kernel width of the densities, relative to Silverman's rule.
    """

    def __init__(
        self, seen: LabelledData, unseen: LabelledData, gamma: float, n_components: int = 2
    ) -> None:
        self.class_names = seen.class_names
        self.n_components = n_components
        self._data = (seen, unseen)
        self.feature_names = seen.feature_names
        self.gamma = gamma
        self._mean = seen.X.mean(axis=0)
        self._covariance = covariance_of(seen.X)
        self._classes = kernel_classes(seen.X, seen.y, n_components=n_components, gamma=gamma)
        self._n_classes = len(self._classes.rows)
        self.n_seen, self.n_rows = len(seen.y), len(seen.y) + len(unseen.y)
        drawn = min(1.0, MOST_DRAWN_ROWS / self.n_rows)
        self._seen = _Sampled.of(seen, self._n_classes, drawn)
        self._unseen = _Sampled.of(unseen, self._n_classes, drawn)
        self.n_drawn = len(self._seen.drawn_y) + len(self._unseen.drawn_y)

    @property
    def drawn_rows(self) -> tuple[list[IntArray], list[IntArray]]:
        """The rows of the file behind the points of every class, seen and unseen."""
        return (
            self._seen.drawn_rows(self._n_classes),
            self._unseen.drawn_rows(self._n_classes),
        )

    def view(
        self,
        components: FloatArray,
        toward: FloatArray | None = None,
        direction: tuple[float, float] = FROM_THE_FRONT,
    ) -> PlaneView:
        """What is drawn of `components` (n_components, n_features), any full-rank rows.

        Turned and reflected within their span to lie closest to `toward`, the
        `coordinates` in another span of as many components of the same data, if
        that is given. Three components are looked at from a direction, two
        angles in radians.
        """
        components = self.standardized(components)
        if toward is not None:
            components = orthogonal_turn(self._coordinates(components), toward).T @ components
        projected = self._classes.project(components)
        scores = self._scores(projected, components)
        if self.n_components == 1:
            return self._line(components, projected, scores)
        side = seen_from(direction)[:, : self.n_components]
        return self._plane(side @ components, projected.project(side), scores)

    def _plane(self, components: FloatArray, projected: KernelClasses, scores: Scores) -> PlaneView:
        """Points, contours and arrows in two dimensions."""
        contours = [
            class_contours(rows, covariance)
            for rows, covariance in zip(projected.rows, projected.covariances, strict=True)
        ]
        seen, unseen = self._drawn(components)
        lower, upper = _bounds([*seen, *unseen, *contours])
        loadings, features = strongest_loadings(components, len(self.feature_names))
        scale = _arrow_scale(loadings, (upper - lower).min())
        feet = np.tile(components @ self._mean, (len(loadings), 1))
        arrows = self._arrows(feet, loadings * scale, features, scale)
        lower, upper = _bounds([lower[None], upper[None], arrows.tips])
        classes = tuple(map(ClassView, seen, unseen, contours))
        return PlaneView(classes, arrows, np.empty((0, 2)), lower, upper, scores)

    def _line(self, components: FloatArray, projected: KernelClasses, scores: Scores) -> PlaneView:
        """Densities on the line, the rows below them, the arrows one below the other."""
        curves = density_curves(projected)
        seen, unseen = (in_strips(rows) for rows in self._drawn(components))
        lower, upper = _bounds([*seen, *unseen, *curves])
        loadings, features = strongest_loadings(components, len(self.feature_names))
        scale = _arrow_scale(loadings, upper[0] - lower[0])
        feet = np.column_stack(
            [
                np.full(len(loadings), float(components[0] @ self._mean)),
                arrow_lanes(len(loadings), self._n_classes),
            ]
        )
        along = np.column_stack([loadings[:, 0] * scale, np.zeros(len(loadings))])
        arrows = self._arrows(feet, along, features, scale)
        lower, upper = _bounds([lower[None], upper[None], arrows.feet, arrows.tips])
        classes = tuple(map(ClassView, seen, unseen, curves))
        return PlaneView(classes, arrows, threshold_lines(projected), lower, upper, scores)

    def _drawn(self, components: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
        return (
            self._seen.drawn_by_class(components, self._n_classes),
            self._unseen.drawn_by_class(components, self._n_classes),
        )

    def _arrows(
        self, feet: FloatArray, vectors: FloatArray, features: IntArray, scale: float
    ) -> Arrows:
        names = tuple(self.feature_names[feature] for feature in features)
        return Arrows(feet, feet + vectors, features, names, scale)

    def standardized(self, components: FloatArray) -> FloatArray:
        """Components of the same span in which the seen rows have unit covariance."""
        return standardized(components, self._covariance)

    @cached_property
    def deviations(self) -> FloatArray:
        """Standard deviation of every feature over all the data, shape (n_features,)."""
        deviations: FloatArray = np.concatenate([data.X for data in self._data]).std(axis=0)
        return deviations

    def scores(self, components: FloatArray) -> Scores:
        """How well the plane separates the rows, without drawing them."""
        components = self.standardized(components)
        return self._scores(self._classes.project(components), components)

    def coordinates(self, components: FloatArray) -> FloatArray:
        """Rows of all the data, seen or not, as they are drawn, in the order of the file.

        An even share where they are many, the same for every plane and split.
        """
        return self._coordinates(self.standardized(components))

    def _coordinates(self, components: FloatArray) -> FloatArray:
        """Of components that are standardised already."""
        return self._even_rows @ components.T

    @cached_property
    def _even_rows(self) -> FloatArray:
        numbers = np.concatenate([data.row_numbers for data in self._data])
        order = np.argsort(numbers)[:: max(1, self.n_rows // MOST_DRAWN_ROWS)]
        rows: FloatArray = np.concatenate([data.X for data in self._data])[order]
        return rows

    def at(self, gamma: float) -> PlaneViewer:
        """The same data drawn with kernels of another width."""
        other = copy(self)
        other.gamma = gamma
        other._classes = self._classes.widened(gamma / self.gamma)  # noqa: SLF001 - its own copy
        return other

    def profile(self, components: FloatArray, gammas: Sequence[float]) -> GammaProfile:
        """The divergence in one plane at other kernel widths."""
        scores = [self.at(gamma).divergences(components) for gamma in gammas]
        seen, unseen = zip(*scores, strict=True)
        return GammaProfile(tuple(gammas), seen, unseen)

    def divergences(self, components: FloatArray) -> tuple[float, float | None]:
        """Of the seen rows, and between seen and unseen rows; None where a class has none."""
        components = self.standardized(components)
        projected = self._classes.project(components)
        return self.divergence(components), self._divergence_unseen(projected, components)

    def rows(self, components: FloatArray, most: int) -> ProjectedRows:
        """About `most` seen and as many unseen rows at most, evenly of each class, as drawn."""
        components = self.standardized(components)
        (seen, seen_y), (unseen, unseen_y) = (
            self._evenly(data, most / max(1, len(data.y))) for data in self._data
        )
        return ProjectedRows(seen @ components.T, seen_y, unseen @ components.T, unseen_y)

    def _evenly(self, data: LabelledData, share: float) -> tuple[FloatArray, IntArray]:
        kept = stratified_sample(data.y, share, self._n_classes)
        return data.X[kept], data.y[kept]

    def divergence(self, components: FloatArray) -> float:
        """The Cauchy-Schwarz divergence of the seen rows in the plane of `components`."""
        return divergence(self._classes, components)

    def _scores(self, projected: KernelClasses, components: FloatArray) -> Scores:
        divergence_unseen = self._divergence_unseen(projected, components)
        has_unseen = divergence_unseen is not None
        return Scores(
            accuracy_seen=self._seen.accuracy(projected, components),
            accuracy_unseen=self._unseen.accuracy(projected, components) if has_unseen else None,
            divergence_unseen=divergence_unseen,
        )

    def _divergence_unseen(self, projected: KernelClasses, components: FloatArray) -> float | None:
        unseen = self._unseen.scored_by_class(components, self._n_classes)
        if min(map(len, unseen)) == 0:
            return None
        sample = self._seen.scored_by_class(components, self._n_classes)
        return held_out_divergence(KernelClasses(tuple(sample), projected.covariances), unseen)


def standardized(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Components of the same plane in which the data have unit covariance.

    By the symmetric inverse root, which turns as little as possible: planes
    that follow each other smoothly are drawn smoothly.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    covariance : ndarray of shape (n_features, n_features)
        Covariance of the data.
    """
    root, _ = inverse_root(components @ covariance @ components.T)
    left, stretches, _ = np.linalg.svd(root)
    symmetric = (left * stretches) @ left.T
    rows: FloatArray = symmetric @ components
    return rows


def strongest_loadings(components: FloatArray, n_features: int) -> tuple[FloatArray, IntArray]:
    """Loadings of the features that weigh most, strongest first.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
    n_features : int
        How many of the columns are features: none where the axes of a curved picture are.

    Returns
    -------
    loadings : ndarray of shape (n_arrows, n_components)
    features : ndarray of shape (n_arrows,)
    """
    features = strongest_features(components[:, :n_features], MOST_ARROWS)
    return components[:, features].T, features


def seen_from(direction: tuple[float, float]) -> FloatArray:
    """What turns three coordinates into the two of a picture, shape (2, 3).

    Parameters
    ----------
    direction : tuple of float
        Angles in radians to the side and up; at (0, 0) the first two coordinates are seen.
    """
    (side, up) = direction
    across = [np.cos(side), 0.0, np.sin(side)]
    upward = [np.sin(up) * np.sin(side), np.cos(up), -np.sin(up) * np.cos(side)]
    return np.array([across, upward])


@dataclass(frozen=True, eq=False)
class _Sampled:
    """The rows of a data set that are drawn and the rows that are scored."""

    drawn_X: FloatArray
    drawn_y: IntArray
    row_numbers: IntArray
    scored_X: FloatArray
    scored_y: IntArray

    @classmethod
    def of(cls, data: LabelledData, n_classes: int, drawn_share: float) -> _Sampled:
        drawn = stratified_sample(data.y, drawn_share, n_classes)
        scored = stratified_sample(
            data.y, min(1.0, MOST_SCORED_ROWS / max(1, len(data.y))), n_classes
        )
        return cls(
            data.X[drawn],
            data.y[drawn],
            data.row_numbers[drawn],
            data.X[scored],
            data.y[scored],
        )

    def drawn_rows(self, n_classes: int) -> list[IntArray]:
        return [self.row_numbers[self.drawn_y == code] for code in range(n_classes)]

    def drawn_by_class(self, components: FloatArray, n_classes: int) -> list[FloatArray]:
        return _by_class(self.drawn_X @ components.T, self.drawn_y, n_classes)

    def scored_by_class(self, components: FloatArray, n_classes: int) -> list[FloatArray]:
        return _by_class(self.scored_X @ components.T, self.scored_y, n_classes)

    def accuracy(self, projected: KernelClasses, components: FloatArray) -> float:
        """Balanced accuracy of the class densities on the scored rows."""
        predicted = log_densities(self.scored_X @ components.T, projected).argmax(axis=1)
        present = np.unique(self.scored_y)
        return float(np.mean([np.mean(predicted[self.scored_y == c] == c) for c in present]))


def _by_class(points: FloatArray, y: IntArray, n_classes: int) -> list[FloatArray]:
    return [points[y == code] for code in range(n_classes)]


def _bounds(parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    points = np.concatenate(parts)
    return np.nanmin(points, axis=0), np.nanmax(points, axis=0)


def _arrow_scale(loadings: FloatArray, side: float) -> float:
    """Makes the longest arrow reach 40 % of a side of the picture."""
    tiny = np.finfo(np.float64).tiny
    longest = float(np.linalg.norm(loadings, axis=1).max(initial=tiny))
    return 0.4 * float(side) / longest

"""All that is drawn of a plane, computed from the plane and the data.

A run keeps planes only. Points, contours, arrows and scores follow from a
plane by the same densities that the fit optimises.

Planes are drawn in standard deviations: within the plane the coordinates are
turned into ones in which the seen rows have unit covariance. Neither the
divergence nor any density's contours depend on that choice, and planes whose
variances differ a hundredfold, as those of PCA and MELM may, can be seen side
by side on the same axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import contourpy
import numpy as np

from melm_core._typing import FloatArray, IntArray
from melm_core.datasets import LabelledData
from melm_core.density import (
    KernelClasses,
    density_on_grid,
    kernel_classes,
    log_densities,
    mass_levels,
)
from melm_core.direct import inverse_root
from melm_core.divergence import divergence, held_out_divergence
from melm_core.geometry import orthogonal_turn
from melm_core.sampling import stratified_sample

# Contours enclose these shares of the mass of a class.
CONTOUR_SHARES = (0.5, 0.8, 0.95)
GRID_LINES = 72

# A contour of 95 % of the mass ends well within this many kernel widths
# beyond the outermost row.
_MARGIN_WIDTHS = 3.0

# More points than this are neither told apart nor moved smoothly; the
# densities still sum over all rows.
MOST_DRAWN_ROWS = 2_000

# Live scores are taken on at most this many rows, seen and unseen each.
MOST_SCORED_ROWS = 1_000

MOST_ARROWS = 8


@dataclass(frozen=True, eq=False)
class ClassView:
    """One class in the plane.

    Attributes
    ----------
    seen, unseen : ndarray of shape (n_rows, 2)
        Projected rows that the fit saw, and that it did not.
    contours : ndarray of shape (n_vertices, 2)
        Closed lines around the shares of mass, rows of nan between them.
    """

    seen: FloatArray
    unseen: FloatArray
    contours: FloatArray


@dataclass(frozen=True)
class Scores:
    """How well the plane separates rows that were seen and rows that were not.

    Attributes
    ----------
    accuracy_seen, accuracy_unseen : float or None
        Balanced accuracy of the class densities; None where a class has no unseen row.
    divergence_unseen : float or None
        Divergence between seen and unseen rows, see `held_out_divergence`.
    """

    accuracy_seen: float
    accuracy_unseen: float | None
    divergence_unseen: float | None


@dataclass(frozen=True)
class GammaProfile:
    """The divergence in one plane by kernel width, of seen rows and between seen and unseen."""

    gammas: tuple[float, ...]
    seen: tuple[float, ...]
    unseen: tuple[float | None, ...]


@dataclass(frozen=True, eq=False)
class ProjectedRows:
    """Rows in the coordinates that are drawn, with their class codes.

    Attributes
    ----------
    seen, unseen : ndarray of shape (n_rows, 2)
    seen_y, unseen_y : ndarray of shape (n_rows,)
    """

    seen: FloatArray
    seen_y: IntArray
    unseen: FloatArray
    unseen_y: IntArray


@dataclass(frozen=True, eq=False)
class PlaneView:
    """A plane as it is drawn.

    Attributes
    ----------
    classes : tuple of ClassView
    origin : ndarray of shape (2,)
        Mean of the seen rows, where the arrows begin.
    arrow_tips : ndarray of shape (n_arrows, 2)
        Where the arrows of the strongest features end; they share one scale
        that fits the picture.
    arrow_names : tuple of str
    lower, upper : ndarray of shape (2,)
        Corners of the box that holds all of it.
    scores : Scores
    """

    classes: tuple[ClassView, ...]
    origin: FloatArray
    arrow_tips: FloatArray
    arrow_names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    scores: Scores


class PlaneViewer:
    """Draws planes of one data set; prepared once, then asked for plane after plane.

    Parameters
    ----------
    seen, unseen : LabelledData
        Rows that fits see, and rows that are held out (possibly none).
    gamma : float
        Kernel width of the densities, relative to Silverman's rule.
    """

    def __init__(self, seen: LabelledData, unseen: LabelledData, gamma: float) -> None:
        self.class_names = seen.class_names
        self._data = (seen, unseen)
        self._feature_names = seen.feature_names
        self.gamma = gamma
        self._mean = seen.X.mean(axis=0)
        self._covariance = np.cov(seen.X.T, ddof=0).reshape(seen.X.shape[1], -1)
        self._classes = kernel_classes(seen.X, seen.y, n_components=2, gamma=gamma)
        self._n_classes = len(self._classes.rows)
        self.n_seen, self.n_rows = len(seen.y), len(seen.y) + len(unseen.y)
        drawn = min(1.0, MOST_DRAWN_ROWS / self.n_rows)
        self._seen = _Sampled.of(seen, self._n_classes, drawn)
        self._unseen = _Sampled.of(unseen, self._n_classes, drawn)
        self.n_drawn = len(self._seen.drawn_y) + len(self._unseen.drawn_y)

    def view(self, components: FloatArray, toward: FloatArray | None = None) -> PlaneView:
        """What is drawn of the plane of `components` (2, n_features), any full-rank rows.

        Turned and reflected within itself to lie closest to `toward`, the
        `coordinates` of another plane of the same data, if that is given.
        """
        components = standardized(components, self._covariance)
        if toward is not None:
            components = orthogonal_turn(self._coordinates(components), toward).T @ components
        projected = self._classes.project(components)
        seen = self._seen.drawn_by_class(components, self._n_classes)
        unseen = self._unseen.drawn_by_class(components, self._n_classes)
        contours = [
            class_contours(rows, covariance)
            for rows, covariance in zip(projected.rows, projected.covariances, strict=True)
        ]
        lower, upper = _bounds([*seen, *unseen, *contours])
        origin = components @ self._mean
        tips, names = strongest_loadings(components, self._feature_names)
        tips = origin + tips * _arrow_scale(tips, lower, upper)
        lower, upper = _bounds([lower[None], upper[None], tips])
        return PlaneView(
            classes=tuple(map(ClassView, seen, unseen, contours)),
            origin=origin,
            arrow_tips=tips,
            arrow_names=names,
            lower=lower,
            upper=upper,
            scores=self._scores(projected, components),
        )

    def coordinates(self, components: FloatArray) -> FloatArray:
        """Rows of all the data, seen or not, as they are drawn, in the order of the file.

        An even share where they are many, the same for every plane and split.
        """
        return self._coordinates(standardized(components, self._covariance))

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
        components = standardized(components, self._covariance)
        projected = self._classes.project(components)
        return self.divergence(components), self._divergence_unseen(projected, components)

    def rows(self, components: FloatArray, most: int) -> ProjectedRows:
        """About `most` seen and as many unseen rows at most, evenly of each class, as drawn."""
        components = standardized(components, self._covariance)
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


def class_contours(rows: FloatArray, covariance: FloatArray) -> FloatArray:
    """Lines around CONTOUR_SHARES of the mass of a class, shape (n_vertices, 2), nan between.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, 2)
    covariance : ndarray of shape (2, 2)
        Kernel covariance in the plane.
    """
    margin = _MARGIN_WIDTHS * np.sqrt(np.diag(covariance))
    lower, upper = rows.min(axis=0) - margin, rows.max(axis=0) + margin
    x, y = (np.linspace(lower[axis], upper[axis], GRID_LINES) for axis in (0, 1))
    density = density_on_grid(x, y, rows, covariance)
    generator = contourpy.contour_generator(x, y, density, name="serial")
    lines = [
        line for level in mass_levels(density, CONTOUR_SHARES) for line in generator.lines(level)
    ]
    gap = np.full((1, 2), np.nan)
    return np.concatenate([part for line in lines for part in (line, gap)] or [gap])


def strongest_loadings(
    components: FloatArray, feature_names: Sequence[str]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Loadings of the features that weigh most in the plane, strongest first.

    Parameters
    ----------
    components : ndarray of shape (2, n_features)
    feature_names : sequence of str
        None where the axes are no features.

    Returns
    -------
    tips : ndarray of shape (n_arrows, 2)
    names : tuple of str
    """
    strengths = np.linalg.norm(components[:, : len(feature_names)], axis=0)
    chosen = np.argsort(-strengths, kind="stable")[:MOST_ARROWS]
    return components[:, chosen].T, tuple(feature_names[feature] for feature in chosen)


@dataclass(frozen=True, eq=False)
class _Sampled:
    """The rows of a data set that are drawn and the rows that are scored."""

    drawn_X: FloatArray
    drawn_y: IntArray
    scored_X: FloatArray
    scored_y: IntArray

    @classmethod
    def of(cls, data: LabelledData, n_classes: int, drawn_share: float) -> _Sampled:
        drawn = stratified_sample(data.y, drawn_share, n_classes)
        scored = stratified_sample(
            data.y, min(1.0, MOST_SCORED_ROWS / max(1, len(data.y))), n_classes
        )
        return cls(data.X[drawn], data.y[drawn], data.X[scored], data.y[scored])

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


def _arrow_scale(tips: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Makes the longest arrow reach 40 % of the shorter side of the picture."""
    tiny = np.finfo(np.float64).tiny
    longest = float(np.linalg.norm(tips, axis=1).max(initial=tiny))
    return 0.4 * float((upper - lower).min()) / longest

"""The values that make up the view of a plane."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import ConfidenceEllipses, EllipseOf
from melm_studio.planes.plane_scores import Scores


class Places(StrEnum):
    """Coordinates at which rows of a run are drawn once its refits are known."""

    UNSEEN = "unseen"  # where planes that never saw a row put it
    FITTED = "fitted"  # where the plane of all rows puts them


@dataclass(frozen=True, eq=False)
class ClassView:
    """One class in the view.

    Attributes
    ----------
    train, held_out : ndarray of shape (n_rows, 2)
        Projected training and held-out rows.
    contours : ndarray of shape (n_vertices, 2)
        Closed lines around shares of the mass, separated by rows of nan; for one component, the
        density.
    levels : tuple of int
        The vertices of `contours` at which the lines of the next share begin; empty for one.
    ellipses : ConfidenceEllipses or None
        Of 95 % of the class and of its mean, if it is normal; None for one component, and where
        the rows determine none.
    centroid : ndarray of shape (1, 2)
        The mean of the rows of which its regions are; empty for one component.
    fitted_region : ndarray of shape (n_vertices, 2)
        Of rows that are drawn at unseen places, the region of 80 % of them as fitted, or their
        density for one component; else empty.
    name_place : ndarray of shape (2,) or None
        Where the name of the class is; None for the middle of its rows.
    """

    train: FloatArray
    held_out: FloatArray
    contours: FloatArray
    levels: tuple[int, ...] = ()
    ellipses: ConfidenceEllipses | None = None
    centroid: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    fitted_region: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    name_place: FloatArray | None = None

    @property
    def regions(self) -> list[FloatArray]:
        """The contours of each share, the innermost first."""
        return np.split(self.contours, self.levels)

    def outline(self, of: EllipseOf) -> FloatArray:
        """The ellipse of the class or of its mean, shape (n_vertices, 2); empty without one."""
        return np.empty((0, 2)) if self.ellipses is None else self.ellipses.outline(of)


@dataclass(frozen=True, eq=False)
class ProjectedRows:
    """Rows in the coordinates that are drawn, with their class codes.

    Attributes
    ----------
    train, held_out : ndarray of shape (n_rows, 2)
    train_y, held_out_y : ndarray of shape (n_rows,)
    """

    train: FloatArray
    train_y: IntArray
    held_out: FloatArray
    held_out_y: IntArray


@dataclass(frozen=True, eq=False)
class Arrows:
    """The features with the largest loadings, as arrows, largest first.

    Attributes
    ----------
    origins, tips : ndarray of shape (n_arrows, 2)
        Each arrow starts at the mean of the training rows.
    features : ndarray of shape (n_arrows,)
        The feature of each arrow.
    names : tuple of str
    scale : float
        Length on screen of a loading of one.
    paths : ndarray of shape (n_arrows, n_vertices, 2) or None
        Where the features bend: the places of a row with the mean of all other features, from the
        1st to the 99th percentile of each; nan of those that are straight. None if none bends.
    values : ndarray of shape (n_arrows, n_vertices) or None
        The value of the feature at each vertex of its path, in the unit of the table.
    turns : ndarray of bool, shape (n_arrows,), or None
        Whether low and high values move a row the same way; None if no feature bends.
    """

    origins: FloatArray
    tips: FloatArray
    features: IntArray
    names: tuple[str, ...]
    scale: float
    paths: FloatArray | None = None
    values: FloatArray | None = None
    turns: npt.NDArray[np.bool_] | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The names beside the arrows, which point nowhere where low and high values agree.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_studio.planes.types import Arrows
        >>> none, turns = np.zeros((2, 2)), np.array([True, False])
        >>> Arrows(none, none, np.arange(2), ("dose", "age"), 1.0, turns=turns).labels
        ('low and high dose', 'age')
        """
        if self.turns is None:
            return self.names
        return tuple(
            f"low and high {name}" if turns else name
            for name, turns in zip(self.names, self.turns.tolist(), strict=True)
        )


@dataclass(frozen=True, eq=False)
class PlaneView:
    """A plane as it is drawn.

    Attributes
    ----------
    classes : tuple of ClassView
    arrows : Arrows
    thresholds : ndarray of shape (n_vertices, 2)
        For one component, lines where the class with the largest density changes, separated by
        rows of nan; otherwise empty.
    lower, upper : ndarray of shape (2,)
        Corners of the bounding box.
    scores : Scores
    loadings : ndarray of shape (n_features, 2)
        Of every feature, in the coordinates that are drawn.
    lengths : ndarray of shape (n_features,)
        How far every feature moves rows; longer than its loading where the feature bends.
    explained : ndarray of shape (n_axes,)
        The share of the variance of the training rows along each axis.
    moves : float or None
        How far the rows are from where the plane of all rows puts them, on average, in units of
        the axes; None where they are drawn as fitted.
    missing : tuple of (int, float)
        The classes with too few unseen rows for a region, and the least share that none holds.
    """

    classes: tuple[ClassView, ...]
    arrows: Arrows
    thresholds: FloatArray
    lower: FloatArray
    upper: FloatArray
    scores: Scores
    loadings: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    lengths: FloatArray = field(default_factory=lambda: np.empty(0))
    explained: FloatArray = field(default_factory=lambda: np.empty(0))
    moves: float | None = None
    missing: tuple[tuple[int, float], ...] = ()

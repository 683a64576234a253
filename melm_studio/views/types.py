"""The values that a picture of a plane consists of."""

from __future__ import annotations

from dataclasses import dataclass

from melm_core.base import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ClassView:
    """One class in the picture.

    Attributes
    ----------
    seen, unseen : ndarray of shape (n_rows, 2)
        Projected rows that the fit saw, and that it did not.
    contours : ndarray of shape (n_vertices, 2)
        Closed lines around the shares of mass, rows of nan between them; of one component, its
        density.
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
class Arrows:
    """The features that weigh most, as arrows; strongest first.

    Attributes
    ----------
    feet, tips : ndarray of shape (n_arrows, 2)
        Where each begins, at the mean of the seen rows, and where it ends.
    features : ndarray of shape (n_arrows,)
        The feature of each.
    names : tuple of str
    scale : float
        Length in the picture of a loading of one.
    """

    feet: FloatArray
    tips: FloatArray
    features: IntArray
    names: tuple[str, ...]
    scale: float


@dataclass(frozen=True, eq=False)
class PlaneView:
    """A plane as it is drawn.

    Attributes
    ----------
    classes : tuple of ClassView
    arrows : Arrows
    thresholds : ndarray of shape (n_vertices, 2)
        Of one component, lines where the class of the largest density changes, rows of nan
        between them; else empty.
    lower, upper : ndarray of shape (2,)
        Corners of the box that holds all of it.
    scores : Scores
    """

    classes: tuple[ClassView, ...]
    arrows: Arrows
    thresholds: FloatArray
    lower: FloatArray
    upper: FloatArray
    scores: Scores

"""The values that make up the view of a plane."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_core.density import NuisanceAccuracy
from melm_core.diagnostics import ConfidenceEllipses, EllipseOf, confusion_shares, mutual_confusion
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.scores import (
    Rows,
    Verdict,
    batch_caution,
    batch_sentence,
    batch_shares,
    plane_verdict,
)


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


@dataclass(frozen=True)
class BatchScores:
    """Scores of telling the batch of training and of held-out rows from their place in the plane.

    Within each class. None of held-out rows if none of them has a batch of the training rows.
    """

    train: NuisanceAccuracy
    held_out: NuisanceAccuracy | None

    @property
    def sentence(self) -> str:
        """The separation of batches within the classes, as a sentence."""
        told, rows = self._shown
        return batch_sentence(told.accuracy, told.chance, told.standard_error, rows)

    @property
    def caution(self) -> str:
        """That what separates may be the batches; empty where none can be told apart."""
        told, rows = self._shown
        return batch_caution(told.accuracy, told.chance, told.standard_error, rows)

    @property
    def shares(self) -> str:
        """The share of rows whose batch is told from their place, and that of guessing."""
        told, rows = self._shown
        return batch_shares(told.accuracy, told.chance, rows)

    @property
    def _shown(self) -> tuple[NuisanceAccuracy, Rows]:
        if self.held_out is None:
            return self.train, Rows.TRAINING
        return self.held_out, Rows.HELD_OUT


@dataclass(frozen=True)
class Scores:
    """Scores of a plane on training and held-out rows.

    Attributes
    ----------
    accuracy_train, accuracy_held_out : float or None
        Balanced accuracy of the class densities; None if a class has no held-out row.
    divergence_held_out : float or None
        Divergence between training and held-out rows in nats, see `held_out_divergence`.
    batches : BatchScores or None
        None without a Batch column, or if every class has one batch only.
    """

    accuracy_train: float
    accuracy_held_out: float | None
    divergence_held_out: float | None
    batches: BatchScores | None = None

    def of_folds(self, refits: RefitsReport) -> Scores:
        """The same of a run whose refits are done: by planes that never saw a row."""
        return replace(
            self,
            accuracy_train=self.accuracy_train
            if refits.train_share is None
            else refits.train_share,
            accuracy_held_out=refits.share,
            divergence_held_out=None if refits.curve is None else refits.curve.mean[-1],
        )

    def verdict(self, n_classes: int) -> Verdict:
        """Verdict by the shares, of any plane, also one that no run has found."""
        return plane_verdict(self.accuracy_train, self.accuracy_held_out, n_classes)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Classes of held-out rows, and those that the class densities predict.

    Attributes
    ----------
    y, predicted : ndarray of shape (n_held_out,)
    groups : ndarray of shape (n_held_out,) or None
        Rows with the same number depend on each other.
    """

    y: IntArray
    predicted: IntArray
    groups: IntArray | None

    def overlap(self, n_classes: int) -> FloatArray | None:
        """Shares of the rows of each pair of classes that are taken for each other.

        None where a class has no row. See `melm_core.evaluation.Refits.overlap`.
        """
        if len(np.unique(self.y)) < n_classes:
            return None
        return mutual_confusion(confusion_shares(self.y, self.predicted, n_classes))


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

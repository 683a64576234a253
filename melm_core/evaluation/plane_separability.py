"""How well the classes can be told apart in a projection.

The visual separability of the MELM paper (section 5): the balanced accuracy
of three classifiers that see the projection only, each tuned by inner
cross-validation, over 5 folds. It says how easy the points of this picture are
to tell apart, not whether new points would fall where the picture has them:
that is `melm_core.evaluation.cross_validation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.evaluation.folds import CodedRows, coded_rows, sampled_rows, stratified_folds
from melm_core.evaluation.plane_classifiers import (
    PLANE_CLASSIFIERS,
    balanced_accuracies,
    confusion_shares,
    unit_covariance,
)

DEFAULT_FOLDS = 5

# Enough for a standard error of about 0.01, and a few seconds of work.
DEFAULT_MAX_ROWS = 2_000


@dataclass(frozen=True)
class Score:
    """A balanced accuracy over folds.

    Attributes
    ----------
    balanced_accuracy : float
        Mean over the folds.
    standard_error : float
        Standard deviation over the folds by the root of their number. Folds
        share training rows, so it is somewhat too small.
    """

    balanced_accuracy: float
    standard_error: float

    @classmethod
    def over_folds(cls, accuracies: FloatArray) -> Score:
        """Mean and standard error of one figure a fold, shape (n_folds,)."""
        error = accuracies.std(ddof=1) / np.sqrt(len(accuracies))
        return cls(float(accuracies.mean()), float(error))


@dataclass(frozen=True, eq=False)
class Separability:
    """How well three classifiers tell the classes apart.

    Attributes
    ----------
    fold_confusions : ndarray of shape (n_folds, n_classifiers, n_classes, n_classes)
        Share of the test rows of each class (third axis) that each classifier
        takes for each class (last axis).
    classes : ndarray of shape (n_classes,)
    classifier_names : tuple of str
    n_samples, n_scored : int
        Rows there are, and rows that were scored: an even share of every class.
    notes : tuple of str
        What was done differently from what was asked for, a sentence each.
    """

    fold_confusions: FloatArray
    classes: npt.NDArray[Any]
    classifier_names: tuple[str, ...]
    n_samples: int
    n_scored: int
    notes: tuple[str, ...]

    @property
    def mean(self) -> Score:
        """The visual separability: mean over the classifiers."""
        return Score.over_folds(self.fold_accuracies.mean(axis=1))

    @property
    def classifiers(self) -> dict[str, Score]:
        """The score of each classifier by its name."""
        columns = self.fold_accuracies.T
        return dict(zip(self.classifier_names, map(Score.over_folds, columns), strict=True))

    @property
    def best(self) -> str:
        """Name of the best classifier, which is what the paper's Table 2 reports."""
        return self.classifier_names[int(self.fold_accuracies.mean(axis=0).argmax())]

    @property
    def confusion(self) -> FloatArray:
        """Share of each class (rows) taken for each class (columns), shape (n_classes, n_classes).

        Mean over folds and classifiers; its rows sum to one and the mean of its
        diagonal is the separability.
        """
        shares: FloatArray = self.fold_confusions.mean(axis=(0, 1))
        return shares

    @property
    def overlap(self) -> FloatArray:
        """How much each pair of classes is confused, shape (n_classes, n_classes), zero diagonal.

        Entry (a, b) is the mean of the share of a taken for b and the share of
        b taken for a: 0 for classes apart, 1/n_classes for classes that are all
        the same. For two classes it is one less the separability.
        """
        overlap = 0.5 * (self.confusion + self.confusion.T)
        np.fill_diagonal(overlap, 0.0)
        return overlap

    @property
    def most_overlapping(self) -> tuple[int, int]:
        """Codes of the two classes that overlap most, the smaller one first."""
        first, second = np.unravel_index(self.overlap.argmax(), self.overlap.shape)
        return (int(first), int(second)) if first != second else (0, 1)

    @property
    def n_folds(self) -> int:
        """Folds that were scored."""
        return len(self.fold_confusions)

    @property
    def fold_accuracies(self) -> FloatArray:
        """Balanced accuracies, shape (n_folds, n_classifiers)."""
        return balanced_accuracies(self.fold_confusions)


def separability(
    projection: Any,
    y: Any,
    *,
    n_folds: int = DEFAULT_FOLDS,
    max_rows: int = DEFAULT_MAX_ROWS,
    random_state: int = 0,
) -> Separability:
    """The visual separability of a projection: SVM-RBF, KNN and KDE in cross-validation.

    Within each fold the plane is taken in coordinates in which the training
    rows have unit covariance, so the figure does not depend on the frame, the
    scale or any other linear map of the plane.

    Parameters
    ----------
    projection : array-like of shape (n_samples, n_components)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    n_folds : int, default=5
        No more than the smallest class has rows; fewer are noted.
    max_rows : int, default=2000
        Above that an even share of every class is scored, and noted.
    random_state : int, default=0

    Raises
    ------
    ValueError
        If a parameter or the data break a rule; the message names both.
    """
    rows = coded_rows(projection, y)
    sample = sampled_rows(rows.y, max_rows)
    Z, codes = rows.X[sample], rows.y[sample]
    confusions = [
        fold_confusion(Z[fold.train], codes[fold.train], Z[fold.test], codes[fold.test])
        for fold in stratified_folds(codes, n_folds, random_state)
    ]
    return over_folds(confusions, rows, sample, n_folds)


def fold_confusion(
    Z: FloatArray, y: IntArray, test_Z: FloatArray, test_y: IntArray, random_state: int = 0
) -> FloatArray:
    """Confusion of each tuned classifier, shape (n_classifiers, n_classes, n_classes).

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
        Projected rows to learn from.
    y : ndarray of shape (n_samples,)
        Class codes, each present.
    test_Z : ndarray of shape (n_test, n_components)
    test_y : ndarray of shape (n_test,)
    random_state : int
        Of the inner folds.
    """
    Z, test_Z = unit_covariance(Z, test_Z)
    n_classes = int(y.max()) + 1
    return np.stack(
        [
            confusion_shares(
                test_y, classifier.tuned_predictions(Z, y, test_Z, random_state), n_classes
            )
            for classifier in PLANE_CLASSIFIERS
        ]
    )


def over_folds(
    confusions: Sequence[FloatArray], rows: CodedRows, sample: IntArray, n_folds: int
) -> Separability:
    """The figures of several folds together, with notes on what could not be as asked for.

    Parameters
    ----------
    confusions : sequence of ndarray of shape (n_classifiers, n_classes, n_classes)
    rows : CodedRows
    sample : ndarray of shape (n_scored,)
        Indices of the rows that were scored.
    n_folds : int
        Folds that were asked for.
    """
    return Separability(
        fold_confusions=np.stack(confusions),
        classes=rows.classes,
        classifier_names=tuple(classifier.name for classifier in PLANE_CLASSIFIERS),
        n_samples=len(rows.y),
        n_scored=len(sample),
        notes=tuple(_notes(rows, sample, n_folds)),
    )


def _notes(rows: CodedRows, sample: IntArray, n_folds: int) -> list[str]:
    notes = []
    if len(sample) < len(rows.y):
        notes.append(
            f"{len(sample)} of {len(rows.y)} rows were scored, an even share of every class."
        )
    counts = np.bincount(rows.y[sample])
    smallest = int(counts.argmin())
    if counts[smallest] < n_folds:
        notes.append(
            f"{counts[smallest]} folds in place of {n_folds}, because {counts[smallest]} rows of "
            f"class {rows.classes.tolist()[smallest]!r} were scored."
        )
    return notes

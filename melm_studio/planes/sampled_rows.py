"""The rows of a data set that a view draws, and those that its scores use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_studio.tables import LabeledData

# Live scores use at most this many training rows and this many held-out rows.
MAX_SCORED_ROWS = 1_000

# A sample is copied if it has at most this share of the rows. Of more rows all are projected, and
# some of the projections dropped: a wide table would take as much memory again for each sample.
MOST_COPIED = 0.25


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some rows of a table, to be projected into one plane after the other.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows of the sample, or all rows of the table, which are then shared with it.
    chosen : ndarray of int, or slice
        Which of these are in the sample.
    """

    X: FloatArray
    chosen: IntArray | slice

    @classmethod
    def of(cls, X: FloatArray, indices: IntArray) -> RowSample:
        """Return the sample of the rows of X with the indices `indices`."""
        if len(indices) <= MOST_COPIED * len(X):
            return cls(X[indices], slice(None))
        is_whole = np.array_equal(indices, np.arange(len(X)))
        return cls(X, slice(None) if is_whole else indices)

    def project(self, components: FloatArray) -> FloatArray:
        """Coordinates of the sample, shape (n_chosen, n_components)."""
        coordinates: FloatArray = (self.X @ components.T)[self.chosen]
        return coordinates


@dataclass(frozen=True, eq=False)
class SampledRows:
    """The rows of a data set that are drawn and the rows that are scored.

    Attributes
    ----------
    drawn, scored : RowSample
    drawn_y, scored_y : ndarray of shape (n_rows,)
    row_numbers : ndarray of shape (n_drawn,)
        In the file.
    scored_groups : ndarray of shape (n_scored,) or None
        Rows with the same number depend on each other.
    """

    drawn: RowSample
    drawn_y: IntArray
    row_numbers: IntArray
    scored: RowSample
    scored_y: IntArray
    scored_groups: IntArray | None

    @classmethod
    def of(cls, data: LabeledData, n_classes: int, drawn_share: float) -> SampledRows:
        """Draw stratified samples, evenly spaced in each class."""
        drawn = stratified_sample(data.y, drawn_share, n_classes)
        scored = stratified_sample(
            data.y, min(1.0, MAX_SCORED_ROWS / max(1, len(data.y))), n_classes
        )
        return cls(
            RowSample.of(data.X, drawn),
            data.y[drawn],
            data.row_numbers[drawn],
            RowSample.of(data.X, scored),
            data.y[scored],
            None if data.groups is None else data.groups[scored],
        )

    def drawn_rows(self, n_classes: int) -> list[IntArray]:
        """Row numbers of the drawn rows of each class."""
        return [self.row_numbers[self.drawn_y == code] for code in range(n_classes)]

    def drawn_by_class(self, components: FloatArray, n_classes: int) -> list[FloatArray]:
        """Coordinates of the drawn rows of each class."""
        return _by_class(self.drawn.project(components), self.drawn_y, n_classes)

    def scored_by_class(self, components: FloatArray, n_classes: int) -> list[FloatArray]:
        """Coordinates of the scored rows of each class."""
        return _by_class(self.scored.project(components), self.scored_y, n_classes)


def _by_class(points: FloatArray, y: IntArray, n_classes: int) -> list[FloatArray]:
    return [points[y == code] for code in range(n_classes)]


@dataclass(frozen=True, eq=False)
class EvenRows:
    """Rows at even distances in the file, the same for every plane and every split.

    Attributes
    ----------
    samples : tuple of RowSample
        Those among the training rows, and those among the held-out rows.
    is_train : ndarray of bool, shape (n_rows,)
        Of which part each of them is, in the order of the file.
    """

    samples: tuple[RowSample, RowSample]
    is_train: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, parts: tuple[LabeledData, LabeledData], most: int) -> EvenRows:
        """Choose at least `most` rows, where there are so many, and fewer than twice as many."""
        train, held_out = parts
        numbers = np.concatenate([train.row_numbers, held_out.row_numbers])
        order = np.argsort(numbers)[:: max(1, len(numbers) // most)]
        is_train = order < len(train.y)
        samples = (
            RowSample.of(train.X, order[is_train]),
            RowSample.of(held_out.X, order[~is_train] - len(train.y)),
        )
        return cls(samples, is_train)

    def project(self, components: FloatArray) -> FloatArray:
        """Coordinates of the rows in the order of the file, shape (n_rows, n_components)."""
        coordinates: FloatArray = np.empty((len(self.is_train), len(components)))
        train, held_out = self.samples
        coordinates[self.is_train] = train.project(components)
        coordinates[~self.is_train] = held_out.project(components)
        return coordinates

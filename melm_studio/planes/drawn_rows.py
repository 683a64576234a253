"""The rows of a run in its views: the sample that is drawn, every one at rest, those that score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_studio.planes.class_outlines import in_strips, in_top_strip
from melm_studio.tables import LabeledData

# Live scores use at most this many training rows and this many held-out rows.
MAX_SCORED_ROWS = 1_000

# A sample is copied if it has at most this share of the rows. Of more rows all are projected, and
# some of the projections dropped: a wide table would take as much memory again for each sample.
MOST_COPIED = 0.25
Parts = tuple[LabeledData, LabeledData]


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


@dataclass(frozen=True, eq=False)
class EveryRow:
    """The rows of a run, in the order of the file, and those without a class among them.

    Attributes
    ----------
    numbers : ndarray of shape (n_rows,)
        In the file, ascending.
    codes : ndarray of shape (n_rows,)
        The class of each row; of rows without one, the number of classes.
    is_held_out : ndarray of bool, shape (n_rows,)
    """

    numbers: IntArray
    codes: IntArray
    is_held_out: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, parts: Parts) -> EveryRow:
        """Return the training and held-out rows of a run, and its rows without a class."""
        train, held_out = parts
        n_others = 0 if train.unlabeled is None else len(train.unlabeled.X)
        order = _order(parts)
        is_held_out = np.repeat([False, True, False], [len(train.y), len(held_out.y), n_others])
        codes = np.concatenate([train.y, held_out.y, np.full(n_others, len(train.class_names))])
        return cls(_numbers(parts)[order], codes[order], is_held_out[order])


def mean_row(parts: Parts) -> FloatArray:
    """The mean of the training rows: without it, views with and without standardization overlap.

    Standardized rows are about it already, so that points are where files and programs have them.
    """
    mean: FloatArray = np.asarray(parts[0].X.mean(axis=0))
    return mean


def centered_parts(parts: Parts) -> Parts:
    """Return what a viewer needs of the rows of a run: about `mean_row`, sorted by class.

    The table before its preparation, which may take as much memory, is left out; of the recipe,
    what tells the columns of curves is kept.
    """
    train, held_out = (
        replace(
            part.by_class(),
            raw=None,
            rules=part.rules if part.has_curves else None,
            is_missing=None,
        )
        for part in parts
    )
    mean = mean_row((train, held_out))
    others = train.unlabeled  # the same of both parts
    if others is not None:
        others = replace(others, X=others.X - mean, row_columns=(), raw=None)
    train, held_out = (
        replace(part, X=part.X - mean, unlabeled=others) for part in (train, held_out)
    )
    return train, held_out


def every_point(axes: FloatArray, parts: Parts, *, is_line: bool) -> FloatArray:
    """Return where a view draws every row, in the order of the file, shape (n_rows, 2).

    Parameters
    ----------
    axes : ndarray of shape (2, n_features)
    parts : tuple of LabeledData
        Training rows and held-out rows, centered, with the rows without a class.
    is_line : bool
        Whether the view is that of one component, whose rows lie in strips.
    """
    points = [_points(axes, part, is_line=is_line) for part in parts]
    others = parts[0].unlabeled
    if others is not None:
        unlabeled = others.X @ axes.T
        points.append(in_top_strip(unlabeled) if is_line else unlabeled)
    ordered: FloatArray = np.concatenate(points)[_order(parts)]
    return ordered


def every_point_by_class(
    axes: FloatArray, parts: Parts, *, is_line: bool
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the same points by class: of training rows and of held-out rows, (n_rows, 2) each."""
    train, held_out = (_points(axes, part, is_line=is_line) for part in parts)
    codes = range(len(parts[0].class_names))
    return [(train[parts[0].y == code], held_out[parts[1].y == code]) for code in codes]


def numbers_by_class(parts: Parts) -> list[tuple[IntArray, IntArray]]:
    """Return the row numbers of those points, in their order."""
    train, held_out = parts
    codes = range(len(train.class_names))
    return [
        (train.row_numbers[train.y == code], held_out.row_numbers[held_out.y == code])
        for code in codes
    ]


def _points(axes: FloatArray, part: LabeledData, *, is_line: bool) -> FloatArray:
    points: FloatArray = part.X @ axes.T
    if is_line:
        of_class = [np.flatnonzero(part.y == code) for code in range(len(part.class_names))]
        points[np.concatenate(of_class)] = np.concatenate(
            in_strips([points[rows] for rows in of_class])
        )
    return points


def _order(parts: Parts) -> IntArray:
    order: IntArray = np.argsort(_numbers(parts), kind="stable")
    return order


def _numbers(parts: Parts) -> IntArray:
    others = parts[0].unlabeled
    numbers = [part.row_numbers for part in parts]
    return np.concatenate(numbers if others is None else [*numbers, others.row_numbers])

"""Every row of a run in the order of the file: who it is, and where a view draws it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray
from melm_studio.planes.line import in_strips, in_top_strip
from melm_studio.tables import LabeledData

Parts = tuple[LabeledData, LabeledData]


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

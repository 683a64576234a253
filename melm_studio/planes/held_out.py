"""How the held-out rows fare in one plane, from rows that took no part in its fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from melm_core.base import IntArray
from melm_core.evaluation import Answer, answer_of, held_out_p_value
from melm_studio.planes.types import Predictions, Scores

FEW_HELD_OUT = 10  # with fewer, the standard error of a share may exceed 0.15


@dataclass(frozen=True)
class HeldOutResult:
    """The answer of the held-out rows of a plane.

    Attributes
    ----------
    answer : Answer
    accuracy, accuracy_train : float
        Balanced accuracy, the number that the panel shows.
    standard_error : float
        Of the held-out accuracy.
    units : tuple of int
        Held-out rows of each class or, if rows depend on each other, groups.
    has_groups : bool
    class_counts : mapping of str to int
        All rows of each class, training and held-out.
    """

    answer: Answer
    accuracy: float
    accuracy_train: float
    standard_error: float
    units: tuple[int, ...]
    has_groups: bool
    class_counts: Mapping[str, int]

    @property
    def is_overfit(self) -> bool:
        """Whether the training rows are told apart much better, and not by chance."""
        gap = self.accuracy_train - self.accuracy
        return gap > max(_LARGE_GAP, 2.0 * self.standard_error)


_LARGE_GAP = 0.1


def held_out_result(
    scores: Scores, predictions: Predictions, class_counts: Mapping[str, int]
) -> HeldOutResult | None:
    """The answer of the held-out rows; None if a class has none."""
    if scores.accuracy_held_out is None:
        return None
    n_classes = len(class_counts)
    y, predicted, groups = predictions.y, predictions.predicted, predictions.groups
    units = _units(y, groups, n_classes)
    recall = np.bincount(y[y == predicted], minlength=n_classes) / np.bincount(y)
    variances = recall * (1.0 - recall) / units
    accuracy, standard_error = scores.accuracy_held_out, float(np.sqrt(variances.sum()) / n_classes)
    answer = answer_of(accuracy, n_classes, held_out_p_value(y, predicted, groups=groups))
    is_above = accuracy - 1.0 / n_classes > standard_error
    if answer is Answer.NO and is_above and units.min() < FEW_HELD_OUT:
        answer = Answer.UNKNOWN  # more rows could well show that the classes are told apart
    return HeldOutResult(
        answer=answer,
        accuracy=accuracy,
        accuracy_train=scores.accuracy_train,
        standard_error=standard_error,
        units=tuple(units.tolist()),
        has_groups=groups is not None and len(np.unique(groups)) < len(y),
        class_counts=class_counts,
    )


def _units(y: IntArray, groups: IntArray | None, n_classes: int) -> IntArray:
    """Number of held-out rows, or groups, of each class."""
    if groups is None:
        return np.bincount(y, minlength=n_classes)
    pairs = np.unique(np.column_stack([y, groups]), axis=0)
    return np.bincount(pairs[:, 0], minlength=n_classes)

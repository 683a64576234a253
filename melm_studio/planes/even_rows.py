"""Evenly spaced rows of a run in the order of the file, by which planes are aligned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray
from melm_studio.planes.sampled_rows import RowSample
from melm_studio.tables import LabeledData


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

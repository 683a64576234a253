"""Separation of the batches of rows in a plane, within each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray, IntArray, stratified_sample
from melm_core.density import (
    ClassDensities,
    NuisanceAccuracy,
    NuisanceCells,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
)
from melm_studio.planes.types import BatchScores
from melm_studio.tables import LabeledData, Role

# Rows that are classified; the densities are of all training rows.
MAX_SCORED_ROWS = 5_000


@dataclass(frozen=True, eq=False)
class BatchCells:
    """The densities of the training rows of each batch within each class.

    Attributes
    ----------
    cells : NuisanceCells
    kernels : tuple of ClassDensities
        In all features.
    parts : tuple of (rows, class codes, batch codes)
        The training and the held-out rows that are scored.
    """

    cells: NuisanceCells
    kernels: tuple[ClassDensities, ...]
    parts: tuple[tuple[FloatArray, IntArray, IntArray], ...]

    @classmethod
    def of(
        cls, train: LabeledData, held_out: LabeledData, *, gamma: float, n_components: int
    ) -> BatchCells | None:
        """The cells of some data; None without batches, or if classes and batches coincide."""
        columns = [data.row_column(Role.BATCH) for data in (train, held_out)]
        values = [column.values for column in columns if column is not None]
        if len(values) < len(columns):
            return None
        # Of both parts together, so that a batch has one code.
        codes = np.unique(np.concatenate(values), return_inverse=True)[1].astype(np.int64)
        batches = np.split(codes, [len(train.y)])
        cells = nuisance_cells(train.y, batches[0], n_components=n_components)
        if cells.is_confounded:
            return None
        kernels = kernel_cells(train.X, cells, n_components=n_components, gamma=gamma)
        parts = tuple(
            _sampled(data, codes_of_part)
            for data, codes_of_part in zip((train, held_out), batches, strict=True)
        )
        return cls(cells, kernels, parts)

    def scores(self, components: FloatArray, factor: float = 1.0) -> BatchScores | None:
        """The accuracies in a plane, with kernels `factor` times as wide."""
        projected = tuple(kernel.project(components).widened(factor) for kernel in self.kernels)
        of_train, of_held_out = self.parts
        train = self._accuracy(of_train, components, projected, leave_out=True)
        held_out = self._accuracy(of_held_out, components, projected, leave_out=False)
        return None if train is None else BatchScores(train, held_out)

    def _accuracy(
        self,
        part: tuple[FloatArray, IntArray, IntArray],
        components: FloatArray,
        projected: tuple[ClassDensities, ...],
        *,
        leave_out: bool,
    ) -> NuisanceAccuracy | None:
        X, y, batches = part
        points = X @ components.T
        return nuisance_accuracy(points, y, batches, self.cells, projected, leave_out=leave_out)


def _sampled(data: LabeledData, batches: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    share = min(1.0, MAX_SCORED_ROWS / max(1, len(data.y)))
    rows = stratified_sample(data.y, share, len(data.class_names))
    return data.X[rows], data.y[rows], batches[rows]

"""The objective of a plane that is blind to a nuisance.

    D_cs(classes) - weight x mean over classes of D_cs(values of the nuisance within the class)

The nuisance is, for example, the batch in which a row was measured. It is compared within each
class, so that a batch that holds more rows of one class is no effect. More than two values of
the nuisance are aggregated by the mean over their pairs: a pair that is far apart costs most.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density import TOLERANCE, Precision
from melm_core.density.class_densities import ClassDensities, Engine
from melm_core.melm.batch_objective import BatchDivergence
from melm_core.melm.multiclass import NUISANCE_AGGREGATE, Multiclass
from melm_core.melm.objective import divergence, divergence_and_gradient
from melm_core.optimization.types import SizedBatchObjective


def nuisance_divergence(
    cells: tuple[ClassDensities, ...], components: FloatArray, *, engine: Engine = "auto"
) -> float:
    """The mean over the classes of the divergence between the values of a nuisance.

    Parameters
    ----------
    cells : tuple of ClassDensities
        One for each class, see `melm_core.density.kernel_cells`.
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    engine : "auto", "direct" or "nufft"

    Returns
    -------
    float
        In nats; 0 if the densities of all values agree within every class.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import kernel_cells, nuisance_cells
    >>> from melm_core.melm import nuisance_divergence
    >>> X = np.random.default_rng(0).standard_normal((80, 3))
    >>> y, batch = np.repeat([0, 1], 40), np.tile([0, 1], 40)
    >>> X[:, 0] += 6.0 * batch
    >>> cells = nuisance_cells(y, batch, n_components=2)
    >>> kernels = kernel_cells(X, cells, n_components=2)
    >>> drift, rest = np.eye(3)[:2], np.eye(3)[1:]
    >>> nuisance_divergence(kernels, drift) > 10.0 * nuisance_divergence(kernels, rest)
    True
    """
    values = [
        divergence(own, components, engine=engine, multiclass=NUISANCE_AGGREGATE) for own in cells
    ]
    return float(np.mean(values))


def blind_divergence_and_gradient(
    classes: ClassDensities,
    components: FloatArray,
    *,
    nuisance_weight: float,
    engine: Engine = "auto",
    multiclass: Multiclass,
    tolerance: float = TOLERANCE,
) -> tuple[float, FloatArray]:
    """The divergence of the classes less that of the nuisance, and the gradient.

    Parameters
    ----------
    classes : ClassDensities
        With the cells of the nuisance, if there is one.
    components : ndarray of shape (n_components, n_features)
    nuisance_weight : float
    engine, multiclass, tolerance
        As for `divergence_and_gradient`.
    """
    value, gradient = divergence_and_gradient(
        classes, components, engine=engine, multiclass=multiclass, tolerance=tolerance
    )
    if nuisance_weight:
        for cells in classes.cells:
            own, by_components = divergence_and_gradient(
                cells, components, engine=engine, multiclass=NUISANCE_AGGREGATE, tolerance=tolerance
            )
            value -= nuisance_weight / len(classes.cells) * own
            gradient -= nuisance_weight / len(classes.cells) * by_components
    return value, gradient


def batch_objective(
    classes: ClassDensities,
    multiclass: Multiclass,
    precision: Precision,
    nuisance_weight: float = 0.0,
) -> BatchDivergence | BlindBatch:
    """The same for several planes at once.

    Parameters
    ----------
    classes : ClassDensities
        With the cells of the nuisance, if there is one.
    multiclass : "mean", "softmin" or "ovr"
    precision : float32 or float64
    nuisance_weight : float
    """
    of_classes = BatchDivergence(classes, multiclass, precision)
    if not (nuisance_weight and classes.cells):
        return of_classes
    cells = [BatchDivergence(own, NUISANCE_AGGREGATE, precision) for own in classes.cells]
    return BlindBatch(of_classes, cells, nuisance_weight / len(cells))


class BlindBatch(SizedBatchObjective):
    """`blind_divergence_and_gradient` for several planes at once.

    Parameters
    ----------
    classes : BatchDivergence
    cells : list of BatchDivergence
        One for each class that has cells.
    share : float
        What the divergence of each is multiplied by.
    """

    def __init__(
        self, classes: BatchDivergence, cells: list[BatchDivergence], share: float
    ) -> None:
        self._classes, self._cells, self._share = classes, cells, share

    @property
    def batch_size(self) -> int:
        """The number of planes from which on more planes would not make each of them cheaper."""
        return self._classes.batch_size

    def widened(self, factor: float) -> Self:
        """The objective with kernels `factor` times as wide, on the same rows in memory."""
        cells = [own.widened(factor) for own in self._cells]
        return type(self)(self._classes.widened(factor), cells, self._share)

    def __call__(self, components: FloatArray, /) -> tuple[FloatArray, FloatArray]:
        """Values, shape (n_planes,), and gradients in the shape of the components."""
        values, gradients = self._classes(components)
        for cells in self._cells:
            own, by_components = cells(components)
            values = values - self._share * own
            gradients = gradients - self._share * by_components
        return values, gradients

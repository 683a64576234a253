"""The divergence in several planes at once, with gradients."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density.engines.pair_tiles import PairTiles, Precision
from melm_core.density.kernel_density import KernelClasses
from melm_core.melm.multiclass import AGGREGATES, Multiclass

# A step in several planes at once takes about this many kernel values, some 25 ms, and no more
# planes than this: more would share the fixed costs little better, but report the steps late.
_VALUES_OF_A_STEP = 8_000_000
_MAX_PLANES = 16


class BatchDivergence:
    """The same as `divergence_and_gradient`, for several planes in the same array operations.

    What it returns for one plane does not depend on the other ones.

    Parameters
    ----------
    classes : KernelClasses
    multiclass : "mean", "softmin" or "ovr"
    precision : float32 or float64
        Of the sums over rows; float32 is accurate to about 1e-6 and takes half the time.
    """

    def __init__(
        self, classes: KernelClasses, multiclass: Multiclass, precision: Precision = np.float64
    ) -> None:
        self._aggregate, self._counts = AGGREGATES[multiclass], classes.totals
        self._tiles = PairTiles(classes.counts, precision, classes.weights)
        origin = np.average(
            [rows.mean(axis=0) for rows in classes.rows], axis=0, weights=classes.counts
        )
        self._rows = self._tiles.pad([rows - origin for rows in classes.rows])
        self._covariances = classes.covariances

    @property
    def batch_size(self) -> int:
        """The number of planes from which on more planes would not make each of them cheaper."""
        n_values = self._tiles.n_rows**2 // 2
        return min(max(_VALUES_OF_A_STEP // n_values, 1), _MAX_PLANES)

    def widened(self, factor: float) -> BatchDivergence:
        """The divergence with kernels `factor` times as wide, on the same rows in memory."""
        other = object.__new__(BatchDivergence)
        vars(other).update(vars(self), _covariances=self._covariances * factor**2)
        return other

    def __call__(self, components: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values, shape (n_planes,), and gradients in the shape of the components.

        Parameters
        ----------
        components : ndarray of shape (n_planes, n_components, n_features)
        """
        spread = components[:, None] @ self._covariances  # (n_planes, n_classes, k, n_features)
        points = components.astype(self._rows.dtype) @ self._rows.T
        potentials = self._tiles.potentials(points, spread @ components[:, None].swapaxes(-1, -2))
        values, weights = self._aggregate(potentials.log_values, self._counts)
        by_points, by_covariances = potentials.weighted_derivatives(weights)
        gradients = (by_points @ self._rows).astype(np.float64)
        return values, gradients + 2.0 * (by_covariances @ spread).sum(axis=1)

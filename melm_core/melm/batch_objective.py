"""The divergence in several planes at once, with gradients."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density import Precision
from melm_core.density.class_densities import ClassDensities
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
    classes : ClassDensities
    multiclass : "mean", "softmin" or "ovr"
    precision : float32 or float64
        Of the sums over rows; float32 is accurate to about 1e-6 and takes half the time.
    """

    def __init__(
        self, classes: ClassDensities, multiclass: Multiclass, precision: Precision = np.float64
    ) -> None:
        self._aggregate, self._counts = AGGREGATES[multiclass], classes.totals
        self._planes = classes.in_planes(precision)

    @property
    def batch_size(self) -> int:
        """The number of planes from which on more planes would not make each of them cheaper."""
        n_values = self._planes.n_rows**2 // 2
        return min(max(_VALUES_OF_A_STEP // n_values, 1), _MAX_PLANES)

    def widened(self, factor: float) -> BatchDivergence:
        """The divergence with kernels `factor` times as wide, on the same rows in memory."""
        other = object.__new__(BatchDivergence)
        vars(other).update(vars(self), _planes=self._planes.widened(factor))
        return other

    def __call__(self, components: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values, shape (n_planes,), and gradients in the shape of the components.

        Parameters
        ----------
        components : ndarray of shape (n_planes, n_components, n_features)
        """
        potentials = self._planes.potentials(components)
        values, weights = self._aggregate(potentials.log_values, self._counts)
        return values, potentials.pull_back(weights)

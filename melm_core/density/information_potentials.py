"""Information potentials of all pairs of classes, by the faster of two engines.

Both engines agree to 1e-8. The direct engine sums over pairs of rows, the
Fourier engine over modes. Which is faster depends on the number of rows and on
the width of the kernels relative to the spread of the points, so the cost of
both is estimated first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, Protocol, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import Rows, in_memory
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.direct_sums import log_potentials
from melm_core.density.engines.fourier_series import (
    FourierPotentials,
    fourier_box,
    moments_of_derivatives,
)
from melm_core.density.engines.nufft import MOST_COMPONENTS, MOST_MODES, TOLERANCE, Box

Engine: TypeAlias = Literal["auto", "direct", "nufft"]
ENGINES: tuple[Engine, ...] = ("auto", "direct", "nufft")

# Seconds on one core for value and derivatives, measured by `python -m benchmarks engines`.
SECONDS_PER_PAIR = 4e-9
SHARE_WITHIN = 0.6
SECONDS_PER_TRANSFORMED_POINT = {1: 6e-8, 2: 2.3e-7, 3: 2e-6}
SECONDS_PER_TRANSFORMED_MODE = {1: 9e-8, 2: 9e-8, 3: 2.3e-7}
SECONDS_PER_TRANSFORM = 4e-4


class Potentials(Protocol):
    """Potentials of all pairs of classes, and derivatives of their weighted sums.

    Attributes
    ----------
    log_values : ndarray of shape (n_classes, n_classes)
        Logarithms of the potentials, symmetric.
    """

    log_values: FloatArray

    def weighted_derivatives(self, weights: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """Derivatives of the sum of weights_ab log ip_ab over the unordered pairs.

        Parameters
        ----------
        weights : ndarray of shape (n_classes, n_classes)
            Only the upper triangle is used.

        Returns
        -------
        by_points : list of ndarray of shape (n_samples_of_class, n_components)
        by_covariances : ndarray of shape (n_classes, n_components, n_components)
        """

    def weighted_moments(
        self, weights: FloatArray, rows: Sequence[Rows]
    ) -> tuple[list[FloatArray], FloatArray]:
        """Sums over the rows of each class of their derivative times the row.

        Parameters
        ----------
        weights : ndarray of shape (n_classes, n_classes)
            Only the upper triangle is used.
        rows : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
            The rows whose projections these potentials are of.

        Returns
        -------
        moments : list of ndarray of shape (n_components, n_coordinates)
        by_covariances : ndarray of shape (n_classes, n_components, n_components)
        """


class DirectPotentials:
    """Potentials by direct summation over all pairs of rows; see `Potentials`.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_components)
    covariances : ndarray of shape (n_classes, n_components, n_components)
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
    """

    def __init__(
        self,
        rows: Sequence[FloatArray],
        covariances: FloatArray,
        weights: Sequence[FloatArray] | None = None,
    ) -> None:
        self._rows, self._covariances = rows, covariances
        self._pairs = log_potentials(rows, covariances, weights)
        self.log_values = np.empty((len(rows), len(rows)))
        for (a, b), potential in self._pairs.items():
            self.log_values[a, b] = self.log_values[b, a] = potential.value

    def weighted_derivatives(self, weights: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """See `Potentials`."""
        by_points = [np.zeros_like(part) for part in self._rows]
        by_covariances = np.zeros_like(self._covariances)
        for (a, b), potential in self._pairs.items():
            by_points[a] += weights[a, b] * potential.by_first
            by_points[b] += weights[a, b] * potential.by_second
            by_covariances[a] += weights[a, b] * potential.by_covariance
            by_covariances[b] += weights[a, b] * potential.by_covariance
        return by_points, by_covariances

    def weighted_moments(
        self, weights: FloatArray, rows: Sequence[Rows]
    ) -> tuple[list[FloatArray], FloatArray]:
        """See `Potentials`; for rows in memory."""
        return moments_of_derivatives(*self.weighted_derivatives(weights), rows)


def class_potentials(
    rows: Sequence[Rows],
    covariances: FloatArray,
    engine: Engine = "auto",
    weights: Sequence[FloatArray] | None = None,
    *,
    tolerance: float = TOLERANCE,
    series: ClassSeries | None = None,
) -> Potentials:
    """Potentials of projected classes.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_components), or of ClassRows
        Rows in blocks are summed by the Fourier engine.
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Kernel covariance of each class.
    engine : "auto", "direct" or "nufft"
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.
    tolerance : float
        Of the transforms of the Fourier engine.
    series : ClassSeries or None
        The transforms of the rows, where they are known; then no others are made.

    Raises
    ------
    ValueError
        If the engine is "nufft" with more than three components or MOST_MODES modes.
    """
    if series is not None:
        return FourierPotentials(rows, covariances, weights, series=series)
    if in_memory(rows) and (
        engine == "direct" or (engine == "auto" and is_direct_better(rows, covariances))
    ):
        return DirectPotentials(rows, covariances, weights)
    check_nufft_components(covariances.shape[1])
    return FourierPotentials(rows, covariances, weights, tolerance=tolerance)


def is_direct_better(rows: Sequence[FloatArray], covariances: FloatArray) -> bool:
    """Whether direct summation is estimated to be faster, or is the only possible engine."""
    counts = [len(part) for part in rows]
    n_components = covariances.shape[1]
    least_nufft = (1 + n_components) * len(counts) * SECONDS_PER_TRANSFORM
    if n_components > MOST_COMPONENTS or direct_seconds(counts) < least_nufft:
        return True
    box = fourier_box(rows, covariances)[2]
    return box.n_modes > MOST_MODES or direct_seconds(counts) < nufft_seconds(counts, box)


def least_seconds(rows: Sequence[FloatArray], covariances: FloatArray) -> float:
    """Estimated seconds of the faster engine, where no transforms of the rows are known."""
    counts = [len(part) for part in rows]
    direct = direct_seconds(counts)
    if covariances.shape[1] > MOST_COMPONENTS:
        return direct
    box = fourier_box(rows, covariances)[2]
    return direct if box.n_modes > MOST_MODES else min(direct, nufft_seconds(counts, box))


def direct_seconds(counts: Sequence[int]) -> float:
    """Estimated seconds of the direct engine for classes of `counts` rows."""
    across = sum(a * b for a, b in combinations(counts, 2))
    within = sum(count**2 for count in counts)  # pairs from different blocks once
    return SECONDS_PER_PAIR * (across + SHARE_WITHIN * within)


def nufft_seconds(counts: Sequence[int], box: Box) -> float:
    """Estimated seconds of the Fourier engine for classes of `counts` rows."""
    n_components = len(box.lengths)
    one_way = sum(
        SECONDS_PER_TRANSFORM
        + SECONDS_PER_TRANSFORMED_POINT[n_components] * count
        + SECONDS_PER_TRANSFORMED_MODE[n_components] * box.n_modes
        for count in counts
    )
    return (1 + n_components) * one_way


def check_nufft_components(n_components: int) -> None:
    """Raise UserError beyond three components, the limit of the Fourier engine."""
    if n_components > MOST_COMPONENTS:
        raise UserError(
            f'engine="nufft" supports at most {MOST_COMPONENTS} components, not {n_components}; '
            'use engine="auto" or "direct".'
        )

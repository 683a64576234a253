"""The Fourier engine: all information potentials of the classes at once, in O(N).

With F_c(kappa) = sum_j exp(i kappa z_j) over the rows of class c and the
smoothed series G_c = exp(-kappa' C_c kappa / 2) F_c, Poisson summation gives

    ip_ab = 1 / (N_a N_b T) sum_kappa Re G_a conj G_b

on a box of volume T. One transform per class serves all pairs of classes, and k
inverse transforms per class give the derivatives with respect to its k-dimensional points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement

import numpy as np

from melm_core.base.array_types import ComplexArray, FloatArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import ClassRows, Rows, added, in_memory, reduce_rows
from melm_core.base.sample_weights import totals_of
from melm_core.density.engines.class_series import ClassSeries, spectrum
from melm_core.density.engines.direct_sums import (
    Potential,
    inverse_root,
    log_potential,
    moments_of_derivatives,
)
from melm_core.density.engines.distant_samples import (
    TiltedPotential,
    TiltedSide,
    near_log_potential,
    tilted_log_potential,
    tilted_log_value,
    tilted_potential_of_blocks,
)
from melm_core.density.engines.nufft import MOST_MODES, TOLERANCE, Box, PointSeries

# A cross potential below this fraction of the classes' own potentials has lost precision to the
# tolerance of the transforms and is computed separately. Looser transforms lose it earlier; those
# of a known series leave eight digits of a divergence.
FAR = 1e-4

# Distant pairs of classes are summed directly up to this many pairs of rows. Of more, the near ones
# are summed if they are few; otherwise the samples are tilted.
FAR_DIRECT_PAIRS = 300_000


class FourierPotentials:
    """Potentials of all pairs of classes, and derivatives of their weighted sums.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_components), or of ClassRows
        Projected rows of each class.
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Kernel covariance of each class.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of rows in memory; None if each counts once.
    tolerance : float
        Of the transforms.
    series : ClassSeries or None
        The transforms of the rows, where they are known and serve the covariances. Then there are
        no derivatives.

    Attributes
    ----------
    log_values : ndarray of shape (n_classes, n_classes)
        Logarithms of the potentials, symmetric.

    Raises
    ------
    ValueError
        If more than MOST_MODES modes are needed, which bounds the memory.
    """

    def __init__(
        self,
        rows: Sequence[Rows],
        covariances: FloatArray,
        weights: Sequence[FloatArray] | None = None,
        tolerance: float = TOLERANCE,
        series: ClassSeries | None = None,
    ) -> None:
        self._rows, self._covariances = rows, covariances
        self._weights: Sequence[FloatArray | None] = weights or [None] * len(rows)
        self._totals = totals_of(rows, weights)
        if series is None:
            self._root, _, self._box = fourier_box(rows, covariances, tolerance)
            check_modes(self._box)
        else:
            self._root, self._box = series.root, series.box
        self._far_share = FAR
        self._has_derivatives = series is None
        if series is None:
            self._far_share *= float(np.sqrt(tolerance / TOLERANCE))
        self._frequencies = self._box.frequencies
        widths = self._root.T @ covariances @ self._root
        self._spectra = [spectrum(self._box, width) for width in widths]
        transforms = self._transforms() if series is None else series.series
        self._smoothed: list[ComplexArray] = [
            of_kernel * of_rows
            for of_kernel, of_rows in zip(self._spectra, transforms, strict=True)
        ]
        self._far: dict[tuple[int, int], Potential | TiltedPotential] = {}
        self._inner = self._inner_products()
        self.log_values = self._logarithms()

    def _transforms(self) -> list[ComplexArray]:
        sums = reduce_rows(PointSeries(self._box, self._root, self._weights), added, self._rows)
        return [modes / total for modes, total in zip(sums, self._totals, strict=True)]

    def weighted_derivatives(self, weights: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """See `melm_core.density.class_densities.Potentials`; for rows in memory."""
        series, by_covariances = self._near_derivatives(weights)
        by_points = reduce_rows(_Gradients(self._box, self._root, series), added, self._rows)
        for code, row_weights in enumerate(self._weights):
            if row_weights is not None:
                by_points[code] *= row_weights[:, None]
        for (a, b), potential in self._far.items():
            if isinstance(potential, Potential):
                by_points[a] += weights[a, b] * potential.by_first
                by_points[b] += weights[a, b] * potential.by_second
        return by_points, by_covariances

    def weighted_moments(
        self, weights: FloatArray, rows: Sequence[Rows]
    ) -> tuple[list[FloatArray], FloatArray]:
        """See `melm_core.density.class_densities.Potentials`."""
        if in_memory(rows):
            return moments_of_derivatives(*self.weighted_derivatives(weights), rows)
        series, by_covariances = self._near_derivatives(weights)
        far = [
            (code, weights[pair], side)
            for pair, potential in self._far.items()
            if isinstance(potential, TiltedPotential)
            for code, side in zip(pair, potential.sides, strict=True)
        ]
        moments = _Moments(_Gradients(self._box, self._root, series), far)
        return reduce_rows(moments, added, self._rows, rows), by_covariances

    def _near_derivatives(self, weights: FloatArray) -> tuple[list[ComplexArray], FloatArray]:
        """Return the series whose gradients are derivatives by near points; and by covariances."""
        if not self._has_derivatives:
            raise ValueError("Potentials from a known series have no derivatives.")
        shares = self._shares(weights)
        series, by_covariances = [], np.zeros_like(self._covariances)
        for code, smoothed in enumerate(self._smoothed):
            pull = self._pull(shares[code])
            by_covariances[code] = -0.5 * self._second_moment((smoothed.conj() * pull).real)
            series.append(self._spectra[code] * pull.conj() / self._totals[code])
        by_covariances = self._root @ by_covariances @ self._root.T
        for (a, b), potential in self._far.items():
            by_covariances[[a, b]] += weights[a, b] * potential.by_covariance
        return series, by_covariances

    def _pull(self, shares: FloatArray) -> ComplexArray:
        """sum_b shares_b G_b, accumulated class by class to bound the memory."""
        pull = np.zeros_like(self._smoothed[0])
        for share, smoothed in zip(shares, self._smoothed, strict=True):
            pull += share * smoothed
        return pull

    def _inner_products(self) -> FloatArray:
        inner = _real_products(self._smoothed)
        if self._box.is_half:  # the other half is the same; the modes of frequency 0 have none
            inner = 2.0 * inner - _real_products([series[:1] for series in self._smoothed])
        return inner

    def _logarithms(self) -> FloatArray:
        norm = float(np.linalg.slogdet(self._root)[1]) - np.log(self._box.volume)
        norms = np.diag(self._inner)
        is_far = self._inner < self._far_share * np.sqrt(np.outer(norms, norms))
        logs: FloatArray = np.log(np.where(is_far, 1.0, self._inner)) + norm
        for a, b in combinations(range(len(self._rows)), 2):
            if is_far[a, b]:
                potential = self._far_potential(a, b)
                if isinstance(potential, float):
                    logs[a, b] = logs[b, a] = potential
                else:
                    self._far[a, b] = potential
                    logs[a, b] = logs[b, a] = potential.value
        return logs

    def _far_potential(self, a: int, b: int) -> Potential | TiltedPotential | float:
        """Compute the potential of a far pair; its logarithm alone where that is much faster."""
        first, second = self._rows[a], self._rows[b]
        covariance = self._covariances[a] + self._covariances[b]
        if isinstance(first, ClassRows) or isinstance(second, ClassRows):
            return tilted_potential_of_blocks(first, second, covariance)
        samples = (first, second, covariance, self._weights[a], self._weights[b])
        if len(first) * len(second) <= FAR_DIRECT_PAIRS:
            return log_potential(*samples)
        if (near := near_log_potential(*samples)) is not None:
            return near
        tilted = tilted_log_potential if self._has_derivatives else tilted_log_value
        return tilted(*samples)

    def _shares(self, weights: FloatArray) -> FloatArray:
        """Weight over potential of the near pairs: symmetric, with a doubled diagonal."""
        upper = np.triu(weights)
        for pair in self._far:
            upper[pair] = 0.0
        shares: FloatArray = (upper + upper.T) / self._inner
        return shares

    def _second_moment(self, mass: FloatArray) -> FloatArray:
        """sum_kappa kappa kappa' mass(kappa)."""
        return np.array(
            [[float((mass * f * g).sum()) for g in self._frequencies] for f in self._frequencies]
        )


def _real_products(series: Sequence[ComplexArray]) -> FloatArray:
    """Compute real parts of the inner products of all pairs."""
    # Those of real arrays, which needs no conjugate and no copy.
    flat = [modes.ravel().view(np.float64) for modes in series]
    products = np.empty((len(flat), len(flat)))
    for a, b in combinations_with_replacement(range(len(flat)), 2):
        products[a, b] = products[b, a] = flat[a] @ flat[b]
    return products


class _Gradients:
    """Derivatives by the points of a class in one block, of the potentials of near pairs."""

    def __init__(self, box: Box, root: FloatArray, series: Sequence[ComplexArray]) -> None:
        self._box, self._root, self._series = box, root, series

    def __call__(self, code: int, points: FloatArray) -> FloatArray:
        angles = self._box.angles(points @ self._root)
        return self._box.gradients(angles, self._series[code]) @ self._root.T


class _Moments:
    """Sums over the rows of a class in one block of derivative times row."""

    def __init__(self, near: _Gradients, far: Sequence[tuple[int, float, TiltedSide]]) -> None:
        self._near, self._far = near, far

    def __call__(self, code: int, points: FloatArray, rows: FloatArray) -> FloatArray:
        derivatives = self._near(code, points)
        for other, weight, side in self._far:
            if other == code:
                derivatives += weight * side.derivatives(points)
        return derivatives.T @ rows


def fourier_box(
    rows: Sequence[Rows], covariances: FloatArray, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray, Box]:
    """Whitening by the mean kernel, the class kernels in those coordinates, and the box."""
    root, _ = inverse_root(2.0 * covariances.mean(axis=0))
    widths = root.T @ covariances @ root
    variances = np.linalg.eigvalsh(2.0 * widths)
    box = Box.around(
        [part @ root for part in rows],
        narrowest=float(np.sqrt(variances.min())),
        widest=float(np.sqrt(variances.max())),
        tolerance=tolerance,
    )
    return root, widths, box


def check_modes(box: Box) -> None:
    """Raise UserError if the box needs more than MOST_MODES modes."""
    if box.n_modes > MOST_MODES:
        raise UserError(
            f'engine="nufft" would need {box.n_modes:.2g} modes, more than the limit of '
            f"{MOST_MODES:,}: the kernels are too narrow relative to the spread of the points. "
            'Use engine="auto" or "direct", increase gamma, or remove outliers.'
        )

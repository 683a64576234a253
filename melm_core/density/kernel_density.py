"""Class densities: kernel covariances, densities at points and on grids.

A class with N_c rows and covariance cov_c (divisor N_c) has a Gaussian kernel
of covariance B_c = h_c^2 cov_c, where h_c is the bandwidth of Silverman's rule
times gamma (MELM paper, section 3). In the plane V its covariance is V'B_cV:
the density on the page is the one that is optimized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sample_weights import deviations_of, mean_of, totals_of
from melm_core.density.engines import direct_sums, nufft
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.near_rows import NearRows
from melm_core.density.shrinkage import (
    DEFAULT_SHRINKAGE,
    Shrinkage,
    regularized_covariances,
)
from melm_core.density.whitening import kernel_covariances, pooled_covariance, whitening
from melm_core.linalg.class_moments import rows_by_class, weights_by_class
from melm_core.linalg.row_space import (
    RowSpace,
    is_wide,
    row_space,
    standardized_row_space,
)

# Up to this many kernel evaluations, direct summation is faster.
DIRECT_EVALUATIONS = 300_000

# A kernel with a diagonal covariance is a product over axes; its density on a grid takes one sum
# per grid line instead of one per point. Beyond this many rows the transform is still faster.
SEPARABLE_ROWS = 3_000

# Densities below this fraction of the kernel's peak are below the precision of the Fourier sum and
# are summed directly.
FOURIER_FLOOR = 1e-6

# Ten times the error of a logarithm at that floor.
_FLOOR_MARGIN = 1e-4


@dataclass(frozen=True, eq=False)
class KernelClasses:
    """The rows and the kernel covariance of each class.

    Attributes
    ----------
    rows : tuple of ndarray of shape (n_samples_of_class, n_coordinates)
    covariances : ndarray of shape (n_classes, n_coordinates, n_coordinates)
        Kernel covariances B_c.
    weights : tuple of ndarray of shape (n_samples_of_class,) or None
        Of the rows, above 0; None if each counts once.
    basis : ndarray of shape (n_features, n_coordinates) or None
        Of the row space, where the coordinates are its own: rows of the data times this are
        the rows here. None where the coordinates are the features.
    cells : tuple of KernelClasses
        For a plane that is to be blind to a nuisance: the rows and kernels of its values
        within each class, in the same coordinates. Empty without a nuisance.
    series : ClassSeries or None
        Transforms of the rows, which densities and potentials then share. They may be those of
        more rows, of which these are a sample: then the densities are those of all.
    near : tuple of NearRows
        The rows of each class in order, where densities are summed over near ones; or empty.
    """

    rows: tuple[FloatArray, ...]
    covariances: FloatArray
    basis: FloatArray | None = None
    weights: tuple[FloatArray, ...] | None = None
    cells: tuple[KernelClasses, ...] = ()
    series: ClassSeries | None = None
    near: tuple[NearRows, ...] = ()

    @property
    def counts(self) -> IntArray:
        """Number of rows of each class, shape (n_classes,)."""
        return np.array([len(rows) for rows in self.rows])

    @property
    def totals(self) -> FloatArray:
        """Number of rows of each class, or the sum of their weights, shape (n_classes,)."""
        return totals_of(self.rows, self.weights) if self.series is None else self.series.totals

    @property
    def series_of_more(self) -> ClassSeries | None:
        """The series of the rows, if it is that of more rows than these."""
        own = totals_of(self.rows, self.weights)
        is_sample = self.series is not None and bool((self.series.totals > (1 + 1e-9) * own).any())
        return self.series if is_sample else None

    @property
    def weights_of_classes(self) -> Sequence[FloatArray | None]:
        """The weights of the rows of each class; None if each counts once."""
        return self.weights or [None] * len(self.rows)

    def widened(self, factor: float) -> KernelClasses:
        """The same rows with kernels `factor` times as wide."""
        cells = tuple(own.widened(factor) for own in self.cells)
        return replace(self, covariances=self.covariances * factor**2, cells=cells)

    def project(self, components: FloatArray) -> KernelClasses:
        """The classes projected by `components`, shape (n_components, n_features); no cells."""
        inner = self._within(components)
        return KernelClasses(
            tuple(rows @ inner.T for rows in self.rows),
            inner @ self.covariances @ inner.T,
            weights=self.weights,
        )

    def spread(self, components: FloatArray) -> FloatArray:
        """The components times each kernel covariance, (n_classes, n_components, n_features)."""
        return self.lift(self._within(components) @ self.covariances)

    def lift(self, components: FloatArray) -> FloatArray:
        """Components (..., n_coordinates) in the features."""
        return components if self.basis is None else components @ self.basis.T

    def _within(self, components: FloatArray) -> FloatArray:
        return components if self.basis is None else components @ self.basis


def kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> KernelClasses:
    """Split the rows by class and compute the kernel of each class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_components : int
        Dimension of the plane in which the densities will be evaluated.
    gamma : float
        Width of the kernels relative to Silverman's rule.
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf"
        Share of the pooled within-class covariance mixed into every class
        covariance. "auto" mixes in nothing unless a class is nearly flat in
        some direction; "ledoit-wolf" first regularizes each class covariance,
        see `melm_core.density.shrinkage.regularized_covariances`.
    weights : ndarray of shape (n_samples,) or None
        Of the rows, above 0; None if each counts once.
    """
    space = RowSpace(X)
    n_features = None
    of_class = weights_by_class(weights, y)
    if is_wide(X, n_components):
        # Not centered, so that projections agree with those of the data.
        widths = deviations_of(X, weights)
        scales, n_features = np.where(widths > 0, widths, 1.0), int((widths > 0).sum())
        scaled = row_space(X / scales, n_components)
        unit = np.eye(scaled.rows.shape[1])
        space = RowSpace(scaled.rows, scales[:, None] * scaled.lift_columns(unit))
    rows = rows_by_class(space.rows, y)
    covariances = regularized_covariances(rows, shrinkage, n_features, of_class)
    totals = totals_of(rows, of_class)
    kernels = kernel_covariances(covariances, totals, n_components, gamma, shrinkage)
    return KernelClasses(rows, kernels, space.basis, of_class)


def whitened_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> tuple[KernelClasses, FloatArray]:
    """As `kernel_classes`, in coordinates that are white within the classes.

    The rows of a class replace their copy before those of the next one are whitened, which bounds
    the memory.

    Returns
    -------
    classes : KernelClasses
        Rows (X - mean) W and their kernels.
    whitener : ndarray of shape (n_features, rank)
        W, see `whitening`.
    """
    mean = mean_of(X, weights)
    space = RowSpace(X)
    n_features = None
    of_class = weights_by_class(weights, y)
    if is_wide(X, n_components):
        widths = deviations_of(X, weights)
        space = standardized_row_space(X - mean, widths, n_components, weights)
        mean, n_features = np.zeros(space.rows.shape[1]), int((widths > 0).sum())
    blocks = list(rows_by_class(space.rows, y))
    totals = totals_of(blocks, of_class)
    covariances = regularized_covariances(blocks, shrinkage, n_features, of_class)
    whitener = whitening(pooled_covariance(covariances, totals))
    white = whitener.T @ covariances @ whitener
    kernels = kernel_covariances(white, totals, n_components, gamma, shrinkage)
    rows = _whitened(blocks, mean, whitener)
    return KernelClasses(rows, kernels, weights=of_class), space.lift_columns(whitener)


def _whitened(
    blocks: list[FloatArray], mean: FloatArray, whitener: FloatArray
) -> tuple[FloatArray, ...]:
    """The rows of each class in whitened coordinates; takes the blocks off their list."""
    rows = []
    while blocks:
        block = blocks.pop(0)
        block -= mean
        rows.append(block @ whitener)
    return tuple(rows)


def centered_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
    weights: FloatArray | None = None,
) -> tuple[KernelClasses, FloatArray]:
    """As `kernel_classes`, centered but not whitened.

    Returns
    -------
    classes : KernelClasses
    identity : ndarray of shape (n_features, n_features)
        In place of a whitener.
    """
    space = row_space(X - mean_of(X, weights), n_components)
    classes = kernel_classes(
        space.rows,
        y,
        n_components=n_components,
        gamma=gamma,
        shrinkage=shrinkage,
        weights=weights,
    )
    return classes, space.lift_columns(np.eye(space.rows.shape[1]))


def log_densities(points: FloatArray, classes: KernelClasses) -> FloatArray:
    """Logarithm of every class density at the given points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    classes : KernelClasses
        Projected into the same plane.

    Returns
    -------
    ndarray of shape (n_points, n_classes)
    """
    if (series := classes.series_of_more) is not None:
        return series.log_densities(points, classes.rows, classes.covariances)
    columns = [
        _log_density(points, rows, covariance, weights)
        for rows, covariance, weights in _parts(classes)
    ]
    return np.column_stack(columns)


def most_likely_classes(points: FloatArray, classes: KernelClasses) -> IntArray:
    """The class with the largest density at each of the given points.

    The argmax of `log_densities`, several times faster on many rows: a density in the tails, where
    the Fourier sums are not accurate, is summed exactly only where it may be the largest.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
    classes : KernelClasses
        Projected into the same plane.

    Returns
    -------
    ndarray of shape (n_points,)
        Class codes.
    """
    parts = _parts(classes)
    if classes.series_of_more is not None:
        return np.asarray(log_densities(points, classes).argmax(axis=1))
    logs = np.empty((len(points), len(parts)))
    floors = np.full(len(parts), -np.inf)
    for code, (rows, covariance, weights) in enumerate(parts):
        if len(points) * len(rows) <= DIRECT_EVALUATIONS:
            logs[:, code] = direct_sums.log_density(points, rows, covariance, weights)
            continue
        density = _fast_density(points, classes, code)
        floors[code] = np.log(FOURIER_FLOOR) + direct_sums.inverse_root(covariance)[1]
        logs[:, code] = np.log(np.maximum(density, np.exp(floors[code])))
    # Below its floor, a density is known to be below it, and no more.
    is_low = logs <= floors
    largest = np.where(is_low, -np.inf, logs).max(axis=1)
    for code, (rows, covariance, weights) in enumerate(parts):
        open_points = is_low[:, code] & (largest <= floors[code] + _FLOOR_MARGIN)
        logs[open_points, code] = direct_sums.log_density(
            points[open_points], rows, covariance, weights
        )
        logs[is_low[:, code] & ~open_points, code] = -np.inf
    codes: IntArray = logs.argmax(axis=1)
    return codes


def density_on_grid(
    x: FloatArray, y: FloatArray, rows: FloatArray, covariance: FloatArray
) -> FloatArray:
    """A kernel density on the grid x times y, summed over all rows.

    The error is at most 1e-8 of the peak.

    Parameters
    ----------
    x, y : ndarray
        Coordinates of the grid lines.
    rows : ndarray of shape (n_samples, 2)
        Projected rows of one class.
    covariance : ndarray of shape (2, 2)
        Covariance of the projected kernel.

    Returns
    -------
    ndarray of shape (len(y), len(x))
        Probability per unit area.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core import density_on_grid
    >>> axis = np.linspace(-4.0, 4.0, 81)
    >>> rows = np.array([[0.0, 0.0], [1.0, 0.5]])
    >>> density = density_on_grid(axis, axis, rows, 0.25 * np.eye(2))
    >>> print(f"{density.sum() * 0.1**2:.3f}")
    1.000
    """
    if covariance[0, 1] == 0.0 and len(rows) <= SEPARABLE_ROWS:
        return direct_sums.separable_density_on_grid(x, y, rows, np.diag(covariance))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    if len(points) * len(rows) <= DIRECT_EVALUATIONS:
        density = np.exp(direct_sums.log_density(points, rows, covariance))
    else:
        density = nufft.density(points, rows, covariance)
    values: FloatArray = density.reshape(len(y), len(x))
    return values


def _parts(classes: KernelClasses) -> list[tuple[FloatArray, FloatArray, FloatArray | None]]:
    """Rows, kernel covariance and weights of each class."""
    return list(zip(classes.rows, classes.covariances, classes.weights_of_classes, strict=True))


def _fast_density(points: FloatArray, classes: KernelClasses, code: int) -> FloatArray:
    rows, covariance, weights = _parts(classes)[code]
    if classes.near:
        return classes.near[code].density(points, covariance)
    if classes.series is not None and classes.series.has_densities:
        return classes.series.density(points, code, covariance)
    return nufft.density(points, rows, covariance, weights)


def _log_density(
    points: FloatArray, rows: FloatArray, covariance: FloatArray, weights: FloatArray | None
) -> FloatArray:
    if len(points) * len(rows) <= DIRECT_EVALUATIONS:
        return direct_sums.log_density(points, rows, covariance, weights)
    density = nufft.density(points, rows, covariance, weights)
    _, log_peak = direct_sums.inverse_root(covariance)
    low = density < FOURIER_FLOOR * np.exp(log_peak)
    logs = np.log(np.where(low, 1.0, density))
    logs[low] = direct_sums.log_density(points[low], rows, covariance, weights)
    return logs

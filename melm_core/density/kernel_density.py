"""Class densities: kernel covariances, densities at points and on grids, mass levels.

A class with N_c rows and covariance cov_c (divisor N_c) has a Gaussian kernel
of covariance B_c = h_c^2 cov_c, where h_c is the bandwidth of Silverman's rule
times gamma (MELM paper, section 3). In the plane V its covariance is V'B_cV:
the density on the page is the one that is optimized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density import direct_sums, nufft
from melm_core.linalg.class_moments import class_covariances, rows_by_class

Shrinkage = float | Literal["auto"]

# "auto" mixes in just enough of the pooled covariance to raise the smallest variance of a class,
# relative to the pooled variance, to this value.
SMALLEST_RELATIVE_VARIANCE = 0.01

# Directions with less than this fraction of the largest variance, after scaling each feature to
# unit variance, are treated as constant.
NULL_VARIANCE = 1e-10

# Up to this many kernel evaluations, direct summation is faster.
DIRECT_EVALUATIONS = 300_000

# A kernel with a diagonal covariance is a product over axes; its density on a grid takes one sum
# per grid line instead of one per point. Beyond this many rows the transform is still faster.
SEPARABLE_ROWS = 3_000

# Densities below this fraction of the kernel's peak are below the precision of the Fourier sum and
# are summed directly.
FOURIER_FLOOR = 1e-6


@dataclass(frozen=True, eq=False)
class KernelClasses:
    """The rows and the kernel covariance of each class.

    Attributes
    ----------
    rows : tuple of ndarray of shape (n_samples_of_class, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Kernel covariances B_c.
    """

    rows: tuple[FloatArray, ...]
    covariances: FloatArray

    @property
    def counts(self) -> IntArray:
        """Number of rows of each class, shape (n_classes,)."""
        return np.array([len(rows) for rows in self.rows])

    def widened(self, factor: float) -> KernelClasses:
        """The same rows with kernels `factor` times as wide."""
        return KernelClasses(self.rows, self.covariances * factor**2)

    def project(self, components: FloatArray) -> KernelClasses:
        """The classes projected by `components`, shape (n_components, n_features)."""
        return KernelClasses(
            rows=tuple(rows @ components.T for rows in self.rows),
            covariances=components @ self.covariances @ components.T,
        )


def bandwidth_factor(n_samples: int, n_components: int, gamma: float) -> float:
    """Bandwidth h_c = gamma (4/(k+2))^(1/(k+4)) N^(-1/(k+4)), relative to the class width."""
    exponent = 1.0 / (n_components + 4)
    return float(gamma * (4.0 / ((n_components + 2) * n_samples)) ** exponent)


def kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = "auto",
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
    shrinkage : float in [0, 1] or "auto"
        Weight of the pooled within-class covariance in every class covariance.
        "auto" is 0 unless a class is nearly flat in some direction.
    """
    rows = rows_by_class(X, y)
    covariances = class_covariances(rows)
    pooled = pooled_covariance(covariances, [len(block) for block in rows])
    shrunk = shrink(covariances, pooled, shrinkage)
    factors = [bandwidth_factor(len(block), n_components, gamma) for block in rows]
    return KernelClasses(rows, shrunk * np.square(factors)[:, None, None])


def whitened_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = "auto",
) -> tuple[KernelClasses, FloatArray]:
    """As `kernel_classes`, in coordinates that are white within the classes.

    The rows are copied only once, class by class, which bounds the memory.

    Returns
    -------
    classes : KernelClasses
        Rows (X - mean) W and their kernels.
    whitener : ndarray of shape (n_features, rank)
        W, see `whitening`.
    """
    members = [y == code for code in range(int(y.max()) + 1)]
    covariances = class_covariances(X[mask] for mask in members)
    counts = [int(mask.sum()) for mask in members]
    whitener = whitening(pooled_covariance(covariances, counts))
    white = whitener.T @ covariances @ whitener
    shrunk = shrink(white, pooled_covariance(white, counts), shrinkage)
    factors = [bandwidth_factor(count, n_components, gamma) for count in counts]
    mean = X.mean(axis=0)
    rows = tuple((X[mask] - mean) @ whitener for mask in members)
    return KernelClasses(rows, shrunk * np.square(factors)[:, None, None]), whitener


def centered_kernel_classes(
    X: FloatArray,
    y: IntArray,
    *,
    n_components: int,
    gamma: float = 1.0,
    shrinkage: Shrinkage = "auto",
) -> tuple[KernelClasses, FloatArray]:
    """As `kernel_classes`, centered but not whitened.

    Returns
    -------
    classes : KernelClasses
    identity : ndarray of shape (n_features, n_features)
        In place of a whitener.
    """
    classes = kernel_classes(
        X - X.mean(axis=0), y, n_components=n_components, gamma=gamma, shrinkage=shrinkage
    )
    return classes, np.eye(X.shape[1])


def pooled_covariance(covariances: FloatArray, counts: Sequence[int]) -> FloatArray:
    """Within-class covariance: the mean of the class covariances, weighted by class size."""
    pooled: FloatArray = np.average(covariances, axis=0, weights=np.asarray(counts, dtype=float))
    return pooled


def whitening(covariance: FloatArray) -> FloatArray:
    """Matrix W (n_features, rank) with W' covariance W = 1, without null directions.

    It is based on the eigenvectors of the correlation matrix, so that features
    in very different units are not mistaken for null directions.
    """
    widths = np.sqrt(np.diag(covariance))
    units = np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0)
    variances, directions = np.linalg.eigh(covariance * np.outer(units, units))
    kept = variances > NULL_VARIANCE * variances.max(initial=np.finfo(np.float64).tiny)
    whitener: FloatArray = units[:, None] * directions[:, kept] / np.sqrt(variances[kept])
    return whitener


def within_class_whitening(X: FloatArray, y: IntArray) -> FloatArray:
    """Matrix W (n_features, rank) that whitens the pooled within-class covariance of X W.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    """
    counts = np.bincount(y)
    return whitening(pooled_covariance(class_covariances(rows_by_class(X, y)), counts.tolist()))


def shrink(covariances: FloatArray, pooled: FloatArray, shrinkage: Shrinkage) -> FloatArray:
    """Shrink each class covariance toward the pooled covariance.

    Shrinking toward the identity instead would lose the invariance of the
    divergence under affine maps of the data.
    """
    if shrinkage == "auto":
        whitener = whitening(pooled)
        shares = np.array([automatic_shrinkage(c, whitener) for c in covariances])
    else:
        shares = np.full(len(covariances), float(shrinkage))
    mixed: FloatArray = covariances + shares[:, None, None] * (pooled - covariances)
    return mixed


def automatic_shrinkage(covariance: FloatArray, whitener: FloatArray) -> float:
    """Smallest weight that raises every relative variance to SMALLEST_RELATIVE_VARIANCE."""
    if whitener.shape[1] == 0:
        return 0.0
    smallest = max(float(np.linalg.eigvalsh(whitener.T @ covariance @ whitener)[0]), 0.0)
    if smallest >= SMALLEST_RELATIVE_VARIANCE:
        return 0.0
    return (SMALLEST_RELATIVE_VARIANCE - smallest) / (1.0 - smallest)


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
    columns = [
        _log_density(points, rows, covariance)
        for rows, covariance in zip(classes.rows, classes.covariances, strict=True)
    ]
    return np.column_stack(columns)


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


def mass_levels(density: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Density levels whose superlevel sets contain the given shares of the probability mass.

    Parameters
    ----------
    density : ndarray of shape (n_y, n_x)
        Values on a regular grid that contains practically all of the mass.
    shares : sequence of float in (0, 1)

    Returns
    -------
    ndarray of shape (len(shares),)
        One level for each share; larger shares have lower levels.
    """
    ordered = np.sort(density, axis=None)[::-1]
    mass = np.cumsum(ordered)
    positions = np.searchsorted(mass, np.asarray(shares) * mass[-1])
    levels: FloatArray = ordered[np.minimum(positions, len(ordered) - 1)]
    return levels


def _log_density(points: FloatArray, rows: FloatArray, covariance: FloatArray) -> FloatArray:
    if len(points) * len(rows) <= DIRECT_EVALUATIONS:
        return direct_sums.log_density(points, rows, covariance)
    density = nufft.density(points, rows, covariance)
    _, log_peak = direct_sums.inverse_root(covariance)
    low = density < FOURIER_FLOOR * np.exp(log_peak)
    logs = np.log(np.where(low, 1.0, density))
    logs[low] = direct_sums.log_density(points[low], rows, covariance)
    return logs

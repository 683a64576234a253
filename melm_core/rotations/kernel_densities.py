"""The kernel densities of MELM as class densities for the posterior objective."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density import exponent_blocks, inverse_root
from melm_core.density.class_densities import ClassDensities
from melm_core.density.kernel_density import kernel_classes


@dataclass(frozen=True, eq=False)
class KernelPlane:
    """Kernel densities in one plane."""

    classes: ClassDensities

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute logarithms at points (n_points, n_components), shape (n_points, n_classes)."""
        logs: FloatArray = self.classes.log_densities(points)
        return logs


@dataclass(frozen=True, eq=False)
class KernelDensities:
    """Kernel class densities that can be projected onto any plane; see `DensityModel`.

    The time of an evaluation is proportional to the square of the number of rows.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features)
    members : tuple of ndarray
        Indices of the rows of each class.
    classes : ClassDensities
    """

    rows: FloatArray
    members: tuple[IntArray, ...]
    classes: ClassDensities

    def project(self, components: FloatArray) -> ProjectedKernels:
        """See `DensityModel`."""
        return ProjectedKernels(self, components)

    def in_plane(self, components: FloatArray) -> KernelPlane:
        """See `DensityModel`."""
        return KernelPlane(self.classes.project(components))


class ProjectedKernels:
    """Kernel class densities at their rows; see `ProjectedDensities`."""

    def __init__(self, densities: KernelDensities, components: FloatArray) -> None:
        self._whole = densities
        self._components = components
        self._plane = densities.classes.project(components)
        self._points = densities.rows @ components.T
        # Always by direct sums, because the derivatives are sums over pairs in any case.
        self.log_values: FloatArray = self._plane.log_densities(self._points, engine="direct")

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """See `ProjectedDensities`."""
        by_points = np.zeros_like(self._points)
        gradient = np.zeros_like(self._components)
        for code, members in enumerate(self._whole.members):
            by_class, by_rows, by_covariance = self._of_class(code, weights[:, code])
            by_points += by_class
            by_points[members] += by_rows
            spread = self._components @ self._whole.classes.covariances[code]
            gradient += 2.0 * by_covariance @ spread
        return gradient + by_points.T @ self._whole.rows

    def _of_class(
        self, code: int, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute derivatives by the points, by the rows of the class and by its kernel.

        With q_ij the share of row j in the density at point i times the weight
        of point i, all three are sums over q_ij and w = z_i - z_j.
        """
        rows, covariance = self._plane.rows[code], self._plane.covariances[code]
        root, log_norm = inverse_root(covariance)
        precision = root @ root.T
        to_rows, totals = np.empty_like(self._points), np.zeros(len(rows))
        to_points = np.zeros_like(rows)
        offsets = self.log_values[:, code] - log_norm + np.log(len(rows))
        for block, shares in _shares(self._points @ root, rows @ root, offsets):
            shares *= weights[block, None]
            to_rows[block] = shares @ rows
            to_points += shares.T @ self._points[block]
            totals += shares.sum(axis=0)
        pulls = weights[:, None] * self._points - to_rows  # sum_j q_ij w
        pushes = to_points - totals[:, None] * rows  # sum_i q_ij w
        moment = self._points.T @ pulls - rows.T @ pushes  # sum_ij q_ij w w'
        by_covariance = 0.5 * (precision @ moment @ precision - weights.sum() * precision)
        return -pulls @ precision, pushes @ precision, by_covariance


def kernels_per_class(
    X: FloatArray, y: IntArray, *, n_components: int, gamma: float
) -> KernelDensities:
    """Estimate the kernel densities of MELM, see `melm_core.density.kernel_density`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_components : int
        Dimension of the plane.
    gamma : float
        Width of the kernels relative to Silverman's rule.
    """
    members = tuple(np.flatnonzero(y == code) for code in range(int(y.max()) + 1))
    classes = kernel_classes(X, y, n_components=n_components, gamma=gamma, shrinkage="auto")
    return KernelDensities(X, members, classes)


def _shares(u: FloatArray, v: FloatArray, logs: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of exp(-|u_i - v_j|^2 / 2 - logs_i)."""
    for block, exponents in exponent_blocks(u, v):
        exponents -= logs[block, None]
        yield block, np.exp(exponents, out=exponents)

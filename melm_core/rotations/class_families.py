"""Class densities of one's own for the posterior objective.

The paper leaves the family of densities free. A family says what the density of a class is, given
the rows of the class in the plane; its derivative may be given too, and is otherwise taken by
central differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError

# Relative to the largest entry of a row of components, whose coordinates have unit variance: the
# errors of rounding and of the third derivative are about equal.
_STEP = 1e-5


@runtime_checkable
class ClassFamily(Protocol):
    """A family of densities, estimated from the rows of a class in the plane.

    `RotationPlane(density=family)` takes an object with the method `log_density`. If it has
    `derivatives` as well, these are used; otherwise the gradient of the search is taken by central
    differences, in 2 x n_components x n_features evaluations for each step.

    M depends on the plane alone where the family is closed under linear maps, as Gaussians and
    Student's t with a full covariance are. Of other families, such as a product over coordinates,
    the directions within the plane are a part of what is found.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, sections 2 and 3.1.

    Examples
    --------
    Student's t with 5 degrees of freedom, which outliers sway less than a Gaussian:

    >>> import numpy as np
    >>> from scipy.stats import multivariate_t
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import RotationPlane
    >>> class StudentT:
    ...     def log_density(self, rows, points):
    ...         # The covariance of t is its shape times df / (df - 2).
    ...         shape = np.cov(rows.T, ddof=0).reshape(2 * rows.shape[1:]) * 3 / 5
    ...         return multivariate_t.logpdf(points, rows.mean(axis=0), shape, df=5)
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = RotationPlane(density=StudentT(), n_init=2, max_iter=20, random_state=0).fit(X, y)
    >>> plane.score(X, y) > 0.95
    True
    """

    def log_density(self, rows: FloatArray, points: FloatArray) -> FloatArray:
        """Compute the log density of a class at points of the plane.

        Parameters
        ----------
        rows : ndarray of shape (n_samples_of_class, n_components)
            The rows of the class.
        points : ndarray of shape (n_points, n_components)

        Returns
        -------
        ndarray of shape (n_points,)
        """


@runtime_checkable
class DifferentiableFamily(ClassFamily, Protocol):
    """A family with its derivatives; see `ClassFamily`."""

    def derivatives(
        self, rows: FloatArray, points: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Compute derivatives of the sum of weights * log_density(rows, points).

        Parameters
        ----------
        rows : ndarray of shape (n_samples_of_class, n_components)
        points : ndarray of shape (n_points, n_components)
        weights : ndarray of shape (n_points,)

        Returns
        -------
        by_rows : ndarray of shape (n_samples_of_class, n_components)
            Through the parameters that are estimated from the rows.
        by_points : ndarray of shape (n_points, n_components)
        """


@dataclass(frozen=True, eq=False)
class FamilyPlane:
    """The densities of a family in one plane; see `PlaneDensities`."""

    family: ClassFamily
    rows_of_classes: tuple[FloatArray, ...]

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute log densities at points (n_points, n_components), shape (n_points, n_classes)."""
        of_classes = [
            np.asarray(self.family.log_density(rows, points), dtype=np.float64)
            for rows in self.rows_of_classes
        ]
        for logs in of_classes:
            if logs.shape != (len(points),):
                raise UserError(
                    f"log_density of {type(self.family).__name__} returned the shape {logs.shape} "
                    f"for {len(points)} points; return one number for each point, "
                    f"({len(points)},)."
                )
        return np.column_stack(of_classes)


@dataclass(frozen=True, eq=False)
class FamilyDensities:
    """The densities of a family that can be projected onto any plane; see `DensityModel`.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features)
    members : tuple of ndarray
        Indices of the rows of each class.
    family : ClassFamily
    """

    rows: FloatArray
    members: tuple[IntArray, ...]
    family: ClassFamily

    def project(self, components: FloatArray) -> ProjectedFamily:
        """See `DensityModel`."""
        return ProjectedFamily(self, components)

    def in_plane(self, components: FloatArray) -> FamilyPlane:
        """See `DensityModel`."""
        points = self.rows @ components.T
        return FamilyPlane(self.family, tuple(points[members] for members in self.members))

    def log_values(self, components: FloatArray) -> FloatArray:
        """Compute log densities of all classes at the rows, shape (n_samples, n_classes)."""
        logs = self.in_plane(components).log_densities(self.rows @ components.T)
        if not np.isfinite(logs).all():
            raise UserError(
                f"log_density of {type(self.family).__name__} returned "
                f"{logs[~np.isfinite(logs)][0]:g} at a row of the data; return finite logarithms, "
                "for example by adding a little to variances that may be zero."
            )
        return logs


class ProjectedFamily:
    """The densities of a family at their rows; see `ProjectedDensities`."""

    def __init__(self, densities: FamilyDensities, components: FloatArray) -> None:
        self._whole, self._components = densities, components
        self.log_values: FloatArray = densities.log_values(components)

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """See `ProjectedDensities`."""
        family = self._whole.family
        if isinstance(family, DifferentiableFamily):
            return self._by_derivatives(family, weights)
        return self._by_differences(weights)

    def _by_derivatives(self, family: DifferentiableFamily, weights: FloatArray) -> FloatArray:
        points = self._whole.rows @ self._components.T
        by_points = np.zeros_like(points)
        for members, of_class in zip(self._whole.members, weights.T, strict=True):
            through_rows, through_points = family.derivatives(points[members], points, of_class)
            by_points += through_points
            by_points[members] += through_rows
        gradient: FloatArray = by_points.T @ self._whole.rows
        return gradient

    def _by_differences(self, weights: FloatArray) -> FloatArray:
        gradient = np.empty_like(self._components)
        for place in np.ndindex(*gradient.shape):
            step = np.zeros_like(gradient)
            step[place] = _STEP * float(np.abs(self._components[place[0]]).max())
            above, below = (
                float((weights * self._whole.log_values(self._components + sign * step)).sum())
                for sign in (1.0, -1.0)
            )
            gradient[place] = (above - below) / (2.0 * step[place])
        return gradient


def family_per_class(X: FloatArray, y: IntArray, family: ClassFamily) -> FamilyDensities:
    """Estimate the densities of a family, in each plane anew.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    family : ClassFamily
    """
    members = tuple(np.flatnonzero(y == code) for code in range(int(y.max()) + 1))
    return FamilyDensities(X, members, family)

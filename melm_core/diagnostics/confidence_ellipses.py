"""Ellipses of a class in a plane: of its rows, and of its mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import f as f_distribution

from melm_core.base import FloatArray

EllipseOf: TypeAlias = Literal["rows", "mean"]
DEFAULT_SHARE = 0.95
_N_DIMENSIONS = 2
_N_VERTICES = 49
_ANGLES = np.linspace(0, 2 * np.pi, _N_VERTICES)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
# Below this share of a variance, what another coordinate leaves of it is rounding.
_LEAST_REST = 1e-12


@dataclass(frozen=True, eq=False)
class ConfidenceEllipses:
    """The ellipses of one class: of a further row, and of its mean.

    Attributes
    ----------
    center : ndarray of shape (2,)
        The mean of the rows.
    root : ndarray of shape (2, 2)
        Lower triangular, with ``root @ root.T`` their covariance. It changes smoothly with the
        plane, so that the vertices do.
    radii : mapping of str to float
        Of the ellipse of "rows" and of the "mean", in standard deviations.

    Notes
    -----
    The ellipse of the mean shrinks with the number of rows, that of the rows does not: classes
    whose means are clearly apart may overlap in nearly all of their rows. Rows that depend on each
    other count as fewer than there are, so that the ellipse of the mean is then too small.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import ConfidenceEllipses
    >>> rows = np.random.default_rng(0).normal(size=(50, 2))
    >>> found = ConfidenceEllipses.of(rows)
    >>> found.outline("mean").shape
    (49, 2)
    >>> round(found.radii["rows"] / found.radii["mean"], 6) == round(51**0.5, 6)
    True
    >>> same = ConfidenceEllipses.of_moments(50, rows.mean(axis=0), np.cov(rows.T))
    >>> np.allclose(same.outline("rows"), found.outline("rows"))
    True
    """

    center: FloatArray
    root: FloatArray
    radii: Mapping[EllipseOf, float]

    @classmethod
    def of(cls, points: FloatArray, share: float = DEFAULT_SHARE) -> Self | None:
        """The ellipses in which a further row, and the mean, of a normal class lie.

        Parameters
        ----------
        points : ndarray of shape (n_samples, 2)
            The rows of one class in a plane.
        share : float
            Between 0 and 1: the probability with which each ellipse holds what it is of.

        Returns
        -------
        ConfidenceEllipses or None
            None where fewer than three rows, or rows on a line, determine none.

        Raises
        ------
        ValueError
            If `share` is not between 0 and 1.

        Notes
        -----
        With n rows, their mean m and covariance S, a further row x fulfills
        ``(x - m)' S^-1 (x - m) <= 2 (n + 1)(n - 1) / (n (n - 2)) F(share; 2, n - 2)``, and the mean
        the same without the factor ``n + 1``. Both hold for normal classes only, and for rows that
        the plane was not fitted to, such as `Refits.places`. The contours of the densities assume
        no shape.

        References
        ----------
        R. A. Johnson, D. W. Wichern: Applied Multivariate Statistical Analysis, 6th edition, 2007,
        equations 5-18 and 5-33.
        """
        if not 0 < share < 1:
            raise ValueError(f"The share must be between 0 and 1; it is {share}.")
        n = len(points)
        if n <= _N_DIMENSIONS:
            return None
        center = np.full(n, 1.0 / n) @ points  # a mean along this axis is much slower
        centered = points - center
        return cls.of_moments(n, center, centered.T @ centered / (n - 1), share)

    @classmethod
    def of_moments(
        cls,
        n_samples: int,
        center: FloatArray,
        covariance: FloatArray,
        share: float = DEFAULT_SHARE,
    ) -> Self | None:
        """The same of rows of which the moments are known.

        Parameters
        ----------
        n_samples : int
            More than two.
        center : ndarray of shape (2,)
            Their mean.
        covariance : ndarray of shape (2, 2)
            With the divisor n_samples - 1.
        share : float
            Between 0 and 1.

        Returns
        -------
        ConfidenceEllipses or None
            None if all rows lie on a line.
        """
        root = _root(covariance)
        if root is None:
            return None
        of_mean = _radius_of_mean(n_samples, share)
        of_row = math.sqrt(n_samples + 1) * of_mean
        return cls(center, root, {"rows": of_row, "mean": of_mean})

    def axes(self, of: EllipseOf) -> FloatArray:
        """The linear map from the unit circle to an ellipse about its center, shape (2, 2)."""
        axes: FloatArray = self.radii[of] * self.root
        return axes

    def outline(self, of: EllipseOf) -> FloatArray:
        """The vertices of a closed line, shape (49, 2)."""
        outline: FloatArray = self.center + _CIRCLE @ self.axes(of).T
        return outline

    def hold(self, points: FloatArray, of: EllipseOf) -> npt.NDArray[np.bool_]:
        """Return whether points, shape (n_points, 2), lie in an ellipse."""
        away = np.linalg.solve(self.axes(of), (points - self.center).T)
        inside: npt.NDArray[np.bool_] = np.square(away).sum(axis=0) <= 1.0
        return inside


@lru_cache(maxsize=1024)
def _radius_of_mean(n: int, share: float) -> float:
    """Kept, since a search draws the same classes in thousands of planes."""
    quantile = f_distribution.ppf(share, _N_DIMENSIONS, n - _N_DIMENSIONS)
    factor = _N_DIMENSIONS * (n - 1) / (n * (n - _N_DIMENSIONS))
    return math.sqrt(factor * quantile)


def _root(covariance: FloatArray) -> FloatArray | None:
    """The Cholesky factor of two dimensions; None if the matrix is singular."""
    (xx, xy), (_, yy) = covariance.tolist()
    if not xx > 0:
        return None
    rest = yy - xy * xy / xx
    if not rest > _LEAST_REST * yy:
        return None
    first = math.sqrt(xx)
    return np.array([[first, 0.0], [xy / first, math.sqrt(rest)]])

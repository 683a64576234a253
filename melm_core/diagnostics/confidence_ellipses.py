"""Ellipses of a class in a plane: of its rows, and of its mean."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy.stats import f as f_distribution

from melm_core.base import FloatArray

EllipseOf: TypeAlias = Literal["rows", "mean"]
DEFAULT_SHARE = 0.95
_N_DIMENSIONS = 2
_N_VERTICES = 49


def confidence_ellipse(
    points: FloatArray, of: EllipseOf, share: float = DEFAULT_SHARE
) -> FloatArray:
    """Return the ellipse in which a further row, or the mean, of a normal class lies.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The rows of one class in a plane.
    of : str
        "rows" for the region that holds a further row of the class with probability `share`;
        "mean" for the confidence region of its mean.
    share : float
        Between 0 and 1.

    Returns
    -------
    ndarray of shape (49, 2)
        Vertices of the closed line; shape (0, 2) where fewer than three rows, or rows on a line,
        determine no ellipse.

    Raises
    ------
    ValueError
        If `share` is not between 0 and 1.

    Notes
    -----
    With n rows, their mean m and covariance S, a further row x fulfills
    ``(x - m)' S^-1 (x - m) <= 2 (n + 1)(n - 1) / (n (n - 2)) F(share; 2, n - 2)``, and the mean
    the same without the factor ``n + 1``. Both hold for normal classes only. The contours of the
    densities assume no shape.

    References
    ----------
    R. A. Johnson, D. W. Wichern: Applied Multivariate Statistical Analysis, 6th edition, 2007,
    equations 5-18 and 5-33.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import confidence_ellipse
    >>> rows = np.random.default_rng(0).normal(size=(50, 2))
    >>> wide, narrow = confidence_ellipse(rows, "rows"), confidence_ellipse(rows, "mean")
    >>> bool(np.ptp(wide[:, 0]) > 5 * np.ptp(narrow[:, 0]))
    True
    """
    if not 0 < share < 1:
        raise ValueError(f"The share must be between 0 and 1; it is {share}.")
    n = len(points)
    if n <= _N_DIMENSIONS:
        return np.empty((0, _N_DIMENSIONS))
    mean, covariance = points.mean(axis=0), np.cov(points.T)
    try:
        # A root that changes smoothly with the plane, so that the vertices do.
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return np.empty((0, _N_DIMENSIONS))
    quantile = f_distribution.ppf(share, _N_DIMENSIONS, n - _N_DIMENSIONS)
    factor = (n + 1 if of == "rows" else 1) * (n - 1) / (n * (n - _N_DIMENSIONS))
    angles = np.linspace(0, 2 * np.pi, _N_VERTICES)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    ellipse: FloatArray = mean + np.sqrt(_N_DIMENSIONS * factor * quantile) * circle @ root.T
    return ellipse

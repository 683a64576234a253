"""Contours of a class density."""

from __future__ import annotations

import contourpy
import numpy as np

from melm_core.base import FloatArray
from melm_core.density import density_on_grid, inverse_root, mass_levels

# Each contour encloses one of these shares of the mass of a class.
CONTOUR_SHARES = (0.5, 0.8, 0.95)
GRID_LINES = 72

# A contour of 95 % of the mass ends well within this many kernel widths beyond the outermost row.
_MARGIN_WIDTHS = 3.0


def class_contours(rows: FloatArray, covariance: FloatArray) -> FloatArray:
    """Lines around CONTOUR_SHARES of the mass of a class, separated by nan: (n_vertices, 2).

    Parameters
    ----------
    rows : ndarray of shape (n_samples, 2)
    covariance : ndarray of shape (2, 2)
        Kernel covariance in the plane.
    """
    # In coordinates in which the kernel is isotropic, the sum over a grid is separable.
    root, _ = inverse_root(covariance)
    round_rows = rows @ root
    lower, upper = round_rows.min(axis=0) - _MARGIN_WIDTHS, round_rows.max(axis=0) + _MARGIN_WIDTHS
    x, y = (np.linspace(lower[axis], upper[axis], GRID_LINES) for axis in (0, 1))
    density = density_on_grid(x, y, round_rows, np.eye(2))
    generator = contourpy.contour_generator(x, y, density, name="serial")
    lines = [
        line for level in mass_levels(density, CONTOUR_SHARES) for line in generator.lines(level)
    ]
    gap = np.full((1, 2), np.nan)
    vertices = np.concatenate([part for line in lines for part in (line, gap)] or [gap])
    contours: FloatArray = vertices @ np.linalg.inv(root)
    return contours

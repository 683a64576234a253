"""Levels of a density whose superlevel sets hold given shares of its mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base.array_types import FloatArray


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

"""Regions of a plane that hold the share of a class that they say, for rows that nobody has seen.

They are made of unseen places: where a plane that was fitted without a row puts that row. Left out
of a density of fitted places, a row is still known to the plane, which has drawn its class together
around it: of few rows and many features, such regions hold hardly any new row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sampling import thinned
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityFloor, class_spreads
from melm_core.density.covariances import kernel_covariances
from melm_core.density.engines.direct_sums import inverse_root, log_density
from melm_core.density.regions import ClassRegions
from melm_core.linalg.class_moments import rows_by_class

# Rows of a class whose densities give its levels: at 50 % the standard error is 1.1 points.
_MOST_LEVEL_ROWS = 2_000
_ROUNDING = 1e-9
# Kernel widths beyond the outermost row at which a grid ends: the first that holds every region.
# Where a row lies alone, the floor reaches the level of a region, which then ends far outside.
_MARGINS = (3.0, 6.0, 12.0, 24.0, 48.0)
# How many times as many lines a wider grid has at most.
_MOST_LINES = 4


@dataclass(frozen=True, eq=False)
class PlaceRegions:
    """Regions of all classes, each where the density of its unseen places exceeds a level.

    Attributes
    ----------
    classes : ClassDensities
        The densities of unseen places: kernels of Silverman's rule.
    floor : DensityFloor
    shares : tuple of float
        That the regions hold of new rows of the class; ascending.
    log_levels : ndarray of shape (n_classes, n_shares)
        Logarithms of the densities at the edges; nan where a class has too few rows to say so: a
        share q needs q / (1 - q) of them, 95 % needs 19, and every region more rows than there are
        components: the kernels of fewer are flat, and hold their own rows alone.
    held : ndarray of shape (n_classes, n_shares)
        Shares of the places of each class in its regions, each left out of its density, with its
        group; nan where a region is not known.

    Notes
    -----
    With n rows and the own row left out of each density, a new row of the class has a density above
    the k-th smallest of them with probability 1 - k / (n + 1), if rows are exchangeable. With
    groups the own group is left out, and the promise is of a row of a new group and of no less than
    the share: of a few groups of unequal size, regions hold up to .1 more
    (docs/results/honesty.md). Rows of refits without some rows lie slightly farther out than new
    rows of the plane of all rows, so that regions of very few rows hold a little
    more than they say.

    References
    ----------
    R. J. Hyndman: Computing and Graphing Highest Density Regions, The American Statistician 50,
    1996, section 3.2. J. Lei, J. Robins, L. Wasserman: Distribution-Free Prediction Sets, Journal
    of the American Statistical Association 108, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import PlaceRegions
    >>> places, fresh = np.random.default_rng(0).standard_normal((2, 2_000, 2))
    >>> regions = PlaceRegions.of(places, np.arange(2_000) % 2, (0.5, 0.95))
    >>> half, most = regions.hold(0, fresh).mean(axis=0)
    >>> bool(abs(half - 0.5) < 0.04), bool(abs(most - 0.95) < 0.02)
    (True, True)
    """

    classes: ClassDensities
    floor: DensityFloor
    shares: tuple[float, ...]
    log_levels: FloatArray
    held: FloatArray

    @classmethod
    def of(
        cls,
        places: FloatArray,
        y: IntArray,
        shares: Sequence[float],
        groups: IntArray | None = None,
        *,
        gamma: float = 1.0,
    ) -> Self:
        """Compute the regions of unseen places.

        Parameters
        ----------
        places : ndarray of shape (n_rows, n_components)
        y : ndarray of shape (n_rows,)
            Class codes 0 .. n_classes - 1, each present.
        shares : sequence of float in (0, 1)
            Ascending.
        groups : ndarray of shape (n_rows,), optional
            Codes of rows that depend on each other.
        gamma : float, default=1.0
            Kernel width relative to Silverman's rule.
        """
        rows = rows_by_class(places, y)
        counts = np.array([len(of_one) for of_one in rows], dtype=np.float64)
        spread = class_spreads(places, y, len(rows))
        kernels = kernel_covariances(spread, counts, places.shape[1], gamma, "auto")
        floor = DensityFloor.of(places, float(counts.min()))
        classes = ClassDensities(rows, kernels)
        levels = np.empty((len(rows), len(shares)))
        held = np.empty_like(levels)
        for code in range(len(rows)):
            of_class = None if groups is None else groups[y == code]
            logs, weights = _left_out(classes, floor, code, of_class)
            is_flat = len(rows[code]) <= places.shape[1]
            levels[code] = [np.nan if is_flat else _level(logs, weights, q) for q in shares]
            held[code] = np.average(logs[:, None] >= levels[code], axis=0, weights=weights)
        return cls(classes, floor, tuple(shares), levels, np.where(np.isnan(levels), np.nan, held))

    def log_density(self, code: int, points: FloatArray) -> FloatArray:
        """Compute the logarithm of the density of a class at points, shape (n_points,)."""
        logs = log_density(points, self.classes.rows[code], self.classes.covariances[code])
        return self.floor.mixed(logs[:, None], points)[:, 0]

    def hold(self, code: int, points: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether points lie in the regions of a class.

        Parameters
        ----------
        code : int
            Of the class.
        points : ndarray of shape (n_points, n_components)

        Returns
        -------
        ndarray of bool, shape (n_points, n_shares)
            False where a region is not known.
        """
        held: npt.NDArray[np.bool_] = (
            self.log_density(code, points)[:, None] >= self.log_levels[code]
        )
        return held

    def on_grid(self, n_lines: int) -> list[ClassRegions]:
        """Compute the regions of each class in a plane, on a grid that draws them.

        Parameters
        ----------
        n_lines : int
            Of the grid, along each axis.

        Returns
        -------
        list of ClassRegions
            One for each class; levels that are not known are infinite, so that nothing is drawn.
        """
        return [self._class_on_grid(code, n_lines) for code in range(len(self.classes.rows))]

    def _class_on_grid(self, code: int, n_lines: int) -> ClassRegions:
        levels = self.log_levels[code]
        finite_levels = np.where(np.isnan(levels), np.inf, levels)
        root, log_peak = inverse_root(self.classes.covariances[code])
        side = float(np.ptp(self.classes.rows[code] @ root, axis=0).max())
        for margin in _MARGINS:
            wider = (side + 2.0 * margin) / (side + 2.0 * _MARGINS[0])
            grid = self.classes.grid(code, round(n_lines * min(wider, _MOST_LINES)), margin)
            nodes = np.stack(np.meshgrid(grid.x, grid.y), axis=-1).reshape(-1, 2)
            logs = np.log(grid.density.reshape(-1, 1)) + log_peak
            mixed = self.floor.mixed(logs, nodes @ np.linalg.inv(grid.root))
            density = np.exp(mixed.reshape(grid.density.shape) - log_peak)
            edge = max(density[[0, -1]].max(), density[:, [0, -1]].max())
            if np.log(edge) + log_peak < finite_levels.min():
                break
        else:  # a region that is wider still is cut, by a line that is closed
            density[[0, -1]] = density[:, [0, -1]] = grid.floor
        mixed_grid = replace(grid, density=density)
        held: list[float] = self.held[code].tolist()
        return ClassRegions(mixed_grid, self.shares, finite_levels - log_peak, tuple(held))


def _left_out(
    classes: ClassDensities, floor: DensityFloor, code: int, groups: IntArray | None
) -> tuple[FloatArray, FloatArray]:
    """Compute log densities at rows of a class without their group, and weights of the rows."""
    rows = classes.rows[code]
    sample = thinned(np.arange(len(rows)), _MOST_LEVEL_ROWS)
    points, covariance = rows[sample], classes.covariances[code]
    if groups is None:
        logs = classes.floored_log_densities(points, np.full(len(points), code))[:, code]
        if len(rows) == 1:
            logs = np.full(1, -np.inf)
        return floor.mixed(logs[:, None], points)[:, 0], np.ones(len(points))
    logs = np.full(len(points), -np.inf)
    _, sizes = np.unique(groups, return_counts=True)
    for group in np.unique(groups[sample]):
        in_group, others = groups[sample] == group, groups != group
        if others.any():
            logs[in_group] = log_density(points[in_group], rows[others], covariance)
    size_of = dict(zip(np.unique(groups).tolist(), sizes.tolist(), strict=True))
    weights = np.array([1.0 / size_of[group] for group in groups[sample].tolist()])
    return floor.mixed(logs[:, None], points)[:, 0], weights


def _level(logs: FloatArray, weights: FloatArray, share: float) -> float:
    """Compute the level that a new row exceeds with probability `share`; nan of few rows."""
    order = np.argsort(logs)
    ranks = np.cumsum(weights[order])
    # A new row, or group, counts among those of the class.
    beyond = (ranks[-1] + 1.0) * (1.0 - share) - 1.0 + _ROUNDING
    if beyond < 0.0:
        return float("nan")
    rank = min(int(np.searchsorted(ranks, beyond, side="right")), len(order) - 1)
    return float(logs[order[rank]])

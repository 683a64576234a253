"""Regions that hold the share of a class that they say.

A region is where the density of a class exceeds a level. The level is a quantile of the density at
the rows of the class, each left out of its own density: a row that was not counted lies in a region
of 50 % with probability .5, whatever the width of the kernel. The mass of the density itself says
less: wide kernels hold more than their rows, and narrow ones less.

Everything is read off the grid from which the region is drawn, between whose nodes the logarithm
of the density is linear. So what holds the share is what is seen, and no further sum over rows is
needed, whichever engine has summed the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sampling import thinned
from melm_core.density.class_densities import ClassDensities, DensityGrid
from melm_core.density.class_rules import DensityFloor, class_spreads
from melm_core.density.covariances import kernel_covariances
from melm_core.density.engines.direct_sums import inverse_root, log_density, log_density_without
from melm_core.linalg.class_moments import rows_by_class

# Evenly spaced rows of a class from which its levels are found: at 50 % their standard error is
# 1.1 percentage points.
MOST_LEVEL_ROWS = 2_000

# What is left of a density without a row is rounding if it is less than this share of the density,
# or so many times the least density of the grid.
_CANCELLED, _NOISE = 1e-9, 100.0

# Kernel values that are summed anew where rounding is left; at most, so that time is bounded.
_MOST_EXACT = 20_000_000

# How far beyond the lowest level a grid reaches, in kernel widths.
_BEYOND = 0.5

_ROUNDING = 1e-9
# Kernel widths beyond the outermost row at which a grid ends: the first that holds every region.
# Where a row lies alone, the floor reaches the level of a region, which then ends far outside.
_MARGINS = (3.0, 6.0, 12.0, 24.0, 48.0)
# How many times as many lines a wider grid has at most.
_MOST_LINES = 4


@dataclass(frozen=True, eq=False)
class ClassRegions:
    """The regions of one class in a plane.

    Attributes
    ----------
    grid : DensityGrid
        Ends outside of the regions.
    shares : tuple of float
    log_levels : ndarray of shape (n_shares,)
        Logarithms of the density, in units of the kernel's peak, at the edges of the regions.
    training : tuple of float
        The share of the rows of the class in each region, each left out of the density.
    """

    grid: DensityGrid
    shares: tuple[float, ...]
    log_levels: FloatArray
    training: tuple[float, ...]

    def hold(self, points: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether points lie in each region, shape (n_points, n_shares).

        Parameters
        ----------
        points : ndarray of shape (n_points, 2)
            Not rows of the class.
        """
        whitened = points @ self.grid.root
        lower, upper = ([line[end] for line in (self.grid.x, self.grid.y)] for end in (0, -1))
        is_on_grid: npt.NDArray[np.bool_] = np.all(
            (whitened >= lower) & (whitened <= upper), axis=1
        )
        columns, rows, weights = _cells(self.grid, whitened)
        logs = (weights * np.log(self.grid.density[rows, columns])).sum(axis=0)
        inside: npt.NDArray[np.bool_] = is_on_grid[:, None] & (logs[:, None] >= self.log_levels)
        return inside


@dataclass(frozen=True)
class RegionShare:
    """Shares of the rows of a class in one of its regions.

    Attributes
    ----------
    code : int
        Of the class.
    share : float
        That the region is to hold.
    training : float
        The share of the training rows in it, each left out of the density.
    held_out : float or None
        The share of the held-out rows in it; None if there are none.
    """

    code: int
    share: float
    training: float
    held_out: float | None


def density_regions(
    classes: ClassDensities, shares: Sequence[float], n_lines: int = 72
) -> list[ClassRegions]:
    """Compute the regions of each class in a plane that hold shares of it.

    The level of a share is a quantile of the densities f_-i(z_i) of N rows: with probability
    k / (N + 1) a further row has a density above the k-th largest of them. Between two of them the
    logarithm is interpolated. Below the least of them, where N is too small to tell a share, levels
    fall as in a normal class, in proportion to what is to be left out; so they do in a class of one
    row, whose density is its kernel.

    Parameters
    ----------
    classes : ClassDensities
        Projected into a plane; in memory, or with prepared sums of more rows.
    shares : sequence of float in (0, 1)
        Ascending.
    n_lines : int
        Of the grid, along each axis.

    Returns
    -------
    list of ClassRegions
        One for each class.

    References
    ----------
    R. J. Hyndman: Computing and Graphing Highest Density Regions, The American Statistician 50,
    1996, section 3.2 (the quantile method).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import density_regions, kernel_classes
    >>> X, fresh = np.random.default_rng(0).standard_normal((2, 4_000, 2))
    >>> y = np.arange(4_000) % 2
    >>> classes = kernel_classes(X, y, n_components=2, gamma=4.0)
    >>> half, most = density_regions(classes, (0.5, 0.95))[0].hold(fresh).mean(axis=0)
    >>> bool(abs(half - 0.5) < 0.03), bool(abs(most - 0.95) < 0.02)
    (True, True)
    """
    return [_regions_of(classes, code, tuple(shares), n_lines) for code in range(len(classes.rows))]


def region_shares(
    regions: Sequence[ClassRegions], held_out: Sequence[FloatArray]
) -> list[RegionShare]:
    """Compute the shares of training and held-out rows in every region.

    Parameters
    ----------
    regions : sequence of ClassRegions
        Of each class.
    held_out : sequence of ndarray of shape (n_rows, 2)
        Held-out rows of each class in the plane, possibly none.

    Returns
    -------
    list of RegionShare
        Class by class, with ascending shares.
    """
    records = []
    for code, (of_class, rows) in enumerate(zip(regions, held_out, strict=True)):
        held = (
            of_class.hold(rows).mean(axis=0).tolist()
            if len(rows)
            else [None] * len(of_class.shares)
        )
        records += [
            RegionShare(code, *of_one)
            for of_one in zip(of_class.shares, of_class.training, held, strict=True)
        ]
    return records


def line_region_shares(
    classes: ClassDensities, shares: Sequence[float], held_out: Sequence[FloatArray]
) -> list[RegionShare]:
    """Compute the shares of rows in the regions of highest density of their class on a line.

    As in a plane, the levels are quantiles of the density at the rows of the class, each left out.

    Parameters
    ----------
    classes : ClassDensities
        Projected onto a line.
    shares : sequence of float in (0, 1)
        Ascending.
    held_out : sequence of ndarray of shape (n_rows, 1)
        Held-out rows of each class on the line, possibly none.

    Returns
    -------
    list of RegionShare
        Class by class, with ascending shares.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import kernel_classes, line_region_shares
    >>> X, fresh = np.random.default_rng(0).standard_normal((2, 2_000, 1))
    >>> classes = kernel_classes(X, np.arange(2_000) % 2, n_components=1)
    >>> (half, *_) = line_region_shares(classes, (0.5, 0.95), [fresh, fresh])
    >>> abs(half.training - 0.5) < 0.01, abs(half.held_out - 0.5) < 0.06
    (True, True)
    """
    outside, records = 1.0 - np.array(shares), []
    for code, rows in enumerate(classes.rows):
        points = thinned(rows, MOST_LEVEL_ROWS)
        own_codes = np.full(len(points), code)
        is_single = len(rows) == 1  # left out of itself it has no density
        logs = classes.floored_log_densities(points, None if is_single else own_codes)[:, code]
        weights = np.ones(len(points))
        if classes.weights is not None:
            weights = thinned(classes.weights[code], MOST_LEVEL_ROWS)
        levels = logs[0] + np.log(outside) if is_single else _levels(logs, weights, outside)
        training = np.average(logs[:, None] >= levels, axis=0, weights=weights).tolist()
        held: list[float | None] = [None] * len(outside)
        if len(held_out[code]):
            held_out_logs = classes.floored_log_densities(held_out[code])[:, code]
            held = (held_out_logs[:, None] >= levels).mean(axis=0).tolist()
        parts = zip(shares, training, held, strict=True)
        records += [RegionShare(code, *of_one) for of_one in parts]
    return records


def _regions_of(
    classes: ClassDensities, code: int, shares: tuple[float, ...], n_lines: int
) -> ClassRegions:
    regions = _on_grid(classes, code, shares, classes.grid(code, n_lines))
    lowest, density = float(regions.log_levels.min()), regions.grid.density
    if max(density[[0, -1]].max(), density[:, [0, -1]].max()) < np.exp(lowest):
        return regions
    # Few rows, or a narrow kernel. Farther from all rows than this no density reaches the level.
    margin = float(np.sqrt(-2.0 * min(lowest, 0.0))) + _BEYOND
    return _on_grid(classes, code, shares, classes.grid(code, n_lines, margin))


def _on_grid(
    classes: ClassDensities, code: int, shares: tuple[float, ...], grid: DensityGrid
) -> ClassRegions:
    outside = 1.0 - np.array(shares)
    if len(classes.rows[code]) == 1:  # the levels of its kernel
        return ClassRegions(grid, shares, np.log(outside), (1.0,) * len(shares))
    logs, weights = _logs_without_own_row(classes, code, grid, outside[-1])
    log_levels = np.maximum(_levels(logs, weights, outside), np.log(grid.floor) + 1.0)
    held = np.average(logs[:, None] >= log_levels, axis=0, weights=weights)
    return ClassRegions(grid, shares, log_levels, tuple(held.tolist()))


def _levels(logs: FloatArray, weights: FloatArray, outside: FloatArray) -> FloatArray:
    """Return the logarithms that shares `outside` of a class stay below."""
    order = np.argsort(logs)
    positions = np.cumsum(weights[order]) / (weights.sum() * (1.0 + 1.0 / len(logs)))
    below_all = np.log(np.minimum(1.0, outside / positions[0]))
    return np.asarray(np.interp(outside, positions, logs[order]) + below_all)


def _logs_without_own_row(
    classes: ClassDensities, code: int, grid: DensityGrid, least: float
) -> tuple[FloatArray, FloatArray]:
    """Compute log densities at rows of a class, each left out, and the weights of the rows.

    Those among the lowest share `least` alone are not summed exactly.
    """
    rows, of_class = classes.rows[code], classes.weights_of_classes[code]
    sample = _evenly(len(rows))
    weights = np.ones(len(sample)) if of_class is None else of_class[sample]
    row_shares = weights / float(classes.totals[code])
    whitened = rows[sample] @ grid.root
    root, _ = inverse_root(grid.kernel)
    columns, lines, shares = _cells(grid, whitened)  # (4, n_chosen)
    offsets = (np.stack([grid.x[columns], grid.y[lines]], axis=-1) - whitened) @ root
    density = grid.density[lines, columns]
    rest = density - row_shares * np.exp(-0.5 * np.einsum("cij,cij->ci", offsets, offsets))
    logs = (shares * np.log(np.maximum(rest, grid.floor))).sum(axis=0) - np.log1p(-row_shares)
    noise = np.maximum(_CANCELLED * density, _NOISE * grid.floor)
    is_lost = ((rest < noise) & (density > noise)).any(axis=0)
    n_lost = int(is_lost.sum())
    if n_lost >= least * len(sample) and 0 < n_lost * len(rows) <= _MOST_EXACT:
        alone = rows[sample[is_lost]]
        exact = log_density_without(alone, rows, classes.covariances[code], of_class)
        logs[is_lost] = exact - inverse_root(classes.covariances[code])[1]
    return logs, weights


def _evenly(n_rows: int) -> IntArray:
    """Return indices of at most MOST_LEVEL_ROWS rows."""
    n_chosen = min(n_rows, MOST_LEVEL_ROWS)
    return (np.arange(n_chosen) * n_rows) // n_chosen


def _cells(grid: DensityGrid, points: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return column and row of the four nodes around points, and their weights; (4, n) each."""
    corners, parts = [], []
    for axis, lines in enumerate((grid.x, grid.y)):
        step = float(lines[1] - lines[0])
        position = (points[:, axis] - lines[0]) / (step if step > 0 else 1.0)
        first = np.clip(np.floor(position), 0, len(lines) - 2).astype(np.int64)
        part = np.clip(position - first, 0.0, 1.0)
        corners.append((first, first + 1))
        parts.append((1.0 - part, part))
    pairs = [(i, j) for i in (0, 1) for j in (0, 1)]
    columns, rows = (np.stack([corners[axis][pair[axis]] for pair in pairs]) for axis in (0, 1))
    weights = np.stack([parts[0][i] * parts[1][j] for i, j in pairs])
    return columns, rows, weights


@dataclass(frozen=True, eq=False)
class PlaceRegions:
    """Regions of all classes, each where the density of its unseen places exceeds a level.

    An unseen place is where a plane that was fitted without a row puts that row. Left out of a
    density of fitted places, a row is still known to the plane, which has drawn its class together
    around it: of few rows and many features, such regions hold hardly any new row.

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
    sample = thinned(np.arange(len(rows)), MOST_LEVEL_ROWS)
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

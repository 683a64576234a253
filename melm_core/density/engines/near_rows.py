"""Densities of narrow kernels, summed over the rows near each point alone.

The modes of a transform grow with the square of one over the kernel width, while the rows within
reach of a point become fewer: of a million rows, narrow kernels are summed sooner here. A sum of
terms that are all positive also keeps its precision in the tails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.engines.direct_sums import inverse_root, log_density
from melm_core.density.engines.nufft import TOLERANCE, decay_distance

# Height of a strip of rows, in standard deviations of the kernel that rows are sorted for.
_STRIP = 0.5

# Pairs of a point and a row at a time: their arrays stay in the cache of the processor.
_BLOCK_PAIRS = 1 << 16

# Where more strips than this are within reach of a point, nearly all rows are near.
_MOST_STRIPS = 500

# Points by which the number of pairs is estimated.
_PROBES = 100

_REACH = decay_distance(TOLERANCE)


@dataclass(frozen=True, eq=False)
class NearRows:
    """The rows of a class in strips along the first axis, in each of which they are in order.

    Attributes
    ----------
    root : ndarray of shape (n_components, n_components)
        Points times this are in the coordinates of `rows`.
    rows : ndarray of shape (n_samples, n_components)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    keys : ndarray of shape (n_samples,)
        Ascending: number of the strip times `span`, plus the first coordinate from `lower`.
    lower : ndarray of shape (n_components,)
        Lowest coordinates.
    n_strips : ndarray of shape (n_components - 1,)
    span : float
    """

    root: FloatArray
    rows: FloatArray
    weights: FloatArray | None
    keys: FloatArray
    lower: FloatArray
    n_strips: IntArray
    span: float

    @classmethod
    def of(
        cls, rows: FloatArray, covariance: FloatArray, weights: FloatArray | None = None
    ) -> NearRows:
        """Sort the rows of a class.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, n_components)
        covariance : ndarray of shape (n_components, n_components)
            Of a kernel; densities of its multiples are summed fastest.
        weights : ndarray of shape (n_samples,) or None
            Of the rows; None if each counts once.
        """
        root, _ = inverse_root(covariance)
        white = rows @ root
        # Column by column, ten times as fast as along the first axis of a narrow array.
        lower, upper = (np.array([end(column) for column in white.T]) for end in (np.min, np.max))
        n_strips = np.floor((upper - lower)[1:] / _STRIP).astype(np.int64) + 1
        span = float(upper[0] - lower[0]) + 1.0
        strips = np.zeros(len(rows))
        for axis, n in enumerate(n_strips, start=1):
            strips = strips * n + np.floor((white[:, axis] - lower[axis]) / _STRIP)
        keys = strips * span + (white[:, 0] - lower[0])
        order = np.argsort(keys)
        sorted_weights = None if weights is None else weights[order]
        return cls(root, white[order], sorted_weights, keys[order], lower, n_strips, span)

    def n_pairs(self, points: FloatArray, covariance: FloatArray) -> int:
        """Estimate how many pairs of a point and a row `density` sums over."""
        if self._is_wide(covariance):
            return len(points) * len(self.rows)
        step = max(1, len(points) // _PROBES)
        return step * sum(
            int(counts.sum()) for _, counts in self._ranges(points[::step] @ self.root, covariance)
        )

    def density(self, points: FloatArray, covariance: FloatArray) -> FloatArray:
        """Compute the density at points, with an error of at most 1e-12 of the kernel's peak.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
        covariance : ndarray of shape (n_components, n_components)
            Of the kernel.

        Returns
        -------
        ndarray of shape (n_points,)
        """
        if self._is_wide(covariance):
            exact: FloatArray = np.exp(log_density(points, self._rows, covariance, self.weights))
            return exact
        z = points @ self.root
        shape, _ = inverse_root(self.root.T @ covariance @ self.root)
        columns, white = np.ascontiguousarray((self.rows @ shape).T), z @ shape
        sums = np.zeros(len(z))
        for starts, counts in self._ranges(z, covariance):
            ends = np.cumsum(counts)
            blocks = np.searchsorted(ends, np.arange(_BLOCK_PAIRS, int(ends[-1]), _BLOCK_PAIRS))
            for part in np.split(np.arange(len(z)), np.unique(blocks)):
                in_reach = part[counts[part] > 0]
                if len(in_reach):
                    sums[in_reach] += _sums(
                        white[in_reach], columns, self.weights, starts[in_reach], counts[in_reach]
                    )
        _, log_peak = inverse_root(covariance)
        return np.asarray(sums * (np.exp(log_peak) / self._total))

    def density_on_grid(
        self, covariance: FloatArray, n_lines: int, margin: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Evaluate the density on a grid in a plane, for a multiple of the kernel of `of`.

        Parameters
        ----------
        covariance : ndarray of shape (2, 2)
        n_lines : int
            Along each axis.
        margin : float
            How many kernel widths the grid ends beyond the outermost rows.

        Returns
        -------
        x, y : ndarray of shape (n_lines,)
            In the coordinates of `rows`.
        density : ndarray of shape (n_lines, n_lines)
            At each y and x, per unit area of the plane.
        """
        width = float(np.sqrt(np.trace(self.root.T @ covariance @ self.root) / 2.0))
        (x, along), (y, across) = (
            _along_lines(column, width, n_lines, margin) for column in self.rows.T
        )
        if self.weights is not None:
            along = along.multiply(self.weights[:, None]).tocsr()
        _, log_peak = inverse_root(covariance)
        sums = (across.T @ along).toarray()
        return x, y, sums * (np.exp(log_peak) / self._total)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        arrays = (self.rows, self.keys, self.weights)
        return sum(array.nbytes for array in arrays if array is not None)

    @property
    def _rows(self) -> FloatArray:
        return np.asarray(np.linalg.solve(self.root.T, self.rows.T).T, np.float64)

    def _is_wide(self, covariance: FloatArray) -> bool:
        return float(np.prod(2.0 * self._reach(covariance)[1:] / _STRIP + 1.0)) > _MOST_STRIPS

    def _reach(self, covariance: FloatArray) -> FloatArray:
        return np.asarray(_REACH * np.sqrt(np.diag(self.root.T @ covariance @ self.root)))

    @property
    def _total(self) -> float:
        return len(self.rows) if self.weights is None else float(self.weights.sum())

    def _ranges(self, z: FloatArray, covariance: FloatArray) -> list[tuple[IntArray, IntArray]]:
        """Yield first row and number of rows within reach of each point, strip after strip."""
        reach = self._reach(covariance)
        from_lower = z - self.lower
        within = np.nextafter(self.span, 0.0)
        left = np.clip(from_lower[:, 0] - reach[0], 0.0, within)
        right = np.clip(from_lower[:, 0] + reach[0], 0.0, within)
        ranges = []
        for strips, is_inside in self._strips(from_lower[:, 1:], reach[1:]):
            low, high = np.searchsorted(self.keys, strips * self.span + np.array([left, right]))
            ranges.append((low, np.where(is_inside, high - low, 0)))
        return ranges

    def _strips(
        self, from_lower: FloatArray, reach: FloatArray
    ) -> list[tuple[FloatArray, npt.NDArray[np.bool_]]]:
        """List each strip within reach: its number, and whether it exists, for each point."""
        first = np.floor((from_lower - reach) / _STRIP)
        last = np.floor((from_lower + reach) / _STRIP)
        most = (last - first).max(axis=0, initial=0).astype(np.int64) + 1
        strips = []
        for offset in np.ndindex(*most):
            strip = first + np.array(offset)
            is_inside = np.all((strip <= last) & (strip >= 0) & (strip < self.n_strips), axis=1)
            number = reduce(
                lambda so_far, axis: so_far * self.n_strips[axis] + strip[:, axis],
                range(strip.shape[1]),
                np.zeros(len(strip)),
            )
            strips.append((number, is_inside))
        return strips


@dataclass(frozen=True, eq=False)
class NearClasses:
    """The rows of each class in strips.

    Attributes
    ----------
    classes : tuple of NearRows
    """

    classes: tuple[NearRows, ...]

    # The rows are kept with their plane, for kernels of all widths.
    kept_bytes = 0

    @classmethod
    def of(
        cls,
        rows: Sequence[FloatArray],
        covariances: FloatArray,
        weights: Sequence[FloatArray | None],
    ) -> NearClasses:
        """Sort the rows of each class; see `NearRows.of`."""
        return cls(tuple(map(NearRows.of, rows, covariances, weights)))

    def n_pairs(self, points: FloatArray, covariances: FloatArray) -> int:
        """Estimate how many pairs of a point and a row `density` sums over for all classes."""
        return sum(
            rows.n_pairs(points, covariance)
            for rows, covariance in zip(self.classes, covariances, strict=True)
        )

    def density(self, points: FloatArray, code: int, covariance: FloatArray) -> FloatArray:
        """Compute the density of a class at points, shape (n_points,); see `NearRows.density`."""
        return self.classes[code].density(points, covariance)

    def density_on_grid(
        self, code: int, covariance: FloatArray, n_lines: int, margin: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Evaluate the density of a class on a grid; see `NearRows.density_on_grid`."""
        return self.classes[code].density_on_grid(covariance, n_lines, margin)

    def root_of(self, code: int) -> FloatArray:
        """Return the matrix that maps points to coordinates of the grid of a class."""
        return self.classes[code].root


def _sums(
    points: FloatArray,
    columns: FloatArray,
    weights: FloatArray | None,
    starts: IntArray,
    counts: IntArray,
) -> FloatArray:
    """Compute sums of standard kernels over a range of rows for each point; no range is empty."""
    begins = np.cumsum(counts) - counts
    rows = np.arange(int(counts.sum())) + np.repeat(starts - begins, counts)
    squares = np.zeros(len(rows))
    for column, coordinate in zip(columns, points.T, strict=True):
        squares += np.square(column[rows] - np.repeat(coordinate, counts))
    kernels = np.exp(-0.5 * squares)
    if weights is not None:
        kernels *= weights[rows]
    return np.asarray(np.add.reduceat(kernels, begins))


def _along_lines(
    column: FloatArray, width: float, n_lines: int, margin: float
) -> tuple[FloatArray, csr_array]:
    """Grid lines along one axis, and the kernel of each row at those within its reach."""
    lines = np.linspace(column.min() - margin * width, column.max() + margin * width, n_lines)
    step = float(lines[1] - lines[0])
    n_near = min(n_lines, int(2 * _REACH * width / step) + 1)
    first = np.ceil((column - lines[0] - _REACH * width) / step)
    first = np.clip(first, 0, n_lines - n_near).astype(np.int32)
    nodes = np.empty((len(column), n_near), dtype=np.int32)
    kernels = np.empty(nodes.shape)
    for place in range(n_near):
        nodes[:, place] = first + place
        kernels[:, place] = np.exp(-0.5 * np.square((column - lines[nodes[:, place]]) / width))
    begins = np.arange(0, nodes.size + 1, n_near, dtype=np.int64)
    shape = (len(column), n_lines)
    return lines, csr_array((kernels.ravel(), nodes.ravel(), begins), shape=shape)

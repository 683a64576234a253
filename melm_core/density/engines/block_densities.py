"""Densities of classes, at points and of rows that need not be in memory.

Two reductions over the rows give the Fourier series of each class, and with it all densities at any
point that a kernel reaches, with no further look at the rows. Points beyond are few, and are summed
row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import Rows, added, bounds_of, reduce_rows
from melm_core.base.sample_weights import totals_of
from melm_core.density.engines.class_series import spectrum
from melm_core.density.engines.direct_sums import inverse_root, log_density
from melm_core.density.engines.fourier_series import check_modes
from melm_core.density.engines.nufft import Box, PointSeries, decay_distance

# A point where all densities are below this share of the peaks of their kernels is far: there the
# error of the series, about 1e-13 of the peaks, is no longer small beside the densities. A row of
# less than 1e9 others is never far from its class.
FAR = 1e-9

_TOLERANCE = 1e-14

# Each of these takes a pass of direct sums over all rows.
MOST_FAR_POINTS = 10_000


class BlockDensities:
    """The densities of projected classes whose rows are not in memory.

    Parameters
    ----------
    rows : sequence of ClassRows
        Of each class, projected into a plane.
    covariances : ndarray of shape (n_classes, n_components, n_components)
        Kernel covariances.

    Raises
    ------
    ValueError
        If the kernels are so narrow that the series has more than MOST_MODES modes.
    """

    def __init__(self, rows: Sequence[Rows], covariances: FloatArray) -> None:
        self._rows, self._covariances = rows, covariances
        self._series = _BlockSeries(rows, covariances)

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Logarithm of every density at points, shape (n_points, n_classes).

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)

        Raises
        ------
        ValueError
            If more than MOST_FAR_POINTS points are far from all rows.
        """
        logs, is_far = self._series.near(points)
        logs[is_far] = self._exact(points[is_far])
        return logs

    def lazy_log_densities(self, points: Any) -> Any:
        """The same of a Dask array: the far points are summed now, the others when computed."""
        dask = import_module("dask")
        shared = dask.delayed(self._series, pure=False, traverse=False)
        # As blocks of an array in both passes: Dask would name other forms of one task alike.
        n_components, of_class = points.shape[1], len(self._rows)
        far = points.map_blocks(
            _far_points,
            densities=shared,
            chunks=((np.nan,) * points.numblocks[0], (n_components + 1,)),
            meta=np.empty((0, 0)),
        ).compute()
        exact = self._exact(far[:, :-1])
        parts = [exact[far[:, -1] == number] for number in range(points.numblocks[0])]
        return points.map_blocks(
            _filled,
            densities=shared,
            far_logs=parts,
            chunks=(points.chunks[0], (of_class,)),
            meta=np.empty((0, 0)),
        )

    def _exact(self, points: FloatArray) -> FloatArray:
        """Logarithms of the densities, summed over all rows."""
        if len(points) > MOST_FAR_POINTS:
            raise UserError(
                f"{len(points):,} rows of X are far from all rows that the plane was fitted to. "
                f"Their densities are sums over all of those, and are computed for at most "
                f"{MOST_FAR_POINTS:,} rows. Leave such rows out, or pass X in parts."
            )
        if not len(points):
            return np.empty((0, len(self._rows)))
        parts = zip(self._rows, self._covariances, strict=True)
        return np.column_stack(
            [log_density(points, rows, covariance) for rows, covariance in parts]
        )


class _BlockSeries:
    """The series of classes whose rows are not in memory, without these rows.

    See `BlockDensities`.
    """

    def __init__(self, rows: Sequence[Rows], covariances: FloatArray) -> None:
        self._root, _ = inverse_root(covariances.mean(axis=0))
        widths = self._root.T @ covariances @ self._root
        deviations = np.sqrt(np.linalg.eigvalsh(widths))
        narrowest, widest = float(deviations.min()), float(deviations.max())
        lower, upper = bounds_of([part @ self._root for part in rows])
        margin = decay_distance(FAR) * widest
        self._lower, self._upper = lower - margin, upper + margin
        self._box = Box.between(
            self._lower, self._upper, narrowest=narrowest, widest=widest, tolerance=_TOLERANCE
        )
        check_modes(self._box)
        transform = PointSeries(self._box, self._root, [None] * len(widths))
        sums = reduce_rows(transform, added, rows)
        self._series = [
            (of_rows * spectrum(self._box, width)).conj() / total
            for of_rows, width, total in zip(sums, widths, totals_of(rows), strict=True)
        ]
        self._log_scale = float(np.linalg.slogdet(self._root)[1]) - np.log(self._box.volume)
        self._log_peaks = np.array([inverse_root(covariance)[1] for covariance in covariances])

    def near(self, points: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """Logarithms of the densities, and where all of them are too small for the series.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)

        Returns
        -------
        logs : ndarray of shape (n_points, n_classes)
            Undefined at far points.
        is_far : ndarray of bool of shape (n_points,)
        """
        coordinates = points @ self._root
        is_far = ~((coordinates >= self._lower) & (coordinates <= self._upper)).all(axis=1)
        logs = np.full((len(points), len(self._series)), -np.inf)
        angles = self._box.angles(coordinates[~is_far])
        for code, series in enumerate(self._series):
            sums = self._box.evaluate(angles, series) if len(angles[0]) else np.empty(0)
            least = np.exp(self._log_peaks[code] - self._log_scale) * _TOLERANCE
            logs[~is_far, code] = np.log(np.maximum(sums, least)) + self._log_scale
        is_far |= (logs - self._log_peaks).max(axis=1) < np.log(FAR)
        return logs, is_far

    def far_points(self, points: FloatArray) -> FloatArray:
        """The points that are far from all rows, shape (n_far, n_components)."""
        return points[self.near(points)[1]]

    def filled(self, points: FloatArray, far_logs: FloatArray) -> FloatArray:
        """Logarithms of the densities at points, of which those of the far ones are given."""
        logs, is_far = self.near(points)
        logs[is_far] = far_logs
        return logs


def _far_points(
    points: FloatArray, densities: _BlockSeries, block_id: tuple[int, ...]
) -> FloatArray:
    """The far points of a block, each followed by the number of the block."""
    far = densities.far_points(points)
    return np.column_stack([far, np.full(len(far), block_id[0])])


def _filled(
    points: FloatArray,
    densities: _BlockSeries,
    far_logs: list[FloatArray],
    block_id: tuple[int, ...],
) -> FloatArray:
    return densities.filled(points, far_logs[block_id[0]])
